//! Every outcome of a stop is reached through the program, answered in its form, and told in the README.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::sandbox::{Sandbox, feed};

/// What the client is told.
#[derive(Clone, Copy)]
enum Form {
    /// Allowed, without a word.
    Silence,
    /// Allowed, with a notice that holds this text.
    Notice(&'static str),
    /// Sent back, with feedback that holds this text.
    Block(&'static str),
}
use Form::{Block, Notice, Silence};

/// Slug of an outcome, how it is answered, and what leads there.
type Case = (&'static str, Form, fn(&Stage) -> Output);

const CASES: [Case; 22] = [
    ("not-this-stop", Silence, |s| s.stop(&[("hook_event_name", json!("SubagentStop"))])),
    ("off", Silence, |s| {
        s.sandbox.ok(&["off"]);
        s.stop(&[])
    }),
    ("already-reviewing", Silence, already_reviewing),
    ("approved", Silence, |s| {
        s.judge_says(true, "");
        s.stop(&[])
    }),
    ("approved-before", Silence, |s| {
        s.judge_says(true, "");
        s.stop(&[]);
        s.judge_says(false, "never asked");
        s.stop(&[])
    }),
    ("no-session", Notice("no usable session_id"), |s| s.stop(&[("session_id", json!("../x"))])),
    ("background", Notice("background work is still running"), |s| {
        let task = json!({ "id": "b1", "type": "shell", "status": "running", "command": "make" });
        s.stop(&[("background_tasks", json!([task]))])
    }),
    ("api-error", Notice("API error"), |s| {
        let content = json!([{ "type": "text", "text": "API Error: 529 overloaded" }]);
        let message = json!({ "role": "assistant", "content": content });
        s.stop_after(&[
            json!({ "type": "assistant", "isApiErrorMessage": true, "message": message }),
        ])
    }),
    ("cap-reached", Notice("max_iterations"), |s| {
        s.configure(&json!({ "max_iterations": 1 }));
        s.stop(&[]);
        s.stop(&[])
    }),
    ("client-cap", Notice("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"), |s| {
        let text = "Stop hook feedback:\n[ccc hook]: Go.";
        let message = json!({ "role": "user", "content": text });
        s.stop_after(&vec![json!({ "type": "user", "isMeta": true, "message": message }); 8])
    }),
    ("breaker-open", Notice("ccc reset"), |s| {
        s.configure(&json!({ "breaker": { "same_feedback": 2 } }));
        s.stop(&[]);
        s.stop(&[("last_assistant_message", json!("Done, really."))])
    }),
    ("rate-limited", Notice("free again at"), |s| {
        s.configure(&json!({ "rate_limit": { "reviews_per_hour": 1 } }));
        s.stop(&[]);
        s.stop(&[("session_id", json!("s2"))])
    }),
    ("state-not-saved", Notice("could not be saved"), |s| {
        fs::write(s.home("sessions"), "no directory").unwrap();
        s.stop(&[])
    }),
    ("lock-held", Notice("another process holds the lock"), |s| {
        fs::create_dir(s.home("sessions")).unwrap();
        let lock = fs::File::create(s.home("sessions/s1.lock")).unwrap();
        lock.lock().unwrap();
        s.stop(&[])
    }),
    ("needs-human", Notice("needs you: Which port?"), |s| {
        let verdict = json!({ "completed": false, "feedback": "Which port?", "needs_human": true });
        s.judge(&format!("cat >/dev/null; echo '{verdict}'"));
        s.stop(&[])
    }),
    ("judge-failed", Notice("the review failed"), |s| {
        s.judge("exit 3");
        s.stop(&[])
    }),
    ("internal-error", Notice("ccc itself failed"), |s| {
        feed(s.sandbox.ccc(&["hook"]).env("HOME", "not/absolute"), &s.payload(&[]))
    }),
    ("incomplete", Block("Write notes.txt."), |s| s.stop(&[])),
    ("unchanged", Block("Write notes.txt."), |s| {
        s.stop(&[]);
        s.judge_says(true, "never asked");
        s.stop(&[])
    }),
    ("gate", Block("three tests are red"), |s| {
        let check = json!({ "name": "tests", "run": "echo three tests are red; exit 1",
            "timeout_secs": 9, "gate": true });
        s.configure(&json!({ "evidence": { "checks": [check] } }));
        s.stop(&[])
    }),
    ("doubt", Block("tru"), |s| {
        s.judge("cat >/dev/null; printf '%s' '{\"completed\": tru'");
        s.stop(&[])
    }),
    ("review-failed", Block("could not be done"), |s| {
        s.configure(&json!({ "on_error": "block", "review": { "command": "exit 3" } }));
        s.stop(&[])
    }),
];

/// Outcomes that leave no line in the history: nothing of the session's own stop was looked at, or
/// nothing could be stored.
const UNRECORDED: [&str; 7] = [
    "not-this-stop",
    "off",
    "already-reviewing",
    "no-session",
    "state-not-saved",
    "lock-held",
    "internal-error",
];

/// A sandbox whose judge finds the work incomplete, unless told otherwise.
struct Stage {
    sandbox: Sandbox,
}

impl Stage {
    fn new() -> Self {
        let stage = Self { sandbox: Sandbox::new() };
        stage.judge_says(false, "Write notes.txt.");
        stage
    }

    fn home(&self, name: &str) -> PathBuf {
        self.sandbox.path("home/.claude/ccc").join(name)
    }

    fn judge(&self, command: &str) {
        let config = json!({ "judge": "command", "review": { "command": command } });
        self.sandbox.configure(&config);
    }

    fn judge_says(&self, completed: bool, feedback: &str) {
        let verdict = json!({ "completed": completed, "feedback": feedback });
        self.judge(&format!("cat >/dev/null; echo '{verdict}'"));
    }

    /// Adds keys to the config that stands.
    fn configure(&self, more: &Value) {
        let text = fs::read_to_string(self.home("config.json")).unwrap();
        let mut config: Value = serde_json::from_str(&text).unwrap();
        let keys = config.as_object_mut().unwrap();
        keys.extend(more.as_object().unwrap().clone());
        self.sandbox.configure(&config);
    }

    fn payload(&self, changes: &[(&str, Value)]) -> String {
        let mut payload = json!({ "hook_event_name": "Stop", "session_id": "s1", "prompt_id": "p1",
            "cwd": self.sandbox.project(), "last_assistant_message": "Done." });
        for (key, value) in changes {
            payload[*key] = value.clone();
        }
        payload.to_string()
    }

    fn stop(&self, changes: &[(&str, Value)]) -> Output {
        feed(&mut self.sandbox.ccc(&["hook"]), &self.payload(changes))
    }

    /// A stop whose transcript holds these records.
    fn stop_after(&self, records: &[Value]) -> Output {
        let transcript = self.sandbox.path("t.jsonl");
        let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
        fs::write(&transcript, lines).unwrap();
        self.stop(&[("transcript_path", json!(transcript))])
    }
}

/// The second of two hooks for one stop, while the first still asks its judge.
fn already_reviewing(stage: &Stage) -> Output {
    let begun = stage.sandbox.path("begun");
    stage.judge(&format!("touch '{}'; exec sleep 60", begun.display()));
    let mut first = spawn(stage);
    let begin = Instant::now();
    while !begun.exists() {
        assert!(begin.elapsed() < Duration::from_secs(20), "the first review never began");
        std::thread::sleep(Duration::from_millis(10));
    }
    let second = stage.stop(&[]);
    kill_process(Pid::from_child(&first), Signal::TERM).unwrap();
    assert_eq!(first.wait().unwrap().code(), Some(128 + 15));
    second
}

fn spawn(stage: &Stage) -> Child {
    let mut command = stage.sandbox.ccc(&["hook"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(stage.payload(&[]).as_bytes()).unwrap();
    child
}

fn answers_in_its_form(slug: &str, form: Form, answer: &Output) {
    let (out, err) =
        (String::from_utf8_lossy(&answer.stdout), String::from_utf8_lossy(&answer.stderr));
    let seen = format!("{slug}: {answer:?}");
    match form {
        Silence => assert_eq!((answer.status.code(), &*out, &*err), (Some(0), "", ""), "{seen}"),
        Notice(text) => {
            assert_eq!((answer.status.code(), &*err), (Some(0), ""), "{seen}");
            let object: Value = serde_json::from_str(&out).expect(&seen);
            // Only a need for the user also rings at his terminal.
            let rings = object.get("terminalSequence").is_some();
            assert_eq!(rings, slug == "needs-human", "{seen}");
            let fields = object.as_object().unwrap().len();
            assert_eq!(fields, 1 + usize::from(rings), "{seen}");
            assert!(object["systemMessage"].as_str().unwrap().contains(text), "{seen}");
        }
        Block(text) => {
            assert_eq!((answer.status.code(), &*out), (Some(2), ""), "{seen}");
            assert!(err.contains(text) && !err.to_lowercase().contains("continue"), "{seen}");
        }
    }
}

#[test]
fn every_outcome_is_reached_and_answered_in_its_form() {
    for (slug, form, reach) in CASES {
        let stage = Stage::new();
        let answer = reach(&stage);
        answers_in_its_form(slug, form, &answer);
        let events = stage.sandbox.events();
        let stops: Vec<_> = events.iter().filter(|e| e["type"] == "stop").collect();
        match UNRECORDED.contains(&slug) {
            true => assert!(stops.iter().all(|stop| stop["reason"] != slug), "{slug}: {events:?}"),
            false => {
                let last = stops.last().unwrap_or_else(|| panic!("{slug}: no event"));
                let word = if matches!(form, Block(_)) { "block" } else { "allow" };
                assert_eq!((&last["reason"], &last["decision"]), (&json!(slug), &json!(word)));
            }
        }
    }
}

#[test]
fn the_set_is_closed_and_told_in_the_readme() {
    let read = |name: &str| fs::read_to_string(format!("{}/{name}", env!("CARGO_MANIFEST_DIR")));
    let source = read("src/rules/outcome.rs").unwrap();
    let slugs = source.lines().filter(|line| line.trim_start().starts_with("Self::"));
    let slugs: BTreeSet<&str> =
        slugs.filter_map(|line| line.split_once("=> \"")?.1.strip_suffix("\",")).collect();
    let slugs: BTreeSet<&str> =
        slugs.into_iter().filter(|slug| !["allow", "block"].contains(slug)).collect();
    let reached: BTreeSet<&str> = CASES.iter().map(|(slug, ..)| *slug).collect();
    assert_eq!(reached, slugs);
    let readme = read("README.md").unwrap();
    for slug in slugs {
        assert!(readme.contains(&format!("| `{slug}` |")), "README.md has no row for `{slug}`");
    }
}
