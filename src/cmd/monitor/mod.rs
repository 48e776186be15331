//! `ccc monitor`: the supervised sessions, once or live. Reads state, and writes it only where a key
//! asks for it (`on`, `off`, `reset`).

mod clipboard;
mod data;
mod details;
mod frame;
mod look;
mod plain;
#[cfg(test)]
mod sample;
mod screen;
mod sixteen;
mod source;
mod table;
mod tmux;
mod view;

use std::io::{self, IsTerminal};
use std::time::Duration;

use crate::cli::MonitorArgs;
use crate::cmd::Context;
use crate::cmd::monitor::source::Source;
use crate::error::{Exit, Result};
use crate::sys::signals::Cancel;

/// Pause between two looks at the files.
const REFRESH: Duration = Duration::from_millis(500);
/// Width of a frame that no terminal limits, in columns.
const PLAIN_WIDTH: usize = 120;

/// Prints one frame, or goes on until `q` or Ctrl-C.
pub fn run(context: &Context, args: &MonitorArgs) -> Result<Exit> {
    if args.tmux {
        return tmux::run(context, &args.command);
    }
    let mut source = Source::new(context)?;
    if args.json {
        context.print(&format!("{:#}", data::all(&mut source)))?;
        return Ok(Exit::Ok);
    }
    if args.once {
        context.print(&plain::frame(&mut source, width()))?;
        return Ok(Exit::Ok);
    }
    let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    if is_terminal && !context.env.is_dumb {
        return screen::run(context, &mut source);
    }
    follow(context, &mut source)
}

/// A new frame whenever something changed.
fn follow(context: &Context, source: &mut Source) -> Result<Exit> {
    let cancel = Cancel::on_signals();
    context.print(&plain::frame(source, width()))?;
    while !cancel.is_cancelled() {
        std::thread::sleep(REFRESH);
        if source.refresh() {
            context.print(&plain::frame(source, width()))?;
        }
    }
    Ok(Exit::Interrupted)
}

fn width() -> usize {
    let size = crossterm::terminal::size().ok().filter(|_| io::stdout().is_terminal());
    size.map_or(PLAIN_WIDTH, |(columns, _)| usize::from(columns).max(1))
}
