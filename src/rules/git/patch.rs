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
    sections: Vec<Vec<u8>>,
    kept: usize,
    /// A first line that waits for a second one.
    pending: Option<Vec<u8>>,
    is_cut: bool,
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
        if let Some(first) = self.pending.take() {
            self.sections.push(Vec::new());
            self.is_cut = false;
            // Kept beyond the limit, too, so that every file stays named; cheap beside a status.
            if let Some(section) = self.sections.last_mut() {
                section.extend_from_slice(&first);
                section.push(b'\n');
            }
        }
        self.keep(line);
    }

    fn keep(&mut self, line: &[u8]) {
        let Some(section) = self.sections.last_mut() else { return };
        if self.is_cut {
            return;
        }
        if section.len() + line.len() >= MAX_SECTION || self.kept + line.len() >= MAX_PATCH {
            self.is_cut = true;
            section.extend_from_slice(b"[... the rest of this file's diff is left out ...]\n");
            return;
        }
        // A hash of 40 digits tells a reader nothing.
        if !line.starts_with(b"index ") {
            section.extend_from_slice(line);
            section.push(b'\n');
            self.kept += line.len() + 1;
        }
    }

    /// What was kept.
    pub fn finish(self) -> Vec<Section> {
        let texts = self.sections.iter().map(|s| String::from_utf8_lossy(s).into_owned());
        let sections = texts.filter_map(|text| {
            let path = diff::parse(&text).into_iter().next()?.path;
            Some(Section { path: super::show_name(path.as_bytes()), text })
        });
        sections.collect()
    }
}

/// The diff that git would show for a new file, or `None` when its content is not text.
/// `is_whole` is false when `content` is only its beginning.
pub fn new_file_section(path: &str, content: &[u8], is_whole: bool) -> Option<String> {
    if content.contains(&0) {
        return None;
    }
    let text = String::from_utf8_lossy(content);
    let lines: Vec<&str> = text.lines().collect();
    let (a, b) = (format!("a/{path}"), format!("b/{path}"));
    let (a, b) = (diff::quote_path(&a), diff::quote_path(&b));
    let mut out = format!("diff --git {a} {b}\nnew file mode 100644\n");
    if !lines.is_empty() {
        out.push_str(&format!("--- /dev/null\n+++ {b}\n@@ -0,0 +1,{} @@\n", lines.len()));
    }
    for line in lines {
        out.extend(["+", line, "\n"]);
    }
    if !is_whole {
        out.push_str("[... the rest of this file is left out ...]\n");
    }
    Some(out)
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
        assert_eq!(sections.len(), 1);
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
        assert_eq!(sections.len(), 40);
        assert!(sections.iter().all(|s| s.text.len() < MAX_SECTION + 100));
        assert!(sections.iter().map(|s| s.text.len()).sum::<usize>() < MAX_PATCH + 40 * 100);
    }

    #[test]
    fn a_new_file_reads_like_gits_own_diff() {
        let text = new_file_section("we\"ird", b"a\nb\n", true).unwrap();
        let file = &diff::parse(&text)[0];
        assert_eq!((file.path.as_str(), file.kind), ("we\"ird", diff::Kind::Added));
        assert_eq!(file.added, [(1, "a".to_string()), (2, "b".to_string())]);
        assert_eq!(new_file_section("b", b"\0", true), None);
        assert!(new_file_section("empty", b"", true).unwrap().ends_with("100644\n"));
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
