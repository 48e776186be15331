//! A model server on loopback that speaks Anthropic's messages API and answers as a script says.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// Opens every review prompt; tells a reviewer's requests from the worker's.
const REVIEW: &str = "# Review request (ccc supervisor)";

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    Worker,
    Reviewer,
    /// A side question of the client, such as for a title: one without tools.
    Side,
}

/// One request to the model.
#[derive(Clone, Debug)]
pub struct Request {
    pub role: Role,
    /// How many of this role came before it.
    pub number: usize,
    pub body: Value,
}

impl Request {
    pub fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map(Vec::as_slice).unwrap_or_default()
    }

    /// All text that the model reads, tool results included.
    pub fn text(&self) -> String {
        self.messages().iter().map(message_text).collect::<Vec<_>>().join("\n")
    }

    /// The text of the last message.
    pub fn last(&self) -> String {
        self.messages().last().map(message_text).unwrap_or_default()
    }

    /// A reviewer's answer in the form that its prompt asks for.
    pub fn verdict(&self, completed: bool, feedback: &str) -> Reply {
        self.answer(completed, feedback, false)
    }

    /// The same, where only the user can help.
    pub fn needs_human(&self, feedback: &str) -> Reply {
        self.answer(false, feedback, true)
    }

    fn answer(&self, completed: bool, feedback: &str, needs_human: bool) -> Reply {
        let text = self.text();
        let token = text.rsplit_once("\"review\": \"").and_then(|(_, rest)| rest.split_once('"'));
        let token = token.map(|(token, _)| token).expect("a token in the review prompt");
        let verdict = json!({ "review": token, "completed": completed, "feedback": feedback,
            "needs_human": needs_human });
        Reply::Text(verdict.to_string())
    }
}

fn message_text(message: &Value) -> String {
    fn text(value: &Value) -> String {
        match value {
            Value::String(text) => text.clone(),
            Value::Array(parts) => parts.iter().map(text).collect::<Vec<_>>().join("\n"),
            Value::Object(block) => {
                ["text", "content"].iter().filter_map(|key| block.get(*key)).map(text).collect()
            }
            _ => String::new(),
        }
    }
    text(&message["content"])
}

/// What the model answers.
#[derive(Clone, Debug)]
pub enum Reply {
    Text(String),
    /// A tool call: name and input.
    Call(&'static str, Value),
    /// An HTTP status.
    Fails(u16),
    /// Nothing, for longer than anybody waits.
    Hangs,
}

pub fn says(text: &str) -> Reply {
    Reply::Text(text.to_owned())
}

pub fn runs(command: &str) -> Reply {
    Reply::Call("Bash", json!({ "command": command, "description": "run it" }))
}

pub fn writes(path: &str, content: &str) -> Reply {
    Reply::Call("Write", json!({ "file_path": path, "content": content }))
}

type Script = dyn Fn(&Request) -> Reply + Send + Sync;

/// The server. It ends with the test's process.
pub struct Model {
    pub url: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Model {
    /// Side questions never reach the script.
    pub fn start(script: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (script, kept): (Arc<Script>, _) = (Arc::new(script), Arc::clone(&requests));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (script, kept) = (Arc::clone(&script), Arc::clone(&kept));
                std::thread::spawn(move || serve(stream, &*script, &kept));
            }
        });
        Self { url, requests }
    }

    /// The requests of a role so far.
    pub fn requests(&self, role: Role) -> Vec<Request> {
        let all = self.requests.lock().unwrap();
        all.iter().filter(|request| request.role == role).cloned().collect()
    }
}

/// Answers one connection's requests, one after another.
fn serve(stream: TcpStream, script: &Script, kept: &Mutex<Vec<Request>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    while let Some((target, body)) = read_request(&mut reader) {
        let is_message = target.split('?').next().is_some_and(|path| path.ends_with("/messages"));
        let done = match serde_json::from_slice::<Value>(&body) {
            Ok(body) if is_message => {
                let reply = answer(body.clone(), script, kept);
                send(&mut stream, &reply, body["stream"] == true)
            }
            _ => respond(&mut stream, 200, "application/json", "{\"input_tokens\": 10}"),
        };
        if done.is_err() {
            return;
        }
    }
}

fn read_request(reader: &mut impl BufRead) -> Option<(String, Vec<u8>)> {
    let mut lines = BTreeMap::new();
    let mut first = String::new();
    reader.read_line(&mut first).ok().filter(|&n| n > 0)?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|&n| n > 0)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        lines.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = lines.get("content-length").and_then(|n| n.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((first.split(' ').nth(1)?.to_owned(), body))
}

fn answer(body: Value, script: &Script, kept: &Mutex<Vec<Request>>) -> Reply {
    let mut request = Request { role: Role::Worker, number: 0, body };
    let has_tools = request.body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let is_review = request.messages().iter().any(|m| message_text(m).contains(REVIEW));
    request.role = match (has_tools, is_review) {
        (false, _) => Role::Side,
        (true, true) => Role::Reviewer,
        (true, false) => Role::Worker,
    };
    let mut all = kept.lock().unwrap();
    request.number = all.iter().filter(|r| r.role == request.role).count();
    all.push(request.clone());
    drop(all);
    match request.role {
        Role::Side => says("ok"),
        _ => script(&request),
    }
}

fn send(stream: &mut TcpStream, reply: &Reply, is_stream: bool) -> std::io::Result<()> {
    match reply {
        Reply::Hangs => {
            std::thread::sleep(Duration::from_secs(600));
            Ok(())
        }
        Reply::Fails(status) => {
            let error = json!({ "type": error_type(*status), "message": "the script says so" });
            let body = json!({ "type": "error", "error": error }).to_string();
            respond(stream, *status, "application/json", &body)
        }
        Reply::Text(_) | Reply::Call(..) if is_stream => {
            let events = events(reply);
            let one = |e: &Value| format!("event: {}\ndata: {e}\n\n", e["type"].as_str().unwrap());
            respond(stream, 200, "text/event-stream", &events.iter().map(one).collect::<String>())
        }
        Reply::Text(_) | Reply::Call(..) => {
            let mut message = message(&json!([block(reply)]));
            message["stop_reason"] = stop_reason(reply).into();
            respond(stream, 200, "application/json", &message.to_string())
        }
    }
}

fn error_type(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    }
}

fn stop_reason(reply: &Reply) -> &'static str {
    if matches!(reply, Reply::Call(..)) { "tool_use" } else { "end_turn" }
}

fn message(content: &Value) -> Value {
    let id = format!("msg_{}", next_id());
    json!({ "id": id, "type": "message", "role": "assistant", "model": "mock",
        "content": content, "stop_reason": null, "stop_sequence": null,
        "usage": { "input_tokens": 10, "output_tokens": 1, "cache_read_input_tokens": 7,
            "cache_creation_input_tokens": 3 } })
}

fn block(reply: &Reply) -> Value {
    match reply {
        Reply::Call(name, input) => {
            let id = format!("toolu_{:08x}", next_id());
            json!({ "type": "tool_use", "id": id, "name": name, "input": input })
        }
        Reply::Text(text) => json!({ "type": "text", "text": text }),
        Reply::Fails(_) | Reply::Hangs => unreachable!("has no content"),
    }
}

/// Ids differ within a run; they need not be random.
fn next_id() -> usize {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn events(reply: &Reply) -> Vec<Value> {
    let mut block = block(reply);
    let delta = match reply {
        Reply::Call(_, input) => {
            block["input"] = json!({});
            json!({ "type": "input_json_delta", "partial_json": input.to_string() })
        }
        _ => {
            let text = std::mem::replace(&mut block["text"], "".into());
            json!({ "type": "text_delta", "text": text })
        }
    };
    let end = json!({ "stop_reason": stop_reason(reply), "stop_sequence": null });
    vec![
        json!({ "type": "message_start", "message": message(&json!([])) }),
        json!({ "type": "content_block_start", "index": 0, "content_block": block }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": end, "usage": { "output_tokens": 9 } }),
        json!({ "type": "message_stop" }),
    ]
}

fn respond(stream: &mut TcpStream, status: u16, kind: &str, body: &str) -> std::io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status} x\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}
