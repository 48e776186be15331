//! What a stop leaves behind for people: the history, the log, the newest session at a glance.
//! A record that cannot be written never changes an answer.

use serde_json::{Value, json};

use crate::clients::reply::Reply;
use crate::cmd::hook::Session;
use crate::cmd::hook::collect::Collected;
use crate::cmd::hook::review::Conclusion;
use crate::cmd::prompt::Supervisor;
use crate::rules::activity::Activity;
use crate::rules::outcome::{Allow, Decision};
use crate::rules::policy;
use crate::rules::state::{Discarded, SessionState};
use crate::rules::stop_record::{self, Given, Outcome, Settings, StopRecord};
use crate::rules::text::{cut, one_line};
use crate::sys::{clock, fs, history, stops, trust};

/// Longest message in the history, in characters.
const MAX_MESSAGE: usize = 8000;

/// Begins the record of a stop.
pub fn begin(session: &Session) -> StopRecord {
    let given = Given {
        last_message: session.stop.last_assistant_message.clone(),
        background: match policy::background(&session.stop) {
            Some(Allow::Background(what)) => Some(what),
            _ => None,
        },
        ..Given::default()
    };
    StopRecord {
        schema: stop_record::SCHEMA,
        id: stops::new_id(),
        at: session.now,
        session_id: session.id.to_string(),
        client: session.stop.client,
        project: session.project.display().to_string(),
        work_dir: session.work_dir.display().to_string(),
        settings: Settings::from(&session.loaded.config),
        given,
        outcome: Outcome::default(),
    }
}

/// Notes what the transcript tells.
pub fn note_glance(stop: &mut StopRecord, seen: &Activity, client_cap: Option<u32>) {
    let given = &mut stop.given;
    given.requests.clone_from(&seen.requests);
    given.closings.clone_from(&seen.closings);
    given.api_error.clone_from(&seen.api_error);
    given.blocks_in_a_row = seen.blocks_in_a_row;
    given.client_cap = client_cap;
    if given.last_message.is_none() {
        given.last_message = seen.said.last().cloned();
    }
}

/// Notes the evidence.
pub fn note_collected(stop: &mut StopRecord, collected: &Collected, fingerprint: Option<&str>) {
    let given = &mut stop.given;
    given.evidence.clone_from(&collected.text);
    given.is_question = collected.is_question;
    given.work.clone_from(&collected.work);
    given.fingerprint = fingerprint.map(str::to_owned);
    given.checks.clone_from(&collected.checks);
}

/// Notes where the review prompt came from.
pub fn note_prompt(stop: &mut StopRecord, supervisor: &Supervisor) {
    stop.outcome.prompt_path = supervisor.path.as_ref().map(|path| path.display().to_string());
    stop.outcome.prompt_digest = trust::digest(supervisor.text.as_bytes());
}

/// Writes one stop to the history and the log, and keeps its record.
pub fn event(
    session: &Session,
    state: Option<&SessionState>,
    conclusion: &Conclusion,
    stop: StopRecord,
    reply: &Reply,
) {
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
        "id": stop.id,
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
    let outcome = Outcome {
        round: state.map_or(0, |s| s.chain.iteration),
        decision: decision.word().to_owned(),
        reason: decision.slug().to_owned(),
        message: cut(&message, MAX_MESSAGE).into_owned(),
        verdict: conclusion.verdict.clone(),
        judge: event.get("judge").filter(|judge| judge.is_object()).cloned(),
        exit: reply.code,
        stdout: reply.stdout.clone(),
        stderr: reply.stderr.clone(),
        ..stop.outcome
    };
    keep(session, StopRecord { outcome, ..stop });
    write(session, event, &format!("{} {}", decision.word(), decision.slug()), &message);
}

fn keep(session: &Session, mut stop: StopRecord) {
    stop.bound();
    let Ok(mut value) = serde_json::to_value(&stop) else { return };
    session.env.secrets.hide_in(&mut value);
    let _ = stops::keep(&session.paths.stops(), stop.at, &stop.id, value.to_string().as_bytes());
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
