//! `ccc why`: one stop in full.

use std::path::Path;

use serde_json::json;

use crate::cli::WhyArgs;
use crate::cmd::Context;
use crate::error::{Error, Exit, PathContext, Result};
use crate::rules::explain;
use crate::rules::redact::redact;
use crate::rules::stop_record::StopRecord;
use crate::sys::{clock, fs, stops};

/// Fewest characters of a session id that stand for the whole one.
const SHORT_SESSION: usize = 8;

/// Explains a stop: request, evidence, verdict, rule, cost, prompt, and what was sent.
pub fn run(context: &Context, args: &WhyArgs) -> Result<Exit> {
    let stop = find(context, args.id.as_deref())?;
    if args.json {
        let mut value = json!(stop);
        value["rule"] = json!(explain::rule(&stop.outcome.reason));
        // What an older version kept may hold a secret.
        context.env.secrets.hide_in(&mut value);
        context.print(&format!("{value:#}"))?;
        return Ok(Exit::Ok);
    }
    let at = clock::rfc3339(stop.at);
    let age = clock::age(clock::now().saturating_sub(stop.at));
    let text = explain::render(&stop, &format!("{} ({age} ago)", clock::local(&at)));
    context.print(&redact(&text, &context.env.secrets))?;
    Ok(Exit::Ok)
}

/// The stop that is meant: by its id or its beginning, the newest one of a session, or, with
/// nothing said, the newest one of the session this is typed in, of this project, or of all.
///
/// # Errors
/// There is none, or several begin like this.
pub fn find(context: &Context, id: Option<&str>) -> Result<StopRecord> {
    let dir = context.paths()?.stops();
    let Some(id) = id else { return newest(context, &dir) };
    let by_id = stops::find(&dir, id);
    if let [path] = by_id.as_slice() {
        return stops::read(path).at("read", path);
    }
    let is_session = |s: &StopRecord| {
        s.session_id == id || (id.len() >= SHORT_SESSION && s.session_id.starts_with(id))
    };
    match all(&dir).find(is_session) {
        Some(stop) => Ok(stop),
        None if by_id.is_empty() => Err(Error::problem(format!(
            "there is no record of a stop or session `{id}`; `ccc log` shows the ids (older stops are not kept in full)"
        ))),
        None => Err(Error::problem(format!(
            "{} stops have ids that begin with `{id}`; give more of it",
            by_id.len()
        ))),
    }
}

fn newest(context: &Context, dir: &Path) -> Result<StopRecord> {
    let typed_in = context.env.claude_session_id.as_deref();
    let of_session = typed_in.and_then(|id| all(dir).find(|s| s.session_id == id));
    let is_here = |s: &StopRecord| fs::is_same(Path::new(&s.project), &context.project);
    let found = of_session.or_else(|| all(dir).find(is_here)).or_else(|| all(dir).next());
    found.ok_or_else(|| {
        Error::problem("no stop is recorded yet; `ccc doctor` tells whether the hook fires")
    })
}

/// Readable records, newest first.
fn all(dir: &Path) -> impl Iterator<Item = StopRecord> {
    stops::list(dir).into_iter().filter_map(|path| stops::read(&path).ok())
}
