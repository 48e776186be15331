//! The project that the loop works in: its files, its state, its history.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::cmd::Context;
use crate::config::{self, ExecutorKind, Loaded, Ralph};
use crate::error::{Error, PathContext, Result};
use crate::paths::Paths;
use crate::rules::ralph::state::LoopState;
use crate::rules::state::SessionState;
use crate::rules::stop::{Client, SessionId};
use crate::rules::text::{cut, one_line};
use crate::sys::store::{Store, Stored};
use crate::sys::{clock, fs, history, lock, trust};

/// Key of the loop's part of the session state.
const PART: &str = "ralph";

/// A project, as one call of `ccc ralph` sees it.
#[derive(Debug)]
pub struct Project<'a> {
    pub context: &'a Context,
    pub paths: Paths,
    pub loaded: Loaded,
    pub root: PathBuf,
    /// The loop's session: one a project.
    pub id: SessionId,
}

impl<'a> Project<'a> {
    /// The project that ccc is called in.
    ///
    /// # Errors
    /// No home directory is known.
    pub fn open(context: &'a Context) -> Result<Self> {
        let paths = context.paths()?;
        let root = context.project.canonicalize().unwrap_or_else(|_| context.project.clone());
        let is_trusted = |bytes: &[u8]| trust::is_trusted(&paths.trust(), &root, bytes);
        let loaded = config::load(&paths, &root, is_trusted);
        let digest = trust::digest(root.as_os_str().as_encoded_bytes());
        let id = SessionId::new(&format!("ralph-{}", &digest[..16]));
        let id = id.ok_or_else(|| Error::problem("the project has no usable name"))?;
        Ok(Self { context, paths, loaded, root, id })
    }

    /// The loop's part of the configuration.
    pub fn config(&self) -> &Ralph {
        &self.loaded.config.ralph
    }

    /// The list.
    pub fn prd(&self) -> PathBuf {
        self.root.join("prd.json")
    }

    /// What was done, for people and for the next prompt.
    #[allow(dead_code, reason = "for the iteration")]
    pub fn progress(&self) -> PathBuf {
        self.root.join("progress.txt")
    }

    /// What was learned, one JSON object a line.
    #[allow(dead_code, reason = "for the iteration")]
    pub fn learnings(&self) -> PathBuf {
        self.root.join("learnings.jsonl")
    }

    /// The unified status of the loop.
    #[allow(dead_code, reason = "for the iteration")]
    pub fn status_file(&self) -> PathBuf {
        self.root.join(".current_status.json")
    }

    /// A file of ccc's own for this project, by its ending.
    pub fn own(&self, ending: &str) -> PathBuf {
        self.paths.ralph().join(format!("{}.{ending}", self.id))
    }

    /// The process that runs a loop or an iteration here.
    pub fn holder(&self) -> Option<rustix::process::Pid> {
        lock::holder(&self.own("lock"))
    }

    /// What is remembered, unless it is too old.
    pub fn state(&self) -> Option<(SessionState, LoopState)> {
        match Store::new(self.paths.sessions()).load(&self.id) {
            Stored::State(state) if !self.is_expired(&state) => {
                let part = part_of(&state);
                Some((*state, part))
            }
            _ => None,
        }
    }

    /// Changes what is remembered.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn remember<T>(
        &self,
        change: impl FnOnce(&mut SessionState, &mut LoopState) -> T,
    ) -> Result<T> {
        let store = Store::new(self.paths.sessions());
        let now = clock::now();
        let done = store.update(&self.id, |old| {
            let old = old.filter(|state| !self.is_expired(state));
            let mut state = old.unwrap_or_else(|| self.fresh_state(now));
            let mut part = part_of(&state);
            let result = change(&mut state, &mut part);
            state.updated_at = now;
            state.unknown.insert(PART.into(), json!(part));
            (state, result)
        });
        done.at("write the state of the loop in", &self.paths.sessions())
    }

    fn is_expired(&self, state: &SessionState) -> bool {
        state.is_expired(self.loaded.config.expire_hours, clock::now())
    }

    fn fresh_state(&self, now: u64) -> SessionState {
        let client = match self.config().executor {
            ExecutorKind::Codex => Client::Codex,
            ExecutorKind::Claude | ExecutorKind::Command => Client::Claude,
        };
        SessionState::new(self.id.as_str(), client, self.root.display().to_string(), now)
    }

    /// Writes an event to the history, and its message to the log. A record that cannot be
    /// written changes nothing. Returns the event as it was written.
    pub fn event(&self, kind: &str, fields: Value) -> Value {
        let mut event = json!({
            "ts": clock::now_rfc3339(),
            "type": kind,
            "session_id": self.id.as_str(),
            "client": self.config().executor.name(),
            "project": self.root.to_string_lossy(),
        });
        if let (Some(event), Value::Object(fields)) = (event.as_object_mut(), fields) {
            event.extend(fields);
        }
        self.context.env.secrets.hide_in(&mut event);
        let _ = history::append_event(&self.paths.events(), &event);
        let message = event.get("message").and_then(Value::as_str).unwrap_or_default();
        let message = cut(&one_line(message), 500).into_owned();
        let line = format!("{} {} {kind}: {message}", clock::now_rfc3339(), self.id);
        let _ = history::append_line(&self.paths.log(), line.trim_end_matches([':', ' ']));
        event
    }

    /// Refuses a change of the list from inside an executor.
    ///
    /// # Errors
    /// ccc was called by an executor or a reviewer of its own.
    pub fn refuse_inside(&self) -> Result<()> {
        if self.context.env.supervising {
            return Err(Error::problem(
                "an executor of the loop may not change the list; say what is wrong with the story instead",
            ));
        }
        Ok(())
    }

    /// Makes ccc's own directory for the loop.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn make_own_dir(&self) -> Result<()> {
        fs::create_private_dir(&self.paths.ralph()).at("create", &self.paths.ralph())
    }
}

fn part_of(state: &SessionState) -> LoopState {
    let part = state.unknown.get(PART).cloned().unwrap_or_default();
    serde_json::from_value(part).unwrap_or_default()
}
