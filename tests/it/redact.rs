//! Seeded secrets through the real program: none reaches a file of ccc, a judge, or an answer.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

/// Where a secret is seeded; each place gets its own one.
const PLACES: [&str; 12] = [
    "request",
    "command",
    "output",
    "edit",
    "message",
    "diff",
    "untracked",
    "subject",
    "check",
    "feedback",
    "variable",
    "background",
];

/// The secret of a place. Made here, so that no scanner takes this file for a leak.
fn secret(place: &str) -> String {
    let i = PLACES.iter().position(|p| *p == place).unwrap();
    let body = format!("Zk3vQ9x2LmT7aB4rYw8PnD5sKc1Hf{i:02}");
    // The value of the variable has no shape and, elsewhere, no name.
    if place == "variable" {
        format!("plain-{body}")
    } else {
        format!("{}{body}", ["sk-ant-", "ghp_"][i % 2])
    }
}

/// What stands in a place: its name, so that the test can see that it got through, and the secret.
fn seed(place: &str) -> String {
    format!("seed-{place} {}", secret(place))
}

struct Scratch {
    dir: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Self {
        let scratch = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(scratch.path("home/.claude/ccc")).unwrap();
        fs::create_dir_all(scratch.path("proj")).unwrap();
        fs::write(scratch.path("proj/app.rs"), "// old\n").unwrap();
        for args in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", &seed("subject")]] {
            let identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
            let git = scratch.command("git").args(identity).args(args).output().unwrap();
            assert!(git.status.success(), "{git:?}");
        }
        fs::write(scratch.path("proj/app.rs"), format!("// {}\n", seed("diff"))).unwrap();
        let both = format!("{}\nseed-variable {}\n", seed("untracked"), secret("variable"));
        fs::write(scratch.path("proj/new.rs"), both).unwrap();
        fs::write(scratch.path("t.jsonl"), transcript()).unwrap();
        scratch
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", self.path("home")).current_dir(self.path("proj"));
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("DEPLOY_TOKEN", secret("variable"));
        command
    }

    fn configure(&self, config: &Value) {
        fs::write(self.path("home/.claude/ccc/config.json"), config.to_string()).unwrap();
    }

    fn run(&self, args: &[&str], stdin: &str) -> Output {
        let mut command = self.command(env!("CARGO_BIN_EXE_ccc"));
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // Not every command reads it.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        child.wait_with_output().unwrap()
    }

    fn payload(&self, prompt: &str) -> Value {
        json!({
            "hook_event_name": "Stop", "session_id": "s1", "prompt_id": prompt,
            "cwd": self.path("proj"), "transcript_path": self.path("t.jsonl"),
            "last_assistant_message": seed("message"),
        })
    }

    /// Fails when a secret stands in a file of ccc or in what the judge was given.
    fn check_files(&self) {
        let mut files = vec![self.path("prompt.txt")];
        collect(&self.path("home"), &mut files);
        assert!(files.len() > 5, "{files:?}");
        for file in files {
            check(&file.display().to_string(), &fs::read(&file).unwrap_or_default());
        }
    }
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if !path.ends_with("config.json") {
            // The config is the user's own file.
            files.push(path);
        }
    }
}

fn check(what: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for place in PLACES {
        // Even a part of it would help to guess the rest.
        let secret = secret(place);
        assert!(
            !text.contains(&secret[secret.len() - 16..]),
            "the {place} secret is in {what}:\n{text}"
        );
    }
}

fn check_output(what: &str, output: &Output) -> String {
    check(what, &output.stdout);
    check(what, &output.stderr);
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

fn transcript() -> String {
    let tool = |id: &str, name: &str, input: Value| {
        json!({"type": "assistant", "message": {"role": "assistant", "content": [
            {"type": "tool_use", "id": id, "name": name, "input": input}]}})
    };
    let answer = |id: &str, text: &str| {
        let is_error = id == "1";
        json!({"type": "user", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error}]}})
    };
    let lines = [
        json!({"type": "user", "message": {"role": "user", "content": seed("request")}}),
        tool("1", "Bash", json!({"command": format!("deploy --key '{}'", seed("command"))})),
        answer("1", &format!("\x1b[31m{}\x1b[0m", seed("output"))),
        tool("2", "Write", json!({"file_path": "/x/app.rs", "content": seed("edit")})),
        answer("2", "done"),
    ];
    lines.map(|line| line.to_string() + "\n").concat()
}

#[test]
fn a_seeded_secret_reaches_no_file_no_judge_and_no_answer() {
    let scratch = Scratch::new();
    let prompt = scratch.path("prompt.txt");
    let judge = |said: &str| {
        json!({
            "judge": "command",
            "review": { "command": format!("cat >'{}'; {said}", prompt.display()) },
            "evidence": { "checks": [{ "name": "c", "run": format!("echo '{}'", seed("check")) }] },
        })
    };
    let verdict = |rest: &str| {
        format!("printf '{{\"completed\":false,\"feedback\":\"{}\"{rest}}}'", seed("feedback"))
    };

    scratch.configure(&judge(&verdict("")));
    let sent_back = scratch.run(&["hook"], &scratch.payload("p1").to_string());
    assert_eq!(sent_back.status.code(), Some(2), "{sent_back:?}");
    assert!(check_output("the feedback", &sent_back).contains("seed-feedback"));
    let asked = fs::read_to_string(&prompt).unwrap();
    for place in PLACES.iter().filter(|p| !["feedback", "background"].contains(p)) {
        assert!(asked.contains(&format!("seed-{place} ")), "{place} is not in:\n{asked}");
    }
    scratch.check_files();

    // The earlier feedback is a part of the next prompt.
    fs::write(scratch.path("proj/app.rs"), "// changed\n").unwrap();
    scratch.configure(&judge(&verdict(",\"needs_human\":true")));
    let notice = scratch.run(&["hook"], &scratch.payload("p1").to_string());
    assert!(check_output("the notice", &notice).contains("needs you: seed-feedback"), "{notice:?}");
    assert!(fs::read_to_string(&prompt).unwrap().contains("Round 1"));

    scratch.configure(&judge(&format!("echo '{}' >&2; exit 1", seed("feedback"))));
    let failed = scratch.run(&["hook"], &scratch.payload("p2").to_string());
    assert!(check_output("the failure", &failed).contains("seed-feedback"), "{failed:?}");
    scratch.check_files();

    for args in [
        &["evidence", "--payload", "-"][..],
        &["log"],
        &["log", "--json"],
        &["status"],
        &["status", "--json"],
        &["monitor", "--once"],
    ] {
        let output = scratch.run(args, &scratch.payload("p2").to_string());
        assert!(output.status.success(), "{output:?}");
        assert!(check_output(&args.join(" "), &output).contains("s"));
    }
}

#[test]
fn a_gate_and_a_background_task_give_no_secret_away() {
    let scratch = Scratch::new();
    let run = format!("echo '{}'; exit 1", seed("check"));
    scratch.configure(
        &json!({ "evidence": { "checks": [{ "name": "c", "run": run, "gate": true }] } }),
    );
    let sent_back = scratch.run(&["hook"], &scratch.payload("p1").to_string());
    assert_eq!(sent_back.status.code(), Some(2), "{sent_back:?}");
    assert!(check_output("the gate", &sent_back).contains("seed-check"));

    let mut payload = scratch.payload("p1");
    payload["background_tasks"] =
        json!([{ "id": "b", "type": "shell", "status": "running", "command": seed("background") }]);
    let notice = scratch.run(&["hook"], &payload.to_string());
    assert!(check_output("the notice", &notice).contains("seed-background"), "{notice:?}");
    fs::write(scratch.path("prompt.txt"), "").unwrap();
    scratch.check_files();
}

#[test]
fn what_an_older_version_stored_is_not_shown() {
    let scratch = Scratch::new();
    let ccc = scratch.path("home/.claude/ccc");
    let event = json!({ "ts": "t", "session_id": "s1", "message": seed("message") });
    fs::write(ccc.join("events.jsonl"), format!("{event}\n")).unwrap();
    for args in [&["log"][..], &["log", "--json"]] {
        let said = check_output("log", &scratch.run(args, ""));
        assert!(said.contains("seed-message"), "{said}");
    }
}
