//! The scripted agent. What it does is real: files change, commands run, and all of it is written
//! to a transcript in the form of Claude Code (2.1.332), which is what a hook gets to read.

use serde_json::{Value, json};

use crate::cmd::demo::stage::Stage;
use crate::error::{PathContext, Result};
use crate::sys::process::{End, Finished};
use crate::sys::{clock, history};

/// Where Claude Code keeps transcripts, with a folder name as it makes one.
const TRANSCRIPT: &str = "home/.claude/projects/-demo-project/demo.jsonl";

/// An agent at work in a [`Stage`].
#[derive(Debug)]
pub struct Agent<'a> {
    stage: &'a Stage<'a>,
    /// Tool calls so far; each gets an id.
    calls: u32,
    was_sent_back: bool,
}

impl<'a> Agent<'a> {
    /// An agent that has done nothing yet.
    pub fn new(stage: &'a Stage<'a>) -> Self {
        Self { stage, calls: 0, was_sent_back: false }
    }

    /// Gets the user's request; the client tells its hooks so.
    pub fn hear(&self, request: &str) -> Result<Finished> {
        self.note("user", json!({ "message": { "role": "user", "content": request } }))?;
        let event = json!({ "hook_event_name": "UserPromptSubmit", "prompt": request });
        self.stage.hook(&self.payload(event))
    }

    /// Writes a file of the project.
    pub fn edit(&mut self, file: &str, text: &str) -> Result<()> {
        let name = format!("project/{file}");
        self.stage.write(&name, text)?;
        let path = self.stage.path(&name);
        self.call("Write", &json!({ "file_path": path, "content": text }), "File written.", false)
    }

    /// Runs a command; returns its output.
    pub fn run(&mut self, command: &str) -> Result<String> {
        let finished = self.stage.shell(command)?;
        let output = finished.stdout.text();
        let failed = finished.end != End::Code(0);
        self.call("Bash", &json!({ "command": command }), &output, failed)?;
        Ok(output)
    }

    /// Says something and wants to end its turn: the client calls its Stop hook.
    pub fn stop(&self, message: &str) -> Result<Finished> {
        self.assistant(&json!({ "type": "text", "text": message }))?;
        let event = json!({
            "hook_event_name": "Stop",
            "stop_hook_active": self.was_sent_back,
            "last_assistant_message": message,
            "background_tasks": [],
        });
        self.stage.hook(&self.payload(event))
    }

    /// Gets the feedback of a hook that blocked the stop.
    pub fn is_sent_back(&mut self, feedback: &str) -> Result<()> {
        self.was_sent_back = true;
        let content = format!("Stop hook feedback:\n{feedback}");
        let message = json!({ "role": "user", "content": content });
        self.note("user", json!({ "isMeta": true, "message": message }))
    }

    fn call(&mut self, name: &str, input: &Value, output: &str, failed: bool) -> Result<()> {
        self.calls += 1;
        let id = format!("toolu_{}", self.calls);
        self.assistant(&json!({ "type": "tool_use", "id": id, "name": name, "input": input }))?;
        let result = json!({
            "type": "tool_result", "tool_use_id": id, "content": output, "is_error": failed,
        });
        self.note("user", json!({ "message": { "role": "user", "content": [result] } }))
    }

    fn assistant(&self, block: &Value) -> Result<()> {
        self.note("assistant", json!({ "message": { "role": "assistant", "content": [block] } }))
    }

    /// Appends one entry to the transcript.
    fn note(&self, kind: &str, entry: Value) -> Result<()> {
        let common = json!({
            "type": kind,
            "sessionId": "demo",
            "cwd": self.stage.path("project"),
            "isSidechain": false,
            "timestamp": clock::now_rfc3339(),
        });
        let path = self.stage.path(TRANSCRIPT);
        history::append_event(&path, &merged(common, entry)).at("write", &path)
    }

    fn payload(&self, event: Value) -> String {
        let common = json!({
            "session_id": "demo",
            "transcript_path": self.stage.path(TRANSCRIPT),
            "cwd": self.stage.path("project"),
            "prompt_id": "request-1",
            "permission_mode": "default",
        });
        merged(common, event).to_string()
    }
}

/// One object with the keys of both.
fn merged(mut one: Value, other: Value) -> Value {
    if let (Value::Object(one), Value::Object(other)) = (&mut one, other) {
        one.extend(other);
    }
    one
}
