//! The live view on a terminal: keys, sizes, color, and its end.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{sandbox, stop};
use crate::support::sandbox::{Sandbox, feed};
use crate::support::tmux::Tmux;

/// Starts the monitor in the session `m`. `before` stands before the program; how it ended is
/// written to a file.
fn start(tmux: &Tmux, sandbox: &Sandbox, before: &str, columns: &str) {
    let (ccc, end) = (env!("CARGO_BIN_EXE_ccc"), end(sandbox));
    let command =
        format!("{before} {ccc} monitor; echo $? >{0}.new; mv {0}.new {0}", end.display());
    tmux.ok(&["new-session", "-d", "-s", "m", "-x", columns, "-y", "30", &command]);
}

fn end(sandbox: &Sandbox) -> PathBuf {
    sandbox.path("home/end")
}

/// Waits for the monitor's end; returns its exit code.
fn ended(sandbox: &Sandbox) -> String {
    let begin = Instant::now();
    loop {
        if let Ok(code) = fs::read_to_string(end(sandbox)) {
            return code.trim().to_owned();
        }
        assert!(begin.elapsed() < Duration::from_secs(10), "it does not end");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Two sessions that were sent back.
fn two_sessions() -> Sandbox {
    let sandbox = sandbox();
    fs::write(sandbox.path("home/go"), "").unwrap();
    for id in ["aaa-1", "bbb-2"] {
        assert_eq!(feed(&mut sandbox.ccc(&["hook"]), &stop(&sandbox, id)).status.code(), Some(2));
    }
    sandbox
}

fn state(sandbox: &Sandbox, id: &str) -> Value {
    let path = sandbox.path(&format!("home/.claude/ccc/sessions/{id}.json"));
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn keys_select_filter_read_switch_and_reset() {
    let sandbox = two_sessions();
    let Some(tmux) = Tmux::new(&sandbox) else { return };
    start(&tmux, &sandbox, "", "80");
    let keys = |keys: &[&str]| drop(tmux.ok(&[&["send-keys", "-t", "m"], keys].concat()));
    let row = |mark: &str, id: &str| format!("{mark} sent back 1/7    {id}");
    tmux.shows("m", &["2 sessions", "Last verdict: not complete", "Recent activity", "q quit"]);
    keys(&["Home", "Down"]);
    tmux.shows("m", &["▸ sent back"]);
    keys(&["/", "aaa"]);
    tmux.shows("m", &["filter: aaa▏", "Esc clear", &row("▸", "aaa-1")]);
    keys(&["Enter", "o"]);
    tmux.shows("m", &["supervision is off for session aaa-1", "▸ off"]);
    assert_eq!(state(&sandbox, "aaa-1")["enabled"], false);
    keys(&["o"]);
    tmux.shows("m", &["supervision is on for session aaa-1", &row("▸", "aaa-1")]);
    keys(&["r"]);
    tmux.shows("m", &["session aaa-1 is reset", "▸ sent back 0/7"]);
    assert_eq!(state(&sandbox, "aaa-1")["chain"]["iteration"], 0);
    assert_eq!(state(&sandbox, "bbb-2")["chain"]["iteration"], 1);
    keys(&["y"]);
    tmux.shows("m", &["copied to tmux's buffer: aaa-1"]);
    assert_eq!(tmux.ok(&["show-buffer"]).trim(), "aaa-1");
    keys(&["f"]);
    tmux.shows("m", &["notes.txt is missing: write it.", "q back"]);
    keys(&["q", "e"]);
    tmux.shows("m", &["All done.", "q back"]);
    keys(&["q", "?"]);
    tmux.shows("m", &["supervision on or off", "q back"]);
    keys(&["q", "Escape"]);
    tmux.shows("m", &["aaa-1", "bbb-2", "q quit"]);
    keys(&["q"]);
    assert_eq!(ended(&sandbox), "0");
}

#[test]
fn it_follows_the_size_of_its_terminal_and_what_happens() {
    let sandbox = two_sessions();
    let Some(tmux) = Tmux::new(&sandbox) else { return };
    start(&tmux, &sandbox, "", "80");
    tmux.shows("m", &["BREAKER", "bbb-2"]);
    tmux.ok(&["resize-window", "-t", "m", "-x", "40", "-y", "12"]);
    let screen = tmux.shows("m", &["STATE     ROUND  AGE    PROJECT", "? q"]);
    assert!(!screen.contains("BREAKER"), "{screen}");
    tmux.ok(&["resize-window", "-t", "m", "-x", "200", "-y", "40"]);
    tmux.shows("m", &["BREAKER", "PgDn more", "Recent activity"]);
    for (columns, rows) in [("1", "1"), ("3", "2"), ("20", "4"), ("200", "3"), ("40", "30")] {
        tmux.ok(&["resize-window", "-t", "m", "-x", columns, "-y", rows]);
    }
    fs::write(sandbox.path("home/.claude/ccc/sessions/broken.json"), "{").unwrap();
    tmux.ok(&["resize-window", "-t", "m", "-x", "80", "-y", "30"]);
    tmux.shows("m", &["2 sessions, 1 unreadable"]);
    feed(&mut sandbox.ccc(&["hook"]), &stop(&sandbox, "目录-3"));
    tmux.shows("m", &["3 sessions, 1 unreadable", "目录-3"]);
    tmux.ok(&["send-keys", "-t", "m", "C-c"]);
    assert_eq!(ended(&sandbox), "130");
}

#[test]
fn without_color_the_view_is_the_same_and_a_dumb_terminal_gets_lines() {
    let sandbox = two_sessions();
    let Some(tmux) = Tmux::new(&sandbox) else { return };
    // tmux writes the attributes of a cell as one sequence: `ESC [ 7 ; 35 m`.
    let colors = |name: &str| {
        let screen = tmux.ok(&["capture-pane", "-e", "-p", "-t", name]);
        let numbers = screen.split("\x1b[").skip(1).filter_map(|rest| rest.split_once('m'));
        let numbers = numbers.flat_map(|(numbers, _)| numbers.split(';'));
        numbers.filter_map(|n| n.parse().ok()).any(|n: u32| matches!(n, 30..=37 | 90..=97))
    };
    start(&tmux, &sandbox, "env NO_COLOR=1", "80");
    tmux.shows("m", &["▸ sent back", "q quit"]);
    assert!(!colors("m"));
    tmux.ok(&["send-keys", "-t", "m", "q"]);
    assert_eq!(ended(&sandbox), "0");
    fs::remove_file(end(&sandbox)).unwrap();
    tmux.ok(&["new-session", "-d", "-s", "keep", "/bin/sh"]);
    start(&tmux, &sandbox, "", "80");
    tmux.shows("m", &["▸ sent back", "q quit"]);
    assert!(colors("m"));
    tmux.ok(&["send-keys", "-t", "m", "q"]);
    ended(&sandbox);
    fs::remove_file(end(&sandbox)).unwrap();
    start(&tmux, &sandbox, "env TERM=dumb", "80");
    let screen = tmux.shows("m", &["ccc monitor: 2 sessions", "bbb-2"]);
    assert!(!screen.contains('▸'), "{screen}");
    tmux.ok(&["send-keys", "-t", "m", "C-c"]);
}

#[test]
fn a_vanished_terminal_or_a_signal_ends_it() {
    // `setsid` takes the controlling terminal away: no signal tells of its end then.
    for before in ["", "setsid -w"] {
        let sandbox = two_sessions();
        let Some(tmux) = Tmux::new(&sandbox) else { return };
        let pid = sandbox.path("home/pid");
        let how =
            format!("trap '' HUP; {before} sh -c 'echo $$ >{}; exec \"$0\" \"$@\"'", pid.display());
        start(&tmux, &sandbox, &how, "80");
        tmux.shows("m", &["q quit"]);
        tmux.ok(&["kill-server"]);
        assert_eq!(ended(&sandbox), "130", "{before}");
    }
    for signal in ["HUP", "TERM", "INT"] {
        let sandbox = two_sessions();
        let Some(tmux) = Tmux::new(&sandbox) else { return };
        let pid = sandbox.path("home/pid");
        let how = format!("sh -c 'echo $$ >{}; exec \"$0\" \"$@\"'", pid.display());
        start(&tmux, &sandbox, &how, "80");
        tmux.shows("m", &["q quit"]);
        let pid = fs::read_to_string(&pid).unwrap();
        let kill = ["-s", signal, pid.trim()];
        assert!(sandbox.command("kill".as_ref(), &kill).status().unwrap().success());
        assert_eq!(ended(&sandbox), "130", "{signal}");
    }
}

#[test]
fn five_hundred_sessions_cost_next_to_nothing_when_nothing_happens() {
    let sandbox = sandbox();
    let Some(tmux) = Tmux::new(&sandbox) else { return };
    let dir = sandbox.path("home/.claude/ccc/sessions");
    fs::create_dir_all(&dir).unwrap();
    for n in 0..500 {
        let state = json!({"schema": 1, "session_id": format!("{n:04}"), "client": "claude",
            "project": format!("/p/{}", n % 40), "created_at": 1, "updated_at": n,
            "last_verdict": {"completed": false, "feedback": "x ".repeat(400), "at": 1}});
        fs::write(dir.join(format!("{n:04}.json")), state.to_string()).unwrap();
    }
    let pid = sandbox.path("home/pid");
    let how = format!("sh -c 'echo $$ >{}; exec \"$0\" \"$@\"'", pid.display());
    start(&tmux, &sandbox, &how, "120");
    tmux.shows("m", &["500 sessions", "0499"]);
    // Young files are read with more care.
    std::thread::sleep(Duration::from_secs(3));
    let pid = fs::read_to_string(&pid).unwrap();
    let before = cpu_ticks(&pid);
    std::thread::sleep(Duration::from_secs(5));
    let used = cpu_ticks(&pid) - before;
    // Unoptimized, on a machine that does other things; a release build takes 0.2 %.
    assert!(used <= 15, "{used} hundredths of a second in 5 s");
    tmux.ok(&["send-keys", "-t", "m", "End"]);
    tmux.shows("m", &["▸ stale     0/7    0000"]);
    tmux.ok(&["send-keys", "-t", "m", "q"]);
    assert_eq!(ended(&sandbox), "0");
}

/// User and system time of a process, in hundredths of a second.
fn cpu_ticks(pid: &str) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}
