//! `ccc doctor` through the real program, against installations that are broken in many ways.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

const CCC: &str = env!("CARGO_BIN_EXE_ccc");

/// A home with a sound installation, a project, and a client that tells its version.
struct Patient {
    dir: tempfile::TempDir,
    env: Vec<(String, String)>,
}

impl Patient {
    fn healthy() -> Self {
        let patient = Self { dir: tempfile::tempdir().unwrap(), env: Vec::new() };
        fs::create_dir_all(patient.path("home/.claude")).unwrap();
        fs::create_dir_all(patient.path("proj/.git")).unwrap();
        patient.program("claude", "echo '2.1.332 (Claude Code)'");
        patient.write("home/.claude/.credentials.json", "{\"somebody\": 1}");
        let installed = patient.run(&["install"]);
        assert!(installed.status.success(), "{installed:?}");
        patient.config(r#"{"max_iterations": 8}"#);
        patient
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        let mut dir = fs::DirBuilder::new();
        dir.recursive(true).mode(0o700).create(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    }

    fn config(&self, text: &str) {
        self.write("home/.claude/ccc/config.json", text);
    }

    fn program(&self, name: &str, script: &str) {
        self.write(&format!("bin/{name}"), &format!("#!/bin/sh\n{script}\n"));
        self.mode(&format!("bin/{name}"), 0o755);
    }

    fn mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Makes a file so many days old.
    fn age(&self, name: &str, days: u64) {
        let then = std::time::SystemTime::now() - std::time::Duration::from_secs(days * 86_400);
        let file = fs::File::options().write(true).open(self.path(name)).unwrap();
        file.set_modified(then).unwrap();
    }

    fn settings(&self) -> String {
        fs::read_to_string(self.path("home/.claude/settings.json")).unwrap()
    }

    /// Edits the user's settings as a text.
    fn replace(&self, old: &str, new: &str) {
        let text = self.settings();
        assert!(text.contains(old), "{text}");
        self.write("home/.claude/settings.json", &text.replace(old, new));
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new(CCC);
        command.args(args).env_clear().env("HOME", self.path("home"));
        command.env("PATH", format!("{}:/usr/bin:/bin", self.path("bin").display()));
        command.envs(self.env.iter().map(|(k, v)| (k, v))).current_dir(self.path("proj"));
        command.output().unwrap()
    }

    /// The report, and whether the exit code agrees with it.
    fn report(&self) -> Value {
        let output = self.run(&["doctor", "--json"]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let want = if report["ok"] == true { 0 } else { 1 };
        assert_eq!(output.status.code(), Some(want), "{report:#}");
        assert!(output.stderr.is_empty(), "{output:?}");
        report
    }

    /// The files below a directory, with what they hold.
    fn files(&self, name: &str) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        walk(&self.path(name), &mut found);
        found.sort();
        found
    }
}

fn walk(dir: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, found);
        } else {
            found.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
}

/// What is found under a name.
fn find<'a>(report: &'a Value, name: &str) -> Vec<&'a Value> {
    report["checks"].as_array().unwrap().iter().filter(|c| c["name"] == name).collect()
}

/// One broken installation: what is done to a healthy one, and what must be found.
struct Case {
    label: &'static str,
    hurt: fn(&mut Patient),
    name: &'static str,
    state: &'static str,
    reason: &'static str,
    mend: &'static str,
}

const fn case(
    label: &'static str,
    hurt: fn(&mut Patient),
    name: &'static str,
    state: &'static str,
    reason: &'static str,
    mend: &'static str,
) -> Case {
    Case { label, hurt, name, state, reason, mend }
}

const FLAT: &str = r#"{"hooks":{"Stop":[{"type":"command","command":"ccc hook","timeout":700}]}}"#;
const TRANSCRIPT: &str = r#"{"type":"user","message":{"content":"do it"}}
{"type":"assistant","timestamp":"2999-01-01T00:00:00Z","message":{"stop_reason":"end_turn","content":[]}}
"#;

fn cases() -> Vec<Case> {
    vec![
        case(
            "no entry",
            |p| p.write("home/.claude/settings.json", "{}"),
            "hook",
            "broken",
            "no settings",
            "ccc install",
        ),
        case(
            "no settings file",
            |p| fs::remove_file(p.path("home/.claude/settings.json")).unwrap(),
            "hook",
            "broken",
            "no settings",
            "ccc install",
        ),
        case(
            "settings that do not parse",
            |p| p.write("home/.claude/settings.json", "{\n  \"a\": }"),
            "hook",
            "broken",
            "line 2",
            "mend",
        ),
        case(
            "hooks of another shape",
            |p| p.write("home/.claude/settings.json", r#"{"hooks":[]}"#),
            "hook",
            "broken",
            "not an object",
            "mend",
        ),
        case(
            "Stop of another shape",
            |p| p.write("home/.claude/settings.json", r#"{"hooks":{"Stop":{}}}"#),
            "hook",
            "broken",
            "not a list",
            "mend",
        ),
        case(
            "a flat entry",
            |p| p.write("home/.claude/settings.json", FLAT),
            "hook",
            "broken",
            "outside a group",
            "ccc install",
        ),
        case(
            "a timeout below the review's",
            |p| p.replace("630", "60"),
            "hook",
            "broken",
            "60 s",
            "ccc install",
        ),
        case(
            "a review longer than the timeout",
            |p| p.config(r#"{"max_iterations":8,"review":{"timeout_secs":900}}"#),
            "hook",
            "broken",
            "905 s",
            "ccc install",
        ),
        case(
            "a timeout in quotes",
            |p| p.replace("630", "\"630\""),
            "hook",
            "broken",
            "not a number",
            "ccc install",
        ),
        case(
            "an asynchronous entry",
            |p| p.replace("630", "630, \"async\": true"),
            "hook",
            "broken",
            "asynchronous",
            "ccc install",
        ),
        case(
            "no prompt entry",
            |p| p.replace("UserPromptSubmit", "SessionStart"),
            "hook",
            "warn",
            "UserPromptSubmit",
            "ccc install",
        ),
        case(
            "disableAllHooks",
            |p| p.replace("{\n  \"hooks\"", "{\n  \"disableAllHooks\": true,\n  \"hooks\""),
            "hooks-on",
            "broken",
            "disableAllHooks",
            "take",
        ),
        case(
            "disableAllHooks in the project",
            |p| p.write("proj/.claude/settings.json", r#"{"disableAllHooks":true}"#),
            "hooks-on",
            "broken",
            "proj/.claude/settings.json",
            "take",
        ),
        case(
            "disableAllHooks in the local settings",
            |p| p.write("proj/.claude/settings.local.json", r#"{"disableAllHooks":true}"#),
            "hooks-on",
            "broken",
            "settings.local.json",
            "take",
        ),
        case(
            "a second registration",
            |p| {
                let s = p.settings();
                p.write("proj/.claude/settings.json", &s);
            },
            "once",
            "warn",
            "project",
            "ccc uninstall --scope project",
        ),
        case(
            "the plugin besides",
            |p| {
                p.replace(
                    "{\n  \"hooks\"",
                    "{\n  \"enabledPlugins\": {\"ccc@m\": true},\n  \"hooks\"",
                );
            },
            "once",
            "warn",
            "plugin",
            "ccc uninstall",
        ),
        case(
            "the plugin without the program",
            |p| p.write("home/.claude/settings.json", r#"{"enabledPlugins":{"ccc@m":true}}"#),
            "fires",
            "broken",
            "not found",
            "ccc install",
        ),
        case(
            "a program that moved away",
            |p| p.replace(CCC, "/nowhere/ccc"),
            "fires",
            "broken",
            "not found",
            "ccc install",
        ),
        case(
            "a program that cannot be executed",
            |p| {
                p.program("ccc", "");
                p.mode("bin/ccc", 0o644);
                let to = p.path("bin/ccc");
                p.replace(CCC, to.to_str().unwrap());
            },
            "fires",
            "broken",
            "cannot be executed",
            "ccc install",
        ),
        case(
            "a program that crashes",
            |p| {
                p.program("ccc", "kill -SEGV $$");
                let to = p.path("bin/ccc");
                p.replace(CCC, to.to_str().unwrap());
            },
            "fires",
            "broken",
            "exit 139",
            "ccc install",
        ),
        case(
            "another program of that name",
            |p| {
                p.program("ccc", "cat >/dev/null; echo hello");
                let to = p.path("bin/ccc");
                p.replace(CCC, to.to_str().unwrap());
            },
            "fires",
            "broken",
            "something else",
            "ccc install",
        ),
        case(
            "a stale flag",
            |p| p.replace("' hook", "' hook --gone"),
            "fires",
            "broken",
            "wrongly",
            "ccc install",
        ),
        case(
            "a wrapper that prints",
            |p| {
                p.program("ccc", &format!("echo starting; exec {CCC} hook"));
                let to = p.path("bin/ccc");
                p.replace(CCC, to.to_str().unwrap());
            },
            "fires",
            "broken",
            "other text",
            "ccc install",
        ),
        case(
            "CCC_DISABLE in the settings",
            |p| p.replace("{\n  \"hooks\"", "{\n  \"env\": {\"CCC_DISABLE\": \"1\"},\n  \"hooks\""),
            "fires",
            "broken",
            "said nothing",
            "CCC_DISABLE",
        ),
        case(
            "CCC_DISABLE in the shell",
            |p| p.env.push(("CCC_DISABLE".into(), "1".into())),
            "switch",
            "broken",
            "CCC_DISABLE",
            "unset CCC_DISABLE",
        ),
        case(
            "switched off",
            |p| assert!(p.run(&["off"]).status.success()),
            "switch",
            "warn",
            "off for all",
            "ccc on",
        ),
        case(
            "switched off in the project",
            |p| p.write("proj/.claude/ccc.json", r#"{"enabled":false}"#),
            "switch",
            "warn",
            "in this project",
            "ccc.json",
        ),
        case(
            "max_iterations of 0",
            |p| p.config(r#"{"max_iterations":0}"#),
            "switch",
            "broken",
            "max_iterations",
            "max_iterations",
        ),
        case(
            "a session without a trace",
            |p| p.write("home/.claude/projects/-p/s1.jsonl", TRANSCRIPT),
            "fired",
            "warn",
            "s1",
            "new session",
        ),
        case(
            "no client",
            |p| fs::remove_file(p.path("bin/claude")).unwrap(),
            "judge",
            "broken",
            "not found",
            "claude_path",
        ),
        case(
            "a client that fails",
            |p| p.program("claude", "echo no license >&2; exit 3"),
            "judge",
            "broken",
            "no license",
            "claude_path",
        ),
        case(
            "an old client",
            |p| p.program("claude", "echo '2.0.9 (Claude Code)'"),
            "client",
            "warn",
            "2.0.9",
            "claude update",
        ),
        case(
            "a cap below max_iterations",
            |p| p.config("{}"),
            "cap",
            "warn",
            "8 consecutive blocks",
            "--raise-cap",
        ),
        case(
            "a judge without a command",
            |p| p.config(r#"{"max_iterations":8,"judge":"command"}"#),
            "judge",
            "broken",
            "review.command",
            "review.command",
        ),
        case(
            "a judge whose command is gone",
            |p| {
                p.config(r#"{"max_iterations":8,"judge":"command","review":{"command":"/nowhere/judge -x"}}"#);
            },
            "judge",
            "broken",
            "/nowhere/judge",
            "review.command",
        ),
        case(
            "no credentials",
            |p| fs::remove_file(p.path("home/.claude/.credentials.json")).unwrap(),
            "auth",
            "warn",
            "no credentials",
            "/login",
        ),
        case(
            "a config that does not parse",
            |p| p.config("{\n\"max_iterations\": 8,\n}"),
            "config",
            "broken",
            "line 3",
            "mend",
        ),
        case(
            "a value of the wrong type",
            |p| p.config(r#"{"max_iterations":"8"}"#),
            "config",
            "broken",
            "max_iterations",
            "mend",
        ),
        case(
            "an unknown key",
            |p| p.config(r#"{"max_iterations":8,"max_iteration":3}"#),
            "config",
            "warn",
            "`max_iteration`",
            "mend",
        ),
        case(
            "a SUPERVISOR.md that is not UTF-8",
            |p| fs::write(p.path("proj/SUPERVISOR.md"), b"\xff\xfe").unwrap(),
            "supervisor-md",
            "warn",
            "not UTF-8",
            "UTF-8",
        ),
        case(
            "an untrusted project",
            |p| p.write("proj/.claude/ccc.json", r#"{"evidence":{"checks":[{"run":"true"}]}}"#),
            "trust",
            "warn",
            "ccc.json",
            "ccc trust",
        ),
        case(
            "a project without a check",
            |p| p.write("proj/Cargo.toml", "[package]"),
            "checks",
            "warn",
            "Cargo",
            "cargo test",
        ),
        case(
            "a directory that others may read",
            |p| p.mode("home/.claude/ccc", 0o755),
            "home",
            "warn",
            "others",
            "--fix",
        ),
        case(
            "a state file that others may read",
            |p| {
                p.write("home/.claude/ccc/sessions/s1.json", "{}");
                p.mode("home/.claude/ccc/sessions/s1.json", 0o644);
            },
            "home",
            "warn",
            "s1.json",
            "--fix",
        ),
        case(
            "a file in place of the sessions",
            |p| p.write("home/.claude/ccc/sessions", ""),
            "home",
            "broken",
            "sessions",
            "directory",
        ),
        case(
            "a broken state",
            |p| p.write("home/.claude/ccc/sessions/s1.json", "{"),
            "sessions",
            "warn",
            "1 cannot be read",
            "--fix",
        ),
        case(
            "a session of long ago",
            |p| {
                p.write("home/.claude/ccc/sessions/s1.json", "{}");
                p.age("home/.claude/ccc/sessions/s1.json", 31);
            },
            "sessions",
            "warn",
            "1 older than 30 days",
            "--fix",
        ),
        case(
            "a lock without a session",
            |p| {
                p.write("home/.claude/ccc/sessions/s1.lock", "ccc 1 1");
                p.age("home/.claude/ccc/sessions/s1.lock", 2);
            },
            "sessions",
            "warn",
            "1 left-over files",
            "--fix",
        ),
        case(
            "a directory that takes too much",
            |p| {
                p.write("home/.claude/ccc/events.jsonl", "");
                let file =
                    fs::File::options().write(true).open(p.path("home/.claude/ccc/events.jsonl"));
                file.unwrap().set_len(600 << 20).unwrap();
            },
            "disk",
            "warn",
            "600.0 MB",
            "--fix",
        ),
        case(
            "a judge's program that is gone",
            |p| p.config(r#"{"max_iterations": 8, "review": {"claude_path": "/nowhere/claude"}}"#),
            "judge",
            "broken",
            "/nowhere/claude",
            "claude_path",
        ),
    ]
}

#[test]
fn a_sound_installation_is_well() {
    let patient = Patient::healthy();
    let report = patient.report();
    assert_eq!(report["ok"], true, "{report:#}");
    for check in report["checks"].as_array().unwrap() {
        assert!(check["state"] == "ok" || check["state"] == "skipped", "{check:#}");
        assert!(check["mend"].is_null() && !check["reason"].as_str().unwrap().is_empty());
    }
    assert!(find(&report, "fires")[0]["reason"].as_str().unwrap().contains("answers"));
}

#[test]
fn every_broken_installation_is_told_with_what_mends_it() {
    let failures: Vec<String> = cases().iter().filter_map(|case| try_case(case).err()).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn try_case(case: &Case) -> Result<(), String> {
    let Case { label, hurt, name, state, reason, mend } = case;
    let mut patient = Patient::healthy();
    hurt(&mut patient);
    let report = patient.report();
    let found = find(&report, name);
    let has = |check: &&&Value| {
        let text = |key: &str| check[key].as_str().unwrap_or_default().to_owned();
        check["state"] == *state && text("reason").contains(reason) && text("mend").contains(mend)
    };
    if !found.iter().any(|check| has(&check)) {
        return Err(format!("{label}: {found:#?}"));
    }
    let said = String::from_utf8(patient.run(&["doctor"]).stdout).unwrap();
    let line = format!("{} {name}", if *state == "broken" { "✗" } else { "!" });
    if !said.lines().any(|l| l.starts_with(&line)) || said.contains('\x1b') {
        return Err(format!("{label}: {said}"));
    }
    Ok(())
}

#[test]
fn an_examination_changes_nothing_and_leaves_no_state() {
    let patient = Patient::healthy();
    let before = (patient.files("home"), patient.files("proj"));
    patient.report();
    patient.run(&["doctor", "--verbose"]);
    assert_eq!((patient.files("home"), patient.files("proj")), before);
}

#[test]
fn a_trace_in_the_history_shows_that_the_hook_fired() {
    let patient = Patient::healthy();
    patient.write("home/.claude/projects/-p/s1.jsonl", &TRANSCRIPT.replace("2999", "2998"));
    let event = r#"{"ts":"2998-01-01T00:00:00.500Z","type":"stop","session_id":"s1"}"#;
    patient.write("home/.claude/ccc/events.jsonl", &format!("{event}\n"));
    assert_eq!(find(&patient.report(), "fired")[0]["state"], "ok");
    let old = TRANSCRIPT.replace("2999", "2001");
    patient.write("home/.claude/projects/-p/s1.jsonl", &old);
    fs::remove_file(patient.path("home/.claude/ccc/events.jsonl")).unwrap();
    let report = patient.report();
    assert!(find(&report, "fired")[0]["reason"].as_str().unwrap().contains("since"), "{report:#}");
}

#[test]
fn a_fix_mends_what_is_safe_and_says_so() {
    let patient = Patient::healthy();
    patient.replace("630", "60");
    patient.mode("home/.claude/ccc", 0o755);
    patient.write("home/.claude/ccc/sessions/s1.json", "{");
    let old = patient.path("home/.claude/ccc/sessions/old.json");
    patient.write("home/.claude/ccc/sessions/old.json", "{}");
    let past = std::time::SystemTime::now() - std::time::Duration::from_secs(40 * 86_400);
    fs::File::options().write(true).open(&old).unwrap().set_modified(past).unwrap();
    let output = patient.run(&["doctor", "--fix"]);
    let said = String::from_utf8(output.stdout).unwrap();
    for part in ["refreshed the hook", "private", "aside", "removed 1 old"] {
        assert!(said.contains(part), "{part} in {said}");
    }
    assert!(patient.settings().contains("630") && !old.exists());
    assert!(patient.path("home/.claude/ccc/sessions/s1.json.broken").exists());
    let again = String::from_utf8(patient.run(&["doctor", "--fix"]).stdout).unwrap();
    assert!(again.starts_with("nothing to fix"), "{again}");
}

#[test]
fn a_fix_puts_a_lost_hook_back_but_installs_none_unasked() {
    let patient = Patient::healthy();
    patient.write("home/.claude/settings.json", "{\n  \"model\": \"opus\"\n}\n");
    patient.run(&["doctor", "--fix"]);
    assert!(patient.settings().contains("hook"), "{}", patient.settings());
    assert!(patient.run(&["uninstall"]).status.success());
    let text = patient.settings();
    let report = String::from_utf8(patient.run(&["doctor", "--fix"]).stdout).unwrap();
    assert_eq!(patient.settings(), text, "{report}");
    assert!(report.contains("→ ccc install"), "{report}");
}

#[test]
fn secrets_are_never_shown() {
    let mut patient = Patient::healthy();
    patient.write("home/.claude/.credentials.json", "{\"token\":\"s3cr3t-a\"}");
    patient.replace("{\n  \"hooks\"", "{\n  \"apiKeyHelper\": \"echo s3cr3t-b\",\n  \"hooks\"");
    patient.env.push(("ANTHROPIC_API_KEY".into(), "s3cr3t-c".into()));
    for args in [&["doctor", "--json"][..], &["doctor", "--verbose"]] {
        let output = patient.run(args);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!said.contains("s3cr3t"), "{said}");
    }
}
