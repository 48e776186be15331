//! `ccc monitor --tmux`.

use super::sandbox;
use crate::support::sandbox::{Sandbox, success};
use crate::support::tmux::Tmux;

/// An agent that shows what it was called with.
const AGENT: [&str; 9] = [
    "sh",
    "-c",
    "printf '<%s>' \"$@\"; exec sleep 60;",
    "sh",
    "a b",
    "c\"d'",
    "e;",
    "$HOME",
    "目录",
];
const SHOWN: &str = "<a b><c\"d'><e;><$HOME><目录>";

#[test]
fn the_agent_is_on_the_left_with_its_words_the_monitor_on_the_right() {
    let sandbox = sandbox();
    let Some(tmux) = Tmux::new(&sandbox) else { return };
    let mut ccc = sandbox.ccc(&[&["monitor", "--tmux", "--"][..], &AGENT].concat());
    tmux.reach(&mut ccc);
    let said = success(&ccc.output().unwrap());
    assert!(said.contains("tmux attach -t ccc-proj"), "{said}");
    tmux.shows("ccc-proj:0.0", &[SHOWN]);
    tmux.shows("ccc-proj:0.1", &["ccc monitor", "no supervised sessions yet", "q quit"]);
    let format = "#{pane_at_left} #{pane_active} #{pane_current_path}";
    let panes = tmux.ok(&["list-panes", "-t", "ccc-proj", "-F", format]);
    let project = sandbox.project().canonicalize().unwrap();
    let project = project.display();
    assert_eq!(panes, format!("1 1 {project}\n0 0 {project}\n"));
    assert!(success(&ccc.output().unwrap()).contains("-t ccc-proj-2"), "a second one has a name");
}

#[test]
fn in_a_terminal_it_attaches_and_in_tmux_it_splits_the_window() {
    let sandbox = Sandbox::new();
    let Some(tmux) = Tmux::new(&sandbox) else { return };
    tmux.ok(&["new-session", "-d", "-s", "outer", "-x", "160", "-y", "30", "/bin/sh"]);
    let words = AGENT.map(|word| format!("'{}'", word.replace('\'', r"'\''"))).join(" ");
    let ccc = format!("{} monitor --tmux -- {words}", env!("CARGO_BIN_EXE_ccc"));
    // From a terminal that is none of tmux's: another session, attached to.
    let outside = format!("env -u TMUX {ccc}");
    tmux.ok(&["send-keys", "-t", "outer", "-l", &outside]);
    tmux.ok(&["send-keys", "-t", "outer", "Enter"]);
    tmux.shows("outer:0.0", &[SHOWN, "│", "ccc monitor  no supervised sessions yet"]);
    tmux.ok(&["kill-session", "-t", "ccc-proj"]);
    tmux.ok(&["send-keys", "-t", "outer", "-l", &ccc]);
    tmux.ok(&["send-keys", "-t", "outer", "Enter"]);
    tmux.shows("outer:0.1", &["ccc monitor", "no supervised sessions yet"]);
    tmux.shows("outer:0.0", &[SHOWN]);
    let panes = tmux.ok(&["list-panes", "-t", "outer", "-F", "#{pane_at_left} #{pane_active}"]);
    assert_eq!(panes, "1 1\n0 0\n");
    assert_eq!(tmux.ok(&["list-sessions", "-F", "#{session_name}"]), "outer\n");
}

#[test]
fn what_is_missing_is_named() {
    let sandbox = Sandbox::new();
    let said = |path: &str, args: &[&str]| {
        let output = sandbox.ccc(args).env("PATH", path).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, why) = said("/nonexistent", &["monitor", "--tmux"]);
    assert_eq!(code, Some(1));
    assert!(why.contains("`tmux` was not found on PATH; install tmux, or run"), "{why}");
    let usual = "/usr/local/bin:/usr/bin:/bin";
    for args in [&["monitor", "--tmux"][..], &["monitor", "--tmux", "--", "no-such-agent", "x"]] {
        let Some(_) = Tmux::new(&sandbox) else { return };
        let (code, why) = said(usual, args);
        let name = args.get(3).unwrap_or(&"claude");
        assert_eq!(code, Some(1));
        assert!(why.contains(&format!("`{name}` was not found on PATH; name one")), "{why}");
    }
    let (code, _) = said(usual, &["monitor", "--", "claude"]);
    assert_eq!(code, Some(64));
}
