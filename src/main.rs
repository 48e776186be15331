//! `ccc`: a Stop hook that has an independent supervisor check whether the work is really done.
//!
//! Parses, dispatches, prints an error, and maps it to an exit code. The only caller of
//! `process::exit`, by way of [`ExitCode`].

mod cli;
mod clients;
mod cmd;
mod config;
mod env;
mod error;
mod paths;
mod rules;
mod sys;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Command};
use crate::cmd::Context;
use crate::env::Env;
use crate::error::{Exit, Result};

fn main() -> ExitCode {
    // Every stop of every session pays for this path, so it does without the command line parser.
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == "hook") && words.next().is_none() {
        return ExitCode::from(cmd::hook::main(None, &Env::snapshot()));
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => return explain(&e),
    };
    if let Command::Hook(args) = &cli.command {
        return ExitCode::from(cmd::hook::main(args.client.map(Into::into), &Env::snapshot()));
    }
    let code = match run(&cli.command, &Context::new(Env::snapshot())) {
        Ok(exit) => exit,
        Err(e) => {
            if !e.is_silent() {
                let _ = writeln!(std::io::stderr(), "ccc: {e}");
            }
            e.exit()
        }
    };
    ExitCode::from(code as u8)
}

/// Help and version go to standard output. Wrong usage is one line and exit 64: clap's own 2 would
/// mean *block* to a client.
fn explain(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::from(Exit::Ok as u8);
    }
    let text = error.render().to_string();
    let mut lines = text.lines().map(str::trim).filter(|l| !l.is_empty());
    let first = lines.next().unwrap_or_default();
    let missing = lines.take_while(|l| l.starts_with('<') || l.starts_with('-'));
    let what = missing.fold(first.trim_start_matches("error: ").to_owned(), |all, l| all + " " + l);
    let _ = writeln!(std::io::stderr(), "ccc: {what} (see `ccc --help`)");
    ExitCode::from(Exit::Usage as u8)
}

fn run(command: &Command, context: &Context) -> Result<Exit> {
    match command {
        Command::Hook(_) => Ok(Exit::Ok),
        Command::Install(args) => cmd::install::run(context, args),
        Command::Uninstall(args) => cmd::uninstall::run(context, args),
        Command::On(args) => cmd::switch::run(context, args, true),
        Command::Off(args) => cmd::switch::run(context, args, false),
        Command::Status(args) => cmd::status::run(context, args),
        Command::Reset(args) => cmd::reset::run(context, args),
        Command::Monitor(args) => cmd::monitor::run(context, args),
        Command::Log(args) => cmd::log::run(context, args),
        Command::Why(args) => cmd::why::run(context, args),
        Command::Replay(args) => cmd::replay::run(context, args),
        Command::Prompt => cmd::prompt::run(context),
        Command::Evidence(args) => cmd::evidence::run(context, args),
        Command::StatusBlock(args) => cmd::status_block::run(context, args),
        Command::Trust => cmd::trust::allow(context),
        Command::Untrust => cmd::trust::revoke(context),
        Command::Demo(args) => cmd::demo::run(context, args),
        Command::Ralph(args) => cmd::ralph::run(context, args),
        Command::Doctor(args) => cmd::doctor::run(context, args),
        Command::Completions { shell } => cmd::generate::completions(context, *shell),
        Command::Man => cmd::generate::man(context),
    }
}
