//! `ccc status --line` and `ccc install --statusline` through the binary.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::sandbox::{Sandbox, feed, success};

/// A project whose session `s1` was sent back, and `s2` approved.
fn supervised() -> Sandbox {
    let sandbox = Sandbox::new();
    let judge = r#"if grep -q all-built; then echo '{"completed":true,"feedback":""}'
        else echo '{"completed":false,"feedback":"Go on."}'; fi"#;
    sandbox.configure(&json!({ "judge": "command", "review": { "command": judge } }));
    for (session, said) in [("s1", "half of it"), ("s2", "all-built")] {
        let payload = json!({ "hook_event_name": "Stop", "session_id": session, "prompt_id": "p",
            "cwd": sandbox.project(), "last_assistant_message": said });
        feed(&mut sandbox.ccc(&["hook"]), &payload.to_string());
    }
    // In one second they would be equally new.
    let path = sandbox.path("home/.claude/ccc/sessions/s1.json");
    let mut state: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    state["updated_at"] = json!(state["updated_at"].as_u64().unwrap() - 60);
    fs::write(&path, state.to_string()).unwrap();
    sandbox
}

fn line(sandbox: &Sandbox, input: &str) -> String {
    success(&feed(&mut sandbox.ccc(&["status", "--line"]), input))
}

#[test]
fn the_segment_is_of_the_session_that_the_client_names() {
    let sandbox = supervised();
    let input = |session: &str| {
        json!({ "hook_event_name": "Status", "session_id": session, "cwd": sandbox.project(),
            "model": { "id": "m" }, "workspace": { "project_dir": sandbox.project() } })
        .to_string()
    };
    assert_eq!(line(&sandbox, &input("s1")), "\x1b[33mccc sent back 1/10\x1b[0m\x1b[2m\x1b[0m\n");
    let plain = |input: &str| {
        let mut status = sandbox.ccc(&["status", "--line"]);
        success(&feed(status.env("NO_COLOR", "1"), input))
    };
    assert_eq!(plain(&input("s1")), "ccc sent back 1/10\n");
    assert_eq!(plain(&input("s2")), "ccc approved\n");
    assert_eq!(plain(&input("unknown")), "ccc on\n");
    assert_eq!(plain(&input("../../x")), "ccc on\n");
    // Nothing, or nonsense: the newest session of this project.
    for odd in ["", "not JSON", "[]", "{\"session_id\": 7}"] {
        assert_eq!(plain(odd), "ccc approved\n", "{odd:?}");
    }
    sandbox.ok(&["off", "--session", "s1"]);
    assert_eq!(plain(&input("s1")), "ccc off\n");
    assert_eq!(plain(&input("s2")), "ccc approved\n");
}

#[test]
fn an_open_standard_input_holds_it_up_for_a_moment_only() {
    let sandbox = supervised();
    let mut status = sandbox.ccc(&["status", "--line"]);
    let began = Instant::now();
    let mut child = status
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let open = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    assert!(success(&output).contains("approved"));
    drop(open);
}

#[test]
fn the_status_line_is_wired_where_there_is_none_and_goes_with_the_hook() {
    for text in ["{\n  \"model\": \"opus\" // mine\n}\n", "{}", "{\"a\": [1,  2]}"] {
        let sandbox = Sandbox::with_settings(text);
        for _ in 0..2 {
            sandbox.ok(&["install", "--statusline"]);
        }
        let wired = fs::read_to_string(sandbox.settings()).unwrap();
        assert_eq!(wired.matches("status --line").count(), 1, "{wired}");
        sandbox.ok(&["install"]);
        assert_eq!(fs::read_to_string(sandbox.settings()).unwrap(), wired);
        sandbox.ok(&["uninstall"]);
        assert_eq!(fs::read_to_string(sandbox.settings()).unwrap(), text);
    }
}

#[test]
fn a_status_line_of_the_users_stays_in_whatever_scope() {
    let own = r#"{"statusLine": {"type": "command", "command": "~/mine.sh"}}"#;
    let sandbox = Sandbox::with_settings(own);
    let said = sandbox.ok(&["install", "--statusline"]);
    assert!(said.contains("left alone"), "{said}");
    let settings: Value =
        serde_json::from_str(&fs::read_to_string(sandbox.settings()).unwrap()).unwrap();
    assert_eq!(settings["statusLine"]["command"], "~/mine.sh");
    sandbox.ok(&["uninstall"]);
    assert_eq!(fs::read_to_string(sandbox.settings()).unwrap(), own);

    let sandbox = Sandbox::with_settings("{}");
    fs::create_dir_all(sandbox.project().join(".claude")).unwrap();
    fs::write(sandbox.project().join(".claude/settings.json"), own).unwrap();
    sandbox.ok(&["install", "--statusline"]);
    assert!(!fs::read_to_string(sandbox.settings()).unwrap().contains("statusLine"));
}
