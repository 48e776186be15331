//! `ccc reset`: clears the counts; an open breaker becomes half-open.

use crate::cli::SessionArgs;
use crate::cmd::Context;
use crate::cmd::switch::session_id;
use crate::error::{Error, Exit, PathContext, Result};
use crate::rules::stop::SessionId;
use crate::sys::store::{Store, Stored};

/// Resets the named session, else the session this is typed in, else all.
pub fn run(context: &Context, args: &SessionArgs) -> Result<Exit> {
    let paths = context.paths()?;
    let store = Store::new(paths.sessions());
    let one = args.session.as_deref().or(context.env.claude_session_id.as_deref());
    let ids: Vec<SessionId> = match one {
        Some(id) => vec![session_id(id)?],
        None => store.list().iter().filter_map(|s| SessionId::new(&s.session_id)).collect(),
    };
    for id in &ids {
        session(context, id)?;
    }
    context.print(&format!(
        "{} session{} reset",
        ids.len(),
        if ids.len() == 1 { "" } else { "s" }
    ))?;
    Ok(Exit::Ok)
}

/// Resets one session.
///
/// # Errors
/// Nothing is stored of it, or its state cannot be written.
pub fn session(context: &Context, id: &SessionId) -> Result<()> {
    let paths = context.paths()?;
    let store = Store::new(paths.sessions());
    if !matches!(store.load(id), Stored::State(_)) {
        return Err(Error::problem(format!("no state is stored for session {id}")));
    }
    let reset = store.update(id, |old| {
        // It was there a moment ago, and states are never removed under a lock.
        let mut state = old.unwrap_or_else(|| crate::cmd::status::empty(id));
        state.reset();
        (state, ())
    });
    reset.at("write the state of the session in", &paths.sessions())
}
