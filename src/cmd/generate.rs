//! `ccc completions`, `ccc man`: made from the one definition of the command line.

use std::io::{self, Write};

use clap::{Command, CommandFactory};
use clap_mangen::Man;

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

/// Prints the man page, roff: one page that has the subcommands, too.
pub fn man(context: &Context) -> Result<Exit> {
    let mut command = Cli::command();
    command.build();
    let mut out = Vec::new();
    Man::new(command.clone()).render(&mut out).map_err(Error::Stdout)?;
    for subcommand in shown(&command) {
        section(subcommand, &mut out).map_err(Error::Stdout)?;
    }
    context.print(&String::from_utf8_lossy(&out))?;
    Ok(Exit::Ok)
}

fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help")
}

/// The section of a subcommand, then those of its own subcommands.
fn section(command: &Command, out: &mut Vec<u8>) -> io::Result<()> {
    let name = command.get_bin_name().unwrap_or(command.get_name());
    writeln!(out, ".SH \"{}\"", name.to_uppercase())?;
    let page = Man::new(command.clone());
    let mut body = Vec::new();
    page.render_synopsis_section(&mut body)?;
    page.render_description_section(&mut body)?;
    page.render_options_section(&mut body)?;
    // What would be sections of a page of its own are parts of a section here.
    out.extend(String::from_utf8_lossy(&body).replace(".SH ", ".SS ").into_bytes());
    shown(command).try_for_each(|subcommand| section(subcommand, out))
}
