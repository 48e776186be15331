//! `ccc hook`: the path of one stop, from the bytes on standard input to the answer.
//!
//! The fail direction is a type: [`decide`] returns a `Result`, and [`main`] turns an error, and a
//! caught panic, into an allowed stop with a notice. No `?` can reach an exit code.

mod collect;
mod facts;
mod gauge;
pub mod judge;
mod notify;
mod record;
mod review;

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::Duration;

use crate::clients;
use crate::clients::payload::Completeness;
use crate::clients::reply::Reply;
use crate::config::{self, Loaded};
use crate::env::Env;
use crate::error::Result;
use crate::paths::{self, Paths};
use crate::rules::outcome::Allow;
use crate::rules::policy;
use crate::rules::probe;
use crate::rules::redact::redact_in_place;
use crate::rules::state::SessionState;
use crate::rules::stop::{Client, Event, SessionId, Stop};
use crate::sys::signals::Cancel;
use crate::sys::store::{Store, Stored};
use crate::sys::{clock, stdin, trust};

/// How long standard input is read (contract: a few seconds).
const READ_LIMIT: Duration = Duration::from_secs(3);
/// Most bytes of a payload.
const MAX_PAYLOAD: usize = 64 << 20;

/// One stop with all that its review needs.
#[derive(Debug)]
struct Session<'a> {
    stop: Stop,
    id: SessionId,
    env: &'a Env,
    paths: Paths,
    project: PathBuf,
    work_dir: PathBuf,
    loaded: Loaded,
    store: Store,
    /// Unix seconds.
    now: u64,
}

/// How the hook ends.
enum Ended {
    Reply(Reply),
    /// Told to end by this signal: no output, exit 128 + n.
    Signal(i32),
}

/// Answers one payload on standard input; returns the exit code.
pub fn main(forced: Option<Client>, env: &Env) -> u8 {
    if env.supervising || env.disabled {
        return 0;
    }
    let mut seen = Completeness::default();
    let bytes = stdin::read_until(|piece| seen.push(piece), READ_LIMIT, MAX_PAYLOAD);
    // A panic is answered below; its own message would only reach the user's screen.
    std::panic::set_hook(Box::new(|_| {}));
    let ended = catch_unwind(AssertUnwindSafe(|| answer(&bytes, forced, env)));
    match ended {
        Ok(Ended::Reply(reply)) => send(&reply),
        Ok(Ended::Signal(number)) => u8::try_from(128 + number).unwrap_or(u8::MAX),
        Err(_) => send(&internal("an unexpected fault")),
    }
}

fn answer(bytes: &[u8], forced: Option<Client>, env: &Env) -> Ended {
    match decide(bytes, forced, env) {
        Ok(ended) => ended,
        Err(e) => Ended::Reply(internal(&e.to_string())),
    }
}

fn internal(why: &str) -> Reply {
    Reply::allow(Allow::Internal(why.to_owned()).notice())
}

fn send(reply: &Reply) -> u8 {
    // A client that closed its end takes no answer; the exit code is all that is left.
    let _ = std::io::stdout().write_all(reply.stdout.as_bytes());
    let _ = std::io::stderr().write_all(reply.stderr.as_bytes());
    reply.code
}

fn decide(bytes: &[u8], forced: Option<Client>, env: &Env) -> Result<Ended> {
    let stop = match clients::parse(bytes, forced) {
        Ok(stop) => stop,
        Err(why) => return Ok(allow(&Allow::NoSession(why))),
    };
    if let Event::Probe(token) = &stop.event {
        let answer = probe::answer(token, env!("CARGO_PKG_VERSION"));
        return Ok(Ended::Reply(Reply::allow(Some(answer))));
    }
    let Some(id) = stop.session.clone() else {
        let why = "the payload has no usable session_id".to_owned();
        return Ok(allow(&Allow::NoSession(why)));
    };
    if stop.is_subagent || matches!(stop.event, Event::Other(_)) {
        return Ok(allow(&Allow::NotThisStop));
    }
    let mut session = Session::new(stop, id, env)?;
    if !session.is_enabled() {
        return Ok(allow(&Allow::Off));
    }
    session.redact();
    if session.stop.event == Event::Prompt {
        review::note_prompt(&session);
        return Ok(Ended::Reply(Reply::silence()));
    }
    if let Some(waits) = policy::background(&session.stop) {
        let reply = Reply::allow(waits.notice());
        record::event(&session, None, &waits.into(), record::begin(&session), &reply);
        return Ok(Ended::Reply(reply));
    }
    Ok(review::run(&session))
}

/// What a judge would be told of this stop.
///
/// # Errors
/// No home directory is known.
pub fn evidence_text(stop: Stop, env: &Env, cancel: &Cancel) -> Result<String> {
    let id = stop.session.clone().or_else(|| SessionId::new("evidence"));
    let id = id.ok_or_else(|| crate::error::Error::problem("no session id"))?;
    let mut session = Session::new(stop, id, env)?;
    session.redact();
    let state = match session.store.load(&session.id) {
        Stored::State(state) => Some(*state),
        Stored::Absent | Stored::Broken => None,
    };
    let activity = collect::glance(&session);
    Ok(collect::evidence(&session, state.as_ref(), &activity, cancel).text)
}

fn allow(reason: &Allow) -> Ended {
    Ended::Reply(Reply::allow(reason.notice()))
}

impl<'a> Session<'a> {
    fn new(stop: Stop, id: SessionId, env: &'a Env) -> Result<Self> {
        let paths = Paths::from_env(env)?;
        let project = paths::project_dir(env, stop.cwd.as_deref());
        let work_dir = paths::work_dir(stop.cwd.as_deref().or(Some(&project)));
        let is_trusted = |bytes: &[u8]| trust::is_trusted(&paths.trust(), &project, bytes);
        let loaded = config::load(&paths, &project, is_trusted);
        let store = Store::new(paths.sessions());
        Ok(Self { stop, id, env, paths, project, work_dir, loaded, store, now: clock::now() })
    }

    /// Hides the secrets in what the payload says, before anything is made of it.
    fn redact(&mut self) {
        self.stop.texts_mut().for_each(|text| redact_in_place(text, &self.env.secrets));
    }

    /// The session's own switch, else the config's.
    fn is_enabled(&self) -> bool {
        let own = match self.store.load(&self.id) {
            Stored::State(state) => state.enabled,
            Stored::Absent | Stored::Broken => None,
        };
        own.unwrap_or(self.loaded.config.enabled)
    }

    /// The state to go on with: a new one for an absent, broken or expired one.
    fn state_from(&self, old: Option<SessionState>) -> SessionState {
        let hours = self.loaded.config.expire_hours;
        old.filter(|state| !state.is_expired(hours, self.now)).unwrap_or_else(|| {
            let project = self.project.display().to_string();
            SessionState::new(self.id.as_str(), self.stop.client, project, self.now)
        })
    }
}
