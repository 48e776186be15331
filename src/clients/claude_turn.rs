//! How the last turn of a transcript of Claude Code (2.1.332) ended.

use serde_json::Value;

/// The end of the last turn in a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// When the agent said its last word, RFC 3339.
    pub at: String,
    /// Commands of the hooks that ran at this stop, where the client noted them.
    pub hooks: Vec<String>,
}

/// The end of the last turn; `None` when it goes on, was interrupted or ended on an API error:
/// then the client runs no Stop hook.
pub fn last_ended(lines: &[Vec<u8>]) -> Option<Ended> {
    let mut hooks = Vec::new();
    for line in lines.iter().rev() {
        let Ok(entry) = serde_json::from_slice::<Value>(line) else { continue };
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        let is = |key: &str| entry.get(key) == Some(&Value::Bool(true));
        if is("isSidechain") {
            continue;
        }
        match text("type") {
            "system" if text("subtype") == "stop_hook_summary" => hooks = commands(&entry),
            "user" => return None,
            "assistant" if is("isApiErrorMessage") => return None,
            "assistant" => {
                let reason = entry.get("message").and_then(|m| m.get("stop_reason")?.as_str());
                let is_end = matches!(reason, Some("end_turn" | "stop_sequence"));
                return is_end.then(|| Ended { at: text("timestamp").to_owned(), hooks });
            }
            _ => {}
        }
    }
    None
}

fn commands(summary: &Value) -> Vec<String> {
    let infos = summary.get("hookInfos").and_then(Value::as_array).into_iter().flatten();
    infos.filter_map(|info| info.get("command")?.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str =
        r#"{"type":"assistant","timestamp":"T","message":{"stop_reason":"end_turn"}}"#;
    const SUMMARY: &str = r#"{"type":"system","subtype":"stop_hook_summary","hookInfos":[{"command":"ccc hook","durationMs":7}]}"#;
    const USER: &str = r#"{"type":"user","message":{"content":"go on"}}"#;
    const CALL: &str =
        r#"{"type":"assistant","timestamp":"T","message":{"stop_reason":"tool_use"}}"#;
    const ERROR: &str = r#"{"type":"assistant","isApiErrorMessage":true,"message":{"stop_reason":"stop_sequence"}}"#;
    const SIDE: &str = r#"{"type":"user","isSidechain":true}"#;

    #[test]
    fn only_a_turn_that_came_to_its_own_end_counts() {
        let table: [(&[&str], Option<usize>); 8] = [
            (&[USER, SAID], Some(0)),
            (&[USER, SAID, SUMMARY, "{\"mode\":1}", "torn"], Some(1)),
            (&[SAID, SUMMARY, SIDE], Some(1)),
            (&[SAID, SUMMARY, USER], None),
            (&[USER, CALL], None),
            (&[USER, ERROR], None),
            (&[SUMMARY], None),
            (&[], None),
        ];
        for (lines, want) in table {
            let lines: Vec<Vec<u8>> = lines.iter().map(|l| l.as_bytes().to_vec()).collect();
            assert_eq!(last_ended(&lines).map(|e| e.hooks.len()), want, "{lines:?}");
        }
    }
}
