//! A block that the client or the user threw away, through the real program.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

struct Scratch {
    dir: tempfile::TempDir,
}

impl Scratch {
    /// A session whose first stop was blocked.
    fn sent_back() -> Self {
        let scratch = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(scratch.dir.path().join("home/.claude/ccc")).unwrap();
        let judge = "cat >/dev/null; printf '{\"completed\":false,\"feedback\":\"Run it.\"}'";
        let config = json!({ "judge": "command", "review": { "command": judge } });
        fs::write(scratch.dir.path().join("home/.claude/ccc/config.json"), config.to_string())
            .unwrap();
        let entries = [user("Do it."), assistant("Done.")];
        let stop = scratch.hook("Stop", "p1", &entries);
        assert_eq!(stop.status.code(), Some(2), "{stop:?}");
        scratch
    }

    fn hook(&self, event: &str, prompt: &str, entries: &[Value]) -> Output {
        let transcript = self.dir.path().join("t.jsonl");
        let lines: String = entries.iter().map(|entry| format!("{entry}\n")).collect();
        fs::write(&transcript, lines).unwrap();
        let payload = json!({ "hook_event_name": event, "session_id": "s1", "prompt_id": prompt,
            "cwd": self.dir.path(), "transcript_path": transcript, "prompt": "Next." });
        self.run(&["hook"], &payload.to_string())
    }

    fn run(&self, args: &[&str], input: &str) -> Output {
        let mut child = Command::new(Path::new(env!("CARGO_BIN_EXE_ccc")))
            .args(args)
            .env_clear()
            .env("HOME", self.dir.path().join("home"))
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .current_dir(self.dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Not every command reads it.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    }

    fn says(&self, args: &[&str]) -> String {
        String::from_utf8(self.run(args, "").stdout).unwrap()
    }
}

fn user(text: &str) -> Value {
    json!({ "type": "user", "message": { "role": "user", "content": text } })
}

fn assistant(text: &str) -> Value {
    let content = json!([{ "type": "text", "text": text }]);
    json!({ "type": "assistant", "message": { "role": "assistant", "content": content } })
}

fn feedback() -> Value {
    let mut entry = user("Stop hook feedback:\n[ccc hook]: Run it.");
    entry["isMeta"] = json!(true);
    entry
}

fn overridden() -> Value {
    let content = "A hook blocked the turn from ending 9 consecutive times\u{2014}overriding and \
                   ending turn.";
    json!({ "type": "system", "subtype": "informational", "level": "warning", "content": content })
}

#[test]
fn a_block_without_effect_is_told_in_status_and_log() {
    let before = [user("Do it."), assistant("Done."), feedback()];
    let table = [
        (vec![overridden()], "the client's own cap on blocks in a row ended the turn"),
        (vec![user("[Request interrupted by user]")], "the turn was interrupted"),
        (vec![], "the agent did not go on"),
    ];
    for (after, why) in table {
        // The prompt hook notices it first; where it is not installed, the next stop.
        for event in ["UserPromptSubmit", "Stop"] {
            let scratch = Scratch::sent_back();
            let mut entries = [before.to_vec(), after.clone()].concat();
            if event == "Stop" {
                entries.extend([user("Next."), assistant("Done, too.")]);
            }
            let output = scratch.hook(event, "p2", &entries);
            let expected = if event == "Stop" { 2 } else { 0 };
            assert_eq!(output.status.code(), Some(expected), "{output:?}");
            let sentence = format!("the block of round 1 had no effect: {why}");
            for args in [&["status"][..], &["log"]] {
                let said = scratch.says(args);
                assert_eq!(said.matches(&sentence).count(), 1, "{args:?} {event}: {said}");
            }
            let status: Value =
                serde_json::from_str(&scratch.says(&["status", "--json", "--session", "s1"]))
                    .unwrap();
            assert_eq!(
                (&status["discarded_blocks"], &status["last_discarded"]["round"]),
                (&json!(1), &json!(1))
            );
            let log =
                fs::read_to_string(scratch.dir.path().join("home/.claude/ccc/supervisor.log"));
            assert!(log.unwrap().contains(&sentence));
        }
    }
}

#[test]
fn a_block_that_the_agent_heard_is_not_told_as_lost() {
    let scratch = Scratch::sent_back();
    let entries = [
        user("Do it."),
        assistant("Done."),
        feedback(),
        assistant("I run it."),
        user("[Request interrupted by user]"),
    ];
    scratch.hook("UserPromptSubmit", "p2", &entries);
    for args in [&["status"][..], &["log"]] {
        assert!(!scratch.says(args).contains("no effect"), "{args:?}");
    }
}
