//! `ccc ralph`: works through a list of stories. Each iteration gives one story to an executor in
//! a fresh context and believes the story's validation alone.

mod init;
mod list;
mod project;
mod status;
mod story;

use crate::cli::{RalphArgs, RalphCommand};
use crate::cmd::Context;
use crate::error::{Exit, Result};
use project::Project;

/// Runs one subcommand of the loop.
pub fn run(context: &Context, args: &RalphArgs) -> Result<Exit> {
    let project = Project::open(context)?;
    match &args.command {
        RalphCommand::Init(args) => init::run(&project, args),
        RalphCommand::Story(args) => story::run(&project, args),
        RalphCommand::Status(args) => status::run(&project, args),
    }
}
