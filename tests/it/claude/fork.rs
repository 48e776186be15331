//! The reviewer: a fork of the session that sees the same and changes nothing.

use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;

use serde_json::{Value, json};

use super::{content, outcomes};
use crate::support::claude::{Claude, sessions, with_client};
use crate::support::model::{Model, Reply, Role, runs, says, writes};

/// Where caching ends moves with every request; it is no part of what the model reads.
fn without_cache_marks(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map.iter().filter(|(key, _)| *key != "cache_control");
            kept.map(|(key, v)| (key.clone(), without_cache_marks(v))).collect()
        }
        Value::Array(all) => all.iter().map(without_cache_marks).collect(),
        other => other.clone(),
    }
}

#[test]
fn the_fork_begins_with_the_workers_last_request_byte_for_byte() {
    with_client(|| {
        let model = Model::start(|request| match (request.role, request.number) {
            (Role::Worker, 0) => runs("echo one"),
            (Role::Worker, 1) => writes("a.txt", "a\n"),
            _ => content(request),
        });
        let claude = Claude::supervised(model);
        claude.result("Do it.", &["--effort", "high"]);
        let worker = claude.model.requests(Role::Worker).pop().unwrap();
        let fork = claude.model.requests(Role::Reviewer).remove(0);
        // `thinking.display` follows the output format, and is nothing that the model reads.
        for part in ["model", "system", "tools", "output_config", "max_tokens"] {
            assert_eq!(worker.body[part].to_string(), fork.body[part].to_string(), "{part}");
        }
        let seen = without_cache_marks(&worker.body["messages"]);
        let resent = without_cache_marks(&fork.body["messages"]);
        let (seen, resent) = (seen.as_array().unwrap(), resent.as_array().unwrap());
        assert!(seen.len() >= 5 && resent.len() > seen.len(), "{seen:#?}");
        for (before, after) in seen.iter().zip(resent) {
            assert_eq!(before.to_string(), after.to_string());
        }
    });
}

/// What a reviewer that forgets its place may try.
fn attempts() -> Vec<Reply> {
    vec![
        writes("made.txt", "x"),
        Reply::Call(
            "Edit",
            json!({ "file_path": "kept.txt", "old_string": "kept", "new_string": "bad" }),
        ),
        runs("rm kept.txt"),
        runs("echo bad > kept.txt"),
        runs("git commit --allow-empty -m bad"),
        runs("git diff --output=made.txt"),
        runs("python3 -c \"open('made.txt','w').write('x')\""),
        runs("cat kept.txt | tee made.txt"),
    ]
}

#[test]
fn whatever_the_reviewer_tries_nothing_changes_on_disk() {
    with_client(|| {
        let model = Model::start(|request| match request.role {
            Role::Reviewer => {
                let attempt = attempts().into_iter().nth(request.number);
                attempt.unwrap_or_else(|| request.verdict(true, ""))
            }
            _ => says("Done."),
        });
        let claude = Claude::new(model);
        // Rules of the user that would let the reviewer do all of this.
        let allow = json!({ "permissions": { "allow": ["Edit", "Write", "Bash"],
            "defaultMode": "acceptEdits" } });
        fs::write(claude.sandbox.settings(), allow.to_string()).unwrap();
        claude.sandbox.ok(&["install"]);
        fs::write(claude.sandbox.path("proj/kept.txt"), "kept\n").unwrap();
        claude.sandbox.git(&["add", "."]);
        claude.sandbox.git(&["commit", "-q", "-m", "Keep"]);
        fs::write(claude.sandbox.path("proj/kept.txt"), "kept\nmore\n").unwrap();
        let before = claude.sandbox.tree("proj");
        claude.result("Do it.", &[]);
        assert_eq!(claude.sandbox.tree("proj"), before);
        let reviews = claude.model.requests(Role::Reviewer);
        assert_eq!(reviews.len(), attempts().len() + 1);
        let last = serde_json::to_string(reviews.last().unwrap().messages()).unwrap();
        assert_eq!(last.matches("\"is_error\":true").count(), attempts().len(), "{last}");
        assert_eq!(claude.decisions(), outcomes([("allow", "approved")]));
    });
}

#[test]
fn what_the_config_allows_the_reviewer_may_run() {
    with_client(|| {
        let model = Model::start(|request| match (request.role, request.number) {
            (Role::Reviewer, 0) => runs("sh check.sh"),
            (Role::Reviewer, _) => request.verdict(request.last().contains("all is well"), "no"),
            _ => says("Done."),
        });
        let claude = Claude::supervised(model);
        claude.sandbox.configure(&json!({ "review": { "allow": ["Bash(sh check.sh)"] } }));
        fs::write(claude.sandbox.path("proj/check.sh"), "echo all is well\n").unwrap();
        claude.result("Do it.", &[]);
        assert_eq!(claude.decisions(), outcomes([("allow", "approved")]));
    });
}

#[test]
fn the_session_file_is_left_as_it_was() {
    with_client(|| {
        static DURING: Mutex<Vec<u8>> = Mutex::new(Vec::new());
        static PROJECTS: Mutex<Option<PathBuf>> = Mutex::new(None);
        let model = Model::start(|request| {
            if request.role == Role::Reviewer {
                let projects = PROJECTS.lock().unwrap().clone().unwrap();
                *DURING.lock().unwrap() = fs::read(&sessions(&projects)[0]).unwrap();
            }
            content(request)
        });
        let claude = Claude::supervised(model);
        *PROJECTS.lock().unwrap() = Some(claude.sandbox.path("home/.claude/projects"));
        claude.result("Do it.", &[]);
        let files = sessions(&claude.sandbox.path("home/.claude/projects"));
        assert_eq!(files.len(), 1, "the fork leaves no session: {files:?}");
        let (during, after) = (DURING.lock().unwrap().clone(), fs::read(&files[0]).unwrap());
        assert!(!during.is_empty() && after.starts_with(&during));
        let added = String::from_utf8_lossy(&after[during.len()..]).into_owned();
        assert!(!added.contains("Review request"), "{added}");
    });
}
