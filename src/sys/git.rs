//! Git, only read: no index refresh, no lock, no prompt, no program of the repository.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::rules::git;
use crate::rules::text::{one_line, printable};
use crate::sys::process::{self, End, Job, Keep};
use crate::sys::signals::Cancel;
use crate::sys::trust;

/// Time for all of git together.
const BUDGET: Duration = Duration::from_millis(2000);
/// Output that is kept of one call, in bytes.
const KEEP: Keep = Keep { head: 1 << 20, tail: 0 };
/// Variables that would lead git to another repository.
const FOREIGN: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
    "GIT_PAGER",
    "GIT_TRACE",
    "GIT_CEILING_DIRECTORIES",
];

/// What git says of a directory.
#[derive(Debug)]
pub struct Look {
    /// The section of the evidence.
    pub text: String,
    /// Hex SHA-256 of HEAD, index, tracked changes and untracked names; `None` when unknown.
    pub fingerprint: Option<String>,
}

/// Looks at the repository that holds `cwd`.
pub fn look(cwd: &Path, cancel: &Cancel) -> Look {
    let until = Instant::now() + BUDGET;
    let ask = |args: &[&str]| ask(cwd, args, until, cancel);
    let answers = ask(&["status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all"]);
    let raw = match answers {
        Ok(raw) => raw,
        Err(why) => {
            return Look {
                text: format!("git information is unavailable: {why}"),
                fingerprint: None,
            };
        }
    };
    let status = git::parse_status(&raw);
    let commits = ask(&["log", "-8", "--format=%h %s"]).unwrap_or_default();
    let diff = ask(&["diff", "HEAD", "--no-ext-diff", "--no-textconv"]).unwrap_or_default();
    // A nested repository hides its changes from this one: unknown is not "none".
    let is_hidden = status.changes.iter().any(|c| c.code == "??" && c.path.ends_with('/'));
    let fingerprint = (!is_hidden).then(|| {
        let head = ask(&["rev-parse", "HEAD"]).unwrap_or_default();
        trust::digest(format!("{head}\0{raw}\0{diff}").as_bytes())
    });
    Look { text: printable(&git::render(&status, &commits, &diff)), fingerprint }
}

fn ask(cwd: &Path, args: &[&str], until: Instant, cancel: &Cancel) -> Result<String, String> {
    let settings = [
        "core.fsmonitor=false",
        "core.quotePath=false",
        "color.ui=false",
        "core.pager=cat",
        "core.hooksPath=/dev/null",
        "diff.autoRefreshIndex=false",
    ];
    let mut all: Vec<OsString> = vec!["--no-pager".into()];
    all.extend(settings.iter().flat_map(|s| ["-c".into(), (*s).into()]));
    all.extend(args.iter().map(Into::into));
    let set = [("GIT_OPTIONAL_LOCKS", "0"), ("GIT_TERMINAL_PROMPT", "0"), ("LC_ALL", "C")];
    let mut env: Vec<(OsString, Option<OsString>)> =
        FOREIGN.iter().map(|name| ((*name).into(), None)).collect();
    env.extend(set.map(|(name, value)| (name.into(), Some(value.into()))));
    let limit = until.saturating_duration_since(Instant::now());
    let stderr = Keep { head: 2000, tail: 0 };
    let job = Job {
        program: OsStr::new("git"),
        args: all,
        env,
        cwd,
        stdin: b"",
        limit,
        stdout: KEEP,
        stderr,
    };
    let done = process::run(&job, cancel).map_err(|e| format!("git could not be started: {e}"))?;
    match done.end {
        End::Code(0) => Ok(String::from_utf8_lossy(&done.stdout.head).into_owned()),
        End::TimedOut => Err("git timed out".to_owned()),
        _ => Err(one_line(&done.stderr.text()).chars().take(300).collect()),
    }
}
