//! Transcript lines of Claude Code (2.1.332) -> records.

use serde_json::Value;

use crate::rules::record::{Call, Record};

/// Reads lines; what is not a record of the main conversation is left out.
pub fn records(lines: &[Vec<u8>]) -> Vec<Record> {
    lines.iter().filter_map(|line| serde_json::from_slice(line).ok()).flat_map(|v| of(&v)).collect()
}

/// The model of the newest answer. What the client makes up itself bears `<synthetic>`.
pub fn model(lines: &[Vec<u8>]) -> Option<String> {
    lines.iter().rev().find_map(|line| {
        memchr::memmem::find(line, b"\"assistant\"")?;
        let entry: Value = serde_json::from_slice(line).ok()?;
        let is_own = entry.get("isSidechain") != Some(&Value::Bool(true));
        let model = entry.get("message")?.get("model")?.as_str()?;
        (is_own && !model.starts_with('<')).then(|| model.to_owned())
    })
}

/// Whether a line may be a request, told without reading it as JSON: the user's, and no answer of a
/// tool.
pub fn may_be_request(line: &[u8]) -> bool {
    let has = |needle: &[u8]| memchr::memmem::find(line, needle).is_some();
    has(b"\"role\":\"user\"") && !has(b"\"tool_use_id\"") && !has(b"\"isMeta\":true")
}

fn of(entry: &Value) -> Vec<Record> {
    let is = |key: &str| entry.get(key) == Some(&Value::Bool(true));
    if is("isSidechain") || is("isCompactSummary") {
        return Vec::new();
    }
    let content = entry.get("message").and_then(|m| m.get("content"));
    match (entry.get("type").and_then(Value::as_str), content) {
        (Some("assistant"), Some(content)) if is("isApiErrorMessage") => {
            vec![Record::ApiError(text_of(content))]
        }
        (Some("assistant"), Some(content)) => blocks(content).filter_map(assistant_block).collect(),
        (Some("user"), Some(content)) => user(entry, content),
        (Some("system"), _) if is_overridden(entry) => vec![Record::Overridden],
        _ => Vec::new(),
    }
}

/// The note that more Stop hooks blocked in a row than the client allows.
fn is_overridden(entry: &Value) -> bool {
    let content = entry.get("content").and_then(Value::as_str).unwrap_or_default();
    content.starts_with("A hook blocked the turn from ending")
}

fn user(entry: &Value, content: &Value) -> Vec<Record> {
    let mut results: Vec<Record> =
        blocks(content).filter_map(|block| tool_result(entry, block)).collect();
    if let Some(id) = results.first().and_then(answered_id) {
        let more = details(entry, &id);
        results.splice(0..0, more);
        return results;
    }
    let text = text_of(content);
    if text.trim_start().starts_with("<task-notification>") {
        return task_ended(&text).into_iter().collect();
    }
    let is_meta = entry.get("isMeta") == Some(&Value::Bool(true));
    if is_meta && text.starts_with("Stop hook feedback:") {
        return vec![Record::HookFeedback];
    }
    if text.starts_with("[Request interrupted") {
        return vec![Record::Interrupted];
    }
    // Notifications and the echo of local commands are tagged; they are nobody's request.
    let tags =
        ["<local-command", "<bash-input>", "<bash-stdout>", "<bash-stderr>", "<command-name>"];
    let is_tagged = tags.iter().any(|tag| text.trim_start().starts_with(tag));
    if is_meta || is_tagged || text.trim().is_empty() {
        return Vec::new();
    }
    vec![Record::Request(text)]
}

fn assistant_block(block: &Value) -> Option<Record> {
    let text = |key: &str| block.get(key).and_then(Value::as_str);
    match text("type")? {
        "text" => text("text").map(|t| Record::Said(t.to_owned())),
        "tool_use" => {
            let (id, name) = (text("id")?.to_owned(), text("name")?);
            Some(Record::Called {
                id,
                call: call(name, block.get("input").unwrap_or(&Value::Null)),
            })
        }
        _ => None,
    }
}

fn call(name: &str, input: &Value) -> Call {
    let text = |key: &str| input.get(key).and_then(Value::as_str).map(str::to_owned);
    match name {
        "Bash" => Call::Run {
            command: text("command").unwrap_or_default(),
            in_background: input.get("run_in_background") == Some(&Value::Bool(true)),
        },
        "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => Call::Edit {
            path: text("file_path").or_else(|| text("notebook_path")).unwrap_or_default(),
            text: new_text(input),
        },
        "Agent" | "Task" => Call::Delegate,
        "TaskOutput" | "BashOutput" => {
            Call::Watch { task: text("task_id").or_else(|| text("bash_id")).unwrap_or_default() }
        }
        "Read" => match text("file_path").as_deref().and_then(task_of_output) {
            Some(task) => Call::Watch { task },
            None => Call::Other { name: name.to_owned() },
        },
        _ => Call::Other { name: name.to_owned() },
    }
}

/// A background task prints into `../tasks/<id>.output`.
fn task_of_output(path: &str) -> Option<String> {
    let name = path.rsplit_once("/tasks/")?.1.strip_suffix(".output")?;
    Some(name.to_owned())
}

fn new_text(input: &Value) -> String {
    let edits = input.get("edits").and_then(Value::as_array).into_iter().flatten();
    let all = std::iter::once(input).chain(edits);
    let keys = ["content", "new_string", "new_source"];
    let texts = all.flat_map(|v| keys.iter().filter_map(|key| v.get(*key)?.as_str()));
    texts.collect::<Vec<_>>().join("\n")
}

fn tool_result(entry: &Value, block: &Value) -> Option<Record> {
    if block.get("type")?.as_str()? != "tool_result" {
        return None;
    }
    let id = block.get("tool_use_id")?.as_str()?.to_owned();
    let text = block.get("content").map(text_of).unwrap_or_default();
    let is_error = block.get("is_error") == Some(&Value::Bool(true));
    // What was carried out has its result in an object, or says how it ended.
    let is_plain = !matches!(entry.get("toolUseResult"), Some(Value::Object(_)));
    if is_error && is_plain && REFUSALS.iter().any(|words| text.trim_start().starts_with(words)) {
        return Some(Record::Refused { id, text });
    }
    Some(Record::Answered { id, text, is_error })
}

/// How the answer to a call begins that was not carried out (Claude Code 2.1.332, read in the
/// program).
const REFUSALS: [&str; 10] = [
    "The user doesn't want to",
    "The user denied",
    "Permission to use",
    "Permission for this",
    "Claude requested permissions",
    "This command requires approval",
    "[Request interrupted by user",
    "<tool_use_error>",
    "Permission denied by",
    "PreToolUse:",
];

fn answered_id(record: &Record) -> Option<String> {
    match record {
        Record::Answered { id, .. } => Some(id.clone()),
        _ => None,
    }
}

/// What the client notes beside the answer of a shell command.
fn details(entry: &Value, id: &str) -> Vec<Record> {
    let Some(result) = entry.get("toolUseResult") else { return Vec::new() };
    let files = result.get("bashEditDiff").and_then(|d| d.get("files")).and_then(Value::as_array);
    let path = |file: &Value| Some(file.get("filePath")?.as_str()?.to_owned());
    let paths: Vec<String> = files.into_iter().flatten().filter_map(path).collect();
    let task = result.get("backgroundTaskId").and_then(Value::as_str);
    let changed = Record::Changed { id: id.to_owned(), paths };
    let background =
        task.map(|task| Record::InBackground { id: id.to_owned(), task: task.to_owned() });
    let has_changed = !matches!(&changed, Record::Changed { paths, .. } if paths.is_empty());
    has_changed.then_some(changed).into_iter().chain(background).collect()
}

/// The note that a background task ended.
fn task_ended(text: &str) -> Option<Record> {
    let tag = |name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        Some(rest.split_once(&format!("</{name}>"))?.0.trim().to_owned())
    };
    let summary = tag("summary").unwrap_or_default();
    let failed = match tag("status").as_deref() {
        Some("completed") => {
            Some(summary.contains("exit code") && !summary.contains("exit code 0"))
        }
        Some("failed" | "killed" | "error") => Some(true),
        _ => None,
    };
    Some(Record::TaskSaid { task: tag("task-id")?, text: summary, failed })
}

/// The blocks of a content; plain text has none.
fn blocks(content: &Value) -> impl Iterator<Item = &Value> {
    content.as_array().into_iter().flatten()
}

fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        _ => {
            let texts = blocks(content).filter_map(|b| b.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Vec<Record> {
        records(&lines.iter().map(|l| l.as_bytes().to_vec()).collect::<Vec<_>>())
    }

    #[test]
    fn requests_are_told_from_everything_else_that_has_the_users_role() {
        let records = read(&[
            r#"{"type":"user","message":{"content":"do it"},"origin":{"kind":"human"}}"#,
            r#"{"type":"user","isMeta":true,"message":{"content":"Stop hook feedback:\nno"}}"#,
            r#"{"type":"user","isMeta":true,"message":{"content":"<command-name>"}}"#,
            r#"{"type":"user","message":{"content":"<task-notification>x"}}"#,
            r#"{"type":"user","isSidechain":true,"message":{"content":"subagent"}}"#,
            r#"{"type":"user","isCompactSummary":true,"message":{"content":"summary"}}"#,
            r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t",
            "content":[{"type":"text","text":"out"}],"is_error":true}]}}"#,
            "torn {",
            "7",
        ]);
        let answered = Record::Answered { id: "t".into(), text: "out".into(), is_error: true };
        assert_eq!(records, [Record::Request("do it".into()), Record::HookFeedback, answered]);
    }

    #[test]
    fn the_agents_blocks_become_words_and_calls() {
        let records = read(&[
            r#"{"type":"assistant","message":{"content":[{"type":"text","text":"hi"},
            {"type":"tool_use","id":"a","name":"Bash","input":{"command":"ls"}},
            {"type":"tool_use","id":"b","name":"Write","input":{"file_path":"/x","content":"c"}},
            {"type":"thinking","thinking":"t"}]}}"#,
            r#"{"type":"assistant","isApiErrorMessage":true,
            "message":{"content":[{"type":"text","text":"limit"}]}}"#,
        ]);
        let run = Call::Run { command: "ls".into(), in_background: false };
        let edit = Call::Edit { path: "/x".into(), text: "c".into() };
        assert_eq!(
            records,
            [
                Record::Said("hi".into()),
                Record::Called { id: "a".into(), call: run },
                Record::Called { id: "b".into(), call: edit },
                Record::ApiError("limit".into()),
            ]
        );
    }
}
