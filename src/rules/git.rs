//! What git says about the work, as values: changes, commits, the diff, and a fingerprint of it
//! all. Reading git's output is in `parse`, the streamed diff in `patch`, words in `render`.

mod parse;
mod patch;
mod render;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use parse::{
    LOG_FORMAT, Status, parse_filters, parse_log, parse_status, parse_submodule_paths,
};
pub use patch::{PatchReader, Section, is_named_only, new_file_section};

/// More files than this are not remembered in a [`Baseline`].
const MAX_BASELINE_FILES: usize = 2000;

/// What git could tell.
#[derive(Clone, Debug)]
pub enum Git {
    /// One line that says why it could tell nothing.
    Unavailable(String),
    Work(Box<Work>),
}

/// The state of a work tree, beside a [`Baseline`] where there is one.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// The commit that is checked out; `None` before the first one.
    pub head: Option<String>,
    /// `None` when HEAD is detached.
    pub branch: Option<String>,
    /// The branch that this one follows.
    pub upstream: Option<Upstream>,
    /// Where in the repository git was asked, when that is not its top.
    pub subdirectory: Option<String>,
    pub since: Since,
    /// Newest first. What they mean is in `since`.
    pub commits: Vec<Commit>,
    /// There are more commits than the list holds.
    pub has_more_commits: bool,
    pub changes: Vec<Change>,
    /// Files with a change at the baseline that have none any more.
    pub no_longer: Vec<String>,
    /// Unified diff of the work and of new text files, each file and the whole capped.
    pub patch: String,
    /// Files whose diff is not in `patch`, with the reason.
    pub not_shown: Vec<String>,
    /// Other facts, and what is missing from this report, one sentence each.
    pub notes: Vec<String>,
    /// SHA-256 in hex of everything that makes the work; `None` when something of it is unknown.
    pub fingerprint: Option<String>,
}

impl Work {
    /// The texts that are cut to fit, but no names of files: those are compared.
    pub fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let subjects = self.commits.iter_mut().map(|commit| &mut commit.subject);
        subjects.chain(&mut self.notes).chain([&mut self.patch])
    }
}

/// A branch that another one follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upstream {
    pub name: String,
    /// Commits that only the own branch has, and that only this one has; `None` when not counted.
    pub ahead: Option<u32>,
    pub behind: Option<u32>,
}

/// What [`Work::commits`] are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Since {
    /// The newest few of the branch: there is no baseline, or git does not know its commit.
    #[default]
    Unknown,
    /// The newest few, all of them older than the request: HEAD has not moved.
    Unmoved,
    /// Made since the baseline.
    Moved,
}

/// A commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    pub hash: String,
    pub subject: String,
    /// As git words it: `3 minutes ago`.
    pub age: String,
    /// It was there at the baseline and is not in the history of HEAD any more.
    pub is_lost: bool,
    /// Changed files, as `kind: name`.
    pub files: Vec<String>,
    /// The names alone.
    pub paths: Vec<String>,
}

/// What happened to a file, against HEAD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
    Renamed,
    Copied,
    TypeChanged,
    Untracked,
    /// An untracked repository: what changes inside, git does not tell.
    Nested,
    /// A conflict, in words.
    Conflicted(&'static str),
}

/// A changed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The name for people: UTF-8, on one line.
    pub path: String,
    /// The name as it is on disk, from the top of the repository.
    pub bytes: Vec<u8>,
    pub old_path: Option<String>,
    pub old_bytes: Option<Vec<u8>>,
    pub kind: ChangeKind,
    pub is_staged: bool,
    pub is_unstaged: bool,
    /// For a submodule: what is changed in it.
    pub submodule: Option<String>,
    /// Its content may change without any change of git's answer.
    pub is_opaque: bool,
    /// State code, modes and index content: one half of what a baseline remembers.
    pub index: String,
    /// It was like this at the baseline.
    pub was_before: bool,
    /// Lines that came in and that went out, since the baseline; `None` when not counted.
    pub lines: Option<(u32, u32)>,
}

/// The repository at the beginning of a request, to tell its work from what lay there before.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    pub head: Option<String>,
    /// Changed files and a signature of each. Empty of files beyond the first 2000.
    pub dirty: BTreeMap<String, String>,
    /// Entries of the stash.
    #[serde(default)]
    pub stashes: u32,
    /// Unix seconds.
    pub at: u64,
}

impl Git {
    /// The report for a judge, within `max_bytes`.
    pub fn render(&self, max_bytes: usize) -> String {
        match self {
            Self::Unavailable(why) => {
                let text = format!("git information is unavailable: {why}");
                crate::rules::text::head_bytes(&text, max_bytes).to_string()
            }
            Self::Work(work) => render::work(work, max_bytes),
        }
    }

    /// SHA-256 in hex of the work; `None` when it cannot be told.
    pub fn fingerprint(&self) -> Option<&str> {
        self.work()?.fingerprint.as_deref()
    }

    /// Every file that is changed against HEAD or by the commits listed, sorted; of a rename both
    /// names. Without a baseline that is the newest commit. `None` when git told nothing.
    pub fn changed_files(&self) -> Option<Vec<String>> {
        let work = self.work()?;
        let commits = match work.since {
            Since::Unknown => &work.commits[..work.commits.len().min(1)],
            Since::Unmoved => &[],
            Since::Moved => work.commits.as_slice(),
        };
        let names =
            work.changes.iter().flat_map(|c| [Some(&c.path), c.old_path.as_ref()]).flatten();
        let mut all: Vec<String> =
            names.chain(commits.iter().flat_map(|c| &c.paths)).cloned().collect();
        all.sort_unstable();
        all.dedup();
        Some(all)
    }

    /// The diff of the work, see [`Work::patch`]; empty when git told nothing.
    pub fn patch(&self) -> &str {
        self.work().map_or("", |w| &w.patch)
    }

    /// The state of the work tree, when git told it.
    pub fn work(&self) -> Option<&Work> {
        match self {
            Self::Unavailable(_) => None,
            Self::Work(work) => Some(work),
        }
    }
}

impl Change {
    /// What a baseline remembers of this file, short enough to be stored. `on_disk` is its size
    /// and time, or the like.
    pub fn signature(&self, on_disk: &str) -> String {
        let digest = Sha256::digest(format!("{} {on_disk}", self.index));
        digest.iter().take(8).map(|b| format!("{b:02x}")).collect()
    }

    fn is_conflicted(&self) -> bool {
        matches!(self.kind, ChangeKind::Conflicted(_))
    }

    fn is_untracked(&self) -> bool {
        matches!(self.kind, ChangeKind::Untracked | ChangeKind::Nested)
    }
}

impl Baseline {
    /// Remembers a state; `on_disk` tells the size and time of a file.
    pub fn new(status: &Status, at: u64, on_disk: impl Fn(&Change) -> String) -> Self {
        let changes = status.changes.iter().take(MAX_BASELINE_FILES);
        let dirty = changes.map(|c| (c.path.clone(), c.signature(&on_disk(c)))).collect();
        Self { head: status.head.clone(), dirty, stashes: status.stashes, at }
    }
}

impl Work {
    /// Whether a file is in the directory that git was asked in.
    fn is_near(&self, path: &str) -> bool {
        let rest = self.subdirectory.as_ref().map(|dir| path.strip_prefix(dir.as_str()));
        rest.is_none_or(|rest| rest.is_some_and(|rest| rest.starts_with('/')))
    }

    /// Marks what is as it was at the baseline, and lists what was changed then and is not now.
    /// A file that a commit since has taken up is not listed.
    pub fn compare(&mut self, baseline: &Baseline, on_disk: impl Fn(&Change) -> String) {
        for change in &mut self.changes {
            let before = baseline.dirty.get(&change.path);
            // With an opaque file the signature says nothing about its content.
            change.was_before =
                !change.is_opaque && before == Some(&change.signature(&on_disk(change)));
        }
        let names = self.changes.iter().flat_map(|c| [Some(&c.path), c.old_path.as_ref()]);
        let committed = self.commits.iter().flat_map(|c| &c.paths);
        let known: BTreeSet<&String> = names.flatten().chain(committed).collect();
        let gone = baseline.dirty.keys().filter(|path| !known.contains(path));
        self.no_longer = gone.cloned().collect();
    }
}

/// A name for people: lossy UTF-8, control characters as escapes, so that it stays on one line.
pub fn show_name(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}
