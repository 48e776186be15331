//! Signals in the middle of a review: nothing is left running.

use std::fs;
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::claude::{Claude, with_client};
use crate::support::model::{Model, Reply, Role, says};

/// Longest wait for anything here.
const PATIENCE: Duration = Duration::from_secs(20);

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Processes of this namespace whose command line has the word. Zombies have none.
fn processes(word: &str) -> Vec<i32> {
    let pids = fs::read_dir("/proc").unwrap().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let has_it = |pid: &i32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words: Vec<_> = line.split(|&b| b == 0).map(String::from_utf8_lossy).collect();
        words.first().is_some_and(|w| !w.ends_with("sh")) && words.join(" ").contains(word)
    };
    pids.filter(has_it).collect()
}

/// A client in the middle of a review whose model does not answer.
fn in_review() -> (Claude, Child) {
    let model = Model::start(|request| match request.role {
        Role::Reviewer => Reply::Hangs,
        _ => says("Done."),
    });
    let claude = Claude::supervised(model);
    let mut command = claude.command(&["-p", "Do it."]);
    let child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
    until("the review began", || !claude.model.requests(Role::Reviewer).is_empty());
    assert!(!processes("--fork-session").is_empty() && !processes("ccc hook").is_empty());
    (claude, child)
}

fn kill(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

fn nothing_is_left() {
    until("nothing runs", || {
        processes("--fork-session").is_empty() && processes("ccc hook").is_empty()
    });
}

#[test]
fn a_terminated_client_leaves_no_process() {
    with_client(|| {
        let (_claude, mut child) = in_review();
        kill(child.id().try_into().unwrap(), Signal::TERM);
        child.wait().unwrap();
        nothing_is_left();
    });
}

#[test]
fn a_killed_client_leaves_no_process() {
    with_client(|| {
        let (_claude, mut child) = in_review();
        kill(child.id().try_into().unwrap(), Signal::KILL);
        child.wait().unwrap();
        nothing_is_left();
    });
}

#[test]
fn a_terminated_hook_ends_its_fork_and_the_client_goes_on() {
    with_client(|| {
        let (_claude, mut child) = in_review();
        processes("ccc hook").into_iter().for_each(|pid| kill(pid, Signal::TERM));
        assert!(child.wait().unwrap().success());
        nothing_is_left();
    });
}
