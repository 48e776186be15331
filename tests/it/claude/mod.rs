//! The real Claude Code under supervision, with a scripted model.

mod ends;
mod evidence;
mod failures;
mod fork;
mod forms;
mod noticed;
mod rounds;
mod watched;

use crate::support::model::{Reply, Request, Role, says, writes};

/// A worker that claims at first what it has not done, and a reviewer that looks.
fn forgetful(request: &Request) -> Reply {
    match (request.role, request.number) {
        (Role::Reviewer, 0) => request.verdict(false, "notes.txt is missing: write it."),
        (Role::Reviewer, _) => request.verdict(true, ""),
        (_, 0) => says("All done."),
        (_, 1) => writes("notes.txt", "notes\n"),
        _ => says("Now notes.txt is written."),
    }
}

/// A worker that only talks, and a reviewer that is never content.
fn endless(request: &Request) -> Reply {
    match request.role {
        Role::Reviewer => request.verdict(false, &format!("Point {} is open.", request.number)),
        _ => says(&format!("Done, {} times over.", request.number)),
    }
}

/// A worker that says it is done, and a reviewer that agrees.
fn content(request: &Request) -> Reply {
    match request.role {
        Role::Reviewer => request.verdict(true, ""),
        _ => says("Done."),
    }
}

fn outcomes<const N: usize>(want: [(&str, &str); N]) -> Vec<(String, String)> {
    want.map(|(decision, reason)| (decision.to_owned(), reason.to_owned())).to_vec()
}
