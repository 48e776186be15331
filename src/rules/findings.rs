//! What a diff shows of weakened tests, silenced failures and unfinished code. Facts for a judge:
//! each may be right, or asked for. Text that only moved is no fact.

mod asserts;
mod changed;
mod commands;
mod gone;
mod guards;
mod marks;
mod silenced;
mod skipped;
mod source;
mod stubs;
mod swallowed;
#[cfg(test)]
mod tests;

use crate::rules::activity::Activity;
use crate::rules::diff;
use crate::rules::text::{cut, one_line};
use changed::{Changed, File};
use marks::Mark;

/// Most facts that are listed, of all and of one topic.
const MAX_LINES: usize = 24;
const MAX_OF_TOPIC: usize = 5;
/// Longest quotation, in characters.
const MAX_QUOTE: usize = 110;

/// What a fact is about, the most telling first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    Guard,
    TestGone,
    Skipped,
    AlwaysTrue,
    AssertionGone,
    Loosened,
    Silenced,
    HooksSkipped,
    Stub,
    Swallowed,
    OpenNote,
    CheckChanged,
    Expected,
}

impl Topic {
    fn title(self) -> &'static str {
        match self {
            Self::Guard => "changed",
            Self::TestGone => "test removed",
            Self::Skipped => "test skipped, or others left out",
            Self::AlwaysTrue => "assertion that always holds",
            Self::AssertionGone => "assertion removed",
            Self::Loosened => "assertion that demands less",
            Self::Silenced => "failure not let through",
            Self::HooksSkipped => "hooks left out",
            Self::Stub => "stub",
            Self::Swallowed => "handler that catches all and does nothing",
            Self::OpenNote => "note of open work",
            Self::CheckChanged => "changed definition of a check",
            Self::Expected => "expected value changed",
        }
    }
}

/// One fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub topic: Topic,
    /// `path:line`, or the path alone.
    place: String,
    what: String,
}

impl Finding {
    fn of_file(topic: Topic, path: &str, what: String) -> Self {
        Self { topic, place: path.to_owned(), what }
    }

    fn added(topic: Topic, path: &str, line: &Changed) -> Self {
        Self { topic, place: format!("{path}:{}", line.number), what: quoted(line.text) }
    }

    /// A line that went; `what` stands before its text.
    fn removed(topic: Topic, path: &str, line: &Changed, what: String) -> Self {
        let place = format!("{path}, line {} before", line.number);
        Self { topic, place, what: what + &quoted(line.text) }
    }

    fn changed(topic: Topic, path: &str, line: &Changed, is_added: bool) -> Self {
        match is_added {
            true => Self::added(topic, path, line),
            false => Self::removed(topic, path, line, "without ".into()),
        }
    }

    fn replaced(topic: Topic, path: &str, old: &Changed, new: &Changed) -> Self {
        let what = format!("{}, before {}", quoted(new.text), quoted(old.text));
        Self { topic, place: format!("{path}:{}", new.number), what }
    }
}

fn quoted(text: &str) -> String {
    format!("`{}`", cut(&one_line(text), MAX_QUOTE).replace('`', "'"))
}

/// What the facts are read from.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// Unified diff of the work, not cut for display.
    pub patch: &'a str,
    /// Every changed file.
    pub paths: &'a [String],
    /// Command lines of ccc's checks.
    pub checks: &'a [String],
    pub activity: &'a Activity,
}

/// The facts, one a line; empty when there is none.
pub fn render(sources: &Sources) -> String {
    let diff = diff::parse(sources.patch);
    let mut found = find(&diff, sources);
    found.extend(commands::find(sources.activity));
    let mut lines = lines(found);
    if !lines.is_empty() && sources.patch.contains("\n[... the rest of this file") {
        lines.push("- the diff is too long: not all of it was searched".into());
    }
    lines.join("\n")
}

fn find(diff: &[diff::FileDiff], sources: &Sources) -> Vec<Finding> {
    let files = changed::read(diff);
    let gone = gone::find(&files);
    let mut found = guards::find(sources.paths, &files, sources.checks);
    for (i, file) in files.iter().enumerate() {
        found.extend(asserts::find(file, |number| gone.holds(i, number)));
    }
    found.extend(gone.findings);
    found.extend(new_marks(&files));
    found
}

/// Marks that came. One that went with the same text anywhere, or of the same topic at the same
/// place, was only moved or reworded.
fn new_marks(files: &[File]) -> Vec<Finding> {
    let mut went: Vec<(usize, u32, Mark)> = Vec::new();
    for (i, file) in files.iter().enumerate() {
        let marks = marks::find(file, &file.removed);
        went.extend(marks.into_iter().map(|mark| (i, file.removed[mark.at].anchor, mark)));
    }
    let mut came: Vec<(usize, Mark)> = Vec::new();
    for (i, file) in files.iter().enumerate() {
        came.extend(marks::find(file, &file.added).into_iter().map(|mark| (i, mark)));
    }
    came.retain(|(_, mark)| {
        let same =
            |(_, _, old): &(usize, u32, Mark)| old.topic == mark.topic && old.key == mark.key;
        went.iter().position(same).map(|at| went.swap_remove(at)).is_none()
    });
    came.retain(|(i, mark)| {
        let anchor = files[*i].added[mark.at].anchor;
        let same = |(file, at, old): &(usize, u32, Mark)| {
            (file, *at, old.topic) == (i, anchor, mark.topic)
        };
        went.iter().position(same).map(|at| went.swap_remove(at)).is_none()
    });
    let one = |(i, mark): (usize, Mark)| {
        Finding::added(mark.topic, files[i].path, &files[i].added[mark.at])
    };
    came.into_iter().map(one).collect()
}

/// The most telling ones, and how many are left out.
fn lines(mut found: Vec<Finding>) -> Vec<String> {
    found.sort_by_key(|finding| finding.topic);
    let mut out: Vec<String> = Vec::new();
    for group in found.chunk_by(|a, b| a.topic == b.topic) {
        let room = MAX_LINES.saturating_sub(out.len()).min(MAX_OF_TOPIC);
        let one = |f: &Finding| format!("- {}: {} ({})", f.topic.title(), f.what, f.place);
        out.extend(group.iter().take(room).map(one));
        let more = group.len().saturating_sub(room);
        if more > 0 {
            out.push(format!("- {}: {more} more", group[0].topic.title()));
        }
    }
    out
}
