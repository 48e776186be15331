//! Marks that one line, or two, carry by themselves: skipped tests, stubs, notes of open work,
//! failures that are silenced.

use crate::rules::findings::Topic;
use crate::rules::findings::changed::{Changed, File, folded};
use crate::rules::findings::{silenced, skipped, stubs, swallowed};

/// A mark that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    pub topic: Topic,
    /// What makes it the same one elsewhere.
    pub key: String,
    /// Index of the line.
    pub at: usize,
}

/// The marks in the lines of one side of a file, in order; one a line.
pub fn find(file: &File, lines: &[Changed]) -> Vec<Mark> {
    let one = |at: usize| {
        let (topic, key) = mark(file, lines, at)?;
        Some(Mark { topic, key, at })
    };
    (0..lines.len()).filter_map(one).collect()
}

fn mark(file: &File, lines: &[Changed], at: usize) -> Option<(Topic, String)> {
    let Changed { line, text, .. } = &lines[at];
    let whole = || folded(text);
    if let Some(found) = silenced::silenced(file, line, text) {
        return Some(found);
    }
    if !file.lang.is_program() {
        return None;
    }
    if skipped::skips(file, line) {
        return Some((Topic::Skipped, whole()));
    }
    if skipped::is_always_true(file.lang, line) {
        return Some((Topic::AlwaysTrue, whole()));
    }
    if swallowed::swallows(file.lang, lines, at) {
        return Some((Topic::Swallowed, whole()));
    }
    if !file.is_test && stubs::is_stub(file, lines, at) {
        return Some((Topic::Stub, whole()));
    }
    stubs::open_note(&line.comment).map(|note| (Topic::OpenNote, note))
}

/// Whether a name or call stands in the code and is not the end of a longer name.
pub fn has_word(code: &str, word: &str) -> bool {
    code.match_indices(word)
        .any(|(at, _)| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}
