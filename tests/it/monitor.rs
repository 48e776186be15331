//! `ccc monitor`: what it shows of sessions, of a running review, and of broken state.

mod terminal;
mod tmux;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::sandbox::{Sandbox, feed};

/// A reviewer that looks at two things, and answers when `go` is there.
const REVIEWER: &str = r#"#!/bin/sh
cat >/dev/null
printf '%s\n' '{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Read","input":{"file_path":"notes.txt"}}]}}'
printf '%s\n' '{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345 cargo test"}}]}}'
while [ ! -e "$HOME/go" ]; do sleep 0.05; done
printf '%s\n' '{"type":"result","is_error":false,"total_cost_usd":0.0125,"result":"{\"completed\":false,\"feedback\":\"notes.txt is missing: write it.\"}"}'
"#;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let reviewer = sandbox.path("reviewer");
    fs::write(&reviewer, REVIEWER).unwrap();
    fs::set_permissions(&reviewer, fs::Permissions::from_mode(0o700)).unwrap();
    sandbox.configure(&json!({ "max_iterations": 7, "review": { "claude_path": reviewer } }));
    sandbox
}

fn stop(sandbox: &Sandbox, id: &str) -> String {
    let cwd = sandbox.project();
    json!({"session_id": id, "cwd": cwd, "hook_event_name": "Stop", "stop_hook_active": false,
        "last_assistant_message": "All done."})
    .to_string()
}

fn data(sandbox: &Sandbox) -> Value {
    serde_json::from_str(&sandbox.ok(&["monitor", "--json"])).unwrap()
}

/// Waits until the monitor says so of its first session.
fn wait(sandbox: &Sandbox, is_so: impl Fn(&Value) -> bool) -> Value {
    let begin = Instant::now();
    loop {
        let session = data(sandbox)["sessions"][0].clone();
        if is_so(&session) {
            return session;
        }
        assert!(begin.elapsed() < Duration::from_secs(20), "{session:#}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_running_review_is_seen_as_it_goes_and_its_verdict_with_the_evidence() {
    let sandbox = sandbox();
    let mut hook = sandbox.ccc(&["hook"]);
    let mut hook = hook.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let payload = stop(&sandbox, "s-live");
    std::io::Write::write_all(&mut hook.stdin.take().unwrap(), payload.as_bytes()).unwrap();
    let seen = wait(&sandbox, |s| s["review"]["activity"][1].is_object());
    assert_eq!((&seen["state"], &seen["iteration"]), (&json!("reviewing"), &json!(1)));
    assert_eq!(seen["review"]["stage"], "asking claude");
    assert_eq!(seen["review"]["limit_secs"], 600);
    assert_eq!(seen["review"]["activity"][0]["what"], "Read notes.txt");
    assert_eq!(seen["review"]["activity"][1]["what"], "Bash TOKEN=[redacted] cargo test");
    let frame = sandbox.ok(&["monitor", "--once"]);
    assert!(frame.contains("reviewing 1/7"), "{frame}");
    assert!(frame.contains("of 600 s: Bash TOKEN=[redacted] cargo test"), "{frame}");

    fs::write(sandbox.path("home/go"), "").unwrap();
    assert_eq!(hook.wait_with_output().unwrap().status.code(), Some(2));
    let seen = data(&sandbox)["sessions"][0].clone();
    assert_eq!((&seen["state"], &seen["review"]), (&json!("sent_back"), &Value::Null));
    assert_eq!(seen["last_verdict"]["feedback"], "notes.txt is missing: write it.");
    assert_eq!(seen["activity"][0]["what"], "block: incomplete, round 1");
    assert!(seen["evidence"].as_str().unwrap().contains("All done."), "{seen:#}");
    assert_eq!(seen["cost_usd"], 0.0125);
    assert!(!sandbox.path("home/.claude/ccc/live/s-live.json").exists());
    let frame = sandbox.ok(&["monitor", "--once"]);
    assert!(
        frame.contains("sent back 1/7") && frame.contains("    notes.txt is missing"),
        "{frame}"
    );
}

#[test]
fn a_review_that_was_killed_is_stale_at_once() {
    let sandbox = sandbox();
    let mut hook = sandbox.ccc(&["hook"]);
    let mut hook = hook.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let payload = stop(&sandbox, "s-dead");
    std::io::Write::write_all(&mut hook.stdin.take().unwrap(), payload.as_bytes()).unwrap();
    wait(&sandbox, |s| s["review"]["activity"][1].is_object());
    hook.kill().unwrap();
    hook.wait().unwrap();
    assert_eq!(data(&sandbox)["sessions"][0]["state"], "stale");
    fs::write(sandbox.path("home/go"), "").unwrap();
    // The next stop of the same session begins anew.
    assert_eq!(feed(&mut sandbox.ccc(&["hook"]), &payload).status.code(), Some(2));
    assert_eq!(data(&sandbox)["sessions"][0]["state"], "sent_back");
}

#[test]
fn each_session_follows_the_config_of_its_own_project() {
    let sandbox = sandbox();
    fs::write(sandbox.path("home/go"), "").unwrap();
    fs::create_dir_all(sandbox.project().join(".claude")).unwrap();
    fs::write(sandbox.project().join(".claude/ccc.json"), r#"{"max_iterations": 3}"#).unwrap();
    assert_eq!(feed(&mut sandbox.ccc(&["hook"]), &stop(&sandbox, "s1")).status.code(), Some(2));
    let mut elsewhere = sandbox.ccc(&["monitor", "--json"]);
    let said = elsewhere.current_dir(sandbox.path("home")).output().unwrap();
    let said: Value = serde_json::from_slice(&said.stdout).unwrap();
    assert_eq!(said["sessions"][0]["max_iterations"], 3);
    sandbox.ok(&["off", "--session", "s1"]);
    assert_eq!(data(&sandbox)["sessions"][0]["state"], "off");
}

#[test]
fn nothing_odd_in_the_state_disturbs_the_frame() {
    let sandbox = Sandbox::new();
    assert!(sandbox.ok(&["monitor", "--once"]).contains("no supervised sessions yet"));
    let dir = sandbox.path("home/.claude/ccc/sessions");
    fs::create_dir_all(dir.join("dir.json")).unwrap();
    fs::write(dir.join("half.json"), "{\"schema\": 1").unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        dir.join("pipe.json"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let state = json!({"schema": 1, "session_id": "日本\u{1b}[31m", "client": "gemini",
        "project": "/p/目录\u{202e}", "created_at": 1, "updated_at": 99_999_999_999_u64,
        "cost": {"usd": 1e300}, "chain": {"iteration": 4_000_000_000_u32}});
    fs::write(dir.join("odd.json"), state.to_string()).unwrap();
    let frame = sandbox.ok(&["monitor", "--once"]);
    assert!(frame.contains("1 session, 3 unreadable"), "{frame}");
    assert!(!frame.contains('\u{1b}') && !frame.contains('\u{202e}'), "{frame:?}");
    assert_eq!(data(&sandbox)["unreadable"], 3);
}
