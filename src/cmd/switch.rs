//! `ccc on`, `ccc off`: supervision for one session, or for all.

use serde_json::{Map, Value};

use crate::cli::SessionArgs;
use crate::cmd::Context;
use crate::error::{Error, Exit, PathContext, Result};
use crate::rules::state::SessionState;
use crate::rules::stop::{Client, SessionId};
use crate::sys::store::Store;
use crate::sys::{clock, fs};

/// Largest config file that is edited, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// Switches the named session, else the session this is typed in, else all.
pub fn run(context: &Context, args: &SessionArgs, on: bool) -> Result<Exit> {
    let word = if on { "on" } else { "off" };
    let typed_in = context.env.claude_session_id.as_deref();
    match args.session.as_deref().or(typed_in) {
        Some(id) => {
            session(context, &session_id(id)?, on)?;
            context.print(&format!("supervision is {word} for session {id}"))?;
        }
        None => {
            switch_all(context, on)?;
            context.print(&format!("supervision is {word} for all sessions"))?;
        }
    }
    Ok(Exit::Ok)
}

/// A session id from the command line.
pub fn session_id(id: &str) -> Result<SessionId> {
    let refused = || Error::Usage(format!("`{}` is not a session id", id.escape_debug()));
    SessionId::new(id).ok_or_else(refused)
}

/// Switches one session.
///
/// # Errors
/// Its state cannot be written.
pub fn session(context: &Context, id: &SessionId, on: bool) -> Result<()> {
    let paths = context.paths()?;
    let store = Store::new(paths.sessions());
    let now = clock::now();
    let project = context.project.display().to_string();
    let change = |old: Option<SessionState>| {
        let fresh = || SessionState::new(id.as_str(), Client::Claude, project, now);
        let mut state = old.unwrap_or_else(fresh);
        state.enabled = Some(on);
        state.updated_at = now;
        (state, ())
    };
    store.update(id, change).at("write the state of the session in", &paths.sessions())
}

/// Sets `enabled` in the user's config, and keeps its other keys and their order.
fn switch_all(context: &Context, on: bool) -> Result<()> {
    let paths = context.paths()?;
    let path = paths.config();
    let bytes = fs::read_optional(&path, MAX_FILE).at("read", &path)?.unwrap_or_default();
    let mut config: Map<String, Value> = if bytes.trim_ascii().is_empty() {
        Map::new()
    } else {
        serde_json::from_slice(&bytes).map_err(|e| Error::Syntax {
            path: path.clone(),
            line: e.line(),
            column: e.column(),
            problem: "not a JSON object; mend it first, nothing was changed".into(),
        })?
    };
    if config.get("enabled").and_then(Value::as_bool).unwrap_or(true) == on {
        return Ok(());
    }
    config.insert("enabled".into(), Value::Bool(on));
    fs::create_private_dir(&paths.ccc_home).at("create", &paths.ccc_home)?;
    let text = format!("{:#}\n", Value::Object(config));
    fs::write_atomic(&path, text.as_bytes()).at("write", &path)
}
