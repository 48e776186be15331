//! Calls the user back to a session that needs him, or that ended after a long time.

use std::ffi::OsStr;
use std::time::Duration;

use crate::clients::reply::Reply;
use crate::cmd::hook::Session;
use crate::env;
use crate::rules::notify::{self, Call};
use crate::rules::outcome::Decision;
use crate::rules::stop::Client;
use crate::sys::process::{self, Job, Keep};
use crate::sys::signals::Cancel;

/// Longest run of the user's command: the client waits for the answer meanwhile.
const LIMIT: Duration = Duration::from_secs(2);
/// What the command is told on standard input beside: `needs_you` or `ended`.
const WHY: &str = "CCC_NOTIFY";

/// Adds the terminal's sequence to the answer, and runs the configured command. `lasted` are the
/// seconds since the user's prompt.
pub fn notify(session: &Session, decision: &Decision, lasted: u64, reply: Reply) -> Reply {
    let config = &session.loaded.config.notify;
    let Some(call) = notify::call(config, decision, lasted) else { return reply };
    let text = notify::text(decision, &session.project.to_string_lossy());
    if let Some(command) = &config.command {
        run(session, command, call, &text);
    }
    // Only Claude Code is known to take the field.
    match config.terminal.sequence(&text).filter(|_| session.stop.client == Client::Claude) {
        Some(sequence) => reply.with_terminal_sequence(&sequence),
        None => reply,
    }
}

/// A command that fails or hangs is the user's affair, and never changes the answer.
fn run(session: &Session, command: &str, call: Call, text: &str) {
    let job = Job {
        program: OsStr::new("/bin/sh"),
        args: vec!["-c".into(), command.into()],
        env: vec![
            (env::SUPERVISING.into(), Some("1".into())),
            (WHY.into(), Some(call.name().into())),
        ],
        cwd: &session.work_dir,
        stdin: text.as_bytes(),
        limit: LIMIT,
        stdout: Keep::default(),
        stderr: Keep::default(),
    };
    let _ = process::run(&job, &Cancel::on_signals());
}
