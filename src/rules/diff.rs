//! Unified diffs as git writes them, taken apart into files and numbered lines. Reads any text
//! without complaint: what is not a diff gives no files.

use std::borrow::Cow;

/// What happened to a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    Added,
    Deleted,
    #[default]
    Modified,
    Renamed,
}

/// The change of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileDiff {
    /// The name it has now; of a deleted file the name it had.
    pub path: String,
    /// The name before a rename.
    pub old_path: Option<String>,
    pub kind: Kind,
    pub is_binary: bool,
    /// New lines with their number in the new file, from 1.
    pub added: Vec<(u32, String)>,
    /// Lines that went, with their number in the old file, from 1.
    pub removed: Vec<(u32, String)>,
}

/// Takes a diff apart. A hunk that was cut ends where the next file begins.
pub fn parse(patch: &str) -> Vec<FileDiff> {
    let mut files = Vec::new();
    let mut hunk = Hunk::default();
    for line in patch.split('\n') {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if let Some(file) = begin(line) {
            files.push(file);
            hunk = Hunk::default();
            continue;
        }
        let Some(file) = files.last_mut() else { continue };
        if hunk.is_open() {
            hunk.take(line, file);
        } else if let Some(next) = Hunk::begin(line) {
            hunk = next;
        } else {
            header(line, file);
        }
    }
    files
}

/// A name as git writes it into a diff header: in quotes with escapes where it holds a control
/// character, a quote or a backslash.
pub fn quote_path(path: &str) -> Cow<'_, str> {
    if !path.contains(|c: char| c.is_control() || c == '"' || c == '\\') {
        return Cow::Borrowed(path);
    }
    let mut out = String::from("\"");
    for c in path.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_ascii_control() => out.push_str(&format!("\\{:03o}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    Cow::Owned(out)
}

/// The first line of a file's diff. No line of a hunk looks like it.
fn begin(line: &str) -> Option<FileDiff> {
    if let Some(path) = line.strip_prefix("diff --cc ").or(line.strip_prefix("diff --combined ")) {
        return Some(FileDiff { path: unquote(path), ..FileDiff::default() });
    }
    let names = line.strip_prefix("diff --git ")?;
    Some(FileDiff { path: name_of_both(names).unwrap_or_default(), ..FileDiff::default() })
}

/// The name in `a/NAME b/NAME`, where both are the same.
fn name_of_both(names: &str) -> Option<String> {
    if let Some(end) = names.starts_with('"').then(|| closing_quote(names)).flatten() {
        return Some(without_prefix(&unquote(&names[..=end])));
    }
    let half = names.len().checked_sub(1)? / 2;
    let (old, new) = (names.get(..half)?, names.get(half + 1..)?);
    let name = old.strip_prefix("a/")?;
    (new.strip_prefix("b/") == Some(name)).then(|| name.to_string())
}

fn closing_quote(text: &str) -> Option<usize> {
    let mut is_escaped = true;
    text.bytes().position(|b| {
        let ends = b == b'"' && !is_escaped;
        is_escaped = b == b'\\' && !is_escaped;
        ends
    })
}

/// A line between the first one and the hunks.
fn header(line: &str, file: &mut FileDiff) {
    let has = |prefix: &str| line.starts_with(prefix);
    if let Some(path) = line.strip_prefix("rename from ").or(line.strip_prefix("copy from ")) {
        file.old_path = Some(unquote(path));
        file.kind = if has("rename") { Kind::Renamed } else { Kind::Added };
    } else if let Some(path) = line.strip_prefix("rename to ").or(line.strip_prefix("copy to ")) {
        file.path = unquote(path);
    } else if has("new file mode") {
        file.kind = Kind::Added;
    } else if has("deleted file mode") {
        file.kind = Kind::Deleted;
    } else if has("Binary files ") || has("GIT binary patch") {
        file.is_binary = true;
    } else if let Some(path) = line.strip_prefix("+++ ").or(line.strip_prefix("--- ")) {
        // git ends a name with blanks in it with a tab.
        let path = unquote(path.strip_suffix('\t').unwrap_or(path));
        if path != "/dev/null" && file.old_path.is_none() {
            file.path = without_prefix(&path);
        }
    }
}

fn without_prefix(path: &str) -> String {
    path.strip_prefix("a/").or(path.strip_prefix("b/")).unwrap_or(path).to_string()
}

/// Undoes git's quoting of a name; an unquoted one stays as it is.
fn unquote(name: &str) -> String {
    let Some(inner) = name.strip_prefix('"').and_then(|n| n.strip_suffix('"')) else {
        return name.to_string();
    };
    let mut out = Vec::with_capacity(inner.len());
    let mut bytes = inner.bytes().peekable();
    while let Some(b) = bytes.next() {
        if b != b'\\' {
            out.push(b);
            continue;
        }
        let Some(escape) = bytes.next() else { break };
        let mut octal = |first: u8| {
            let mut value = u32::from(first - b'0');
            for _ in 0..2 {
                let Some(d) = bytes.next_if(|b| (b'0'..=b'7').contains(b)) else { break };
                value = value * 8 + u32::from(d - b'0');
            }
            u8::try_from(value & 0xff).unwrap_or_default()
        };
        out.push(match escape {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'v' => 11,
            b'f' => 12,
            b'0'..=b'7' => octal(escape),
            other => other,
        });
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A hunk: the number of the next line on each side, and how many lines are still to come.
#[derive(Clone, Copy, Debug, Default)]
struct Hunk {
    old: u32,
    new: u32,
    old_left: u32,
    new_left: u32,
}

impl Hunk {
    /// `@@ -12,3 +12,4 @@ what`.
    fn begin(line: &str) -> Option<Self> {
        let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
        let (new, _) = rest.split_once(" @@")?;
        let range = |text: &str| {
            let (start, count) = text.split_once(',').unwrap_or((text, "1"));
            Some((start.parse().ok()?, count.parse().ok()?))
        };
        let ((old, old_left), (new, new_left)) = (range(old)?, range(new)?);
        Some(Self { old, new, old_left, new_left })
    }

    fn is_open(self) -> bool {
        self.old_left > 0 || self.new_left > 0
    }

    fn take(&mut self, line: &str, file: &mut FileDiff) {
        let (is_old, is_new) = match line.bytes().next() {
            Some(b'+') => (false, true),
            Some(b'-') => (true, false),
            // Some tools write an empty line of context without its blank.
            Some(b' ') | None => (true, true),
            Some(b'\\') => return,
            Some(_) => {
                *self = Self::default();
                return;
            }
        };
        if is_new && !is_old {
            file.added.push((self.new, line[1..].to_string()));
        } else if is_old && !is_new {
            file.removed.push((self.old, line[1..].to_string()));
        }
        if is_old {
            self.old = self.old.saturating_add(1);
            self.old_left = self.old_left.saturating_sub(1);
        }
        if is_new {
            self.new = self.new.saturating_add(1);
            self.new_left = self.new_left.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use similar::{ChangeTag, TextDiff};

    use super::*;

    fn only(patch: &str) -> FileDiff {
        let mut files = parse(patch);
        assert_eq!(files.len(), 1, "{patch}");
        files.remove(0)
    }

    #[test]
    fn lines_that_look_like_headers_stay_lines() {
        let patch = "diff --git a/x.sql b/x.sql\nindex 1..2 100644\n--- a/x.sql\n+++ b/x.sql\n\
                     @@ -3,2 +3,2 @@ fn\n--- old comment\n+++ new\n context\n";
        let file = only(patch);
        assert_eq!(file.path, "x.sql");
        assert_eq!(file.removed, [(3, "-- old comment".to_string())]);
        assert_eq!(file.added, [(3, "++ new".to_string())]);
    }

    #[test]
    fn every_kind_of_header_is_understood() {
        use Kind::{Added, Deleted, Modified, Renamed};
        let table = [
            ("a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n", Added, "n", None, false),
            (
                "a/d b/d\ndeleted file mode 100644\n--- a/d\n+++ /dev/null",
                Deleted,
                "d",
                None,
                false,
            ),
            (
                "a/x -> y b/z\nsimilarity index 90%\nrename from x -> y\nrename to z\n--- a/x -> y\t\n+++ b/z",
                Renamed,
                "z",
                Some("x -> y"),
                false,
            ),
            ("a/s p b/s p\nold mode 100644\nnew mode 100755", Modified, "s p", None, false),
            (
                "a/b b/b b/b b/b\nBinary files a/b b/b and b/b b/b differ",
                Modified,
                "b b/b",
                None,
                true,
            ),
            (r#""a/q\"\n\377" "b/q\"\n\377""#, Modified, "q\"\n\u{fffd}", None, false),
            (
                "a/caf\u{e9} b/caf\u{e9}\n--- a/caf\u{e9}\n+++ b/caf\u{e9}",
                Modified,
                "caf\u{e9}",
                None,
                false,
            ),
        ];
        for (text, kind, path, old, is_binary) in table {
            let file = only(&format!("diff --git {text}\n"));
            assert_eq!((file.kind, file.path.as_str()), (kind, path), "{text}");
            assert_eq!((file.old_path.as_deref(), file.is_binary), (old, is_binary), "{text}");
        }
    }

    #[test]
    fn a_cut_hunk_does_not_swallow_the_next_file() {
        let patch = "diff --git a/a b/a\n@@ -1,9 +1,9 @@\n+one\n[... cut ...]\ndiff --git a/b b/b\n\
                     @@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n";
        let files = parse(patch);
        assert_eq!(files.len(), 2);
        assert_eq!(files[0].added.len(), 1);
        assert_eq!((files[1].removed.len(), files[1].added.len()), (1, 1));
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in "(diff --git |@@ -1,2 \\+1 @@|[ab/\"\\\\+\\- \\n0-7é]){0,60}") {
            parse(&text);
        }

        #[test]
        fn quoting_a_name_can_be_undone(name in "[a-z\"\\\\\\x01-\\x1f\\x7f é目]{1,20}") {
            prop_assert_eq!(unquote(&quote_path(&name)), name);
        }

        #[test]
        fn the_changed_lines_of_any_two_texts_come_back(
            old in prop::collection::vec("[-+@a-c ]{0,4}", 0..12),
            new in prop::collection::vec("[-+@a-c ]{0,4}", 0..12),
        ) {
            let join = |lines: &[String]| lines.iter().map(|l| format!("{l}\n")).collect::<String>();
            let (old, new) = (join(&old), join(&new));
            let diff = TextDiff::from_lines(old.as_str(), new.as_str());
            let patch = format!("diff --git a/f b/f\n{}", diff.unified_diff().header("a/f", "b/f"));
            let (mut added, mut removed) = (vec![], vec![]);
            for change in diff.iter_all_changes() {
                let text = change.value().trim_end_matches('\n').to_string();
                let number = |i: Option<usize>| i.map_or(0, |i| u32::try_from(i).unwrap() + 1);
                match change.tag() {
                    ChangeTag::Insert => added.push((number(change.new_index()), text)),
                    ChangeTag::Delete => removed.push((number(change.old_index()), text)),
                    ChangeTag::Equal => {}
                }
            }
            let file = only(&patch);
            prop_assert_eq!(file.added, added);
            prop_assert_eq!(file.removed, removed);
        }
    }
}
