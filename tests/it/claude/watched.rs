//! The interactive client on the left, the monitor on the right, from the first claim to the end.

use std::time::Duration;

use serde_json::json;

use super::forms::settle;
use super::outcomes;
use crate::support::claude::{Claude, with_client};
use crate::support::model::{Model, Reply, Request, Role, says, writes};
use crate::support::sandbox::success;
use crate::support::tmux::Tmux;

/// A worker that forgets something, and a reviewer that looks, then thinks for a while.
fn slow(request: &Request) -> Reply {
    match (request.role, request.number) {
        (Role::Reviewer, 0) => Reply::Call("Glob", json!({ "pattern": "notes.*" })),
        (Role::Reviewer, 1) => {
            std::thread::sleep(Duration::from_secs(4));
            request.verdict(false, "notes.txt is missing: 请写 it.")
        }
        (Role::Reviewer, _) => request.verdict(true, ""),
        (_, 0) => says("All done."),
        (_, 1) => {
            std::thread::sleep(Duration::from_secs(2));
            writes("notes.txt", "notes\n")
        }
        _ => says("Now notes.txt is written."),
    }
}

#[test]
fn the_monitor_shows_a_supervised_session_as_it_goes() {
    with_client(|| {
        let claude = Claude::supervised(Model::start(slow));
        let Some(tmux) = Tmux::new(&claude.sandbox) else { return };
        settle(&claude);
        let words = ["monitor", "--tmux", "--", "claude", "--allowedTools", "Write"];
        let mut ccc = claude.sandbox.ccc(&words);
        tmux.reach(&mut ccc);
        ccc.env("PATH", claude.path()).envs(claude.variables());
        success(&ccc.output().unwrap());
        let (agent, monitor) = ("ccc-proj:0.0", "ccc-proj:0.1");
        tmux.shows(monitor, &["no supervised sessions yet"]);
        tmux.shows(agent, &["auto mode on"]);
        // The focus is on the agent.
        tmux.ok(&["send-keys", "-t", "ccc-proj", "Write notes.txt.", "Enter"]);
        let asked =
            ["▸ reviewing 1/10", "Review of round 1: asking claude", "s of 600 s", "Glob notes.*"];
        tmux.shows(monitor, &asked);
        let verdict = ["▸ sent back 1/10", "Last verdict: not complete", "missing: 请写 it."];
        tmux.shows(monitor, &verdict);
        tmux.shows(agent, &["Now notes.txt is written."]);
        tmux.shows(monitor, &["▸ done      0/10", "Last verdict: complete", "allow: approved"]);
        assert_eq!(claude.decisions(), outcomes([("block", "incomplete"), ("allow", "approved")]));
    });
}
