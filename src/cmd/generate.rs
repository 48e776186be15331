//! `ccc completions`, `ccc man`: made from the one definition of the command line.

use clap::CommandFactory;

use crate::cli::Cli;
use crate::cmd::Context;
use crate::error::{Error, Exit, Result};

/// Prints completions for a shell.
pub fn completions(context: &Context, shell: clap_complete::Shell) -> Result<Exit> {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "ccc", &mut out);
    context.print(&String::from_utf8_lossy(&out))?;
    Ok(Exit::Ok)
}

/// Prints the man page, roff.
pub fn man(context: &Context) -> Result<Exit> {
    let mut out = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut out).map_err(Error::Stdout)?;
    context.print(&String::from_utf8_lossy(&out))?;
    Ok(Exit::Ok)
}
