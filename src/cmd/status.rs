//! `ccc status`: what is on, the round, the breaker, the last verdict, the cost.

use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::cli::StatusArgs;
use crate::clients::payload::{self, Completeness};
use crate::cmd::Context;
use crate::cmd::switch::session_id;
use crate::config::{self, Config};
use crate::error::{Exit, Result};
use crate::paths::project_dir;
use crate::rules::redact::redact;
use crate::rules::state::SessionState;
use crate::rules::status_line::{self, Line};
use crate::rules::stop::{Client, SessionId};
use crate::rules::text::{cut, one_line};
use crate::rules::unified;
use crate::sys::fs::is_same;
use crate::sys::store::{Store, Stored};
use crate::sys::{clock, stdin, trust};

/// How long a status line waits for what the client tells on standard input.
const LINE_WAIT: Duration = Duration::from_millis(200);
/// Most bytes of it.
const MAX_LINE: usize = 1 << 20;

/// Prints the status of one session, or of all, newest first.
pub fn run(context: &Context, args: &StatusArgs) -> Result<Exit> {
    if args.line {
        return line(context, args);
    }
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

/// One segment for a status line: of the named session, else of the one that standard input names,
/// else of the one this is typed in, else of the newest one of the project.
fn line(context: &Context, args: &StatusArgs) -> Result<Exit> {
    let given = read_status_line();
    let text = |pointer: &str| given.pointer(pointer).and_then(Value::as_str);
    let dir = text("/workspace/project_dir").or_else(|| text("/cwd")).map(Path::new);
    let project =
        dir.map_or_else(|| context.project.clone(), |d| project_dir(&context.env, Some(d)));
    let paths = context.paths()?;
    let is_trusted = |bytes: &[u8]| trust::is_trusted(&paths.trust(), &project, bytes);
    let config = config::load(&paths, &project, is_trusted).config;
    let store = Store::new(paths.sessions());
    let id = args.session.as_deref().or_else(|| text("/session_id"));
    let state = match id.or(context.env.claude_session_id.as_deref()) {
        Some(id) => match SessionId::new(id).map(|id| store.load(&id)) {
            Some(Stored::State(state)) => Some(*state),
            _ => None,
        },
        None => store.list().into_iter().find(|s| is_same(Path::new(&s.project), &project)),
    };
    let state = state.filter(|s| !s.is_expired(config.expire_hours, clock::now()));
    let is_enabled = state.as_ref().and_then(|s| s.enabled).unwrap_or(config.enabled);
    context.print(&status_line::render(Line {
        state: state.as_ref(),
        is_enabled: is_enabled && !context.env.disabled,
        max_iterations: config.max_iterations,
        // The client's pipe is no terminal, and shows colors.
        color: !context.env.no_color,
    }))?;
    Ok(Exit::Ok)
}

/// What the client tells of itself on standard input; `null` where it tells nothing.
fn read_status_line() -> Value {
    if std::io::stdin().is_terminal() {
        return Value::Null;
    }
    let mut seen = Completeness::default();
    let bytes = stdin::read_until(|piece| seen.push(piece), LINE_WAIT, MAX_LINE);
    payload::parse(&bytes).unwrap_or_default()
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
