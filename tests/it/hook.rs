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

#[test]
fn the_judge_status_hears_what_the_agent_said_in_this_chain() {
    let sandbox = Sandbox::new();
    sandbox.configure(&json!({ "judge": "status" }));
    let text = |role: &str, text: &str| {
        let content = json!([{ "type": "text", "text": text }]);
        json!({ "type": role, "message": { "role": role, "model": "opus-x", "content": content } })
    };
    let feedback = "Stop hook feedback:\n[ccc hook]: Go through it.";
    let mut sent_back = text("user", feedback);
    sent_back["isMeta"] = json!(true);
    let block = "---RALPH_STATUS---\nSTATUS: COMPLETE\nTASKS_COMPLETED_THIS_LOOP: 1\n\
        FILES_MODIFIED: 1\nTESTS_STATUS: PASSING\nWORK_TYPE: IMPLEMENTATION\nEXIT_SIGNAL: true\n\
        RECOMMENDATION: none\n---END_RALPH_STATUS---";
    let last = format!("The manual is done.\n\n{block}");
    let stop = |session: &str, entries: &[serde_json::Value]| {
        let transcript = sandbox.path("t.jsonl");
        let lines: String = entries.iter().map(|entry| format!("{entry}\n")).collect();
        std::fs::write(&transcript, lines).unwrap();
        let payload = json!({ "hook_event_name": "Stop", "session_id": session, "prompt_id": "p1",
            "cwd": sandbox.project(), "transcript_path": transcript,
            "last_assistant_message": last });
        feed(&mut sandbox.ccc(&["hook"]), &payload.to_string()).status.code()
    };
    let request = text("user", "Write the parser and its manual.");
    let earlier = text("assistant", "The parser is implemented.");
    assert_eq!(
        stop("alone", std::slice::from_ref(&request)),
        Some(2),
        "one statement is too little"
    );
    // A new request ends what was said before it.
    let old = [earlier.clone(), sent_back.clone(), request.clone()];
    assert_eq!(stop("old", &old), Some(2));
    assert_eq!(stop("both", &[request, earlier, sent_back]), Some(0));
    let again = sandbox.ok(&["replay", "both"]);
    assert!(again.contains("approved") && !again.contains("incomplete"), "{again}");
    let status = sandbox.ok(&["status", "--json", "--session", "both"]);
    let status: serde_json::Value = serde_json::from_str(&status).unwrap();
    let task = json!({ "name": "Write the parser and its manual.", "progress": 100,
        "status": "completed" });
    assert_eq!((&status["task"], &status["session"]["model"]), (&task, &json!("opus-x")));
}
