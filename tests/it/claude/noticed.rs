//! What the user of the interactive client notices: the status line, and the call of his terminal.

use std::fs;
use std::time::{Duration, Instant};

use super::forms::settle;
use crate::support::claude::{Claude, program, with_client};
use crate::support::model::{Model, Reply, Request, Role, says};
use crate::support::tmux::Tmux;

/// A worker that is stuck, and a reviewer that sees that only the user can help.
fn stuck(request: &Request) -> Reply {
    match request.role {
        Role::Reviewer => request.needs_human("Which port?"),
        _ => says("I do not know the port."),
    }
}

#[test]
fn a_session_that_needs_the_user_shows_it_and_rings() {
    with_client(|| {
        let claude = Claude::new(Model::start(stuck));
        claude.sandbox.ok(&["install", "--statusline"]);
        let Some(tmux) = Tmux::new(&claude.sandbox) else { return };
        settle(&claude);
        let client = program().display().to_string();
        let mut new = tmux.command(&["new-session", "-d", "-s", "agent", "-x", "140", "-y", "40"]);
        new.arg(client).env("PATH", claude.path()).envs(claude.variables());
        assert!(new.status().unwrap().success());
        let raw = claude.sandbox.path("raw");
        tmux.ok(&["pipe-pane", "-t", "agent", &format!("cat >{}", raw.display())]);
        tmux.shows("agent", &["auto mode on", "ccc on"]);
        tmux.ok(&["send-keys", "-t", "agent", "Start the server.", "Enter"]);
        tmux.shows("agent", &["ccc: needs you: Which port?", "ccc needs you"]);
        let begin = Instant::now();
        loop {
            let written = String::from_utf8_lossy(&fs::read(&raw).unwrap()).into_owned();
            if written.contains("]9;proj: needs you: Which port?") {
                return;
            }
            assert!(begin.elapsed() < Duration::from_secs(20), "no sequence in {written:?}");
            std::thread::sleep(Duration::from_millis(100));
        }
    });
}
