//! Claude Code (facts of 2.1.332): its payload, the arguments of a forked review, and what such a
//! fork prints.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::rules::probe;
use crate::rules::stop::{BackgroundTask, Client, Event, SessionId, Stop};

/// Keys of the user's settings that authentication may need. `env` is not among them: the hook's
/// environment has it already, and an argument can be read by everyone on the machine.
pub const AUTH_KEYS: &[&str] = &[
    "apiKeyHelper",
    "awsAuthRefresh",
    "awsCredentialExport",
    "forceLoginMethod",
    "forceLoginOrgUUID",
    "gcpAuthRefresh",
];

/// Where an administrator's settings are, on Linux and on macOS.
pub const MANAGED_SETTINGS: &[&str] = &[
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
];

/// The oldest version that ccc's rules were measured to hold for: from here on the payload carries
/// the agent's last message.
pub const OLDEST: (u32, u32, u32) = (2, 1, 47);

/// The version in what `claude --version` prints.
pub fn version(output: &str) -> Option<(u32, u32, u32)> {
    let mut parts = output.split_whitespace().next()?.split(['.', '-']).map(str::parse);
    match (parts.next(), parts.next(), parts.next()) {
        (Some(Ok(major)), Some(Ok(minor)), Some(Ok(patch))) => Some((major, minor, patch)),
        _ => None,
    }
}

/// Reads a payload. Fields of the wrong type count as absent.
pub fn stop(payload: &Map<String, Value>, client: Client) -> Stop {
    let text = |key: &str| payload.get(key).and_then(Value::as_str).map(str::to_owned);
    let filled = |key: &str| text(key).filter(|s| !s.is_empty());
    Stop {
        session: filled("session_id").and_then(|id| SessionId::new(&id)),
        event: match text("hook_event_name").as_deref() {
            Some("Stop") | None => Event::Stop,
            Some("UserPromptSubmit") => Event::Prompt,
            Some(probe::EVENT) => Event::Probe(text(probe::TOKEN).unwrap_or_default()),
            Some(other) => Event::Other(other.to_owned()),
        },
        is_subagent: payload.get("agent_id").is_some_and(|v| !v.is_null() && v != ""),
        cwd: filled("cwd").map(PathBuf::from),
        transcript_path: filled("transcript_path").map(PathBuf::from),
        prompt_id: filled("prompt_id"),
        stop_hook_active: payload.get("stop_hook_active").and_then(Value::as_bool),
        last_assistant_message: text("last_assistant_message"),
        permission_mode: filled("permission_mode"),
        effort: payload.get("effort").and_then(|e| e.get("level")?.as_str()).map(str::to_owned),
        background_tasks: tasks(payload.get("background_tasks")),
        prompt: text("prompt"),
        ..Stop::new(client)
    }
}

fn tasks(list: Option<&Value>) -> Vec<BackgroundTask> {
    let tasks = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let task = |task: &Value| {
        let text = |key: &str| task.get(key).and_then(Value::as_str).filter(|s| !s.is_empty());
        let kind = text("type").unwrap_or("task");
        let what = text("command").or(text("description")).unwrap_or(kind);
        task.is_object().then(|| BackgroundTask {
            kind: kind.to_owned(),
            status: text("status").unwrap_or("running").to_owned(),
            what: what.to_owned(),
        })
    };
    tasks.iter().filter_map(task).collect()
}

/// How a review forks a session.
#[derive(Debug)]
pub struct Fork<'a> {
    pub session: &'a SessionId,
    pub effort: Option<&'a str>,
    /// Another model costs the cached prefix; `None` keeps the worker's.
    pub model: Option<&'a str>,
    pub max_budget_usd: Option<f64>,
    /// Rules in the client's own syntax.
    pub allow: &'a [String],
    /// [`AUTH_KEYS`] of the user's settings.
    pub auth: Map<String, Value>,
}

/// Arguments of the fork. The prompt goes to standard input.
///
/// With these the worker's system prompt, tools and messages are sent again byte for byte, so its
/// cached prefix is reused; nothing can be written; no hook and no inherited `/goal` runs.
pub fn fork_args(fork: &Fork) -> Vec<String> {
    let mut settings = fork.auth.clone();
    settings.insert("disableAllHooks".into(), json!(true));
    let mut args: Vec<String> = [
        "-p",
        "--resume",
        fork.session.as_str(),
        "--fork-session",
        "--no-session-persistence",
        "--output-format",
        "stream-json",
        "--verbose",
        "--settings",
        &Value::Object(settings).to_string(),
        "--setting-sources",
        "",
        "--strict-mcp-config",
        "--permission-mode",
        "dontAsk",
        "--disallowedTools",
        "Edit(//**)",
        "Write(//**)",
    ]
    .map(str::to_owned)
    .into();
    if !fork.allow.is_empty() {
        args.push("--allowedTools".into());
        args.extend(fork.allow.iter().cloned());
    }
    let mut option = |name: &str, value: Option<String>| {
        args.extend(value.into_iter().flat_map(|v| [name.to_owned(), v]));
    };
    option("--effort", fork.effort.map(str::to_owned));
    option("--model", fork.model.map(str::to_owned));
    option("--max-budget-usd", fork.max_budget_usd.map(|b| b.to_string()));
    args
}

/// Variables of the fork: the guard, no auto-compaction (it would lose the prefix and review a
/// summary), few retries (11 by default, 188 s for a 401), and a request timeout below the limit.
pub fn fork_env(limit_secs: u64) -> Vec<(&'static str, String)> {
    vec![
        (crate::env::SUPERVISING, "1".into()),
        ("DISABLE_AUTO_COMPACT", "1".into()),
        ("CLAUDE_CODE_MAX_RETRIES", "3".into()),
        ("API_TIMEOUT_MS", (limit_secs * 1000).to_string()),
        ("DISABLE_AUTOUPDATER", "1".into()),
    ]
}

/// The result record of `claude -p`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForkResult {
    pub is_error: bool,
    pub result: Option<String>,
    pub structured_output: Option<Value>,
    pub errors: Vec<String>,
    /// Tools that were refused.
    pub denied: Vec<String>,
    pub terminal_reason: Option<String>,
    pub cost_usd: Option<f64>,
    pub num_turns: Option<u64>,
    pub input_tokens: u64,
    pub cache_read_tokens: u64,
    pub cache_creation_tokens: u64,
    pub output_tokens: u64,
}

/// The result record in one line of a stream, if that line is one.
pub fn read_result_line(line: &[u8]) -> Option<ForkResult> {
    let line = line.trim_ascii();
    if !line.starts_with(b"{")
        || !contains(line, b"\"result\"") && !contains(line, b"structured_output")
    {
        return None;
    }
    as_result(&serde_json::from_slice(line).ok()?)
}

/// The result record in a whole output: one object (also pretty-printed, after a BOM), or the last
/// one of an array.
pub fn read_result(output: &str) -> Option<ForkResult> {
    let text = output.trim_start_matches('\u{feff}').trim();
    match serde_json::from_str(text).ok()? {
        Value::Array(list) => list.iter().rev().find_map(as_result),
        value => as_result(&value),
    }
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|w| w == needle)
}

fn as_result(value: &Value) -> Option<ForkResult> {
    let map = value.as_object()?;
    if map.get("type").and_then(Value::as_str) != Some("result") {
        return None;
    }
    let texts = |key: &str, of: fn(&Value) -> Option<&str>| {
        let list = map.get(key).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(of).map(str::to_owned).collect::<Vec<_>>()
    };
    let usage = |key: &str| {
        map.get("usage").and_then(|u| u.get(key)).and_then(Value::as_u64).unwrap_or_default()
    };
    Some(ForkResult {
        is_error: map.get("is_error") == Some(&Value::Bool(true)),
        result: map.get("result").and_then(Value::as_str).map(str::to_owned),
        structured_output: map.get("structured_output").filter(|v| !v.is_null()).cloned(),
        errors: texts("errors", Value::as_str),
        denied: texts("permission_denials", |v| v.get("tool_name")?.as_str()),
        terminal_reason: map.get("terminal_reason").and_then(Value::as_str).map(str::to_owned),
        cost_usd: map.get("total_cost_usd").and_then(Value::as_f64),
        num_turns: map.get("num_turns").and_then(Value::as_u64),
        input_tokens: usage("input_tokens"),
        cache_read_tokens: usage("cache_read_input_tokens"),
        cache_creation_tokens: usage("cache_creation_input_tokens"),
        output_tokens: usage("output_tokens"),
    })
}

/// What a reviewer does in one line of its stream, for those who watch: the tool and its target.
pub fn read_activity(line: &[u8]) -> Option<String> {
    if !contains(line, b"tool_use") {
        return None;
    }
    let value: Value = serde_json::from_slice(line).ok()?;
    let blocks = value.get("message")?.get("content")?.as_array()?;
    let block = blocks.iter().find(|b| b.get("type").is_some_and(|t| t == "tool_use"))?;
    let name = block.get("name")?.as_str()?;
    let input = block.get("input")?;
    let target = ["command", "file_path", "pattern", "path"]
        .iter()
        .find_map(|key| input.get(key)?.as_str())
        .unwrap_or_default();
    Some(format!("{name} {target}").trim().to_owned())
}

/// Where the client is installed when it is not on `PATH`.
pub fn usual_places(home: &Path) -> [PathBuf; 2] {
    [home.join(".local/bin/claude"), home.join(".claude/local/claude")]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Stop {
        let value: Value = serde_json::from_str(text).unwrap();
        stop(value.as_object().unwrap(), Client::Claude)
    }

    #[test]
    fn a_payload_is_read_field_by_field() {
        let s = parse(
            r#"{"session_id":"s1","transcript_path":"~/x.jsonl","cwd":"/p","prompt_id":"p1",
            "effort":{"level":"high"},"hook_event_name":"Stop","stop_hook_active":true,
            "last_assistant_message":"Done.","background_tasks":[{"id":"b","type":"shell",
            "status":"running","description":"bg","command":"sleep 30"}]}"#,
        );
        assert_eq!(s.session.as_ref().map(SessionId::as_str), Some("s1"));
        assert_eq!((s.stop_hook_active, s.effort.as_deref()), (Some(true), Some("high")));
        assert_eq!(s.running_tasks().map(|t| t.what.as_str()).collect::<Vec<_>>(), ["sleep 30"]);
    }

    #[test]
    fn wrong_types_count_as_absent() {
        let s = parse(
            r#"{"session_id":7,"cwd":null,"prompt_id":17,"stop_hook_active":"true","effort":"high",
            "background_tasks":"none","last_assistant_message":["x"],"transcript_path":false}"#,
        );
        assert_eq!(s, Stop::new(Client::Claude));
    }

    #[test]
    fn versions_are_read_or_unknown() {
        assert_eq!(version("2.1.332 (Claude Code)\n"), Some((2, 1, 332)));
        assert_eq!(version("2.2.0-beta.1"), Some((2, 2, 0)));
        assert!(version("claude").is_none() && version("").is_none() && version("2.1").is_none());
    }

    #[test]
    fn subagents_and_other_events_are_told_apart() {
        assert!(parse(r#"{"agent_id":"a1"}"#).is_subagent);
        assert!(!parse(r#"{"agent_id":null}"#).is_subagent);
        assert_eq!(parse(r#"{"hook_event_name":"UserPromptSubmit"}"#).event, Event::Prompt);
        assert_eq!(
            parse(r#"{"hook_event_name":"StopFailure"}"#).event,
            Event::Other("StopFailure".into())
        );
    }

    #[test]
    fn the_fork_is_read_only_and_free_of_hooks() {
        let session = SessionId::new("s1").unwrap();
        let args = fork_args(&Fork {
            session: &session,
            effort: Some("high"),
            model: None,
            max_budget_usd: None,
            allow: &["Bash(cargo test *)".into()],
            auth: Map::new(),
        })
        .join("|");
        for part in [
            "--resume|s1|--fork-session|--no-session-persistence",
            r#"--settings|{"disableAllHooks":true}|--setting-sources||"#,
            "--permission-mode|dontAsk|--disallowedTools|Edit(//**)|Write(//**)|",
            "--allowedTools|Bash(cargo test *)|--effort|high",
        ] {
            assert!(args.contains(part), "{part} in {args}");
        }
        assert!(!args.contains("--json-schema") && !args.contains("--model"), "loses the cache");
    }

    #[test]
    fn results_are_found_in_lines_objects_and_arrays() {
        let line = r#"{"type":"result","is_error":"false","result":"x","total_cost_usd":0.5,
            "permission_denials":[{"tool_name":"Bash"}],"usage":{"cache_read_input_tokens":7}}"#;
        let one = read_result(line).unwrap();
        assert_eq!((one.is_error, one.cost_usd, one.cache_read_tokens), (false, Some(0.5), 7));
        assert_eq!(one.denied, ["Bash"]);
        assert_eq!(read_result(&format!("\u{feff}[{{}},{line}]")), Some(one));
        assert_eq!(read_result_line(br#"{"type":"assistant","result":1}"#), None);
    }
}
