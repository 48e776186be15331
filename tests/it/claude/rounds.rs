//! Rounds of work and review.

use std::fs;

use serde_json::json;

use super::{content, endless, forgetful, outcomes};
use crate::support::claude::{Claude, with_client};
use crate::support::model::{Model, Role, says};

#[test]
fn unfinished_work_is_sent_back_once_and_finished_work_may_end() {
    with_client(|| {
        let claude = Claude::supervised(Model::start(forgetful));
        let settings = fs::read(claude.sandbox.settings()).unwrap();
        let result = claude.result("Write notes.txt.", &[]);
        assert_eq!(result["result"], "Now notes.txt is written.");
        assert_eq!(fs::read_to_string(claude.sandbox.path("proj/notes.txt")).unwrap(), "notes\n");

        let worker = claude.model.requests(Role::Worker);
        assert_eq!(worker.len(), 3);
        let heard = worker[2].text();
        assert_eq!(heard.matches("notes.txt is missing: write it.").count(), 1, "{heard}");
        assert_eq!(heard.matches("Stop hook feedback").count(), 1, "{heard}");
        let reviews = claude.model.requests(Role::Reviewer);
        assert_eq!(reviews.len(), 2);
        assert!(reviews[1].last().contains("notes.txt is missing"), "hears what was said before");
        assert_eq!(claude.decisions(), outcomes([("block", "incomplete"), ("allow", "approved")]));
        assert_eq!(fs::read(claude.sandbox.settings()).unwrap(), settings);
        let event = &claude.sandbox.events()[0];
        assert_eq!(event["judge"]["cache_read_tokens"], 7, "{event}");
        assert_eq!(event["project"], claude.sandbox.project().to_str().unwrap());
    });
}

#[test]
fn at_the_cap_the_agent_may_stop_and_the_user_is_told() {
    with_client(|| {
        let claude = Claude::supervised(Model::start(endless));
        claude.sandbox.configure(&json!({ "max_iterations": 2 }));
        let result = claude.result("Do it.", &[]);
        assert_eq!(result["result"], "Done, 2 times over.");
        let want = [("block", "incomplete"), ("block", "incomplete"), ("allow", "cap-reached")];
        assert_eq!(claude.decisions(), outcomes(want));
        assert!(claude.notices().contains("sent back 2 times"), "{}", claude.notices());
    });
}

#[test]
fn the_clients_own_cap_is_never_reached() {
    with_client(|| {
        let claude = Claude::supervised(Model::start(endless));
        claude.sandbox.configure(&json!({ "max_iterations": 30, "breaker": { "enabled": false } }));
        let result = claude.result("Do it.", &[]);
        // The client would give an empty result after a block that it overrides.
        assert!(result["result"].as_str().unwrap().starts_with("Done, "), "{result}");
        let decisions = claude.decisions();
        assert_eq!(decisions.last(), outcomes([("allow", "client-cap")]).first());
        assert!(decisions.len() <= 9, "{decisions:?}");
        assert!(claude.notices().contains("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"));
    });
}

#[test]
fn switched_off_nothing_is_reviewed_and_switched_on_again_it_is() {
    with_client(|| {
        let claude = Claude::supervised(Model::start(content));
        claude.sandbox.ok(&["off"]);
        claude.result("Do it.", &[]);
        assert_eq!(claude.model.requests(Role::Reviewer).len(), 0);
        claude.sandbox.ok(&["on"]);
        claude.result("Do it again.", &[]);
        assert_eq!(claude.model.requests(Role::Reviewer).len(), 1);
    });
}

#[test]
fn the_command_in_a_session_switches_that_session_alone() {
    with_client(|| {
        let claude = Claude::supervised(Model::start(content));
        let id = "11111111-2222-4333-8444-555555555555";
        claude.result("/supervisor-off", &["--session-id", id]);
        let after_the_command = claude.model.requests(Role::Reviewer).len();
        claude.result("Do it.", &["--resume", id]);
        assert_eq!(claude.model.requests(Role::Reviewer).len(), after_the_command);
        claude.result("Do it elsewhere.", &[]);
        assert_eq!(claude.model.requests(Role::Reviewer).len(), after_the_command + 1);
        claude.result("/supervisor", &["--resume", id]);
        let after_the_command = claude.model.requests(Role::Reviewer).len();
        claude.result("Do it once more.", &["--resume", id]);
        assert_eq!(claude.model.requests(Role::Reviewer).len(), after_the_command + 1);
    });
}

#[test]
fn the_projects_supervisor_md_reaches_the_reviewer() {
    with_client(|| {
        let claude = Claude::supervised(Model::start(content));
        let text = "# House rules\n\nEvery change needs a line in CHANGES.\n";
        fs::write(claude.sandbox.path("proj/SUPERVISOR.md"), text).unwrap();
        claude.result("Do it.", &[]);
        let review = &claude.model.requests(Role::Reviewer)[0];
        assert!(review.last().contains("Every change needs a line in CHANGES."));
    });
}

#[test]
fn two_sessions_in_one_project_are_reviewed_apart() {
    with_client(|| {
        let model = Model::start(|request| {
            let is_first = request.text().contains("Task one.");
            match (request.role, is_first) {
                (Role::Reviewer, true) if !request.text().contains("one is mended") => {
                    request.verdict(false, "Task one is open.")
                }
                (Role::Reviewer, _) => request.verdict(true, ""),
                (_, true) if request.text().contains("Task one is open.") => says("one is mended"),
                _ => says("Done."),
            }
        });
        let claude = Claude::supervised(model);
        std::thread::scope(|scope| {
            let first = scope.spawn(|| claude.result("Task one.", &[]));
            let second = scope.spawn(|| claude.result("Task two.", &[]));
            assert_eq!(first.join().unwrap()["result"], "one is mended");
            assert_eq!(second.join().unwrap()["result"], "Done.");
        });
        let mut decisions = claude.decisions();
        decisions.sort();
        let want = [("allow", "approved"), ("allow", "approved"), ("block", "incomplete")];
        assert_eq!(decisions, outcomes(want));
    });
}
