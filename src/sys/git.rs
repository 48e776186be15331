//! Asks git about a work tree: status, log and diff, all within one time budget. Only reads: no
//! lock, no refresh of the index, no prompt, no program that the repository names. What the
//! answers mean is in `rules::git`.

mod command;
mod diff;
mod tree;

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::rules::git::{
    Baseline, Change, ChangeKind, Commit, Git, LOG_FORMAT, Section, Since, Status, Work,
    is_named_only, new_file_section, parse_log, parse_status,
};
use crate::sys::signals::Cancel;
use command::Command;
use tree::Tree;

/// Kept of a status, in bytes: about 40,000 changed files.
const MAX_STATUS: usize = 4 << 20;
/// Kept of a log, in bytes.
const MAX_LOG: usize = 512 << 10;
/// Commits asked for when there is a baseline that HEAD has left, and else.
const COMMITS_SINCE: usize = 30;
const COMMITS_RECENT: usize = 5;
/// Kept of the content of new files, one and all, in bytes.
const MAX_NEW_FILE: usize = 64 << 10;
const MAX_NEW_FILES: usize = 512 << 10;

/// Where and how long to ask.
#[derive(Clone, Copy, Debug)]
pub struct Probe<'a> {
    pub cwd: &'a Path,
    /// `PATH`, to find git on. Its relative entries are not used.
    pub path: Option<&'a OsStr>,
    /// Names of the variables to keep from git (`Env::git`).
    pub foreign: &'a [OsString],
    /// For everything together.
    pub limit: Duration,
    pub cancel: &'a Cancel,
}

/// Everything git says about the work, beside a baseline where there is one.
pub fn look(probe: &Probe, baseline: Option<&Baseline>) -> Git {
    match work(probe, baseline) {
        Ok(work) => Git::Work(Box::new(work)),
        Err(why) => Git::Unavailable(why),
    }
}

/// The state of the work tree now (`now` in Unix seconds), from one `git status`. `None` when git
/// does not tell it, or not in time.
pub fn baseline(probe: &Probe, now: u64) -> Option<Baseline> {
    let tree = Tree::find(probe.cwd);
    let git = Command::new(probe, tree.as_ref()).ok()?;
    let (status, is_whole) = status(&git, DO_NOT_COUNT).ok()?;
    is_whole.then(|| Baseline::new(&status, now, |c| stamp(tree.as_ref(), c)))
}

/// Whether git ignores a file. An untracked file that it does not know, and no answer, are no.
pub fn is_ignored(probe: &Probe, path: &str) -> bool {
    let tree = Tree::find(probe.cwd);
    let args = ["check-ignore", "--quiet", "--", path].map(OsString::from);
    Command::new(probe, tree.as_ref()).and_then(|git| git.run(&args, 0)).is_ok()
}

fn work(probe: &Probe, baseline: Option<&Baseline>) -> Result<Work, String> {
    let tree = Tree::find(probe.cwd);
    let tree = tree.as_ref();
    let git = Command::new(probe, tree)?;
    let (status, is_whole) = status(&git, COUNT)?;
    let mut work = Work {
        subdirectory: tree.and_then(|t| t.subdirectory(probe.cwd)),
        notes: notes(tree, &status, baseline),
        ..Work::default()
    };
    if !is_whole {
        work.notes.push("there are more changed files than ccc reads".into());
    }
    if let Err(why) = read_log(&git, &status, baseline, &mut work) {
        work.notes.push(format!("git log failed: {why}"));
    }
    let moved_from = baseline.filter(|_| work.since == Since::Moved).map(|b| b.head.as_deref());
    let sections = diff::read(&git, tree, &status, moved_from).unwrap_or_else(|why| {
        work.notes.push(format!("git diff failed: {why}"));
        Vec::new()
    });
    let Status { head, branch, upstream, changes, .. } = status;
    work = Work { head, branch, upstream, changes, ..work };
    if let Some(baseline) = baseline {
        work.compare(baseline, |c| stamp(tree, c));
    }
    add_sections(&mut work, &sections);
    if let Some(tree) = tree {
        add_new_files(tree, &git, &mut work);
        work.fingerprint = if is_whole { fingerprint(tree, &git, &work) } else { None };
    }
    Ok(work)
}

/// Options of `status`: whether commits are counted that are not pushed.
const COUNT: &str = "--ahead-behind";
const DO_NOT_COUNT: &str = "--no-ahead-behind";

/// The status, and whether all of it was kept.
fn status(git: &Command, upstream: &str) -> Result<(Status, bool), String> {
    let args = [
        "status",
        upstream,
        "--porcelain=v2",
        "--branch",
        "--show-stash",
        "-z",
        "--untracked-files=all",
        "--ignore-submodules=none",
        "--find-renames",
    ];
    let output = git.run(&args.map(OsString::from), MAX_STATUS)?;
    let is_whole = output.skipped == 0;
    let end = match is_whole {
        true => output.head.len(),
        false => output.head.iter().rposition(|&b| b == 0).unwrap_or(0),
    };
    let status = parse_status(&output.head[..end]);
    Ok((status.ok_or("git gave an answer that is not a status")?, is_whole))
}

/// What a list of changes does not tell.
fn notes(tree: Option<&Tree>, status: &Status, baseline: Option<&Baseline>) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(what) = tree.and_then(Tree::unfinished) {
        notes.push(format!("{what} is not finished"));
    }
    if status.stashes > 0 {
        let before = baseline.map(|b| format!(", {} before this request", b.stashes));
        notes.push(format!(
            "entries in the stash: {}{}",
            status.stashes,
            before.unwrap_or_default()
        ));
    }
    if !status.changes.is_empty() && tree.is_some_and(Tree::wants_filters) {
        notes.push("content filters were not run, a file may be listed without a change".into());
    }
    notes
}

/// Fills in the commits, and what they are.
fn read_log(
    git: &Command,
    status: &Status,
    baseline: Option<&Baseline>,
    work: &mut Work,
) -> Result<(), String> {
    let Some(head) = &status.head else { return Ok(()) };
    let is_hash = |h: &&String| h.bytes().all(|b| b.is_ascii_hexdigit()) && h.len() == head.len();
    let since = match baseline.map(|b| &b.head) {
        Some(Some(old)) if old == head => Since::Unmoved,
        Some(Some(old)) => match Some(old).filter(is_hash) {
            // The commit may be gone, after a rewrite and a clean-up.
            Some(old) => match log(git, &format!("{old}...{head}"), COMMITS_SINCE + 1, &SINCE) {
                Ok(commits) => return set_since(work, commits),
                Err(_) => Since::Unknown,
            },
            None => Since::Unknown,
        },
        Some(None) => return set_since(work, log(git, head, COMMITS_SINCE + 1, &SINCE)?),
        None => Since::Unknown,
    };
    work.since = since;
    let files: &[&str] = if since == Since::Unknown { &FILES } else { &[] };
    work.commits = log(git, head, COMMITS_RECENT, files)?;
    Ok(())
}

/// Names the files of each commit. Those of the first one only when it is known to be work:
/// it is the whole project else, and no news.
const SINCE: [&str; 4] = ["--name-status", "-M", "-l400", "--root"];
const FILES: [&str; 3] = ["--name-status", "-M", "-l400"];

fn set_since(work: &mut Work, mut commits: Vec<Commit>) -> Result<(), String> {
    work.since = Since::Moved;
    work.has_more_commits = commits.len() > COMMITS_SINCE;
    commits.truncate(COMMITS_SINCE);
    work.commits = commits;
    Ok(())
}

fn log(git: &Command, range: &str, max: usize, files: &[&str]) -> Result<Vec<Commit>, String> {
    let max = format!("-n{max}");
    let mut args = vec!["log", "-z", LOG_FORMAT, &max, "--encoding=UTF-8", "--no-color"];
    args.push("--no-show-signature");
    args.extend(files);
    args.extend(["--no-ext-diff", "--no-textconv", range, "--"]);
    let args: Vec<OsString> = args.into_iter().map(OsString::from).collect();
    Ok(parse_log(&git.run(&args, MAX_LOG)?.head))
}

/// Takes the diff of every file up, but of those that were there before or that tell little.
fn add_sections(work: &mut Work, sections: &[Section]) {
    let by_path: HashMap<&str, usize> =
        work.changes.iter().enumerate().map(|(i, c)| (c.path.as_str(), i)).collect();
    let places: Vec<_> = sections.iter().map(|s| by_path.get(s.path.as_str()).copied()).collect();
    for (section, place) in sections.iter().zip(places) {
        let change = place.map(|i| &mut work.changes[i]);
        let was_before = change.is_some_and(|change| {
            let is_text = change.submodule.is_none() && !section.is_binary();
            change.lines = is_text.then_some((section.added, section.removed));
            change.was_before
        });
        if was_before {
            continue;
        }
        match is_named_only(&section.path) {
            Some(why) => work.not_shown.push(format!("{} ({why})", section.path)),
            None => work.patch.push_str(&section.text),
        }
    }
}

fn add_new_files(tree: &Tree, git: &Command, work: &mut Work) {
    let mut room = MAX_NEW_FILES;
    let is_new = |c: &&mut Change| c.kind == ChangeKind::Untracked && !c.was_before;
    for change in work.changes.iter_mut().filter(is_new) {
        if let Some(why) = is_named_only(&change.path) {
            work.not_shown.push(format!("{} ({why})", change.path));
            continue;
        }
        if git.is_over() || room == 0 {
            work.notes.push("not every new file was read".into());
            return;
        }
        let Some((content, is_whole)) = tree.read(change, MAX_NEW_FILE) else { continue };
        let name = String::from_utf8_lossy(&change.bytes);
        match new_file_section(&name, &content, is_whole) {
            Some(section) => {
                change.lines = is_whole.then_some((section.added, 0));
                room = room.saturating_sub(section.text.len());
                work.patch.push_str(&section.text);
            }
            None => work.not_shown.push(format!("{} (binary)", change.path)),
        }
    }
}

/// HEAD, and of every changed file its state, its content in the index and on disk. It depends on
/// nothing else, above all not on the baseline or on times of unchanged files.
fn fingerprint(tree: &Tree, git: &Command, work: &Work) -> Option<String> {
    let mut hash = Sha256::new();
    let mut field = |bytes: &[u8]| {
        hash.update(bytes.len().to_le_bytes());
        hash.update(bytes);
    };
    field(work.head.as_deref().unwrap_or("unborn").as_bytes());
    let mut room = tree::MAX_HASHED;
    for change in &work.changes {
        if change.is_opaque || git.is_over() {
            return None;
        }
        field(change.index.as_bytes());
        field(&change.bytes);
        field(change.old_bytes.as_deref().unwrap_or_default());
        field(tree.content(change, &mut room)?.as_bytes());
    }
    Some(hash.finalize().iter().map(|b| format!("{b:02x}")).collect())
}

fn stamp(tree: Option<&Tree>, change: &Change) -> String {
    tree.and_then(|t| t.stamp(change)).unwrap_or_else(|| "-".into())
}

#[cfg(test)]
mod tests;
