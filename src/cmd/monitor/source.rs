//! What the monitor shows, gathered from files: rows, evidence, what happened.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

use crate::cmd::Context;
use crate::config;
use crate::error::Result;
use crate::paths::{self, Paths};
use crate::rules::board::{Limits, Row};
use crate::rules::columns::clean_line;
use crate::rules::redact::{Secrets, redact};
use crate::rules::state::SessionState;
use crate::rules::stop::SessionId;
use crate::rules::text::printable;
use crate::sys::watch::{Places, Stamp, Watch};
use crate::sys::{clock, fs, trust};

/// Largest evidence that is read, in bytes.
const MAX_EVIDENCE: u64 = 4 << 20;

/// Looks at the files and remembers them.
#[derive(Debug)]
pub struct Source {
    paths: Paths,
    watch: Watch,
    secrets: Secrets,
    /// What the config said of each project, with the file that said it.
    limits: HashMap<String, (Option<Stamp>, Limits)>,
    /// The files that count for every project.
    common: [Option<Stamp>; 2],
}

/// Something that happened in a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Happened {
    /// Unix seconds; `None` when the history does not tell.
    pub at: Option<u64>,
    /// What, in a few words.
    pub what: String,
    /// What was said, on one line.
    pub message: String,
}

impl Source {
    /// Reads everything once.
    ///
    /// # Errors
    /// No home directory is known.
    pub fn new(context: &Context) -> Result<Self> {
        let paths = context.paths()?;
        let places =
            Places { sessions: paths.sessions(), live: paths.live(), events: paths.events() };
        let watch = Watch::new(places, context.env.secrets.clone());
        let secrets = context.env.secrets.clone();
        let mut source =
            Self { paths, watch, secrets, limits: HashMap::new(), common: [None, None] };
        source.refresh();
        Ok(source)
    }

    /// Looks again; whether anything is different now.
    pub fn refresh(&mut self) -> bool {
        let common = [self.paths.config(), self.paths.trust()].map(|path| Stamp::of(&path));
        let is_new = common != self.common;
        if is_new {
            self.common = common;
            self.limits.clear();
        }
        self.watch.refresh() | is_new
    }

    /// Every session, newest first.
    pub fn rows(&mut self, now: u64) -> Vec<Row> {
        let (paths, known) = (&self.paths, &mut self.limits);
        let sessions = self.watch.sessions().into_iter();
        let row = |(state, review): (&SessionState, Option<_>)| {
            let limits = limits(paths, known, &state.project);
            Row::of_session(state, review.as_ref(), &limits, now)
        };
        sessions.map(row).collect()
    }

    /// What the last review of a session was told, for a terminal.
    pub fn evidence(&self, session: &str) -> Option<String> {
        let name = format!("{}.txt", SessionId::new(session)?);
        let path = self.paths.evidence().join(name);
        let bytes = fs::read_optional(&path, MAX_EVIDENCE).ok()??;
        Some(printable(&redact(&String::from_utf8_lossy(&bytes), &self.secrets)))
    }

    /// State files that cannot be read.
    pub fn broken(&self) -> usize {
        self.watch.broken()
    }

    /// What happened in a session of late, newest first.
    pub fn happened(&self, session: &str) -> Vec<Happened> {
        let events = self.watch.events().iter().rev();
        let of_session = |e: &&Value| e.get("session_id").is_some_and(|id| id == session);
        events.filter(of_session).take(50).map(happened).collect()
    }
}

fn limits(
    paths: &Paths,
    known: &mut HashMap<String, (Option<Stamp>, Limits)>,
    project: &str,
) -> Limits {
    let stamp = Stamp::of(&paths::project_config(Path::new(project)));
    if let Some((_, limits)) = known.get(project).filter(|(seen, _)| *seen == stamp) {
        return *limits;
    }
    let is_trusted = |bytes: &[u8]| trust::is_trusted(&paths.trust(), Path::new(project), bytes);
    let config = config::load(paths, Path::new(project), is_trusted).config;
    let checks = config.evidence.checks.iter().map(|check| check.timeout_secs);
    let limits = Limits {
        enabled: config.enabled,
        max_iterations: config.max_iterations,
        breaker_enabled: config.breaker.enabled,
        expire_hours: config.expire_hours,
        review_secs: checks.fold(config.review.timeout_secs, u64::saturating_add),
    };
    known.insert(project.to_owned(), (stamp, limits));
    limits
}

fn happened(event: &Value) -> Happened {
    let text = |key: &str| event.get(key).and_then(Value::as_str).unwrap_or_default();
    let round = event.get("iteration").and_then(Value::as_u64);
    let what = match text("decision") {
        "" => text("type").to_owned(),
        decision => format!("{decision}: {}", text("reason")),
    };
    let round = round.map_or(String::new(), |n| format!(", round {n}"));
    Happened {
        at: clock::from_rfc3339(text("ts")),
        what: clean_line(&format!("{what}{round}")),
        message: clean_line(text("message")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_event_becomes_a_line_whatever_is_missing() {
        let stop = json!({"ts": "2026-01-02T03:04:05Z", "type": "stop", "iteration": 2,
            "decision": "block", "reason": "incomplete", "message": "Write\n\x1b[1mit"});
        let line = happened(&stop);
        assert_eq!(line.at, clock::from_rfc3339("2026-01-02T03:04:05Z"));
        assert_eq!(
            (line.what.as_str(), line.message.as_str()),
            ("block: incomplete, round 2", "Write [1mit")
        );
        assert_eq!(happened(&json!({"type": "ralph:loop:start"})).what, "ralph:loop:start");
        assert_eq!(
            happened(&json!({})),
            Happened { at: None, what: String::new(), message: String::new() }
        );
    }
}
