//! `ccc log` through the binary: what is chosen, how it is shown, and what `-f` goes on with.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::sandbox::{Sandbox, feed};

fn events_file(sandbox: &Sandbox) -> std::path::PathBuf {
    sandbox.path("home/.claude/ccc/events.jsonl")
}

fn event(session: &str, project: &str, ts: &str, message: &str) -> Value {
    json!({ "ts": ts, "type": "stop", "session_id": session, "client": "claude",
        "project": project, "iteration": 2, "decision": "block", "reason": "incomplete",
        "message": message, "judge": { "cost_usd": 0.0123, "duration_ms": 4100 } })
}

/// Two sessions in two projects, of 2020 and of the far future.
fn recorded() -> Sandbox {
    let sandbox = Sandbox::new();
    let here = sandbox.project().canonicalize().unwrap();
    let here = here.to_str().unwrap();
    let events = [
        event("aaaaaaaa-1", here, "2020-01-01T00:00:00.000Z", "old"),
        event("aaaaaaaa-1", here, "2999-01-01T00:00:00.000Z", "new here"),
        event("bbbbbbbb-2", "/elsewhere", "2999-01-01T00:00:00.000Z", "new there"),
    ];
    let lines: String = events.iter().map(|e| format!("{e}\n")).collect();
    fs::create_dir_all(events_file(&sandbox).parent().unwrap()).unwrap();
    fs::write(events_file(&sandbox), lines + "not JSON\n[]\n{\"ts\":").unwrap();
    sandbox
}

#[test]
fn the_options_choose_and_combine() {
    let sandbox = recorded();
    let table: &[(&[&str], &[&str])] = &[
        (&[], &["old", "new here", "new there"]),
        (&["--session", "aaaaaaaa-1"], &["old", "new here"]),
        (&["--session", "bbbbbbbb"], &["new there"]),
        (&["--session", "bbbb"], &[]),
        (&["--since", "3d"], &["new here", "new there"]),
        (&["--since", "2019-12-30"], &["old", "new here", "new there"]),
        (&["--project"], &["old", "new here"]),
        (&["--project", ".", "--since", "1h"], &["new here"]),
        (&["--project", "/"], &[]),
    ];
    for (args, expected) in table {
        let lines = sandbox.ok(&[&["log", "--json"], *args].concat());
        let events: Vec<Value> = lines.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        let messages: Vec<&str> = events.iter().map(|e| e["message"].as_str().unwrap()).collect();
        assert_eq!(&messages, expected, "{args:?}");
        assert_eq!(sandbox.ok(&[&["log"], *args].concat()).lines().count(), expected.len());
    }
    let bad = sandbox.run(&["log", "--since", "whenever"]);
    assert_eq!(bad.status.code(), Some(64), "{bad:?}");
    let bad = sandbox.run(&["log", "--project", "/nowhere/at/all"]);
    assert_eq!(bad.status.code(), Some(1), "{bad:?}");
}

#[test]
fn a_line_for_people_tells_when_who_what_and_the_price() {
    let sandbox = recorded();
    let mut log = sandbox.ccc(&["log", "--session", "bbbbbbbb"]);
    let said = String::from_utf8(log.env("TZ", "UTC").output().unwrap().stdout).unwrap();
    let expected = "2999-01-01 00:00:00 bbbbbbbb claude block round 2 incomplete ($0.0123, 4.1 s): \
                    new there\n";
    assert_eq!(said, expected);
}

#[test]
fn rotated_files_are_read_and_follow_survives_a_rotation() {
    let sandbox = recorded();
    let file = events_file(&sandbox);
    fs::rename(&file, file.with_extension("jsonl.2")).unwrap();
    fs::write(&file, format!("{}\n", event("s1", "/p", "2999-01-02T00:00:00Z", "present")))
        .unwrap();
    assert_eq!(sandbox.ok(&["log"]).lines().count(), 4);

    let mut log = sandbox.ccc(&["log", "-f", "--json", "--session", "s1"]);
    let mut child = log.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["message"], "present");
    fs::rename(&file, file.with_extension("jsonl.1")).unwrap();
    let mut fresh = fs::File::create(&file).unwrap();
    writeln!(fresh, "{}", event("s1", "/p", "2999-01-03T00:00:00Z", "after")).unwrap();
    assert_eq!(next()["message"], "after");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_stop_prunes_sessions_of_long_ago_once_a_day() {
    let sandbox = Sandbox::new();
    let sessions = sandbox.path("home/.claude/ccc/sessions");
    fs::create_dir_all(&sessions).unwrap();
    let make_old = |name: &str| {
        let path = sessions.join(name);
        let file = fs::File::create(&path).unwrap();
        let age = std::time::Duration::from_secs(31 * 86_400);
        file.set_modified(std::time::SystemTime::now() - age).unwrap();
        path
    };
    sandbox.configure(&json!({ "judge": "status" }));
    let payload = json!({ "hook_event_name": "Stop", "session_id": "s1", "prompt_id": "p1" });
    let stop = || feed(&mut sandbox.ccc(&["hook"]), &payload.to_string());
    let first = make_old("gone.json");
    stop();
    assert!(!first.exists() && sessions.join("s1.json").exists());
    let second = make_old("kept-until-tomorrow.json");
    stop();
    assert!(second.exists());
}
