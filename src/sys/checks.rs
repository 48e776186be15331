//! The project's own checks, run by ccc itself.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use crate::rules::check::Check;
use crate::sys::process::{self, End, Job, Keep};
use crate::sys::signals::Cancel;

/// Output that is kept of a check: its beginning and, more telling, its end.
const KEEP: Keep = Keep { head: 2 << 10, tail: 6 << 10 };

/// A check that ran.
#[derive(Clone, Debug)]
pub struct CheckResult {
    pub name: String,
    pub run: String,
    pub is_gate: bool,
    pub passed: bool,
    /// `passed`, `failed (exit 1)`, `timed out after 300 s`, ..
    pub ended: String,
    pub output: String,
}

/// Runs one check in the project; standard input is closed.
pub fn run(check: &Check, project: &Path, cancel: &Cancel) -> CheckResult {
    let job = Job {
        program: OsStr::new("/bin/sh"),
        // Both outputs in the order in which they came.
        args: vec!["-c".into(), format!("exec 2>&1\n{}", check.run).into()],
        env: vec![(crate::env::SUPERVISING.into(), Some("1".into()))],
        cwd: project,
        stdin: b"",
        limit: Duration::from_secs(check.timeout_secs),
        stdout: KEEP,
        stderr: Keep::default(),
    };
    let (passed, ended, output) = match process::run(&job, cancel) {
        Ok(done) => {
            let ended = match done.end {
                End::Code(0) => "passed".to_owned(),
                End::Code(code) => format!("failed (exit {code})"),
                End::Signal(signal) => format!("was ended by signal {signal}"),
                End::TimedOut => format!("timed out after {} s", check.timeout_secs),
                End::Cancelled => "was cancelled".to_owned(),
            };
            (done.end == End::Code(0), ended, done.stdout.text())
        }
        Err(e) => (false, format!("could not be started: {e}"), String::new()),
    };
    let (name, run) = (check.name.clone(), check.run.clone());
    CheckResult { name, run, is_gate: check.gate, passed, ended, output }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_tells_how_it_ended_and_what_it_printed() {
        let check = |run: &str, timeout_secs| {
            let check = Check { name: "c".into(), run: run.into(), timeout_secs, gate: true };
            super::run(&check, Path::new("/"), &Cancel::never())
        };
        let failed = check("echo out; echo err >&2; exit 3", 9);
        assert_eq!((failed.passed, failed.ended.as_str()), (false, "failed (exit 3)"));
        assert_eq!(failed.output, "out\nerr\n");
        assert!(check("true", 9).passed);
        assert_eq!(check("sleep 9", 1).ended, "timed out after 1 s");
    }
}
