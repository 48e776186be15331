//! `ccc log`: the history of stops.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::cli::LogArgs;
use crate::cmd::Context;
use crate::env::Env;
use crate::error::{Error, Exit, Result};
use crate::paths;
use crate::rules::text::{cut, one_line};
use crate::sys::clock;
use crate::sys::history::Follower;
use crate::sys::signals::Cancel;

/// Pause between two looks with `-f`.
const PAUSE: Duration = Duration::from_millis(250);
/// Characters of a session id that people are shown, and may give.
const SHORT_ID: usize = 8;

/// Prints the events, oldest first.
pub fn run(context: &Context, args: &LogArgs) -> Result<Exit> {
    let wanted = Wanted::new(context, args)?;
    let cancel = Cancel::on_signals();
    let mut history = Follower::new(&context.paths()?.events(), wanted.since);
    loop {
        while let Some(mut event) = history.next_event() {
            if cancel.is_cancelled() {
                return Err(Error::Interrupted);
            }
            if !wanted.has(&event) {
                continue;
            }
            // What an older version wrote may hold a secret.
            context.env.secrets.hide_in(&mut event);
            let line = if args.json { event.to_string() } else { as_text(&event) };
            context.print(&line)?;
        }
        if !args.follow {
            return Ok(Exit::Ok);
        }
        thread::sleep(PAUSE);
        if cancel.is_cancelled() {
            return Err(Error::Interrupted);
        }
    }
}

/// Which events are asked for.
struct Wanted<'a> {
    session: Option<&'a str>,
    projects: Option<[PathBuf; 2]>,
    /// Unix seconds.
    since: u64,
}

impl<'a> Wanted<'a> {
    fn new(context: &Context, args: &'a LogArgs) -> Result<Self> {
        let project = args.project.as_deref().map(|dir| projects(context, dir)).transpose()?;
        let since = args.since.unwrap_or_default();
        Ok(Self { session: args.session.as_deref(), projects: project, since })
    }

    fn has(&self, event: &Value) -> bool {
        let text = |key: &str| event.get(key).and_then(Value::as_str).unwrap_or_default();
        let is_short = |id: &str| id.len() >= SHORT_ID && text("session_id").starts_with(id);
        let is_since = || clock::from_rfc3339(text("ts")).is_some_and(|at| at >= self.since);
        self.session.is_none_or(|id| text("session_id") == id || is_short(id))
            && self.projects.as_ref().is_none_or(|projects| {
                projects.iter().any(|dir| dir.as_os_str() == text("project"))
            })
            && (self.since == 0 || is_since())
    }
}

/// The project that a directory belongs to, as it is written and as it really is: a client may
/// have been started by way of a link.
fn projects(context: &Context, dir: &Path) -> Result<[PathBuf; 2]> {
    let is_here = dir.as_os_str() == ".";
    let dir = std::path::absolute(dir).unwrap_or_else(|_| dir.to_path_buf());
    if !dir.is_dir() {
        return Err(Error::problem(format!(
            "cannot show the history of `{}`: there is no such directory",
            dir.display()
        )));
    }
    // A directory that is named counts for itself, whatever client this is typed in.
    let project = match is_here {
        true => context.project.clone(),
        false => paths::project_dir(&Env::default(), Some(&dir)),
    };
    let real = project.canonicalize().unwrap_or_else(|_| project.clone());
    Ok([project, real])
}

fn as_text(event: &Value) -> String {
    let text = |key: &str| event.get(key).and_then(Value::as_str).unwrap_or_default();
    let round = event
        .get("iteration")
        .and_then(Value::as_u64)
        .map_or(String::new(), |n| format!(" round {n}"));
    let message = one_line(text("message"));
    let said = if message.is_empty() { String::new() } else { format!(": {}", cut(&message, 300)) };
    // Only a stop has a decision.
    let what = format!("{}{round} {}", text("decision"), text("reason"));
    let what = if text("decision").is_empty() { text("type") } else { &what };
    let session: String = text("session_id").chars().take(SHORT_ID).collect();
    let (at, client) = (clock::local(text("ts")), text("client"));
    one_line(&format!("{at} {session} {client} {what}{}{said}", details(event)))
}

/// The id for `ccc why` and what the review cost, in parentheses, as far as there are any.
fn details(event: &Value) -> String {
    let judge = event.get("judge").filter(|judge| judge.is_object());
    let number = |key: &str| judge?.get(key)?.as_f64();
    let usd = number("cost_usd").map(|usd| format!("${usd:.4}"));
    let secs = number("duration_ms").map(|ms| format!("{:.1} s", ms / 1000.0));
    let id = event.get("id").and_then(Value::as_str).map(str::to_owned);
    let parts: Vec<String> = id.into_iter().chain(usd).chain(secs).collect();
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}
