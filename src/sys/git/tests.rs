//! Against real repositories.
//!
//! `process` takes every child of this process that it did not start for an orphan to be ended,
//! and sees a child of another thread before that is known as one. So these tests run one by one
//! in a process of their own, which the only test that is not ignored starts.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Instant;

use std::os::unix::ffi::OsStrExt;

use super::*;
use crate::rules::git::show_name;
use crate::sys::process::{self, End, Job, Keep};

/// A repository in a temporary directory.
struct Repo {
    dir: tempfile::TempDir,
    path: OsString,
}

impl Repo {
    fn empty() -> Self {
        let path = std::env::var_os("PATH").unwrap();
        Self { dir: tempfile::tempdir().unwrap(), path }
    }

    fn new() -> Self {
        let repo = Self::empty();
        repo.git("init -q -b main --template= .");
        repo.git("config user.name dev");
        repo.git("config user.email dev@example.com");
        repo
    }

    /// With one commit of `a.txt`.
    fn with_commit() -> Self {
        let repo = Self::new();
        repo.write("a.txt", "one\n");
        repo.commit("start");
        repo
    }

    fn root(&self) -> &Path {
        self.dir.path()
    }

    /// Words are separated by blanks.
    fn git(&self, args: &str) -> String {
        self.git_in(self.root(), &args.split(' ').collect::<Vec<_>>(), &[0])
    }

    fn git_in(&self, cwd: &Path, args: &[&str], codes: &[i32]) -> String {
        let job = Job {
            program: OsStr::new("git"),
            args: args.iter().map(OsString::from).collect(),
            env: vec![("GIT_CONFIG_GLOBAL".into(), Some("/dev/null".into()))],
            cwd,
            stdin: b"",
            limit: Duration::from_secs(30),
            stdout: Keep { head: 9999, tail: 0 },
            stderr: Keep { head: 9999, tail: 0 },
        };
        let done = process::run(&job, &Cancel::never()).unwrap();
        let is_expected = codes.iter().any(|&c| done.end == End::Code(c));
        assert!(is_expected, "git {args:?}: {:?} {}", done.end, done.stderr.text());
        done.stdout.text()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn script(&self, name: &str, body: &str) {
        self.write(name, &format!("#!/bin/sh\n{body}\n"));
        fs::set_permissions(self.root().join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn commit(&self, subject: &str) {
        self.git("add -A");
        self.git_in(self.root(), &["commit", "-qm", subject], &[0]);
    }

    fn look_at(&self, cwd: &Path, baseline: Option<&Baseline>) -> Git {
        let cancel = Cancel::never();
        let limit = Duration::from_secs(20);
        look(&Probe { cwd, path: Some(&self.path), foreign: &[], limit, cancel: &cancel }, baseline)
    }

    fn look(&self) -> Git {
        self.look_at(self.root(), None)
    }

    fn text(&self) -> String {
        self.look().render(50_000)
    }

    fn baseline(&self) -> Baseline {
        let (cancel, limit) = (Cancel::never(), Duration::from_secs(20));
        let cwd = self.root();
        baseline(&Probe { cwd, path: Some(&self.path), foreign: &[], limit, cancel: &cancel }, 7)
            .unwrap()
    }

    fn fingerprint(&self) -> Option<String> {
        self.look().fingerprint().map(str::to_string)
    }
}

#[test]
fn real_repositories_are_read_rightly() {
    let program = std::env::current_exe().unwrap();
    let job = Job {
        program: program.as_os_str(),
        args: ["--ignored", "--test-threads=1", "sys::git::tests"].map(OsString::from).into(),
        env: vec![],
        cwd: Path::new("/"),
        stdin: b"",
        limit: Duration::from_secs(300),
        stdout: Keep { head: 50_000, tail: 0 },
        stderr: Keep { head: 50_000, tail: 0 },
    };
    let done = process::run(&job, &Cancel::never()).unwrap();
    let (out, errors) = (done.stdout.text(), done.stderr.text());
    assert_eq!(done.end, End::Code(0), "{out}{errors}");
    assert!(out.contains("test result: ok. 16 passed"), "{out}");
}

#[test]
#[ignore = "run by `real_repositories_are_read_rightly`"]
fn every_kind_of_change_is_named_and_counted() {
    let repo = Repo::new();
    for name in ["tracked", "staged", "both", "gone", "x -> y.md", "café 报告.md"] {
        repo.write(name, &format!("content of {name}\n"));
    }
    repo.commit("init");
    repo.write("tracked", "2\n");
    repo.write("staged", "2\n");
    repo.write("both", "2\n");
    repo.git("add staged both");
    repo.write("both", "3\n");
    repo.write("café 报告.md", "2\n");
    fs::remove_file(repo.root().join("gone")).unwrap();
    repo.git_in(repo.root(), &["mv", "x -> y.md", "z.md"], &[0]);
    repo.write("newdir/sub/2", "new content\n");
    repo.write("we\"ird\nname", "");
    let text = repo.text();
    for part in [
        "staged: 3, unstaged: 4, untracked: 2, conflicted: 0",
        "- x -> y.md -> z.md: renamed (staged)",
        "- café 报告.md: modified (unstaged, +1 -1)",
        "- gone: deleted (unstaged, +0 -1)",
        "- both: modified (staged, unstaged, +1 -1)",
        "- newdir/sub/2: untracked (+1 -0)",
        "- we\"ird\\nname: untracked",
        "+new content",
        "-content of both\n+3",
        "init (",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    assert!(!text.contains("clean"), "{text}");
    repo.git("stash -q -u");
    let text = repo.text();
    assert!(text.contains("working tree clean") && !text.contains("tracked"), "{text}");
}

#[test]
#[ignore = "run by `real_repositories_are_read_rightly`"]
fn hostile_settings_change_nothing_and_run_nothing() {
    let repo = Repo::with_commit();
    repo.write("b.txt", "b\n");
    repo.write(".gitattributes", "*.txt diff=evil filter=evil\n");
    repo.commit("b");
    let ran = repo.root().join(".git/ran");
    repo.script(".git/evil", &format!("echo $0 >>{}; cat; exit 1", ran.display()));
    let evil = repo.root().join(".git/evil").display().to_string();
    for setting in [
        "core.pager",
        "pager.status",
        "pager.diff",
        "diff.external",
        "core.fsmonitor",
        "diff.evil.textconv",
        "diff.evil.command",
        "filter.evil.clean",
        "filter.evil.process",
    ] {
        repo.git_in(repo.root(), &["config", setting, &evil], &[0]);
    }
    for setting in [
        "status.showUntrackedFiles no",
        "status.renames false",
        "diff.renames false",
        "diff.noprefix true",
        "diff.mnemonicPrefix true",
        "color.ui always",
        "core.quotePath true",
        "diff.context 0",
        "filter.evil.required true",
        "status.relativePaths false",
        "diff.suppressBlankEmpty true",
        "log.showSignature true",
        "diff.orderFile nowhere",
        "core.worktree /usr",
    ] {
        repo.git(&format!("config {setting}"));
    }
    repo.write("a.txt", "one\n\ntwo\n");
    repo.write("né.txt", "new\n");
    fs::rename(repo.root().join("b.txt"), repo.root().join("c.txt")).unwrap();
    let git = repo.look();
    let text = git.render(50_000);
    for part in ["- a.txt: modified", "- né.txt: untracked", "--- a/a.txt", " one\n+\n+two"] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    assert!(!text.contains('\x1b'));
    assert!(git.fingerprint().is_some());
    assert!(!ran.exists(), "{}", fs::read_to_string(ran).unwrap());
}

#[test]
#[ignore = "run by `real_repositories_are_read_rightly`"]
fn attributes_hide_no_text_and_every_binary() {
    let repo = Repo::with_commit();
    repo.write(".gitattributes", "* -diff\n");
    repo.write("b", "\0\u{1}");
    repo.commit("attributes");
    repo.write("a.txt", "hidden\n");
    repo.write("b", "\0\u{2}");
    let text = repo.text();
    assert!(text.contains("-one\n+hidden") && text.contains("Binary files a/b and b/b"), "{text}");
}

#[test]
#[ignore = "run by `real_repositories_are_read_rightly`"]
fn filters_of_a_submodule_are_not_run_either() {
    let (repo, lib) = (Repo::with_commit(), Repo::with_commit());
    let lib = lib.root().to_str().unwrap();
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib, "vendor"];
    repo.git_in(repo.root(), &add, &[0]);
    repo.commit("submodule");
    let ran = repo.root().join(".git/ran");
    let filter = format!("sh -c 'touch {}; cat'", ran.display());
    let vendor = repo.root().join("vendor");
    repo.git_in(&vendor, &["config", "filter.evil.clean", &filter], &[0]);
    repo.write("vendor/.gitattributes", "* filter=evil\n");
    // Of the same size, so that git has to read it.
    repo.write("vendor/a.txt", "two\n");
    let text = repo.text();
    assert!(text.contains("- vendor: submodule") && !ran.exists(), "{text}");
    repo.git_in(&vendor, &["status"], &[0]);
    assert!(ran.exists(), "the filter would never have run");
}

#[test]
#[ignore = "run by `real_repositories_are_read_rightly`"]
fn what_is_stashed_not_pushed_or_not_finished_is_told() {
    let repo = Repo::with_commit();
    let baseline = repo.baseline();
    repo.git("branch up");
    repo.git("branch -q --set-upstream-to=up");
    repo.git("checkout -q -b side");
    repo.write("a.txt", "side\n");
    repo.commit("side");
    repo.git("checkout -q main");
    repo.write("a.txt", "main\n");
    repo.commit("main");
    repo.write("a.txt", "stashed\n");
    repo.git("stash -q");
    repo.git_in(repo.root(), &["merge", "side"], &[1]);
    let text = repo.look_at(repo.root(), Some(&baseline)).render(9999);
    for part in [
        ", 1 ahead of up\n",
        "note: a merge is not finished\n",
        "note: entries in the stash: 1, 0 before this request\n",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
}

#[test]
#[ignore = "run by `real_repositories_are_read_rightly`"]
fn git_is_only_read() {
    let repo = Repo::with_commit();
    repo.write("b.txt", "b\n");
    repo.commit("b");
    repo.write("b.txt", "b2\n");
    // Stale times make git want to refresh its index.
    let old = std::time::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    fs::File::options()
        .write(true)
        .open(repo.root().join("a.txt"))
        .unwrap()
        .set_modified(old)
        .unwrap();
    let snapshot = || {
        let meta = fs::metadata(repo.root().join(".git/index")).unwrap();
        let dir = fs::metadata(repo.root().join(".git")).unwrap();
        (meta.modified().unwrap(), meta.len(), dir.modified().unwrap())
    };
    let before = snapshot();
    let text = repo.text();
    assert_eq!(snapshot(), before);
    assert!(text.contains("b.txt") && !text.contains("a.txt"), "{text}");
    // Somebody else's lock neither stops us nor goes away.
    repo.write(".git/index.lock", "");
    assert!(repo.text().contains("b.txt"));
    assert!(repo.root().join(".git/index.lock").exists());
}

#[test]
#[ignore = "run by `real_repositories_are_read_rightly`"]
fn whatever_git_refuses_is_unavailable_with_a_reason() {
    let none = Repo::empty();
    let bare = Repo::empty();
    bare.git("init -q --bare .");
    let broken = Repo::with_commit();
    broken.write(".git/HEAD", "\0\0garbage\n");
    let missing = Repo { path: "/nonexistent:bin".into(), ..Repo::with_commit() };
    for (repo, why) in [
        (&none, "not a git repository"),
        (&bare, "bare repository"),
        (&broken, "not a git repository"),
        (&missing, "not found on PATH"),
    ] {
        let git = repo.look();
        let text = git.render(999);
        assert!(
            text.starts_with("git information is unavailable: ") && text.contains(why),
            "{text}"
        );
        assert!(!text.contains("fatal:"), "{text}");
        assert_eq!((git.fingerprint(), git.changed_files()), (None, None));
    }
    let gone = none.look_at(Path::new("/nonexistent/dir"), None).render(999);
    assert!(gone.contains("does not exist"), "{gone}");
}

#[test]
#[ignore = "run by `real_repositories_are_read_rightly`"]
fn a_git_that_sleeps_or_floods_ends_with_the_budget() {
    for body in ["sleep 60", "yes zq-flood-zq-flood-zq-flood | head -c 50000000", "exit 0"] {
        let mut repo = Repo::with_commit();
        repo.script("bin/git", body);
        let bin = repo.root().join("bin");
        repo.path = std::env::join_paths([bin.as_path(), Path::new("/usr/bin")]).unwrap();
        let (cancel, limit) = (Cancel::never(), Duration::from_millis(500));
        let cwd = repo.root();
        let started = Instant::now();
        let git = look(
            &Probe { cwd, path: Some(&repo.path), foreign: &[], limit, cancel: &cancel },
            None,
        );
        assert!(started.elapsed() < Duration::from_secs(4), "{body}: {:?}", started.elapsed());
        assert!(matches!(git, Git::Unavailable(_)), "{body}: {git:?}");
    }
}

#[test]
#[ignore = "run by `real_repositories_are_read_rightly`"]
fn an_unborn_branch_is_no_error() {
    let repo = Repo::new();
    repo.write("first.txt", "hello\n");
    repo.write("staged.txt", "staged\n");
    repo.git("add staged.txt");
    repo.write("staged.txt", "staged\nand more\n");
    let text = repo.text();
    for part in
        ["no commit yet", "first.txt: untracked", "+hello", "staged.txt: added", "+and more"]
    {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    assert!(!text.contains("fatal:") && !text.contains("failed"), "{text}");
    let before = repo.baseline();
    repo.commit("first one");
    let text = repo.look_at(repo.root(), Some(&before)).render(9999);
    assert!(text.contains("commits since this work began:\n- "), "{text}");
    assert!(text.contains("first one") && text.contains("+hello"), "{text}");
    assert!(text.contains("  - added: staged.txt"), "{text}");
}

#[test]
#[ignore = "run by `real_repositories_are_read_rightly`"]
fn conflicts_are_named() {
    let repo = Repo::with_commit();
    repo.git("checkout -q -b side");
    repo.write("a.txt", "side\n");
    repo.commit("side");
    repo.git("checkout -q main");
    repo.write("a.txt", "main\n");
    repo.commit("main");
    repo.git_in(repo.root(), &["merge", "side"], &[1]);
    let git = repo.look();
    let text = git.render(9999);
    assert!(text.contains("conflicted: 1\n- a.txt: conflict (both modified"), "{text}");
    assert!(text.contains("+<<<<<<< HEAD") && !text.contains("Unmerged path"), "{text}");
    assert!(git.fingerprint().is_some());
}

#[test]
#[ignore = "run by `real_repositories_are_read_rightly`"]
fn a_linked_worktree_and_a_subdirectory_speak_of_their_own_tree() {
    let repo = Repo::with_commit();
    let other = tempfile::tempdir().unwrap();
    let tree = other.path().join("wt");
    repo.git_in(
        repo.root(),
        &["worktree", "add", "-q", "-b", "feat", tree.to_str().unwrap()],
        &[0],
    );
    repo.write("main-only.txt", "x\n");
    fs::create_dir(tree.join("sub")).unwrap();
    fs::write(tree.join("tree-only.txt"), "in the tree\n").unwrap();
    fs::write(tree.join("a.txt"), "two\n").unwrap();
    let git = repo.look_at(&tree.join("sub"), None);
    let text = git.render(9999);
    for part in ["branch feat", "asked in sub/", "tree-only.txt", "+in the tree", "-one\n+two"] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    assert!(!text.contains("main-only.txt"), "{text}");
    assert!(git.fingerprint().is_some());
}

#[test]
#[ignore = "run by `real_repositories_are_read_rightly`"]
fn work_inside_submodules_and_nested_repositories_is_flagged_and_unknown() {
    let (repo, lib) = (Repo::with_commit(), Repo::with_commit());
    let lib = lib.root().to_str().unwrap();
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib, "vendor"];
    repo.git_in(repo.root(), &add, &[0]);
    repo.commit("submodule");
    assert!(repo.fingerprint().is_some());
    repo.write("vendor/a.txt", "changed inside\n");
    let git = repo.look();
    let text = git.render(9999);
    assert!(text.contains("- vendor: submodule (unstaged, modified content)"), "{text}");
    assert_eq!(git.fingerprint(), None);

    let repo = Repo::with_commit();
    repo.write("nested/x", "x\n");
    repo.git_in(&repo.root().join("nested"), &["init", "-q", "."], &[0]);
    let git = repo.look();
    assert!(git.render(9999).contains("- nested/: untracked repository of its own"));
    assert_eq!(git.fingerprint(), None);
}

#[test]
#[ignore = "run by `real_repositories_are_read_rightly`"]
fn what_was_there_before_is_told_from_the_work() {
    let repo = Repo::with_commit();
    repo.write("web.html", "1\n");
    repo.write("mine.txt", "1\n");
    repo.commit("files");
    repo.write("web.html", "somebody else's\n");
    repo.write("mine.txt", "begun\n");
    repo.write("stays.txt", "old and new\n");
    repo.write("goes.txt", "x\n");
    let baseline = repo.baseline();
    repo.write("mine.txt", "begun and ended\n");
    repo.write("step.txt", "step\n");
    fs::remove_file(repo.root().join("goes.txt")).unwrap();
    repo.git("add step.txt");
    repo.git_in(repo.root(), &["commit", "-qm", "notify: quiet hours"], &[0]);
    let git = repo.look_at(repo.root(), Some(&baseline));
    let text = git.render(9999);
    for part in [
        "- web.html: modified (unstaged, already there before this request)",
        "- stays.txt: untracked (already there before this request)",
        "- mine.txt: modified (unstaged, +1 -1)\n",
        "changed before this request, now as in HEAD: goes.txt",
        "notify: quiet hours (",
        "  - added: step.txt",
        "+step",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    assert!(!git.patch().contains("somebody") && !git.patch().contains("old and new"));
    let changed = git.changed_files().unwrap();
    assert_eq!(changed, ["mine.txt", "stays.txt", "step.txt", "web.html"]);
    // Without a baseline the newest commit is shown with its files.
    let text = repo.text();
    assert!(text.contains("notify: quiet hours") && text.contains("  - added: step.txt"), "{text}");
}

#[test]
#[ignore = "run by `real_repositories_are_read_rightly`"]
fn rewritten_and_vanished_history_is_told() {
    let repo = Repo::with_commit();
    repo.write("b.txt", "b\n");
    repo.commit("will be lost");
    let baseline = repo.baseline();
    repo.git("reset -q --hard HEAD~1");
    let text = repo.look_at(repo.root(), Some(&baseline)).render(9999);
    assert!(text.contains("will be lost") && text.contains("no longer in the history"), "{text}");
    let strange = Baseline { head: Some("0".repeat(40)), ..Baseline::default() };
    let text = repo.look_at(repo.root(), Some(&strange)).render(9999);
    assert!(text.contains("when this work began is not known"), "{text}");
    let option = Baseline { head: Some("--output=x".into()), ..Baseline::default() };
    assert!(repo.look_at(repo.root(), Some(&option)).fingerprint().is_some());
}

#[test]
#[ignore = "run by `real_repositories_are_read_rightly`"]
fn the_fingerprint_follows_the_work_and_nothing_else() {
    let repo = Repo::with_commit();
    repo.write("a.txt", "two\n");
    repo.write("new.txt", "new\n");
    let baseline = repo.baseline();
    let first = repo.fingerprint().unwrap();
    assert_eq!(first.len(), 64);
    let with_baseline = repo.look_at(repo.root(), Some(&baseline));
    assert_eq!(with_baseline.fingerprint(), Some(first.as_str()), "independent of the baseline");
    repo.write("a.txt", "two\n");
    assert_eq!(repo.fingerprint().unwrap(), first, "written again with the same content");
    let mut seen = vec![first];
    let mut see = |what: &str| {
        let now = repo.fingerprint().unwrap();
        assert!(!seen.contains(&now), "{what}");
        seen.push(now);
    };
    repo.write("new.txt", "NEW\n");
    see("an untracked file's content");
    repo.write("a.txt", "2wo\n");
    see("a tracked file's content");
    repo.git("add a.txt");
    see("the index");
    repo.write("big.bin", &"x".repeat(3 << 20));
    see("a large file");
    repo.commit("all");
    see("a commit");
}

#[test]
#[ignore = "run by `real_repositories_are_read_rightly`"]
fn a_name_that_is_no_text_is_reported_and_read() {
    let repo = Repo::with_commit();
    let name = OsStr::from_bytes(b"odd\xff.txt");
    fs::write(repo.root().join(name), "odd content\n").unwrap();
    fs::write(repo.root().join("bin"), [0, 1, 2]).unwrap();
    let git = repo.look();
    let text = git.render(9999);
    let shown = show_name(name.as_bytes());
    assert!(
        text.contains(&format!("- {shown}: untracked")) && text.contains("+odd content"),
        "{text}"
    );
    assert!(text.contains("diff not shown: bin (binary)"), "{text}");
    assert!(git.fingerprint().is_some());
}
