//! The report for a judge: facts first, then as much of the diff as there is room for: small files
//! whole, and something of every large one.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::rules::diff;
use crate::rules::git::{Change, ChangeKind, Commit, Since, Upstream, Work};
use crate::rules::text::{cut, head_and_tail, head_bytes, printable};

/// Most files and commits that are listed by name.
const MAX_FILES: usize = 200;
const MAX_COMMITS: usize = 20;
/// Most files that are listed for one commit.
const MAX_COMMIT_FILES: usize = 30;
/// Longest subject, in characters.
const MAX_SUBJECT: usize = 120;
/// Less than this of a diff tells nothing, in bytes.
const MIN_SECTION: usize = 240;

/// Renders within `max_bytes`.
pub fn work(work: &Work, max_bytes: usize) -> String {
    let mut out = facts(work, max_bytes);
    if out.len() > max_bytes {
        // The mark of the cut needs some room of its own.
        let kept = head_and_tail(&out, max_bytes.saturating_sub(48));
        return head_bytes(&kept, max_bytes).to_string();
    }
    let diff = diff(work, max_bytes - out.len());
    out.push_str(&diff);
    out
}

fn facts(work: &Work, max_bytes: usize) -> String {
    let mut lines = vec![place(work)];
    lines.extend(work.notes.iter().map(|note| format!("note: {note}")));
    // A long list would leave no room for the diff.
    lines.extend(changes(work, max_bytes * 2 / 5));
    if !work.no_longer.is_empty() {
        let names = work.no_longer.iter().take(20).cloned().collect::<Vec<_>>().join(", ");
        lines.push(format!("changed before this request, now as in HEAD: {names}"));
    }
    lines.extend(commits(work));
    lines.extend(work.not_shown.iter().take(30).map(|w| format!("diff not shown: {w}")));
    printable(&(lines.join("\n") + "\n"))
}

fn place(work: &Work) -> String {
    let branch = match &work.branch {
        Some(branch) => format!("git: branch {branch}"),
        None => "git: HEAD is detached".into(),
    };
    let head = match &work.head {
        Some(head) => format!(" at {}", head_bytes(head, 10)),
        None => ", no commit yet".into(),
    };
    let upstream = work.upstream.as_ref().map(upstream).unwrap_or_default();
    let part = work.subdirectory.as_ref();
    let part = part.map(|d| format!(" (asked in {d}/; names are from the top of the repository)"));
    format!("{branch}{head}{upstream}{}", part.unwrap_or_default())
}

fn upstream(upstream: &Upstream) -> String {
    let name = &upstream.name;
    match (upstream.ahead, upstream.behind) {
        (Some(0), Some(0)) => format!(", same as {name}"),
        (Some(ahead), Some(0)) => format!(", {ahead} ahead of {name}"),
        (Some(ahead), Some(behind)) => format!(", {ahead} ahead of and {behind} behind {name}"),
        (None, _) | (_, None) => format!(", follows {name}"),
    }
}

fn changes(work: &Work, room: usize) -> Vec<String> {
    if work.changes.is_empty() {
        return vec!["working tree clean".into()];
    }
    let count = |is: fn(&Change) -> bool| work.changes.iter().filter(|c| is(c)).count();
    let mut lines = vec![format!(
        "staged: {}, unstaged: {}, untracked: {}, conflicted: {}",
        count(|c| c.is_staged),
        count(|c| c.is_unstaged),
        count(Change::is_untracked),
        count(Change::is_conflicted),
    )];
    // What is new and near comes first, so that a long list loses what tells least.
    let mut sorted: Vec<&Change> = work.changes.iter().collect();
    sorted.sort_by_key(|c| (c.was_before, !work.is_near(&c.path)));
    let mut left = room;
    let fits = |line: &String| {
        left = left.saturating_sub(line.len() + 1);
        left > 0
    };
    lines.extend(sorted.iter().take(MAX_FILES).map(|c| one_change(c)).take_while(fits));
    let rest = &sorted[lines.len() - 1..];
    lines.extend((!rest.is_empty()).then(|| summary(rest)));
    lines
}

/// How many files are not listed, and where most of them are.
fn summary(rest: &[&Change]) -> String {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for change in rest {
        let dir = change.path.split_once('/').map_or("the top", |(dir, _)| dir);
        *places.entry(dir).or_default() += 1;
    }
    let mut places: Vec<_> = places.into_iter().collect();
    places.sort_by_key(|&(_, count)| Reverse(count));
    let places: Vec<_> = places.iter().take(5).map(|(dir, n)| format!("{n} in {dir}")).collect();
    format!("- ... and {} more: {}", rest.len(), places.join(", "))
}

fn one_change(change: &Change) -> String {
    let kind = match change.kind {
        ChangeKind::Added => "added",
        ChangeKind::Modified if change.submodule.is_some() => "submodule",
        ChangeKind::Modified => "modified",
        ChangeKind::Deleted => "deleted",
        ChangeKind::Renamed => "renamed",
        ChangeKind::Copied => "copied",
        ChangeKind::TypeChanged => "type changed",
        ChangeKind::Untracked => "untracked",
        ChangeKind::Nested => "untracked repository of its own, its content is unknown",
        ChangeKind::Conflicted(_) => "conflict",
    };
    let conflict = match change.kind {
        ChangeKind::Conflicted(words) => Some(words),
        _ => None,
    };
    let old = change.old_path.as_ref().map(|old| format!("{old} -> ")).unwrap_or_default();
    let is_work = |lines: &(u32, u32)| !change.was_before && *lines != (0, 0);
    let lines = change.lines.filter(is_work).map(|(new, old)| format!("+{new} -{old}"));
    let notes = [
        change.is_staged.then_some("staged"),
        change.is_unstaged.then_some("unstaged"),
        conflict,
        change.submodule.as_deref().filter(|s| !s.is_empty()),
        change.was_before.then_some("already there before this request"),
        lines.as_deref(),
    ];
    let notes = notes.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let notes = if notes.is_empty() { notes } else { format!(" ({notes})") };
    format!("- {old}{}: {kind}{notes}", change.path)
}

fn commits(work: &Work) -> Vec<String> {
    let title = match work.since {
        _ if work.commits.is_empty() => return Vec::new(),
        Since::Moved => "commits since this work began:",
        Since::Unmoved => "no commits since this work began; recent commits before it:",
        Since::Unknown => "recent commits (when this work began is not known):",
    };
    let mut lines = vec![title.to_string()];
    let has_files = |i: usize| match work.since {
        Since::Moved => true,
        Since::Unmoved => false,
        Since::Unknown => i == 0,
    };
    for (i, commit) in work.commits.iter().take(MAX_COMMITS).enumerate() {
        lines.push(one_commit(commit));
        if has_files(i) {
            lines.extend(commit.files.iter().take(MAX_COMMIT_FILES).map(|f| format!("  - {f}")));
            let more = commit.files.len().saturating_sub(MAX_COMMIT_FILES);
            lines.extend((more > 0).then(|| format!("  - ... and {more} more")));
        }
    }
    if work.has_more_commits || work.commits.len() > MAX_COMMITS {
        lines.extend((work.since == Since::Moved).then(|| "- ... and older ones".to_string()));
    }
    lines
}

fn one_commit(commit: &Commit) -> String {
    let lost = if commit.is_lost { ", no longer in the history of HEAD" } else { "" };
    let (hash, subject) = (head_bytes(&commit.hash, 10), cut(&commit.subject, MAX_SUBJECT));
    format!("- {hash} {subject} ({}{lost})", commit.age)
}

/// The sections of the patch that fit into `room` bytes, those of the near files first.
fn diff(work: &Work, room: usize) -> String {
    const TITLE: &str = "diff:\n";
    // A carriage return would end a line whose rest has no mark before it.
    let fit = |s: &str| printable(&s.replace('\r', ""));
    let mut sections: Vec<String> = sections(&work.patch).into_iter().map(fit).collect();
    let Some(room) = room.checked_sub(TITLE.len() + 64).filter(|_| !sections.is_empty()) else {
        return String::new();
    };
    let is_far = |s: &String| !diff::parse(s).iter().any(|file| work.is_near(&file.path));
    sections.sort_by_cached_key(is_far);
    let sizes: Vec<usize> = sections.iter().map(String::len).collect();
    let mut out = String::new();
    let mut left_out = 0;
    for (section, share) in sections.iter().zip(shares(&sizes, room)) {
        match share {
            0 => left_out += 1,
            _ if section.len() <= share => out.push_str(section),
            _ => out.push_str(&cut_section(section, share)),
        }
    }
    if left_out > 0 {
        out.push_str(&format!("[... the diff of {left_out} more files ...]\n"));
    }
    format!("{TITLE}{out}")
}

/// The head of a section with its file's name, and as much of the rest as fits.
fn cut_section(section: &str, share: usize) -> String {
    let (head, body) = section.split_at(section.find("\n@@").map_or(0, |i| i + 1));
    // The mark of the cut needs some room of its own.
    let body = head_and_tail(body, share.saturating_sub(head.len() + 48));
    head_bytes(&format!("{head}{body}"), share - 1).to_string() + "\n"
}

/// Divides `room` so that the small ones are shown whole and the large ones get the same part
/// each. Where that would be too little to tell anything, the largest get nothing.
fn shares(sizes: &[usize], room: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&i| sizes[i]);
    let mut shares = vec![0; sizes.len()];
    let mut left = room;
    for (n, &i) in order.iter().enumerate() {
        let share = (left / (sizes.len() - n)).max(MIN_SECTION).min(sizes[i]);
        if share > left {
            break;
        }
        shares[i] = share;
        left -= share;
    }
    shares
}

/// Cuts a patch before each of its files.
fn sections(patch: &str) -> Vec<&str> {
    let starts = patch.match_indices("diff --").map(|(i, _)| i);
    let mut starts: Vec<usize> =
        starts.filter(|&i| i == 0 || patch.as_bytes()[i - 1] == b'\n').collect();
    starts.push(patch.len());
    starts.windows(2).map(|w| &patch[w[0]..w[1]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::git::{Git, parse_status};

    const H: &str = "89df5c8b6a7aad4559bdbd11cd5f58a2681bb6a3";

    fn messy() -> Work {
        let m = "100644 100644 100644";
        let lines = [
            format!("# branch.oid {H}\0# branch.head main"),
            format!("1 MM N... {m} {H} {H} both.txt"),
            format!("2 R. N... {m} {H} {H} R100 z.md\0x -> y.md"),
            format!("u UU N... {m} 100644 {H} {H} {H} uu.txt"),
            "? new file.txt".to_string(),
        ];
        let status = parse_status(lines.join("\0").as_bytes()).unwrap();
        Work {
            head: status.head,
            branch: status.branch,
            changes: status.changes,
            ..Work::default()
        }
    }

    #[test]
    fn counts_and_every_file_are_named_with_their_kind() {
        let mut work = messy();
        work.changes[0].was_before = true;
        let text = Git::Work(Box::new(work)).render(9999);
        let expected = "git: branch main at 89df5c8b6a\n\
            staged: 2, unstaged: 1, untracked: 1, conflicted: 1\n\
            - x -> y.md -> z.md: renamed (staged)\n\
            - uu.txt: conflict (both modified)\n\
            - new file.txt: untracked\n\
            - both.txt: modified (staged, unstaged, already there before this request)\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_long_list_begins_with_what_is_new_and_near_and_leaves_room_for_the_diff() {
        let mut work = messy();
        work.subdirectory = Some("api".into());
        let proto = work.changes.remove(0);
        let change = |path: String| Change { path, ..proto.clone() };
        work.changes = (0..500).map(|i| change(format!("web/{i:0>40}"))).collect();
        work.changes.push(change("api/x.rs".into()));
        work.patch = "diff --git a/api/x.rs b/api/x.rs\n@@ -1 +1 @@\n-a\n+b\rc\n".into();
        let text = Git::Work(Box::new(work)).render(6000);
        let first = text.lines().nth(2).unwrap();
        assert!(first.starts_with("- api/x.rs: modified"), "{first}");
        assert!(text.contains(" more: 4") && text.contains(" in web\n"), "{text}");
        assert!(text.ends_with("\n-a\n+bc\n"), "{text}");
    }

    #[test]
    fn the_room_is_divided_fairly() {
        let table: [(&[usize], usize, &[usize]); 4] = [
            (&[100, 5000, 300], 9000, &[100, 5000, 300]),
            (&[100, 5000, 300, 6000], 2400, &[100, 1000, 300, 1000]),
            (&[5000, 5000, 5000], 500, &[240, 240, 0]),
            (&[5000, 10], 100, &[0, 10]),
        ];
        for (sizes, room, expected) in table {
            assert_eq!(shares(sizes, room), expected, "{sizes:?} {room}");
        }
    }

    #[test]
    fn only_a_clean_tree_is_called_clean() {
        let clean = Git::Work(Box::default()).render(999);
        assert!(clean.contains("working tree clean"), "{clean}");
        for git in [Git::Work(Box::new(messy())), Git::Unavailable("not a repository".into())] {
            assert!(!git.render(9999).contains("clean"));
        }
    }

    #[test]
    fn commits_are_called_by_what_is_known_of_them() {
        let commit = Commit {
            hash: H.into(),
            subject: "notify: quiet hours".into(),
            age: "2 minutes ago".into(),
            files: vec!["added: quiet.py".into()],
            ..Commit::default()
        };
        let table = [
            (Since::Unknown, "when this work began is not known", true),
            (Since::Unmoved, "no commits since", false),
            (Since::Moved, "commits since this work began", true),
        ];
        for (since, title, has_files) in table {
            let work = Work { since, commits: vec![commit.clone()], ..Work::default() };
            let text = Git::Work(Box::new(work)).render(9999);
            assert!(text.contains(title), "{text}");
            assert!(text.contains("- 89df5c8b6a notify: quiet hours (2 minutes ago)"), "{text}");
            assert_eq!(text.contains("- added: quiet.py"), has_files, "{text}");
        }
    }

    #[test]
    fn every_file_gets_something_and_the_limit_holds() {
        let file = |name: &str, lines: usize| {
            let body = format!("+{name} line\n").repeat(lines);
            format!("diff --git a/{name} b/{name}\n@@ -0,0 +1,{lines} @@\n{body}")
        };
        let patch = [file("huge", 5000), file("small", 3), file("middle", 300)].concat();
        let git = Git::Work(Box::new(Work { patch, ..messy() }));
        let text = git.render(6000);
        for name in ["a/huge", "a/small", "a/middle"] {
            assert!(text.contains(name), "{name} in {text}");
        }
        for max in [0, 1, 50, 200, 500, 1000, 6000, 60_000] {
            assert!(git.render(max).len() <= max, "{max}: {}", git.render(max).len());
        }
    }
}
