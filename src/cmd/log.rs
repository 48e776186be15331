//! `ccc log`: the history of stops.

use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::cli::LogArgs;
use crate::cmd::Context;
use crate::error::{Error, Exit, Result};
use crate::rules::text::{cut, one_line};
use crate::sys::history;
use crate::sys::signals::Cancel;

/// Bytes of the history that are read.
const MAX_BYTES: u64 = 4 << 20;
/// Pause between two looks with `-f`.
const PAUSE: Duration = Duration::from_millis(500);

/// Prints the events, oldest first.
pub fn run(context: &Context, args: &LogArgs) -> Result<Exit> {
    let path = context.paths()?.events();
    let cancel = Cancel::on_signals();
    let is_wanted = |event: &Value| {
        args.session.as_deref().is_none_or(|id| event.get("session_id").is_some_and(|s| s == id))
    };
    let mut newest = None;
    loop {
        let events = history::read_events(&path, MAX_BYTES);
        let seen = newest.as_ref().and_then(|last| events.iter().rposition(|e| e == last));
        let fresh = &events[seen.map_or(0, |i| i + 1)..];
        for event in fresh.iter().filter(|e| is_wanted(e)) {
            let mut event = event.clone();
            // What an older version wrote may hold a secret.
            context.env.secrets.hide_in(&mut event);
            let line = if args.json { event.to_string() } else { as_text(&event) };
            context.print(&line)?;
        }
        newest = events.last().cloned();
        if !args.follow {
            return Ok(Exit::Ok);
        }
        thread::sleep(PAUSE);
        if cancel.is_cancelled() {
            return Err(Error::Interrupted);
        }
    }
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
    let session = cut(text("session_id"), 9);
    one_line(&format!("{} {session} {} {what}{said}", text("ts"), text("client")))
}
