//! The monitor as JSON. Field names stay between releases.

use serde_json::{Value, json};

use crate::cmd::monitor::source::{Happened, Source};
use crate::rules::board::Row;
use crate::rules::breaker::State;
use crate::rules::live::Live;
use crate::sys::clock;

/// Everything that the live view shows.
pub fn all(source: &mut Source) -> Value {
    let now = clock::now();
    let rows = source.rows(now);
    let sessions: Vec<Value> = rows.iter().map(|row| session(row, source, now)).collect();
    json!({ "at": clock::rfc3339(now), "sessions": sessions, "unreadable": source.broken() })
}

fn session(row: &Row, source: &Source, now: u64) -> Value {
    let activity: Vec<Value> = source.happened(&row.id).iter().map(happened).collect();
    json!({
        "session_id": row.id,
        "client": row.client,
        "project": row.project,
        "state": row.doing.name().replace(' ', "_"),
        "enabled": row.is_on,
        "iteration": row.round,
        "max_iterations": row.max,
        "breaker": row.breaker.map(State::name),
        "reviews": row.reviews,
        "cost_usd": row.cost_usd,
        "updated_at": clock::rfc3339(row.updated_at),
        "age_secs": row.age(now),
        "review": row.review.as_ref().map(|live| review(live, now)),
        "last_verdict": row.verdict.as_ref().map(|v| json!({
            "completed": v.completed,
            "feedback": v.feedback,
            "needs_human": v.needs_human,
            "at": clock::rfc3339(v.at),
        })),
        "evidence": source.evidence(&row.id),
        "last_discarded": row.discarded,
        "activity": activity,
    })
}

fn review(live: &Live, now: u64) -> Value {
    let deed = |d: &crate::rules::live::Deed| json!({"at": clock::rfc3339(d.at), "what": d.what});
    json!({
        "stage": live.stage,
        "round": live.round,
        "started_at": clock::rfc3339(live.started_at),
        "elapsed_secs": live.elapsed(now),
        "limit_secs": live.limit_secs,
        "activity": live.deeds.iter().map(deed).collect::<Vec<_>>(),
    })
}

fn happened(event: &Happened) -> Value {
    json!({"at": event.at.map(clock::rfc3339), "what": event.what, "message": event.message})
}
