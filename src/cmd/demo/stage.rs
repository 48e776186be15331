//! The scratch directory that the demo plays in: a project, a home of its own, and the programs
//! that run there. It vanishes when dropped.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;

use crate::cmd::Context;
use crate::env;
use crate::error::{Error, PathContext, Result};
use crate::sys::fs;
use crate::sys::process::{self, End, Finished, Job, Keep};
use crate::sys::signals::Cancel;

/// Longest run of one program.
const LIMIT: Duration = Duration::from_secs(60);
/// Output that is kept of one program, in bytes.
const KEEP: Keep = Keep { head: 64 << 10, tail: 0 };
/// Largest file that is read back, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// The script that must be mended.
pub const SLUG: &str = include_str!("files/slug.sh");
/// What the project's test is.
const TEST: &str = include_str!("files/test.sh");
/// The supervisor.
const JUDGE: &str = include_str!("files/judge.sh");

/// A scratch project with everything around it.
#[derive(Debug)]
pub struct Stage<'a> {
    dir: tempfile::TempDir,
    /// Variables of every child: nothing of the user's but `PATH`.
    env: Vec<(OsString, Option<OsString>)>,
    cancel: &'a Cancel,
    /// Whether the project is a git repository.
    pub has_git: bool,
}

impl<'a> Stage<'a> {
    /// Builds the project, and a home whose config names the scripted supervisor.
    ///
    /// # Errors
    /// The directory for temporary files cannot be used.
    pub fn build(context: &Context, cancel: &'a Cancel) -> Result<Self> {
        let dir = tempfile::Builder::new().prefix("ccc-demo-").tempdir().map_err(|e| {
            Error::problem(format!(
                "cannot make a scratch directory: {e}; set TMPDIR to a directory that can be written"
            ))
        })?;
        let mut stage = Self { dir, env: Vec::new(), cancel, has_git: false };
        let home = stage.path("home");
        stage.env = env::names().into_iter().map(|name| (name, None)).collect();
        let path = context.env.path.clone();
        stage.env.extend([("PATH".into(), path), ("HOME".into(), Some(home.into()))]);
        stage.write("project/slug.sh", SLUG)?;
        stage.write("project/test.sh", TEST)?;
        stage.write("judge.sh", JUDGE)?;
        let config = json!({
            "judge": "command",
            "review": { "command": "sh ../judge.sh", "timeout_secs": 30 },
        });
        stage.write("home/.claude/ccc/config.json", &config.to_string())?;
        stage.has_git = stage.init_git(context)?;
        Ok(stage)
    }

    /// A path inside the scratch directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a file, and makes its directory.
    pub fn write(&self, name: &str, text: &str) -> Result<()> {
        let path = self.path(name);
        let dir = path.parent().unwrap_or(self.dir.path());
        fs::create_private_dir(dir).at("create", dir)?;
        fs::write_atomic(&path, text.as_bytes()).at("write", &path)
    }

    /// Reads a file that a part of the play has left.
    pub fn read(&self, name: &str) -> Result<String> {
        let path = self.path(name);
        let bytes = fs::read_optional(&path, MAX_FILE).at("read", &path)?.unwrap_or_default();
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Runs a shell command in the project, as the agent would.
    pub fn shell(&self, command: &str) -> Result<Finished> {
        self.run(Path::new("/bin/sh"), &["-c", command], "")
    }

    /// Runs this very program as the client would run its hook.
    pub fn hook(&self, payload: &str) -> Result<Finished> {
        let program = std::env::current_exe()
            .map_err(|e| Error::problem(format!("cannot find the path of this program: {e}")))?;
        self.run(&program, &["hook"], payload)
    }

    /// Leaves the directory in place; returns its path.
    pub fn keep(self) -> PathBuf {
        self.dir.keep()
    }

    fn run(&self, program: &Path, args: &[&str], stdin: &str) -> Result<Finished> {
        let job = Job {
            program: program.as_os_str(),
            args: args.iter().map(OsString::from).collect(),
            env: self.env.clone(),
            cwd: &self.path("project"),
            stdin: stdin.as_bytes(),
            limit: LIMIT,
            stdout: KEEP,
            stderr: KEEP,
        };
        let finished = process::run(&job, self.cancel).at("start", program)?;
        match finished.end {
            End::Cancelled => Err(Error::Interrupted),
            _ => Ok(finished),
        }
    }

    /// Makes the project a repository with one commit. `false` where git is missing or refuses:
    /// the play works without.
    fn init_git(&self, context: &Context) -> Result<bool> {
        let Ok(git) = process::find_program(OsStr::new("git"), context.env.path.as_deref()) else {
            return Ok(false);
        };
        let commit = ["-c", "user.name=demo", "-c", "user.email=demo@localhost", "commit"];
        let commit = [&commit[..], &["--quiet", "--message", "Turn titles into links"]].concat();
        let init = ["-c", "init.defaultBranch=main", "init", "--quiet"];
        let steps: [&[&str]; 3] = [&init, &["add", "--all"], &commit];
        for args in steps {
            if self.run(&git, args, "")?.end != End::Code(0) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
