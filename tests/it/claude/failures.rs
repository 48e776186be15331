//! A reviewer that cannot work: the stop is allowed within the review's limit, and the user is told.

use std::time::{Duration, Instant};

use serde_json::json;

use super::outcomes;
use crate::support::claude::{Claude, with_client};
use crate::support::model::{Model, Reply, Request, Role, says};

/// Limit of a review here, in seconds.
const LIMIT: u64 = 30;

/// One session whose reviewer gets this from the model server.
fn fails_with(reply: &'static Reply, limit: u64, told: &str) {
    let answer = move |request: &Request| match request.role {
        Role::Reviewer => reply.clone(),
        _ => says("Done."),
    };
    let claude = Claude::supervised(Model::start(answer));
    claude.sandbox.configure(&json!({ "review": { "timeout_secs": limit } }));
    let begin = Instant::now();
    let result = claude.result("Do it.", &[]);
    assert!(begin.elapsed() < Duration::from_secs(limit + 10), "took {:?}", begin.elapsed());
    assert_eq!(result["result"], "Done.");
    assert_eq!(claude.decisions(), outcomes([("allow", "judge-failed")]));
    let notices = claude.notices();
    assert!(notices.contains("the review failed, so the stop is allowed"), "{notices}");
    assert!(notices.contains(told), "{notices}");
}

#[test]
fn a_key_that_is_refused() {
    with_client(|| fails_with(&Reply::Fails(401), LIMIT, "401"));
}

#[test]
fn a_rate_limit() {
    with_client(|| fails_with(&Reply::Fails(429), LIMIT, "429"));
}

#[test]
fn a_server_error() {
    with_client(|| fails_with(&Reply::Fails(500), LIMIT, "500"));
}

#[test]
fn an_overloaded_server() {
    with_client(|| fails_with(&Reply::Fails(529), LIMIT, "529"));
}

#[test]
fn a_server_that_hangs() {
    with_client(|| fails_with(&Reply::Hangs, 6, "6 s"));
}
