"""A model server on loopback that speaks Anthropic's streaming messages and always answers the same."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def events(text):
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "mock", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 1},
    }
    yield {"type": "message_start", "message": message}
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
    yield {"type": "content_block_stop", "index": 0}
    end = {"stop_reason": "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": 9}}
    yield {"type": "message_stop"}


class Handler(BaseHTTPRequestHandler):
    text = ""

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        is_message = self.path.split("?")[0].endswith("/messages")
        lines = [f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events(self.text)]
        body = "".join(lines).encode() if is_message else b'{"input_tokens": 10}'
        self.answer(body, "text/event-stream" if is_message else "application/json")

    def do_GET(self):
        self.answer(b"{}", "application/json")

    do_HEAD = do_GET

    def answer(self, body, kind):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    Handler.text = sys.argv[2]
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
