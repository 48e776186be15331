//! The user is called back: by his terminal through the client, and by a command of his own.

use std::fs;

use serde_json::{Value, json};

use crate::support::sandbox::{Sandbox, feed, success};

const NEEDS_YOU: &str = r#"{"completed": false, "feedback": "Which port?", "needs_human": true}"#;
const DONE: &str = r#"{"completed": true, "feedback": ""}"#;

/// What the client is answered when a judge says this.
fn answered(sandbox: &Sandbox, verdict: &str, notify: &Value) -> String {
    let judge = format!("cat >/dev/null; echo '{verdict}'");
    let config = json!({ "judge": "command", "review": { "command": judge }, "notify": notify });
    sandbox.configure(&config);
    let payload = json!({ "hook_event_name": "Stop", "session_id": "s1", "prompt_id": "p",
        "cwd": sandbox.project(), "last_assistant_message": "Done." });
    success(&feed(&mut sandbox.ccc(&["hook"]), &payload.to_string()))
}

fn object(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text:?}"))
}

#[test]
fn a_need_for_the_user_reaches_his_terminal_and_an_approval_does_not() {
    let sandbox = Sandbox::new();
    assert_eq!(answered(&sandbox, DONE, &json!({})), "");
    let table = [
        (json!({}), Some("\u{1b}]9;proj: needs you: Which port?\u{7}")),
        (
            json!({ "terminal": "osc777" }),
            Some("\u{1b}]777;notify;ccc;proj: needs you: Which port?\u{7}"),
        ),
        (json!({ "terminal": "bell" }), Some("\u{7}")),
        (json!({ "terminal": "none" }), None),
        (json!({ "needs_you": false }), None),
    ];
    for (notify, sequence) in table {
        let answer = object(&answered(&Sandbox::new(), NEEDS_YOU, &notify));
        assert_eq!(answer["systemMessage"], "ccc: needs you: Which port?");
        assert_eq!(answer.get("terminalSequence").and_then(Value::as_str), sequence, "{notify}");
    }
}

#[test]
fn long_work_is_told_where_that_is_configured() {
    let sandbox = Sandbox::new();
    let told = sandbox.path("told");
    let command = format!("cat >{0}; echo \" $CCC_NOTIFY\" >>{0}", told.display());
    let notify = json!({ "after_minutes": 10, "command": command });
    assert_eq!(answered(&sandbox, DONE, &notify), "");
    assert!(!told.exists());
    // The prompt came an hour ago.
    let path = sandbox.path("home/.claude/ccc/sessions/s1.json");
    let mut state = object(&fs::read_to_string(&path).unwrap());
    state["chain"]["started_at"] = json!(state["updated_at"].as_u64().unwrap() - 3600);
    fs::write(&path, state.to_string()).unwrap();
    let answer = object(&answered(&sandbox, DONE, &notify));
    assert_eq!(answer, json!({ "terminalSequence": "\u{1b}]9;proj: approved\u{7}" }));
    assert_eq!(fs::read_to_string(&told).unwrap(), "proj: approved ended\n");
}

#[test]
fn a_command_that_hangs_or_fails_changes_nothing_and_a_projects_needs_trust() {
    let began = std::time::Instant::now();
    for command in ["sleep 60", "exit 3"] {
        let answer = answered(&Sandbox::new(), NEEDS_YOU, &json!({ "command": command }));
        assert!(object(&answer)["systemMessage"].as_str().unwrap().contains("Which port?"));
    }
    assert!(began.elapsed().as_secs() < 20);

    let sandbox = Sandbox::new();
    let told = sandbox.path("told");
    fs::create_dir_all(sandbox.project().join(".claude")).unwrap();
    let own = json!({ "notify": { "command": format!("touch {}", told.display()) } });
    fs::write(sandbox.project().join(".claude/ccc.json"), own.to_string()).unwrap();
    answered(&sandbox, NEEDS_YOU, &json!({}));
    assert!(!told.exists());
    sandbox.ok(&["trust"]);
    answered(&sandbox, NEEDS_YOU, &json!({}));
    assert!(told.exists());
}
