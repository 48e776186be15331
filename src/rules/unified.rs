//! The unified status of a session, the same for every client and for the loop, so that one client
//! can take up what another one began.

use serde_json::{Value, json};

use crate::rules::state::{Phase, SessionState};

/// Version of the form.
pub const VERSION: &str = "1.0.0";

/// The unified fields of a session under the hook; `at` writes Unix seconds as RFC 3339.
///
/// A session has one task, the newest request. It is pending while the agent has been sent back,
/// and its progress is told by the supervisor alone: 100 when approved, else 0.
pub fn of_session(s: &SessionState, at: &dyn Fn(u64) -> String) -> Value {
    let request = &s.chain.request;
    let is_done = s.phase == Phase::Done;
    let listed = |applies: bool| request.iter().filter(|_| applies).collect::<Vec<_>>();
    let open_points = s.chain.feedback.last().filter(|_| s.phase == Phase::SentBack);
    json!({
        "version": VERSION,
        "session": {
            "id": s.session_id,
            "created_at": at(s.created_at),
            "platform": s.client.name(),
            "model": s.model,
        },
        "task": {
            "name": request,
            "progress": if is_done { 100 } else { 0 },
            "status": task_status(s),
        },
        "state": {
            "current_task": request.as_ref().filter(|_| !is_done),
            "completed_tasks": listed(is_done),
            "pending_tasks": open_points.into_iter().collect::<Vec<_>>(),
        },
        "metrics": {
            "loop_count": s.chain.iteration,
            "api_calls": s.cost.reviews,
            "last_update": at(s.updated_at),
        },
        "safety": {
            "circuit_breaker_state": s.breaker.state.name(),
            "no_progress_count": s.breaker.no_progress,
        },
    })
}

/// `completed`, `needs_human`, `stopped` (ended without an approval) or `in_progress`.
fn task_status(s: &SessionState) -> &'static str {
    match s.phase {
        Phase::Done => "completed",
        Phase::NeedsYou => "needs_human",
        Phase::Allowed => "stopped",
        Phase::Working | Phase::Reviewing | Phase::SentBack => "in_progress",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::stop::Client;

    #[test]
    fn the_newest_request_is_the_task_and_only_an_approval_completes_it() {
        let mut s = SessionState::new("s1", Client::Claude, "/p".into(), 5);
        s.note_request(Some("  Add a\nparser. "));
        s.note_request(None);
        s.sent_back("Test it.");
        let open = of_session(&s, &|at| at.to_string());
        assert_eq!(
            open["task"],
            json!({ "name": "Add a parser.", "progress": 0,
            "status": "in_progress" })
        );
        let state = json!({ "current_task": "Add a parser.", "completed_tasks": [],
            "pending_tasks": ["Test it."] });
        assert_eq!((&open["state"], &open["session"]["created_at"]), (&state, &json!("5")));
        s.phase = Phase::Done;
        let done = of_session(&s, &|at| at.to_string());
        let state = json!({ "current_task": null, "completed_tasks": ["Add a parser."],
            "pending_tasks": [] });
        assert_eq!((&done["task"]["progress"], &done["state"]), (&json!(100), &state));
        for (phase, word) in [(Phase::NeedsYou, "needs_human"), (Phase::Allowed, "stopped")] {
            s.phase = phase;
            assert_eq!(of_session(&s, &|_| String::new())["task"]["status"], word);
        }
    }
}
