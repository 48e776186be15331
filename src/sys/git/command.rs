//! One git process: its environment, its settings, its time, and why it failed.

use std::collections::BTreeSet;
use std::env::{join_paths, split_paths};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::rules::git::parse_filters;
use crate::rules::text::{cut, one_line};
use crate::sys::git::Probe;
use crate::sys::git::tree::Tree;
use crate::sys::process::{self, End, Finished, Job, Keep, Output};

/// Longest reason, in characters.
const MAX_REASON: usize = 300;
/// Kept of a list of settings, in bytes.
const MAX_CONFIG: usize = 64 << 10;

/// No prompt, no lock, no network (a partial clone would fetch what it lacks; the first of the two
/// settings is known from git 2.44), English messages.
const SET: [(&str, &str); 7] = [
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_PAGER", "cat"),
    ("LC_ALL", "C"),
    ("LANGUAGE", "C"),
];

/// Settings that override every file. `safe.directory` is not among them: whether a repository
/// of somebody else is read is the user's decision.
const CONFIG: [&str; 13] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "core.untrackedCache=keep",
    "core.pager=cat",
    "color.ui=false",
    "diff.suppressBlankEmpty=false",
    "diff.autoRefreshIndex=false",
    "diff.orderFile=/dev/null",
    "diff.relative=false",
    "log.showRoot=false",
    "log.showSignature=false",
    "submodule.recurse=false",
];

/// A git that was found, and the time it has.
pub struct Command<'a> {
    probe: &'a Probe<'a>,
    program: PathBuf,
    deadline: Instant,
    env: Vec<(OsString, Option<OsString>)>,
    /// Options before the subcommand.
    options: Vec<OsString>,
}

impl<'a> Command<'a> {
    /// Finds git.
    ///
    /// # Errors
    /// Why it cannot be run here.
    pub fn new(probe: &'a Probe<'a>, tree: Option<&Tree>) -> Result<Self, String> {
        if !probe.cwd.is_dir() {
            return Err(format!("the directory `{}` does not exist", probe.cwd.display()));
        }
        // A relative entry would let the project choose the program.
        let dirs = probe.path.map(split_paths).into_iter().flatten().filter(|d| d.is_absolute());
        let path = join_paths(dirs).unwrap_or_default();
        let program = process::find_program(OsStr::new("git"), Some(&path))?;
        let removed = probe.foreign.iter().map(|name| (name.clone(), None));
        let set = SET.iter().map(|&(name, value)| (name.into(), Some(value.into())));
        let env = removed.chain(set).collect();
        let config = CONFIG.iter().flat_map(|&setting| ["-c".into(), setting.into()]);
        let options = std::iter::once("--no-pager".into())
            .chain(config)
            .chain(tree.and_then(Tree::work_tree_option))
            .collect();
        let deadline = Instant::now() + probe.limit;
        let mut git = Self { probe, program, deadline, env, options };
        if let Some(tree) = tree {
            git.disable_filters(tree)?;
        }
        Ok(git)
    }

    /// Runs git and keeps the first `max` bytes of its output.
    ///
    /// # Errors
    /// One line that says why there is no answer.
    pub fn run(&self, args: &[OsString], max: usize) -> Result<Output, String> {
        let done = self.start(args, max, &mut |_| {})?;
        self.check(&done)?;
        Ok(done.stdout)
    }

    /// Runs git, keeps nothing, and shows every line of its output.
    ///
    /// # Errors
    /// As [`Command::run`].
    pub fn run_with_lines(
        &self,
        args: &[OsString],
        on_line: &mut dyn FnMut(&[u8]),
    ) -> Result<(), String> {
        let done = self.start(args, 0, on_line)?;
        self.check(&done)
    }

    /// Whether the time is used up, or we are told to end.
    pub fn is_over(&self) -> bool {
        self.left().is_zero() || self.probe.cancel.is_cancelled()
    }

    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    fn start(
        &self,
        args: &[OsString],
        max: usize,
        on_line: &mut dyn FnMut(&[u8]),
    ) -> Result<Finished, String> {
        if self.is_over() {
            return Err(self.too_slow());
        }
        let job = Job {
            program: self.program.as_os_str(),
            args: [&self.options, args].concat(),
            env: self.env.clone(),
            cwd: self.probe.cwd,
            stdin: b"",
            limit: self.left(),
            stdout: Keep { head: max, tail: 0 },
            stderr: Keep { head: 4096, tail: 0 },
        };
        process::run_with_lines(&job, self.probe.cancel, on_line)
            .map_err(|e| format!("`{}` could not be started: {e}", self.program.display()))
    }

    fn check(&self, done: &Finished) -> Result<(), String> {
        let ended = match done.end {
            End::Code(0) => return Ok(()),
            End::TimedOut => return Err(self.too_slow()),
            End::Cancelled => return Err("interrupted".into()),
            End::Code(code) => format!("git failed with exit code {code}"),
            End::Signal(signal) => format!("git was ended by signal {signal}"),
        };
        let errors = done.stderr.text();
        let line = errors.lines().map(one_line).find(|l| !l.is_empty());
        if line.as_ref().is_some_and(|l| l.contains("must be run in a work tree")) {
            return Err("this is a bare repository, it has no work tree".into());
        }
        let line = line.map(|l| l.trim_start_matches("fatal: ").to_string());
        Err(cut(&line.unwrap_or(ended), MAX_REASON).into_owned())
    }

    fn too_slow(&self) -> String {
        format!("git gave no answer within {:.1} s, given up", self.probe.limit.as_secs_f64())
    }

    /// Replaces every content filter by none. Filters are programs, and git would run them to
    /// compare a file: those of the repository are foreign, and Git LFS writes into `.git`. The
    /// price: a file that one covers may look changed when only its time is.
    fn disable_filters(&mut self, tree: &Tree) -> Result<(), String> {
        let mut names = self.filters(&[])?;
        for file in tree.submodule_configs() {
            names.extend(self.filters(&["--includes".into(), "--file".into(), file.into()])?);
        }
        let settings = names.iter().flat_map(|name| {
            let key =
                |key: &str| OsString::from_vec([b"filter.", &name[..], key.as_bytes()].concat());
            [(key(".clean"), ""), (key(".process"), ""), (key(".required"), "false")]
        });
        let settings: Vec<_> = settings.collect();
        // Not by `-c`, which a name with an equals sign would confuse (git 2.31).
        self.env.push(("GIT_CONFIG_COUNT".into(), Some(settings.len().to_string().into())));
        for (i, (key, value)) in settings.into_iter().enumerate() {
            self.env.push((format!("GIT_CONFIG_KEY_{i}").into(), Some(key)));
            self.env.push((format!("GIT_CONFIG_VALUE_{i}").into(), Some(value.into())));
        }
        Ok(())
    }

    /// The names of the filters that a configuration defines.
    fn filters(&self, source: &[OsString]) -> Result<BTreeSet<Vec<u8>>, String> {
        let mut args: Vec<OsString> = vec!["config".into()];
        args.extend_from_slice(source);
        args.extend(["-z", "--name-only", "--get-regexp", r"^filter\."].map(OsString::from));
        let done = self.start(&args, MAX_CONFIG, &mut |_| {})?;
        // 1: there are none.
        if done.end != End::Code(1) {
            self.check(&done)?;
        }
        Ok(parse_filters(&done.stdout.head))
    }
}
