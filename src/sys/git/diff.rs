//! The diff of the work tree, asked for by plumbing: it reads less of the user's configuration
//! than `git diff`, and never refreshes the index, which `git diff` does behind a lock.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;

use crate::rules::git::{Change, ChangeKind, PatchReader, Section, Status, is_named_only};
use crate::sys::git::command::Command;
use crate::sys::git::tree::Tree;

/// The empty tree, by the length of the repository's hashes.
const EMPTY_TREE_SHA1: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const EMPTY_TREE_SHA256: &str = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74de5321f8";
/// Hidden texts beyond this are named only: git takes long with many names.
const MAX_HIDDEN: usize = 20;

const OPTIONS: [&str; 13] = [
    "--patch",
    "-M",
    "-l400",
    "-U3",
    "--inter-hunk-context=0",
    "--full-index",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=none",
    "--submodule=short",
    "--src-prefix=a/",
    "--dst-prefix=b/",
];

/// What the work tree is compared with.
#[derive(Clone, Copy, Debug)]
enum Base<'a> {
    /// A commit, or the empty tree.
    Tree(&'a str),
    /// HEAD, and the index is the same: git needs not read a tree.
    Index,
}

impl<'a> Base<'a> {
    /// `moved_from` as in [`read`].
    fn new(status: &'a Status, moved_from: Option<Option<&'a str>>) -> Self {
        let empty = if status.hash_len == 64 { EMPTY_TREE_SHA256 } else { EMPTY_TREE_SHA1 };
        let is_staged = |c: &Change| c.is_staged || matches!(c.kind, ChangeKind::Conflicted(_));
        match moved_from {
            None if !status.changes.iter().any(is_staged) => Self::Index,
            None => Self::Tree(status.head.as_deref().unwrap_or(empty)),
            Some(commit) => Self::Tree(commit.unwrap_or(empty)),
        }
    }
}

/// The differences, one section a file. `moved_from` is the baseline's commit where HEAD has left
/// it; a `None` in it is the time before the first commit.
///
/// # Errors
/// One line that says why there is no answer.
pub fn read(
    git: &Command,
    tree: Option<&Tree>,
    status: &Status,
    moved_from: Option<Option<&str>>,
) -> Result<Vec<Section>, String> {
    let base = &Base::new(status, moved_from);
    let is_tracked = |c: &Change| !matches!(c.kind, ChangeKind::Untracked | ChangeKind::Nested);
    if matches!(base, Base::Index) && !status.changes.iter().any(is_tracked) {
        return Ok(Vec::new());
    }
    // No names are given: with a few hundred of them `diff-index` takes 5 s for 50,000 files (git
    // 2.47.3), without them 0.2 s.
    let mut sections = ask(git, base, &[], Vec::new())?;
    if let Some(tree) = tree {
        reveal(git, tree, &status.changes, base, &mut sections);
    }
    Ok(sections)
}

/// Attributes (`-diff`, `binary`) can hide a text from the diff. What reads as a text is asked for
/// as one.
fn reveal(git: &Command, tree: &Tree, changes: &[Change], base: &Base, sections: &mut [Section]) {
    let bytes = |s: &Section| {
        let change = changes.iter().find(|c| c.path == s.path);
        change.map_or_else(|| s.path.clone().into_bytes(), |c| c.bytes.clone())
    };
    let is_hidden = |s: &&Section| s.is_binary() && is_named_only(&s.path).is_none();
    let hidden = sections.iter().filter(is_hidden).map(bytes).filter(|name| tree.is_text(name));
    let names = hidden.take(MAX_HIDDEN).map(|name| {
        let spec = [b":(top,literal)", &name[..]].concat();
        OsString::from_vec(spec)
    });
    let names: Vec<OsString> = names.collect();
    if names.is_empty() {
        return;
    }
    // On failure the file stays named as binary.
    for text in ask(git, base, &["--text"], names).unwrap_or_default() {
        if let Some(section) = sections.iter_mut().find(|s| s.path == text.path) {
            *section = text;
        }
    }
}

fn ask(
    git: &Command,
    base: &Base,
    more: &[&str],
    names: Vec<OsString>,
) -> Result<Vec<Section>, String> {
    let (command, tree) = match base {
        Base::Tree(tree) => ("diff-index", Some(*tree)),
        Base::Index => ("diff-files", None),
    };
    let words = [command].into_iter().chain(OPTIONS).chain(more.iter().copied());
    let words = words.chain(tree).chain(["--"]).map(|word| OsStr::new(word).to_owned());
    let args: Vec<OsString> = words.chain(names).collect();
    let mut reader = PatchReader::default();
    git.run_with_lines(&args, &mut |line| reader.line(line))?;
    Ok(reader.finish())
}
