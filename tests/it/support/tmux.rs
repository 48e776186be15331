//! A tmux server of its own for one test, and what its panes show.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::namespace::skip;
use super::sandbox::{Sandbox, success};

/// Where tmux is looked for.
const PROGRAM: &str = "/usr/bin/tmux";
/// Longest wait for a screen.
const WAIT: Duration = Duration::from_secs(30);

/// A server that ends with the value.
pub struct Tmux<'a> {
    sandbox: &'a Sandbox,
}

impl<'a> Tmux<'a> {
    /// `None`, said aloud, where tmux is missing.
    pub fn new(sandbox: &'a Sandbox) -> Option<Self> {
        if !Path::new(PROGRAM).exists() {
            skip("tmux is missing");
            return None;
        }
        std::fs::write(sandbox.path("home/.tmux.conf"), "set -g default-shell /bin/sh\n").unwrap();
        Some(Self { sandbox })
    }

    /// What a program needs to reach this server.
    pub fn reach(&self, command: &mut Command) {
        command.env("TMUX_TMPDIR", self.sandbox.path("home"));
        command.env("TERM", "xterm-256color").env("LANG", "C.UTF-8");
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.sandbox.command(Path::new(PROGRAM), args);
        self.reach(&mut command);
        command
    }

    /// Must succeed; returns what it prints.
    pub fn ok(&self, args: &[&str]) -> String {
        success(&self.command(args).output().unwrap())
    }

    /// Waits until a pane shows all of this; returns the whole screen.
    pub fn shows(&self, pane: &str, wanted: &[&str]) -> String {
        let begin = Instant::now();
        loop {
            let output = self.command(&["capture-pane", "-p", "-t", pane]).output().unwrap();
            let screen = String::from_utf8_lossy(&output.stdout).into_owned();
            if wanted.iter().all(|text| screen.contains(text)) {
                return screen;
            }
            assert!(begin.elapsed() < WAIT, "no {wanted:?} in {pane}:\n{screen}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        let _ = self.command(&["kill-server"]).output();
    }
}
