//! Reads `git status --porcelain=v2 --branch -z` and `git log -z --name-status`.
//!
//! The formats are those of git-status(1) "Porcelain Format Version 2" and git-log(1), checked
//! with git 2.47.3.

use std::collections::BTreeSet;

use crate::rules::git::{Change, ChangeKind, Commit, Upstream, show_name};

/// Begins a commit in the output of [`LOG_FORMAT`].
const RECORD: u8 = 0x1e;
/// The format that [`parse_log`] reads: side mark, hash, age, subject.
pub const LOG_FORMAT: &str = "--format=%x1e%m%H%x1f%cr%x1f%s";

/// A read status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    pub head: Option<String>,
    pub branch: Option<String>,
    pub changes: Vec<Change>,
    /// The branch that this one follows, as far as git knows it without the network.
    pub upstream: Option<Upstream>,
    /// Entries of the stash.
    pub stashes: u32,
    /// Hex digits of an object's name: 40, or 64 in a SHA-256 repository. 0 when nothing tells.
    pub hash_len: usize,
}

/// Reads a status. `None` when this is not one.
pub fn parse_status(bytes: &[u8]) -> Option<Status> {
    let mut status = Status::default();
    let mut has_head = false;
    let mut fields = bytes.split(|&b| b == 0);
    while let Some(field) = fields.next() {
        let Some((&kind, rest)) = field.split_first() else { continue };
        let rest = rest.strip_prefix(b" ").unwrap_or(rest);
        match kind {
            b'#' => has_head |= header(rest, &mut status),
            b'1' => status.push(tracked(rest, 6, None)),
            b'2' => {
                let old = fields.next()?;
                status.push(tracked(rest, 7, Some(old)));
            }
            b'u' => status.push(conflict(rest)),
            b'?' => status.push(Some((untracked(rest), 0))),
            _ => {}
        }
    }
    has_head.then_some(status)
}

impl Status {
    fn push(&mut self, change: Option<(Change, usize)>) {
        if let Some((change, hash_len)) = change {
            self.hash_len = self.hash_len.max(hash_len);
            self.changes.push(change);
        }
    }
}

/// A line of the header; whether it was the one that names HEAD.
fn header(rest: &[u8], status: &mut Status) -> bool {
    let text = show_name(rest);
    if let Some(oid) = text.strip_prefix("branch.oid ") {
        status.head = (oid != "(initial)").then(|| oid.to_string());
        status.hash_len = status.head.as_ref().map_or(0, String::len);
        return true;
    }
    if let Some(name) = text.strip_prefix("branch.head ") {
        status.branch = (name != "(detached)").then(|| name.to_string());
    }
    if let Some(name) = text.strip_prefix("branch.upstream ") {
        status.upstream = Some(Upstream { name: name.to_string(), ahead: None, behind: None });
    }
    if let (Some(counts), Some(upstream)) = (text.strip_prefix("branch.ab "), &mut status.upstream)
    {
        let mut counts = counts.split(' ').map(|n| n.get(1..).and_then(|n| n.parse().ok()));
        upstream.ahead = counts.next().flatten();
        upstream.behind = counts.next().flatten();
    }
    if let Some(count) = text.strip_prefix("stash ") {
        status.stashes = count.parse().unwrap_or_default();
    }
    false
}

/// The first `n` fields of a line, as text, and the rest, which is a name and may hold blanks.
fn split(rest: &[u8], n: usize) -> Option<(Vec<&str>, &[u8])> {
    let mut parts = rest.splitn(n + 1, |&b| b == b' ');
    let fields = parts.by_ref().take(n).map(|f| std::str::from_utf8(f).ok());
    let fields = fields.collect::<Option<Vec<_>>>()?;
    Some((fields, parts.next()?))
}

/// `XY sub mH mI mW hH hI [Xscore] path`.
fn tracked(rest: &[u8], last: usize, old: Option<&[u8]>) -> Option<(Change, usize)> {
    let (fields, path) = split(rest, last + 1)?;
    let mut xy = fields[0].chars();
    let (x, y) = (xy.next()?, xy.next()?);
    let either = |c| x == c || y == c;
    let kind = match () {
        () if either('D') => ChangeKind::Deleted,
        () if either('R') => ChangeKind::Renamed,
        () if either('C') => ChangeKind::Copied,
        () if either('A') => ChangeKind::Added,
        () if either('T') => ChangeKind::TypeChanged,
        () => ChangeKind::Modified,
    };
    let (submodule, is_opaque) = submodule(fields[1]);
    let change = Change {
        old_path: old.map(show_name),
        old_bytes: old.map(<[u8]>::to_vec),
        kind,
        is_staged: x != '.',
        is_unstaged: y != '.',
        submodule,
        is_opaque,
        index: format!("{x}{y} {} {} {}", fields[3], fields[4], fields[6]),
        ..untracked(path)
    };
    Some((change, fields[5].len()))
}

/// `XY sub m1 m2 m3 mW h1 h2 h3 path`.
fn conflict(rest: &[u8]) -> Option<(Change, usize)> {
    let (fields, path) = split(rest, 9)?;
    let words = match fields[0] {
        "DD" => "both deleted",
        "AU" => "added by us",
        "UD" => "deleted by them",
        "UA" => "added by them",
        "DU" => "deleted by us",
        "AA" => "both added",
        _ => "both modified",
    };
    let (submodule, is_opaque) = submodule(fields[1]);
    let change = Change {
        kind: ChangeKind::Conflicted(words),
        submodule,
        is_opaque,
        index: format!("{} {} {}", fields[0], fields[7], fields[8]),
        ..untracked(path)
    };
    Some((change, fields[6].len()))
}

/// A nested repository is listed as a directory even when all files are asked for.
fn untracked(path: &[u8]) -> Change {
    let is_nested = path.ends_with(b"/");
    Change {
        path: show_name(path),
        bytes: path.to_vec(),
        old_path: None,
        old_bytes: None,
        kind: if is_nested { ChangeKind::Nested } else { ChangeKind::Untracked },
        is_staged: false,
        is_unstaged: false,
        submodule: None,
        is_opaque: is_nested,
        index: "??".into(),
        was_before: false,
        lines: None,
    }
}

/// `S<c><m><u>`: new commits, modified content, untracked files. Whether more may change unseen.
fn submodule(field: &str) -> (Option<String>, bool) {
    let Some(flags) = field.strip_prefix('S') else { return (None, false) };
    let table = [('C', "new commits"), ('M', "modified content"), ('U', "untracked files")];
    let found = table.iter().filter(|(flag, _)| flags.contains(*flag)).map(|(_, words)| *words);
    let words = found.collect::<Vec<_>>().join(", ");
    // Even the commit that is checked out in it is told nowhere.
    (Some(words), flags.contains(['C', 'M', 'U']))
}

/// Reads a log of [`LOG_FORMAT`] with `-z --name-status`.
pub fn parse_log(bytes: &[u8]) -> Vec<Commit> {
    let mut commits: Vec<Commit> = Vec::new();
    let mut fields = bytes.split(|&b| b == 0);
    while let Some(field) = fields.next() {
        let start = field.iter().position(|&b| b != b'\n').unwrap_or(field.len());
        let field = &field[start..];
        if let Some(head) = field.strip_prefix(&[RECORD]) {
            commits.extend(commit(head));
        } else if let (Some(&letter), Some(commit)) = (field.first(), commits.last_mut()) {
            let Some(path) = fields.next() else { break };
            let both = matches!(letter, b'R' | b'C').then(|| fields.next()).flatten();
            commit.push_file(letter, path, both);
        }
    }
    commits
}

/// Reads `git config -z --name-only --get-regexp '^filter\.'`: the names of the filters.
pub fn parse_filters(bytes: &[u8]) -> BTreeSet<Vec<u8>> {
    let keys = bytes.split(|&b| b == 0).filter_map(|key| key.strip_prefix(b"filter."));
    let names = keys.filter_map(|key| Some(&key[..key.iter().rposition(|&b| b == b'.')?]));
    names.map(<[u8]>::to_vec).collect()
}

/// The paths that a `.gitmodules` names, as git writes them (git-config(1), "Syntax").
pub fn parse_submodule_paths(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    bytes.split(|&b| b == b'\n').filter_map(|line| {
        let (key, value) = line.trim_ascii().split_at_checked(4)?;
        let value = value.trim_ascii_start().strip_prefix(b"=")?.trim_ascii();
        let mut value = value.iter();
        let unquoted = std::iter::from_fn(|| match value.find(|&&b| b != b'"')? {
            b'\\' => value.next(),
            b => Some(b),
        });
        key.eq_ignore_ascii_case(b"path").then(|| unquoted.copied().collect())
    })
}

fn commit(head: &[u8]) -> Option<Commit> {
    let text = String::from_utf8_lossy(head);
    let mut parts = text.splitn(3, '\x1f');
    let (hash, age, subject) = (parts.next()?, parts.next()?, parts.next()?);
    let is_lost = hash.starts_with('<');
    let hash = hash.trim_start_matches(['<', '>', '-']).to_string();
    let one_line = crate::rules::text::one_line;
    Some(Commit {
        hash,
        is_lost,
        age: one_line(age),
        subject: one_line(subject),
        ..Commit::default()
    })
}

impl Commit {
    /// `new` is the second name of a rename or copy.
    fn push_file(&mut self, letter: u8, path: &[u8], new: Option<&[u8]>) {
        let kind = match letter {
            b'A' => "added",
            b'D' => "deleted",
            b'R' => "renamed",
            b'C' => "copied",
            _ => "modified",
        };
        let names: Vec<String> = [Some(path), new].into_iter().flatten().map(show_name).collect();
        self.files.push(format!("{kind}: {}", names.join(" -> ")));
        self.paths.extend(names);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const H: &str = "89df5c8b6a7aad4559bdbd11cd5f58a2681bb6a3";

    fn status(lines: &[String]) -> Status {
        parse_status(lines.join("\0").as_bytes()).unwrap()
    }

    #[test]
    fn every_kind_of_line_is_read() {
        let m = "100644 100644 100644";
        let read = status(&[
            format!("# branch.oid {H}"),
            "# branch.head main".into(),
            format!("1 MM N... {m} {H} {H} both sides"),
            format!("1 .D N... {m} {H} {H} gone"),
            format!("2 R. N... {m} {H} {H} R100 z.md\0x -> y.md"),
            format!("1 .M S.MU {m} {H} {H} vendor"),
            format!("u AA N... {m} 100644 {H} {H} {H} aa.txt"),
            "? we\"ird\nname".into(),
            "? nested/".into(),
        ]);
        assert_eq!((read.head.as_deref(), read.branch.as_deref()), (Some(H), Some("main")));
        let seen: Vec<_> = read.changes.iter().map(|c| (c.path.as_str(), c.kind)).collect();
        use ChangeKind::{Conflicted, Deleted, Modified, Nested, Renamed, Untracked};
        let expected = [
            ("both sides", Modified),
            ("gone", Deleted),
            ("z.md", Renamed),
            ("vendor", Modified),
            ("aa.txt", Conflicted("both added")),
            ("we\"ird\\nname", Untracked),
            ("nested/", Nested),
        ];
        assert_eq!(seen, expected);
        assert_eq!(read.changes[2].old_path.as_deref(), Some("x -> y.md"));
        let submodule = read.changes[3].submodule.as_deref();
        assert_eq!(submodule, Some("modified content, untracked files"));
        let opaque: Vec<_> = read.changes.iter().map(|c| c.is_opaque).collect();
        assert_eq!(opaque, [false, false, false, true, false, false, true]);
    }

    #[test]
    fn the_header_tells_what_is_not_pushed_and_what_is_stashed() {
        let lines = |ab: &str| {
            format!(
                "# branch.oid {H}\0# branch.head x\0# branch.upstream o/x\0# branch.ab {ab}\0# stash 3\0"
            )
        };
        for (ab, ahead, behind) in [("+2 -1", Some(2), Some(1)), ("+? -?", None, None)] {
            let read = parse_status(lines(ab).as_bytes()).unwrap();
            let upstream = Upstream { name: "o/x".into(), ahead, behind };
            assert_eq!((read.upstream, read.stashes), (Some(upstream), 3), "{ab}");
        }
    }

    #[test]
    fn unborn_and_detached_heads_are_no_errors_and_noise_is_no_status() {
        let read = status(&["# branch.oid (initial)".into(), "# branch.head (detached)".into()]);
        assert_eq!((read.head, read.branch), (None, None));
        for noise in ["", "zq-flood zq-flood\n", "? file\0"] {
            assert_eq!(parse_status(noise.as_bytes()), None, "{noise:?}");
        }
    }

    #[test]
    fn a_log_gives_commits_and_their_files() {
        let log = "\x1e>aa\x1f2 hours ago\x1fmerge\0\x1e>bb\x1f3 hours ago\x1ftwo \x1b[31m\0\nR100\0a\0b\0\
                   A\0n\nl\0\x1e<cc\x1f1 day ago\x1flost\0\nM\0q\0";
        let commits = parse_log(log.as_bytes());
        let brief: Vec<_> =
            commits.iter().map(|c| (c.hash.as_str(), c.is_lost, c.files.join("; "))).collect();
        let expected = [
            ("aa", false, String::new()),
            ("bb", false, "renamed: a -> b; added: n\\nl".into()),
            ("cc", true, "modified: q".into()),
        ];
        assert_eq!(brief, expected);
        assert_eq!(commits[1].subject, "two [31m");
        assert_eq!(commits[1].paths, ["a", "b", "n\\nl"]);
    }

    #[test]
    fn filters_are_told_from_their_settings() {
        let keys = b"filter.lfs.clean\0filter.lfs.required\0filter.a.b=c.process\0filter.bare\0x\0";
        let names: Vec<Vec<u8>> = parse_filters(keys).into_iter().collect();
        assert_eq!(names, [b"a.b=c".to_vec(), b"lfs".to_vec()]);
    }

    #[test]
    fn the_paths_of_submodules_are_read_as_git_writes_them() {
        let text = b"[submodule \"a\"]\n\tpath = vendor/a\n\turl = x\n\tPath=\"b \\\"c\\\"\"\n# path = d\n";
        let paths: Vec<_> = parse_submodule_paths(text).collect();
        assert_eq!(paths, [b"vendor/a".to_vec(), b"b \"c\"".to_vec()]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(
            bytes in prop::collection::vec(prop_oneof![
                Just(b' '), Just(0u8), Just(b'1'), Just(b'2'), Just(b'u'), Just(b'?'), Just(b'#'),
                Just(0x1e), Just(0x1f), Just(b'R'), Just(b'S'), any::<u8>()
            ], 0..300)
        ) {
            parse_status(&bytes);
            parse_log(&bytes);
            parse_filters(&bytes);
            parse_submodule_paths(&bytes).for_each(drop);
        }

        #[test]
        fn any_name_is_shown_on_one_line(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            prop_assert!(!show_name(&bytes).contains(|c: char| c.is_control()));
        }
    }
}
