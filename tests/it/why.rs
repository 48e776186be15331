//! `ccc why` and `ccc replay` through the binary, after stops of the real hook.

use std::fs;

use serde_json::{Value, json};

use crate::support::sandbox::{Sandbox, feed};

/// A judge that says what the file `answer` of the project holds, and keeps what it was asked.
fn judged(answer: &str, config: &Value) -> Sandbox {
    let sandbox = Sandbox::new();
    let judge = format!("cat >{0}/asked; cat {0}/answer", sandbox.path("home").display());
    let mut all = json!({ "judge": "command", "review": { "command": judge } });
    for (key, value) in config.as_object().unwrap() {
        all[key] = value.clone();
    }
    sandbox.configure(&all);
    fs::write(sandbox.path("home/answer"), answer).unwrap();
    sandbox
}

fn stop(sandbox: &Sandbox, prompt: &str) -> Vec<u8> {
    let transcript = sandbox.path("t.jsonl");
    let entry =
        json!({ "type": "user", "message": { "role": "user", "content": "Build the shed." } });
    fs::write(&transcript, format!("{entry}\n")).unwrap();
    let payload = json!({ "hook_event_name": "Stop", "session_id": "session-one", "prompt_id": prompt,
        "cwd": sandbox.project(), "transcript_path": transcript,
        "last_assistant_message": "The shed is built." });
    feed(&mut sandbox.ccc(&["hook"]), &payload.to_string()).stderr
}

fn object(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

const NOT_DONE: &str = r#"{"completed": false, "feedback": "The roof is missing."}"#;
const DONE: &str = r#"{"completed": true, "feedback": ""}"#;

#[test]
fn a_stop_is_explained_in_full() {
    let sandbox = judged(NOT_DONE, &json!({}));
    let sent = String::from_utf8(stop(&sandbox, "p1")).unwrap();
    let id = sandbox.events()[0]["id"].as_str().unwrap().to_owned();
    for args in [&["why"][..], &["why", &id], &["why", &id[..5]], &["why", "session-one"]] {
        let said = sandbox.ok(args);
        for part in [
            &format!("stop {id}, "),
            "block: incomplete, round 1 of 10",
            "rule      the verdict: not complete",
            "command: ",
            "the built-in one (SHA-256 ",
            "Build the shed.",
            "> The shed is built.",
            "not complete\n\nThe roof is missing.",
            &sent,
            "(exit 2)",
        ] {
            assert!(said.contains(part), "{part} in {said}");
        }
    }
    let record = object(&sandbox.ok(&["why", &id, "--json"]));
    assert_eq!(record["outcome"]["stderr"], sent.as_str());
    assert_eq!(record["outcome"]["verdict"]["completed"], false);
    assert!(sandbox.ok(&["log"]).contains(&format!("({id}, ")));
    let unknown = sandbox.run(&["why", "ffffffff0"]);
    assert_eq!(unknown.status.code(), Some(1), "{unknown:?}");
}

#[test]
fn without_a_change_every_replay_decides_the_same() {
    let checks = json!({ "checks": [{ "name": "roof", "run": "test -e roof", "gate": true }] });
    let table = [
        (NOT_DONE, json!({}), "incomplete"),
        (DONE, json!({}), "approved"),
        ("I do not know.", json!({}), "doubt"),
        ("", json!({}), "judge-failed"),
        ("", json!({ "on_error": "block" }), "review-failed"),
        (
            r#"{"completed": false, "feedback": "Which roof?", "needs_human": true}"#,
            json!({}),
            "needs-human",
        ),
        (NOT_DONE, json!({ "max_iterations": 0 }), "cap-reached"),
        (NOT_DONE, json!({ "evidence": checks }), "gate"),
        (NOT_DONE, json!({ "judge": "status" }), "incomplete"),
        (NOT_DONE, json!({ "rate_limit": { "reviews_per_hour": 0 } }), "rate-limited"),
        (NOT_DONE, json!({ "breaker": { "same_feedback": 1 } }), "breaker-open"),
    ];
    for (answer, config, reason) in table {
        let sandbox = judged(answer, &config);
        // The second stop is told by what the first one left behind.
        for _ in 0..2 {
            stop(&sandbox, "p1");
            let event = sandbox.events().pop().unwrap();
            let id = event["id"].as_str().unwrap();
            let replayed = object(&sandbox.ok(&["replay", id, "--json"]));
            assert_eq!(replayed["same"], true, "{reason} {event}: {replayed}");
            assert_eq!(replayed["replayed"]["reason"], event["reason"]);
            assert_eq!(replayed["changed"], json!([]));
        }
        assert_eq!(sandbox.events()[0]["reason"], reason);
    }
}

#[test]
fn a_changed_config_is_replayed_without_a_judge() {
    let sandbox = judged(NOT_DONE, &json!({}));
    stop(&sandbox, "p1");
    let table = [
        (
            json!({ "judge": "command", "max_iterations": 0 }),
            "cap-reached",
            "max_iterations: 10 -> 0",
        ),
        (json!({ "judge": "status" }), "incomplete", "judge: command -> status"),
        (
            json!({ "judge": "command", "breaker": { "same_feedback": 1 } }),
            "breaker-open",
            "breaker.same_feedback: 5 -> 1",
        ),
    ];
    fs::remove_file(sandbox.path("home/asked")).unwrap();
    for (config, reason, change) in table {
        sandbox.configure(&config);
        let replayed = object(&sandbox.ok(&["replay", "session-one", "--json"]));
        assert_eq!(replayed["replayed"]["reason"], reason, "{replayed}");
        assert_eq!((&replayed["same"], &replayed["changed"]), (&json!(false), &json!([change])));
        let said = sandbox.ok(&["replay", "session-one"]);
        assert!(said.contains("differs") && said.contains(change), "{said}");
    }
    assert!(!sandbox.path("home/asked").exists(), "no judge was asked");
}

#[test]
fn a_judge_is_asked_again_with_the_present_review_prompt() {
    let sandbox = judged(NOT_DONE, &json!({}));
    stop(&sandbox, "p1");
    let dir = sandbox.path("home/.claude/ccc/stops");
    let record = fs::read_dir(&dir).unwrap().next().unwrap().unwrap().path();
    let copy = sandbox.path("shed.json");
    fs::rename(record, &copy).unwrap();
    fs::write(sandbox.project().join("SUPERVISOR.md"), "Roofs are optional.").unwrap();
    fs::write(sandbox.path("home/answer"), DONE).unwrap();
    let copy = copy.to_str().unwrap();
    let without = object(&sandbox.ok(&["replay", copy, "--json"]));
    assert_eq!((&without["same"], &without["judge"]), (&json!(true), &Value::Null));
    assert!(without["changed"][0].as_str().unwrap().starts_with("the review prompt"));
    let with = object(&sandbox.ok(&["replay", copy, "--judge", "--json"]));
    assert_eq!(with["replayed"]["reason"], "approved", "{with}");
    assert_eq!(with["same"], false);
    let asked = fs::read_to_string(sandbox.path("home/asked")).unwrap();
    assert!(
        asked.contains("Roofs are optional.") && asked.contains("The shed is built."),
        "{asked}"
    );
    let events = sandbox.events();
    assert_eq!(events.len(), 1, "a replay is no stop");
}

#[test]
fn what_is_no_record_is_refused() {
    let sandbox = judged(NOT_DONE, &json!({}));
    let file = sandbox.path("x.json");
    fs::write(&file, "{}").unwrap();
    for args in [&["replay", file.to_str().unwrap()][..], &["replay", "nothing"], &["why"]] {
        let output = sandbox.run(args);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty());
    }
}
