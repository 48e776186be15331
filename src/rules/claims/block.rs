//! The fields of the RALPH_STATUS block beside the facts.

use super::{Facts, Line, Rank, tests};
use crate::rules::git::{Git, Since};
use crate::rules::runs::{self, Run};
use crate::rules::status_block::{self, Status, StatusBlock, TestsStatus};

/// What the block says; empty when the message has none.
pub fn lines(message: &str, facts: &Facts) -> Vec<Line> {
    let Some(block) = status_block::find(message) else { return Vec::new() };
    let mut out: Vec<Line> = Vec::new();
    let problem = |text: &String| Line {
        says: "something in its RALPH_STATUS block".into(),
        fact: text.clone(),
        rank: Rank::Against,
    };
    out.extend(block.problems.iter().map(problem));
    out.extend(files(&block, facts));
    out.extend(tests_status(&block, facts));
    out.extend(signal(&block));
    out
}

/// FILES_MODIFIED. A smaller number may count one turn of several, so it contradicts only when
/// it is 0.
fn files(block: &StatusBlock, facts: &Facts) -> Option<Line> {
    let said: usize = block.field("FILES_MODIFIED")?.parse().ok()?;
    let says = format!("FILES_MODIFIED: {said}");
    let line = |fact: String, rank: Rank| Some(Line { says: says.clone(), fact, rank });
    let git = facts.git?;
    let work = match git {
        Git::Unavailable(_) => return line("git tells nothing of it".into(), Rank::Unknown),
        Git::Work(work) => work,
    };
    let was_before = |path: &String| work.changes.iter().any(|c| c.was_before && c.path == *path);
    let all = git.changed_files().unwrap_or_default();
    let count = all.iter().filter(|path| !was_before(path)).count();
    if work.since == Since::Unknown {
        let fact = format!("git shows {count} changed, since when is not known");
        return line(fact, if said == count { Rank::For } else { Rank::Unknown });
    }
    let fact = format!("git shows {count} changed since the request");
    match said {
        n if n == count => line(fact, Rank::For),
        n if n > count || n == 0 => line(fact, Rank::Against),
        _ => line(fact, Rank::Unknown),
    }
}

fn tests_status(block: &StatusBlock, facts: &Facts) -> Option<Line> {
    let runs = runs::of(facts.activity);
    let last: Option<&Run> = runs.iter().rev().find(|run| run.is_test());
    match (block.tests_status()?, last) {
        (TestsStatus::Passing, _) => {
            Some(Line { says: "TESTS_STATUS: PASSING".into(), ..tests(None, false, facts) })
        }
        (TestsStatus::Failing, Some(run)) if run.is_good() => Some(Line {
            says: "TESTS_STATUS: FAILING".into(),
            fact: format!("the last test command was {}, {}", run.name(), run.ended()),
            rank: Rank::Unknown,
        }),
        (TestsStatus::NotRun, Some(run)) => Some(Line {
            says: "TESTS_STATUS: NOT_RUN".into(),
            fact: format!("{} was run, {}", run.name(), run.ended()),
            rank: Rank::Against,
        }),
        (TestsStatus::Failing | TestsStatus::NotRun, _) => None,
    }
}

/// A signal that says that work is left, at a stop.
fn signal(block: &StatusBlock) -> Option<Line> {
    let is_open = block.exit_signal == Some(false) || block.status() == Some(Status::InProgress);
    is_open.then(|| Line {
        says: "in its RALPH_STATUS block that work is left".into(),
        fact: "it stopped all the same".into(),
        rank: Rank::Unknown,
    })
}
