//! The subcommands, one file each, and what they share: the environment and the output.

pub mod demo;
pub mod doctor;
pub mod evidence;
pub mod generate;
pub mod hook;
pub mod install;
pub mod log;
pub mod monitor;
pub mod prompt;
pub mod ralph;
pub mod replay;
pub mod reset;
pub mod status;
pub mod status_block;
pub mod switch;
pub mod trust;
pub mod uninstall;
pub mod why;
pub mod wiring;

use std::io::{self, Write};
use std::path::PathBuf;

use crate::env::Env;
use crate::error::{Error, Result};
use crate::paths::{self, Paths};

/// What every command starts from.
#[derive(Debug)]
pub struct Context {
    pub env: Env,
    /// The project that the command is called in.
    pub project: PathBuf,
}

impl Context {
    /// The project is told from the process's directory.
    pub fn new(env: Env) -> Self {
        let project = paths::project_dir(&env, None);
        Self { env, project }
    }

    /// The user's directories.
    ///
    /// # Errors
    /// No home directory is known.
    pub fn paths(&self) -> Result<Paths> {
        Paths::from_env(&self.env)
    }

    /// Writes to standard output.
    ///
    /// # Errors
    /// It is closed or full.
    pub fn print(&self, text: &str) -> Result<()> {
        let mut out = io::stdout().lock();
        let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
        let written = out.write_all(text.as_bytes()).and_then(|()| out.write_all(end.as_bytes()));
        written.and_then(|()| out.flush()).map_err(Error::Stdout)
    }

    /// Writes one line to standard error; nobody can be told if that fails.
    pub fn warn(&self, text: &str) {
        let _ = writeln!(io::stderr(), "ccc: {text}");
    }
}
