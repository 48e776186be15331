//! The facts that the agent's claims are set beside.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cmd::hook::Session;
use crate::rules::activity::Activity;
use crate::rules::claims::{self, CheckFact, Facts};
use crate::rules::findings::{self, Sources};
use crate::rules::git::Git;
use crate::sys::checks::CheckResult;
use crate::sys::git::{self, Probe};
use crate::sys::signals::Cancel;

/// For one question to git.
const IGNORED_BUDGET: Duration = Duration::from_millis(500);

/// What the diff and the commands show of weakened tests, silenced failures and unfinished code.
pub fn findings(activity: &Activity, git: Option<&Git>, checks: &[CheckResult]) -> String {
    // Before the diff is cut for display. What lay there before the request is not in it.
    let work = git.and_then(Git::work);
    let was_before = |path: &String| {
        work.is_some_and(|w| w.changes.iter().any(|c| c.was_before && c.path == *path))
    };
    let paths = git.and_then(Git::changed_files).unwrap_or_default();
    let paths: Vec<String> = paths.into_iter().filter(|path| !was_before(path)).collect();
    let checks: Vec<String> = checks.iter().map(|check| check.run.clone()).collect();
    let patch = git.map(Git::patch).unwrap_or_default();
    findings::render(&Sources { patch, paths: &paths, checks: &checks, activity })
}

/// The claims of the last message beside the facts.
pub fn claims(
    session: &Session,
    activity: &Activity,
    git: Option<&Git>,
    checks: &[CheckResult],
    message: &str,
    cancel: &Cancel,
) -> String {
    let checks: Vec<CheckFact> = checks.iter().map(check_fact).collect();
    let roots = roots(session, git);
    let exists = |path: &str| roots.iter().any(|root| root.join(path).symlink_metadata().is_ok());
    let is_ignored = |path: &str| {
        let (path_var, foreign) = (session.env.path.as_deref(), session.env.git.as_slice());
        let cwd = session.work_dir.as_path();
        let probe = Probe { cwd, path: path_var, foreign, limit: IGNORED_BUDGET, cancel };
        git::is_ignored(&probe, path)
    };
    let names: Vec<String> = roots.iter().map(|root| root.to_string_lossy().into_owned()).collect();
    let facts = Facts {
        activity,
        git,
        checks: &checks,
        roots: &names,
        exists: &exists,
        is_ignored: &is_ignored,
    };
    claims::render(message, &facts)
}

fn check_fact(check: &CheckResult) -> CheckFact {
    CheckFact { run: check.run.clone(), passed: check.passed, ended: check.ended.clone() }
}

/// Where the project's files are: the place of work, the project, and the top of the repository.
fn roots(session: &Session, git: Option<&Git>) -> Vec<PathBuf> {
    let subdirectory = git.and_then(Git::work).and_then(|w| w.subdirectory.as_ref());
    let up = subdirectory.map_or(0, |dir| Path::new(dir).components().count());
    let top = session.work_dir.ancestors().nth(up).map(Path::to_path_buf);
    let mut roots = vec![session.work_dir.clone(), session.project.clone()];
    roots.extend(top);
    let real: Vec<PathBuf> = roots.iter().filter_map(|root| root.canonicalize().ok()).collect();
    roots.extend(real);
    roots.sort();
    roots.dedup();
    roots
}
