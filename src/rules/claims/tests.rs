//! Messages, what was done, and what is said of both.

use super::*;
use crate::rules::activity;
use crate::rules::git::parse_status;
use crate::rules::record::{Call, Record};

const H: &str = "89df5c8b6a7aad4559bdbd11cd5f58a2681bb6a3";

type Steps<'a> = &'a [(&'a str, &'a str)];

/// Commands with what they answered (`!` before the text: an error), and edits (`edit a.rs`).
fn session(steps: Steps) -> Activity {
    let mut records = vec![Record::Request("do it".into())];
    for (i, (what, answer)) in steps.iter().enumerate() {
        let id = i.to_string();
        let call = match what.strip_prefix("edit ") {
            Some(path) => Call::Edit { path: path.into(), text: "x".into() },
            None => Call::Run { command: (*what).into(), in_background: false },
        };
        records.push(Record::Called { id: id.clone(), call });
        let (text, is_error) = answer.strip_prefix('!').map_or((*answer, false), |t| (t, true));
        records.push(match text {
            "refused" => Record::Refused { id, text: text.into() },
            text => Record::Answered { id, text: text.into(), is_error },
        });
    }
    activity::read(&records)
}

fn repository(since: Since, changed: &[&str], commits: &[&str]) -> Git {
    let mut lines = vec![format!("# branch.oid {H}\0# branch.head main")];
    lines.extend(changed.iter().map(|p| format!("1 .M N... 100644 100644 100644 {H} {H} {p}")));
    let changes = parse_status(lines.join("\0").as_bytes()).unwrap().changes;
    let commits = commits.iter().map(|subject| Commit {
        hash: H.into(),
        subject: (*subject).into(),
        age: "1 minute ago".into(),
        ..Commit::default()
    });
    Git::Work(Box::new(Work { since, changes, commits: commits.collect(), ..Work::default() }))
}

fn said(message: &str, activity: &Activity, git: &Git) -> String {
    let facts = Facts {
        activity,
        git: Some(git),
        checks: &[],
        roots: &["/p".to_owned()],
        exists: &|path| path.contains("there"),
        is_ignored: &|path| path.contains("ignored"),
    };
    render(message, &facts)
}

#[test]
fn claims_on_tests_stand_beside_what_ran() {
    let ok = "test result: ok. 14 passed; 0 failed;";
    let table: &[(Steps, &str, &str)] = &[
        (&[], "All 14 tests pass.", "- says all 14 tests pass; no test command was run"),
        (
            &[("ls", "a")],
            "Tests pass.",
            "- says tests pass; no test command was run that ccc recognizes",
        ),
        (
            &[("cargo test", "!Exit code 101\nFAILED")],
            "All tests pass.",
            "- says all tests pass; the last test command (`cargo test`) failed with exit 101 and was not run again",
        ),
        (
            &[("cargo test", "!Exit code 101"), ("edit /p/a.rs", "ok")],
            "All tests pass.",
            "- says all tests pass; the last test command (`cargo test`) failed with exit 101 and was not run again \
             after `a.rs` changed",
        ),
        (
            &[("cargo test", ok), ("edit /p/a.rs", "ok")],
            "Tests pass.",
            "- says tests pass; the last test command (`cargo test`) went well, but before `a.rs` changed",
        ),
        (
            &[("cargo test", ok), ("edit /p/README.md", "ok"), ("edit /tmp/x.rs", "ok")],
            "All 14 tests pass.",
            "- says all 14 tests pass; the last test command was `cargo test`, exit 0; its output says 14 passed",
        ),
        (
            &[("cargo test", ok)],
            "All 20 tests pass.",
            "- says all 20 tests pass; the test commands that were run report 14 passed, not 20",
        ),
        (
            &[("cargo test", ok), ("npm test", "# pass 6\n# fail 0")],
            "All 20 tests pass.",
            "- says all 20 tests pass; the last test command was `npm test`, exit 0; its output says 6 passed",
        ),
        (
            &[("cargo test --test length 2>&1 | tail -3", "test result: ok. 3 passed; 0 failed;")],
            "All tests pass.",
            "- says all tests pass; only a selection of the tests was run, the last time with `cargo test --test \
             length 2>&1 | tail -3` (its exit code was not let through; its output says 3 passed)",
        ),
        (
            &[("pytest | head -1", "collected 3 items")],
            "Tests pass.",
            "- says tests pass; how the last test command (`pytest | head -1`) ended is not known: its exit code was \
             not let through",
        ),
        (
            &[("npm test", "refused")],
            "Tests pass.",
            "- says tests pass; the test command was not carried out",
        ),
    ];
    let git = repository(Since::Unmoved, &[], &[]);
    for (steps, message, expected) in table {
        assert_eq!(said(message, &session(steps), &git), *expected, "{message}");
    }
}

#[test]
fn what_is_not_known_is_no_accusation() {
    let git = repository(Since::Unmoved, &[], &[]);
    let mut subagents = session(&[("ls", "a")]);
    subagents.delegated = 1;
    let partial = Activity { is_partial: true, ..session(&[("ls", "a")]) };
    for (activity, word) in [
        (subagents, "what its subagents ran is not known"),
        (partial, "the part of the session that was read has no test command"),
        (Activity::default(), "there is no record of the session"),
    ] {
        let text = said("All tests pass.", &activity, &git);
        assert!(text.contains(word) && !text.contains("no test command was run"), "{text}");
    }
}

#[test]
fn a_failed_check_of_ccc_stands_first() {
    let check = |passed: bool, ended: &str| CheckFact {
        run: "cargo test".into(),
        passed,
        ended: ended.into(),
    };
    let activity = session(&[("cargo test", "")]);
    let facts = |checks| Facts {
        activity: &activity,
        git: None,
        checks,
        roots: &[],
        exists: &|_| false,
        is_ignored: &|_| false,
    };
    let failed = [check(false, "failed (exit 101)")];
    let text = render("All tests pass.", &facts(&failed));
    assert!(
        text.starts_with(
            "- says all tests pass; ccc's own check `cargo test` failed (exit 101); the last"
        ),
        "{text}"
    );
    let text = render("All tests pass.", &facts(&[check(true, "passed")]));
    assert!(text.ends_with("exit 0; ccc's own check `cargo test` passed"), "{text}");
}

#[test]
fn claims_on_files_stand_beside_git() {
    let git = repository(Since::Unmoved, &["src/lib.rs", "web/x.ts"], &["older"]);
    let nothing = session(&[]);
    for (message, expected) in [
        (
            "I updated `lib.rs` and `web/x.ts`.",
            "- says it changed `lib.rs`, `web/x.ts`; that is so",
        ),
        ("I updated `auth.rs`.", "- says `auth.rs` was changed; git shows no change there"),
        (
            "I created `src/new.rs`.",
            "- says `src/new.rs` was created; git shows no change there, and there is no such file",
        ),
        (
            "I created `src/there.rs`.",
            "- says `src/there.rs` was created; git shows no change there",
        ),
        (
            "I updated `ignored.env`.",
            "- says `ignored.env` was changed; git ignores this file, so a change does not show",
        ),
        ("Deleted `src/there.rs`.", "- says `src/there.rs` was deleted; the file is still there"),
        (
            "I updated `/etc/x.conf`.",
            "- says `/etc/x.conf` was changed; no tool edited it and no command names it",
        ),
    ] {
        assert_eq!(said(message, &nothing, &git), expected, "{message}");
    }
    let edited = session(&[("edit /p/src/auth.rs", "ok")]);
    assert!(
        said("I updated `auth.rs`.", &edited, &git)
            .contains("a tool edited it, but git shows no change there now")
    );
    let committed = session(&[("edit /p/src/auth.rs", "ok"), ("git commit -qm x", "")]);
    assert_eq!(
        said("I updated `auth.rs`.", &committed, &git),
        "- says it changed `auth.rs`; that is so"
    );
}

#[test]
fn claims_on_files_without_git_stand_beside_the_tools() {
    let git = Git::Unavailable("not a repository".into());
    let edited = session(&[("edit /p/report.py", "ok"), ("sed -i s/a/b/ conf.py", "")]);
    for (message, expected) in [
        (
            "I updated `report.py` and `conf.py`.",
            "- says it changed `report.py`, `conf.py`; that is so",
        ),
        (
            "I updated `other.py`.",
            "- says `other.py` was changed; no tool edited it and no command names it",
        ),
        ("Created `lib/other.py`.", "- says `lib/other.py` was created; there is no such file"),
    ] {
        assert_eq!(said(message, &edited, &git), expected, "{message}");
    }
}

#[test]
fn claims_on_commits_stand_beside_head() {
    let nothing = session(&[("ls", "")]);
    let unmoved = repository(Since::Unmoved, &[], &["older"]);
    let moved = repository(Since::Moved, &[], &["notify: quiet"]);
    let unknown = repository(Since::Unknown, &[], &["older"]);
    for (git, message, expected) in [
        (&unmoved, "Committed.", "- says it was committed; HEAD has not moved since the prompt"),
        (
            &moved,
            "Committed as 89df5c8.",
            "- says it was committed as 89df5c8; so it is: 89df5c8 `notify: quiet` (1 minute ago)",
        ),
        (
            &moved,
            "Committed as abc1234.",
            "- says it was committed as abc1234; no commit since the prompt has this hash, the newest is 89df5c8 \
             `notify: quiet` (1 minute ago)",
        ),
        (
            &unknown,
            "Committed.",
            "- says it was committed; no commit command was run; the newest is 89df5c8 `older` (1 minute ago)",
        ),
        (
            &unmoved,
            "Pushed to origin.",
            "- says it was pushed; no push command was run that ccc recognizes",
        ),
    ] {
        assert_eq!(said(message, &nothing, git), expected, "{message}");
    }
    let done = session(&[("git add . && git commit -qm x && git log | tail -1", "x")]);
    let text = said("Committed.", &done, &unknown);
    assert!(text.contains("was run, exit 0; the newest is"), "{text}");
    let text = said("Committed.", &done, &unmoved);
    assert!(text.contains("HEAD has not moved since the prompt, though `git add"), "{text}");
    let failed = session(&[("git commit -m x", "!Exit code 1\nnothing to commit")]);
    let text = said("Committed.", &failed, &unmoved);
    assert!(
        text.ends_with("the last commit command (`git commit -m x`) failed with exit 1"),
        "{text}"
    );
}

#[test]
fn contradictions_come_first_and_silence_stays_silence() {
    let git = repository(Since::Unmoved, &["a.rs"], &[]);
    let activity = session(&[("cargo test", "test result: ok. 1 passed; 0 failed;")]);
    let text = said("Tests pass. I changed `a.rs` and `b.rs`.", &activity, &git);
    assert!(text.starts_with("- says `b.rs` was changed") && text.lines().count() == 3, "{text}");
    assert_eq!(said("I looked at it. What should I do?", &activity, &git), "");
}

#[test]
fn the_fields_of_a_status_block_stand_beside_the_facts() {
    let block = |files: u32, tests: &str, exit: &str, status: &str| {
        format!(
            "---RALPH_STATUS---\nSTATUS: {status}\nTASKS_COMPLETED_THIS_LOOP: 1\nFILES_MODIFIED: {files}\n\
             TESTS_STATUS: {tests}\nWORK_TYPE: IMPLEMENTATION\nEXIT_SIGNAL: {exit}\n\
             RECOMMENDATION: none\n---END_RALPH_STATUS---"
        )
    };
    let red: Steps = &[("cargo test", "!Exit code 101\nFAILED")];
    let two = |since| repository(since, &["a.rs", "b.rs"], &[]);
    let table = [
        (
            block(5, "PASSING", "true", "COMPLETE"),
            two(Since::Unmoved),
            vec![
                "- says FILES_MODIFIED: 5; git shows 2 changed since the request",
                "- says TESTS_STATUS: PASSING; the last test command (`cargo test`) failed with exit 101",
            ],
        ),
        (
            block(2, "NOT_RUN", "true", "COMPLETE"),
            two(Since::Unmoved),
            vec![
                "- says something in its RALPH_STATUS block; EXIT_SIGNAL true contradicts TESTS_STATUS NOT_RUN",
                "- says TESTS_STATUS: NOT_RUN; `cargo test` was run, failed with exit 101",
                "- says FILES_MODIFIED: 2; git shows 2 changed since the request",
            ],
        ),
        (
            block(1, "FAILING", "false", "IN_PROGRESS"),
            two(Since::Unknown),
            vec![
                "- says FILES_MODIFIED: 1; git shows 2 changed, since when is not known",
                "- says in its RALPH_STATUS block that work is left; it stopped all the same",
            ],
        ),
    ];
    for (message, git, expected) in table {
        let text = said(&message, &session(red), &git);
        for line in expected {
            assert!(text.contains(line), "{message}\nexpected {line}\ngot {text}");
        }
    }
    let plain = said("No block here.", &session(red), &two(Since::Unmoved));
    assert_eq!(plain, "");
}
