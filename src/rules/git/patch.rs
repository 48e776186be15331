//! A diff as it streams in: kept in part, one section a file.

use std::path::Path;

use crate::rules::diff;

/// Kept of one file's diff, in bytes.
const MAX_SECTION: usize = 64 << 10;
/// Kept of all, in bytes.
const MAX_PATCH: usize = 1 << 20;

/// The diff of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    pub path: String,
    pub text: String,
    /// Lines that came in and that went out, also where the text is cut.
    pub added: u32,
    pub removed: u32,
}

impl Section {
    /// Whether git took the file for something else than text.
    pub fn is_binary(&self) -> bool {
        diff::parse(&self.text).iter().any(|file| file.is_binary)
    }
}

/// Takes the lines of a diff, one by one.
#[derive(Debug, Default)]
pub struct PatchReader {
    sections: Vec<Raw>,
    kept: usize,
    /// A first line that waits for a second one.
    pending: Option<Vec<u8>>,
    is_cut: bool,
    is_hunk: bool,
}

/// A section before it is text.
#[derive(Debug, Default)]
struct Raw {
    text: Vec<u8>,
    added: u32,
    removed: u32,
}

impl PatchReader {
    /// A line without its end.
    ///
    /// `git diff-index` names files whose time alone has changed with a first line and nothing
    /// else. Those are dropped: a refresh of the index must not look like work.
    pub fn line(&mut self, line: &[u8]) {
        if line.starts_with(b"diff --") {
            self.pending = Some(line.to_vec());
            return;
        }
        if let Some(mut first) = self.pending.take() {
            first.push(b'\n');
            // Kept beyond the limit, too, so that every file stays named; cheap beside a status.
            self.sections.push(Raw { text: first, ..Raw::default() });
            (self.is_cut, self.is_hunk) = (false, false);
        }
        self.count(line);
        self.keep(line);
    }

    fn count(&mut self, line: &[u8]) {
        let Some(section) = self.sections.last_mut() else { return };
        match line.first() {
            Some(b'@') => self.is_hunk = true,
            Some(b'+') if self.is_hunk => section.added += 1,
            Some(b'-') if self.is_hunk => section.removed += 1,
            _ => {}
        }
    }

    fn keep(&mut self, line: &[u8]) {
        let Some(Raw { text, .. }) = self.sections.last_mut() else { return };
        // A hash of 40 digits tells a reader nothing, and a conflict is in the status.
        if self.is_cut || line.starts_with(b"index ") || line.starts_with(b"* Unmerged path ") {
            return;
        }
        if text.len() + line.len() >= MAX_SECTION || self.kept + line.len() >= MAX_PATCH {
            self.is_cut = true;
            text.extend_from_slice(b"[... the rest of this file's diff is left out ...]\n");
            return;
        }
        text.extend_from_slice(line);
        text.push(b'\n');
        self.kept += line.len() + 1;
    }

    /// What was kept.
    pub fn finish(self) -> Vec<Section> {
        let sections = self.sections.into_iter().filter_map(|Raw { text, added, removed }| {
            let text = String::from_utf8_lossy(&text).into_owned();
            let path = diff::parse(&text).into_iter().next()?.path;
            Some(Section { path: super::show_name(path.as_bytes()), text, added, removed })
        });
        sections.collect()
    }
}

/// The diff that git would show for a new file, or `None` when its content is not text.
/// `is_whole` is false when `content` is only its beginning.
pub fn new_file_section(path: &str, content: &[u8], is_whole: bool) -> Option<Section> {
    if content.contains(&0) {
        return None;
    }
    let content = String::from_utf8_lossy(content);
    let mut lines: Vec<&str> = content.lines().collect();
    if !is_whole && !content.ends_with('\n') {
        // Half a line may be half a secret, which would not be known as one.
        lines.pop();
    }
    let (a, b) = (format!("a/{path}"), format!("b/{path}"));
    let (a, b) = (diff::quote_path(&a), diff::quote_path(&b));
    let mut text = format!("diff --git {a} {b}\nnew file mode 100644\n");
    if !lines.is_empty() {
        text.push_str(&format!("--- /dev/null\n+++ {b}\n@@ -0,0 +1,{} @@\n", lines.len()));
    }
    for line in &lines {
        text.extend(["+", line, "\n"]);
    }
    if !is_whole {
        text.push_str("[... the rest of this file is left out ...]\n");
    }
    let added = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    Some(Section { path: super::show_name(path.as_bytes()), text, added, removed: 0 })
}

/// Files whose diff tells a reader little, or that may hold a secret: they are named only.
/// The answer is the reason.
pub fn is_named_only(path: &str) -> Option<&'static str> {
    const LOCKS: [&str; 11] = [
        "Cargo.lock",
        "Gemfile.lock",
        "Pipfile.lock",
        "bun.lock",
        "composer.lock",
        "flake.lock",
        "go.sum",
        "package-lock.json",
        "pnpm-lock.yaml",
        "poetry.lock",
        "uv.lock",
    ];
    const VENDORED: [&str; 6] =
        ["node_modules", "vendor", "third_party", "dist", ".venv", "__pycache__"];
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_generated = [".min.js", ".min.css", ".map", ".pb.go", "_pb2.py"];
    let is_secret = name == ".env"
        || (name.starts_with(".env.") && !name.ends_with(".example"))
        || name.starts_with("id_rsa")
        || name.starts_with("id_ed25519")
        || Path::new(name).extension().is_some_and(|e| e == "pem" || e == "key" || e == "p12");
    match () {
        () if LOCKS.contains(&name) || name == "yarn.lock" => Some("lock file"),
        () if is_secret => Some("may hold secrets"),
        // Only the one file that counts may instruct a judge; others of its kind are facts.
        () if name == "SUPERVISOR.md" => Some("addresses the supervisor"),
        () if is_generated.iter().any(|end| name.ends_with(end)) => Some("generated"),
        () if path.split('/').any(|part| VENDORED.contains(&part)) => Some("vendored"),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(patch: &str) -> Vec<Section> {
        let mut reader = PatchReader::default();
        patch.lines().for_each(|l| reader.line(l.as_bytes()));
        reader.finish()
    }

    #[test]
    fn a_file_whose_time_alone_changed_is_no_change() {
        let real = "diff --git a/b b/b\nindex 1..2 100644\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n";
        let noisy = format!("diff --git a/a b/a\n{real}diff --git a/c b/c\n");
        assert_eq!(read(real), read(&noisy));
        let sections = read(real);
        assert_eq!((sections.len(), sections[0].added, sections[0].removed), (1, 1, 1));
        assert_eq!(sections[0].path, "b");
        assert!(!sections[0].text.contains("index 1..2"));
    }

    #[test]
    fn a_flood_is_cut_in_each_file_and_as_a_whole() {
        let mut reader = PatchReader::default();
        for i in 0..40 {
            reader.line(format!("diff --git a/{i} b/{i}").as_bytes());
            reader.line(b"@@ -0,0 +1,9000 @@");
            (0..9000).for_each(|_| reader.line(b"+0123456789"));
        }
        let sections = reader.finish();
        assert_eq!((sections.len(), sections[39].added), (40, 9000));
        assert!(sections.iter().all(|s| s.text.len() < MAX_SECTION + 100));
        assert!(sections.iter().map(|s| s.text.len()).sum::<usize>() < MAX_PATCH + 40 * 100);
    }

    #[test]
    fn a_new_file_reads_like_gits_own_diff() {
        let Section { text, added, .. } = new_file_section("we\"ird", b"a\nb\n", true).unwrap();
        let file = &diff::parse(&text)[0];
        assert_eq!((file.path.as_str(), file.kind), ("we\"ird", diff::Kind::Added));
        assert_eq!(file.added, [(1, "a".to_string()), (2, "b".to_string())]);
        assert_eq!(new_file_section("b", b"\0", true), None);
        assert_eq!(added, 2);
        assert!(new_file_section("empty", b"", true).unwrap().text.ends_with("100644\n"));
    }

    #[test]
    fn lock_files_vendored_files_and_secrets_are_named_only() {
        for path in ["Cargo.lock", "web/node_modules/x/i.js", ".env", "a/tls.pem", "SUPERVISOR.md"]
        {
            assert!(is_named_only(path).is_some(), "{path}");
        }
        for path in ["src/lib.rs", ".env.example", "vendored.rs", "keys.rs"] {
            assert!(is_named_only(path).is_none(), "{path}");
        }
    }
}
