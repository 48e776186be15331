//! `ccc status`: what is on, the round, the breaker, the last verdict, the cost.

use serde_json::{Value, json};

use crate::cli::StatusArgs;
use crate::cmd::Context;
use crate::cmd::switch::session_id;
use crate::config::{self, Config};
use crate::error::{Exit, Result};
use crate::rules::redact::redact;
use crate::rules::state::SessionState;
use crate::rules::stop::{Client, SessionId};
use crate::rules::text::{cut, one_line};
use crate::rules::unified;
use crate::sys::store::{Store, Stored};
use crate::sys::{clock, trust};

/// Prints the status of one session, or of all, newest first.
pub fn run(context: &Context, args: &StatusArgs) -> Result<Exit> {
    let paths = context.paths()?;
    let store = Store::new(paths.sessions());
    let is_trusted = |bytes: &[u8]| trust::is_trusted(&paths.trust(), &context.project, bytes);
    let config = config::load(&paths, &context.project, is_trusted).config;
    let (states, is_one) = match &args.session {
        Some(id) => (vec![one(&store, &session_id(id)?)], true),
        None => (store.list(), false),
    };
    if args.json {
        let mut all: Vec<Value> = states.iter().map(|s| as_json(s, &config)).collect();
        // What an older version stored may hold a secret.
        all.iter_mut().for_each(|s| context.env.secrets.hide_in(s));
        let value = if is_one { all.remove(0) } else { json!({ "sessions": all }) };
        context.print(&format!("{value:#}"))?;
        return Ok(Exit::Ok);
    }
    let word = if config.enabled { "on" } else { "off" };
    let judge = config.judge.name();
    let mut out =
        format!("supervision: {word}, judge: {judge}, max_iterations: {}\n", config.max_iterations);
    if states.is_empty() {
        out.push_str("no supervised sessions yet\n");
    }
    let now = clock::now();
    states.iter().for_each(|s| out.push_str(&as_text(s, &config, now)));
    context.print(&redact(&out, &context.env.secrets))?;
    Ok(Exit::Ok)
}

fn one(store: &Store, id: &SessionId) -> SessionState {
    match store.load(id) {
        Stored::State(state) => *state,
        Stored::Absent | Stored::Broken => empty(id),
    }
}

/// A session of which nothing is stored.
pub fn empty(id: &SessionId) -> SessionState {
    SessionState::new(id.as_str(), Client::Claude, String::new(), clock::now())
}

fn as_json(s: &SessionState, config: &Config) -> Value {
    let verdict = s.last_verdict.as_ref();
    let mut all = json!({
        "session_id": s.session_id,
        "client": s.client.name(),
        "project": s.project,
        "enabled": s.enabled.unwrap_or(config.enabled),
        "phase": s.phase,
        "iteration": s.chain.iteration,
        "max_iterations": config.max_iterations,
        "breaker": s.breaker.state.name(),
        "last_verdict": verdict.map(|v| json!({
            "completed": v.completed,
            "feedback": v.feedback,
            "needs_human": v.needs_human,
            "at": clock::rfc3339(v.at),
        })),
        "cost_usd": s.cost.usd,
        "usage": s.cost,
        "discarded_blocks": s.discarded_blocks,
        "last_discarded": s.last_discarded.map(|d| json!({
            "round": d.round,
            "what": d.what,
            "at": clock::rfc3339(d.at),
        })),
    });
    if let (Value::Object(all), Value::Object(unified)) =
        (&mut all, unified::of_session(s, &clock::rfc3339))
    {
        all.extend(unified);
    }
    all
}

fn as_text(s: &SessionState, config: &Config, now: u64) -> String {
    let on = if s.enabled.unwrap_or(config.enabled) { s.phase.name() } else { "off" };
    let age = clock::age(now.saturating_sub(s.updated_at));
    let mut out = format!(
        "{}  {on}, round {}/{}, breaker {}, {} reviews, ${:.4}, {age} ago\n    {}\n",
        one_line(&s.session_id),
        s.chain.iteration,
        config.max_iterations,
        s.breaker.state.name(),
        s.cost.reviews,
        s.cost.usd,
        one_line(&s.project),
    );
    if let Some(v) = &s.last_verdict {
        let word = if v.completed { "complete" } else { "not complete" };
        out.push_str(&format!("    last verdict: {word}. {}\n", cut(&one_line(&v.feedback), 300)));
    }
    if let Some(discarded) = &s.last_discarded {
        let age = clock::age(now.saturating_sub(discarded.at));
        let count = s.discarded_blocks;
        out.push_str(&format!("    {} ({age} ago; {count} so far)\n", discarded.sentence()));
    }
    out
}
