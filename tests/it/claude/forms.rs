//! Other forms: as a plugin, and in the interactive client.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{content, forgetful, outcomes};
use crate::support::claude::{Claude, program, with_client};
use crate::support::model::{Model, Role};
use crate::support::namespace::skip;
use crate::support::sandbox::success;

fn plugin() -> String {
    format!("{}/hooks/claude-plugin", env!("CARGO_MANIFEST_DIR"))
}

fn with_ccc_on_path(claude: &Claude) {
    symlink(env!("CARGO_BIN_EXE_ccc"), claude.sandbox.path("bin/ccc")).unwrap();
}

#[test]
fn the_plugin_is_valid_and_does_the_same() {
    with_client(|| {
        let claude = Claude::new(Model::start(forgetful));
        with_ccc_on_path(&claude);
        let said = success(&claude.command(&["plugin", "validate", &plugin()]).output().unwrap());
        assert!(said.contains("Validation passed"), "{said}");
        let result = claude.result("Write notes.txt.", &["--plugin-dir", &plugin()]);
        assert_eq!(result["result"], "Now notes.txt is written.");
        assert_eq!(claude.decisions(), outcomes([("block", "incomplete"), ("allow", "approved")]));
    });
}

#[test]
fn plugin_and_settings_together_review_once() {
    with_client(|| {
        let claude = Claude::supervised(Model::start(content));
        with_ccc_on_path(&claude);
        claude.result("Do it.", &["--plugin-dir", &plugin()]);
        assert_eq!(claude.model.requests(Role::Reviewer).len(), 1);
    });
}

#[test]
fn the_interactive_client_is_supervised_too() {
    with_client(|| {
        let tmux = Path::new("/usr/bin/tmux");
        if !tmux.exists() {
            return skip("tmux is missing");
        }
        let claude = Claude::supervised(Model::start(forgetful));
        settle(&claude);
        let socket = claude.sandbox.path("tmux");
        let socket = socket.to_str().unwrap();
        let words = ["-S", socket, "-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "40"];
        let client = format!("{} --allowedTools Write", program().display());
        let mut new = claude.sandbox.command(tmux, &words);
        new.arg(client).env("TERM", "xterm-256color").env("LANG", "C.UTF-8");
        new.env("PATH", claude.path()).envs(claude.variables());
        success(&new.output().unwrap());
        let run = |args: &[&str]| {
            let words = [&["-S", socket][..], args].concat();
            success(&claude.sandbox.command(tmux, &words).output().unwrap())
        };
        let shows = |what: &str| {
            let begin = Instant::now();
            loop {
                let screen = run(&["capture-pane", "-p"]);
                if screen.contains(what) {
                    return;
                }
                assert!(begin.elapsed() < Duration::from_secs(30), "no `{what}` in:\n{screen}");
                std::thread::sleep(Duration::from_millis(100));
            }
        };
        shows("auto mode on");
        run(&["send-keys", "Write notes.txt.", "Enter"]);
        shows("notes.txt is missing: write it.");
        shows("Now notes.txt is written.");
        let begin = Instant::now();
        while claude.decisions().len() < 2 && begin.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(100));
        }
        run(&["kill-server"]);
        assert_eq!(claude.decisions(), outcomes([("block", "incomplete"), ("allow", "approved")]));
    });
}

/// What the client asks once in its life is answered: its theme, the key, the trust.
pub fn settle(claude: &Claude) {
    let project = claude.sandbox.project().canonicalize().unwrap();
    let answered = json!({
        "hasCompletedOnboarding": true,
        "theme": "dark",
        "customApiKeyResponses": { "approved": ["sk-dummy"], "rejected": [] },
        "projects": { project.to_str().unwrap(): { "hasTrustDialogAccepted": true } },
    });
    fs::write(claude.sandbox.path("home/.claude.json"), answered.to_string()).unwrap();
}
