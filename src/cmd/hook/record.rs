//! What a stop leaves behind for people: the history, the log, the newest session at a glance.
//! A record that cannot be written never changes an answer.

use serde_json::{Value, json};

use crate::cmd::hook::Session;
use crate::cmd::hook::review::Conclusion;
use crate::rules::outcome::Decision;
use crate::rules::state::{Discarded, SessionState};
use crate::rules::text::{cut, one_line};
use crate::sys::{clock, fs, history};

/// Longest message in the history, in characters.
const MAX_MESSAGE: usize = 8000;

/// Writes one stop to the history and the log.
pub fn event(session: &Session, state: Option<&SessionState>, conclusion: &Conclusion) {
    let decision = &conclusion.decision;
    let message = match decision {
        Decision::Allow(reason) => reason.notice().unwrap_or_default(),
        Decision::Block(block) => block.message(),
    };
    let judge = conclusion.usage.as_ref().map(|usage| {
        let mut judge = json!(usage);
        judge["kind"] = json!(session.loaded.config.judge.name());
        judge
    });
    let verdict = conclusion.verdict.as_ref();
    let event = json!({
        "ts": clock::now_rfc3339(),
        "type": "stop",
        "session_id": session.id.as_str(),
        "client": session.stop.client.name(),
        "project": session.project.to_string_lossy(),
        "chain": session.stop.prompt_id,
        "iteration": state.map(|s| s.chain.iteration),
        "decision": decision.word(),
        "reason": decision.slug(),
        "message": cut(&message, MAX_MESSAGE),
        "verdict": verdict.map_or(Value::Null, |v| json!(v)),
        "judge": judge,
        "fingerprint": conclusion.fingerprint,
    });
    write(session, event, &format!("{} {}", decision.word(), decision.slug()), &message);
}

/// Writes that a block had no effect.
pub fn discarded(session: &Session, discarded: Discarded) {
    let message = discarded.sentence();
    let event = json!({
        "ts": clock::now_rfc3339(),
        "type": "discarded-block",
        "session_id": session.id.as_str(),
        "client": session.stop.client.name(),
        "project": session.project.to_string_lossy(),
        "iteration": discarded.round,
        "reason": discarded.what,
        "message": message,
    });
    write(session, event, "discarded-block", &message);
}

/// Appends an event to the history, and what it says to the log.
fn write(session: &Session, mut event: Value, what: &str, message: &str) {
    session.env.secrets.hide_in(&mut event);
    let _ = history::append_event(&session.paths.events(), &event);
    let (now, client) = (clock::now_rfc3339(), session.stop.client.name());
    let message = cut(&one_line(message), 500).into_owned();
    let line = format!("{now} {} {client} {what}: {message}", session.id);
    let _ = history::append_line(&session.paths.log(), line.trim_end_matches([':', ' ']));
}

/// Keeps what the newest review of the session is told; its secrets are hidden already.
pub fn evidence(session: &Session, text: &str) {
    let dir = session.paths.evidence();
    let _ = fs::create_private_dir(&dir);
    let _ = fs::write_passing(&dir.join(format!("{}.txt", session.id)), text.as_bytes());
}

/// Replaces `monitor-status.json`.
pub fn monitor_status(session: &Session, iteration: u32, status: &str) {
    let glance = json!({
        "session_id": session.id.as_str(),
        "iteration": iteration,
        "max_iterations": session.loaded.config.max_iterations,
        "status": status,
        "updated_at": clock::now_rfc3339(),
    });
    let _ = fs::write_atomic(&session.paths.monitor_status(), glance.to_string().as_bytes());
}
