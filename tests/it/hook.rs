//! `ccc hook` through the binary: what a payload is answered with.

use serde_json::json;

use crate::support::sandbox::{Sandbox, feed};

#[test]
fn an_unfinished_work_is_sent_back_with_the_judges_feedback() {
    let sandbox = Sandbox::new();
    let verdict = r#"{"completed": false, "feedback": "write notes.txt"}"#;
    let command = format!("cat >/dev/null; echo '{verdict}'");
    sandbox.configure(&json!({"judge": "command", "review": {"command": command}}));
    let payload = json!({"hook_event_name": "Stop", "session_id": "s1", "prompt_id": "p1"});
    let answer = feed(&mut sandbox.ccc(&["hook"]), &payload.to_string());
    let said = String::from_utf8(answer.stderr).unwrap();
    assert_eq!((answer.status.code(), answer.stdout.as_slice()), (Some(2), &b""[..]), "{said}");
    assert!(said.contains("round 1 of 10") && said.contains("write notes.txt"), "{said}");
    let event = &sandbox.events()[0];
    assert_eq!((&event["decision"], &event["reason"]), (&json!("block"), &json!("incomplete")));
}
