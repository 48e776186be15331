//! Transcript lines of Claude Code (2.1.332) -> records.

use serde_json::Value;

use crate::rules::record::{Call, Record};

/// Reads lines; what is not a record of the main conversation is left out.
pub fn records(lines: &[Vec<u8>]) -> Vec<Record> {
    lines.iter().filter_map(|line| serde_json::from_slice(line).ok()).flat_map(|v| of(&v)).collect()
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
    let results: Vec<Record> = blocks(content).filter_map(tool_result).collect();
    if !results.is_empty() {
        return results;
    }
    let text = text_of(content);
    let is_meta = entry.get("isMeta") == Some(&Value::Bool(true));
    if is_meta && text.starts_with("Stop hook feedback:") {
        return vec![Record::HookFeedback];
    }
    if text.starts_with("[Request interrupted") {
        return vec![Record::Interrupted];
    }
    // Notifications and the echo of local commands are tagged; they are nobody's request.
    let is_tagged = text.trim_start().starts_with("<task-notification>")
        || text.trim_start().starts_with("<local-command");
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
        _ => Call::Other { name: name.to_owned() },
    }
}

fn new_text(input: &Value) -> String {
    let edits = input.get("edits").and_then(Value::as_array).into_iter().flatten();
    let all = std::iter::once(input).chain(edits);
    let keys = ["content", "new_string", "new_source"];
    let texts = all.flat_map(|v| keys.iter().filter_map(|key| v.get(*key)?.as_str()));
    texts.collect::<Vec<_>>().join("\n")
}

fn tool_result(block: &Value) -> Option<Record> {
    if block.get("type")?.as_str()? != "tool_result" {
        return None;
    }
    Some(Record::Answered {
        id: block.get("tool_use_id")?.as_str()?.to_owned(),
        text: block.get("content").map(text_of).unwrap_or_default(),
        is_error: block.get("is_error") == Some(&Value::Bool(true)),
    })
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
