//! The one error type of the commands, and the closed list of exit codes.
//!
//! The hook's path has no use for the codes here: whatever fails there becomes an allowed stop.

use std::io;
use std::path::{Path, PathBuf};

/// Exit codes of every command but `hook`.
///
/// 2 is missing on purpose: to a client an exit of 2 means *block*, so a stale flag in a settings
/// file must never produce it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Ok = 0,
    /// A problem that the message explains.
    Problem = 1,
    /// Called wrongly (`EX_USAGE` of `sysexits.h`).
    Usage = 64,
    /// Interrupted by the user (128 + SIGINT).
    Interrupted = 130,
}

/// What went wrong: one sentence that says what failed, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Reading, writing or listing `path` failed. `verb` is the action ("read", "write", ..).
    #[error("cannot {verb} `{}`: {source}", path.display())]
    Io { verb: &'static str, path: PathBuf, source: io::Error },
    /// A file that does not parse. Line and column are counted from 1.
    #[error("`{}` line {line}, column {column}: {problem}", path.display())]
    Syntax { path: PathBuf, line: usize, column: usize, problem: String },
    /// Anything else the user can mend; the text is the whole sentence.
    #[error("{0}")]
    Problem(String),
    /// Wrong words on the command line, found after clap was content.
    #[error("{0}")]
    Usage(String),
    /// The user pressed Ctrl-C, or the process was told to end.
    #[error("interrupted")]
    Interrupted,
    /// Standard output could not be written.
    #[error("cannot write to standard output: {0}")]
    Stdout(#[source] io::Error),
}

/// Result of the commands.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An [`Error::Problem`] from anything that reads as a sentence.
    pub fn problem(text: impl Into<String>) -> Self {
        Self::Problem(text.into())
    }

    /// The exit code that this error ends a command with.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Usage(_) => Exit::Usage,
            Self::Interrupted => Exit::Interrupted,
            // The reader went away (`| head`): nobody is left to be told.
            Self::Stdout(e) if e.kind() == io::ErrorKind::BrokenPipe => Exit::Ok,
            Self::Io { .. } | Self::Syntax { .. } | Self::Problem(_) | Self::Stdout(_) => {
                Exit::Problem
            }
        }
    }

    /// Whether the error is worth a line on standard error.
    pub fn is_silent(&self) -> bool {
        matches!(self, Self::Stdout(e) if e.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// Adds the action and the path to an [`io::Result`].
pub trait PathContext<T> {
    /// Turns the error into an [`Error::Io`].
    fn at(self, verb: &'static str, path: &Path) -> Result<T>;
}

impl<T> PathContext<T> for io::Result<T> {
    fn at(self, verb: &'static str, path: &Path) -> Result<T> {
        self.map_err(|source| Error::Io { verb, path: path.to_path_buf(), source })
    }
}
