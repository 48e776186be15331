//! The changed lines of a diff, read as source, with what moved told from what is new.

use std::collections::HashMap;

use crate::rules::diff::{FileDiff, Kind};
use crate::rules::findings::source::{Lang, Line, is_test_path};

/// A file of the diff.
#[derive(Debug)]
pub struct File<'a> {
    pub path: &'a str,
    pub kind: Kind,
    pub lang: Lang,
    pub is_test: bool,
    pub added: Vec<Changed<'a>>,
    pub removed: Vec<Changed<'a>>,
}

/// A line that came or went.
#[derive(Debug)]
pub struct Changed<'a> {
    /// From 1, in the new file for an added line and in the old one for a removed line.
    pub number: u32,
    /// How many unchanged lines stand before it. What was replaced and what it was replaced with
    /// have the same one.
    pub anchor: u32,
    pub text: &'a str,
    pub line: Line,
    /// The same text went or came elsewhere in the diff, blanks aside.
    pub is_moved: bool,
}

/// Reads the files of a diff.
pub fn read(diff: &[FileDiff]) -> Vec<File<'_>> {
    let mut files: Vec<File> = diff.iter().filter(|file| !file.is_binary).map(file).collect();
    mark_moved(&mut files);
    files
}

fn file(diff: &FileDiff) -> File<'_> {
    let lang = Lang::of(&diff.path);
    File {
        path: &diff.path,
        kind: diff.kind,
        lang,
        is_test: is_test_path(&diff.path),
        added: side(lang, &diff.added),
        removed: side(lang, &diff.removed),
    }
}

fn side(lang: Lang, lines: &[(u32, String)]) -> Vec<Changed<'_>> {
    lines
        .iter()
        .zip(0_u32..)
        .map(|((number, text), before)| Changed {
            number: *number,
            anchor: number.saturating_sub(before),
            text,
            line: Line::read(lang, text),
            is_moved: false,
        })
        .collect()
}

/// Pairs every removed line with an added one of the same text, as often as both occur.
fn mark_moved(files: &mut [File]) {
    let mut removed: HashMap<String, usize> = HashMap::new();
    let mut added: HashMap<String, usize> = HashMap::new();
    for file in files.iter() {
        file.removed.iter().for_each(|l| *removed.entry(folded(l.text)).or_default() += 1);
        file.added.iter().for_each(|l| *added.entry(folded(l.text)).or_default() += 1);
    }
    for file in files {
        take(&mut file.added, &mut removed);
        take(&mut file.removed, &mut added);
    }
}

fn take(lines: &mut [Changed], others: &mut HashMap<String, usize>) {
    for line in lines {
        let Some(left) = others.get_mut(&folded(line.text)).filter(|left| **left > 0) else {
            continue;
        };
        *left -= 1;
        line.is_moved = true;
    }
}

/// Text without the blanks that tell nothing.
pub fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::diff;

    #[test]
    fn what_was_replaced_shares_its_place_and_what_moved_is_known() {
        let patch = "diff --git a/x.rs b/x.rs\n@@ -1,5 +1,6 @@\n a\n-old\n+new\n+newer\n b\n-gone\n c\n\
                     diff --git a/y.rs b/y.rs\n@@ -0,0 +1 @@\n+  gone\n";
        let diff = diff::parse(patch);
        let files = read(&diff);
        let anchors = |lines: &[Changed]| lines.iter().map(|l| l.anchor).collect::<Vec<_>>();
        assert_eq!(anchors(&files[0].removed), [2, 3]);
        assert_eq!(anchors(&files[0].added), [2, 2]);
        assert!(files[1].added[0].is_moved && files[0].removed[1].is_moved);
        assert!(!files[0].added[0].is_moved);
    }
}
