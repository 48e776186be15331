//! Looks at git and runs the checks; a check that passed on the very same work is not run again.

use std::path::PathBuf;
use std::time::Duration;

use crate::cmd::hook::Session;
use crate::cmd::hook::collect::{GIT_BUDGET, look_at_git};
use crate::rules::check::Check;
use crate::rules::git::Git;
use crate::rules::redact::redact_in_place;
use crate::rules::state::{Pass, SessionState};
use crate::rules::text::{head_and_tail, printable};
use crate::sys::checks::{self, CheckResult};
use crate::sys::signals::Cancel;
use crate::sys::{clock, trust};

/// For the look before the checks: with a slower git they are just run.
const FIRST_LOOK: Duration = Duration::from_secs(1);
/// Output of a pass that is kept, in bytes.
const MAX_OUTPUT: usize = 600;

/// What was found.
#[derive(Debug, Default)]
pub struct Gauged {
    pub checks: Vec<CheckResult>,
    /// `None` when git is not asked.
    pub git: Option<Git>,
    /// Checks that were run now and passed.
    pub passes: Vec<Pass>,
}

/// Looks and runs. Git is looked at after the last check that was run: a check may write files,
/// which must not pass for work of the agent at the next stop.
pub fn run(session: &Session, state: Option<&SessionState>, cancel: &Cancel) -> Gauged {
    let config = &session.loaded.config.evidence;
    let look = |limit| look_at_git(session, state, limit, cancel);
    let has_passes = state.is_some_and(|s| !s.passes.is_empty()) && !config.checks.is_empty();
    let before = (config.git && has_passes).then(|| look(FIRST_LOOK));
    let known = before.as_ref().filter(|git| covers_project(session, git));
    let work = known.and_then(Git::fingerprint);
    let mut ran = Vec::new();
    let one = |check: &Check| {
        let key = key(check);
        if let Some(pass) = work.and_then(|work| state?.pass(&key, work)) {
            return from_record(session, check, pass);
        }
        let result = checks::run(check, &session.project, cancel);
        ran.push(key);
        hidden(session, result)
    };
    let checks: Vec<CheckResult> = config.checks.iter().map(one).collect();
    let git = match before {
        Some(git) if ran.is_empty() => Some(git),
        _ => config.git.then(|| look(GIT_BUDGET)),
    };
    let passes = passes(session, git.as_ref(), &checks, &ran);
    Gauged { checks, git, passes }
}

/// Whether the work's fingerprint holds the files that the checks run on.
fn covers_project(session: &Session, git: &Git) -> bool {
    let subdirectory = git.work().and_then(|work| work.subdirectory.as_ref());
    let up = subdirectory.map_or(0, |dir| PathBuf::from(dir).components().count());
    let real = |path: &PathBuf| path.canonicalize().ok();
    match (real(&session.work_dir), real(&session.project)) {
        (Some(work), Some(project)) => {
            work.ancestors().nth(up).is_some_and(|top| project.starts_with(top))
        }
        _ => false,
    }
}

fn passes(
    session: &Session,
    git: Option<&Git>,
    checks: &[CheckResult],
    ran: &[String],
) -> Vec<Pass> {
    let Some(work) = git.and_then(Git::fingerprint) else { return Vec::new() };
    let config = &session.loaded.config.evidence;
    let all = config.checks.iter().map(key).zip(checks);
    let new = all.filter(|(key, result)| result.passed && ran.contains(key));
    new.map(|(check, result)| Pass {
        check,
        work: work.to_owned(),
        output: head_and_tail(printable(&result.output).trim(), MAX_OUTPUT).into_owned(),
        at: session.now,
    })
    .collect()
}

fn from_record(session: &Session, check: &Check, pass: &Pass) -> CheckResult {
    let age = clock::age(session.now.saturating_sub(pass.at));
    let result = CheckResult {
        name: check.name.clone(),
        run: check.run.clone(),
        is_gate: check.gate,
        passed: true,
        ended: format!("passed (from the record: it ran {age} ago on the same work)"),
        output: pass.output.clone(),
    };
    hidden(session, result)
}

/// Without secrets.
fn hidden(session: &Session, mut result: CheckResult) -> CheckResult {
    redact_in_place(&mut result.run, &session.env.secrets);
    redact_in_place(&mut result.output, &session.env.secrets);
    result
}

/// What stands for a check in the state: its command may hold a secret.
fn key(check: &Check) -> String {
    trust::digest(format!("{}\0{}", check.name, check.run).as_bytes())
}
