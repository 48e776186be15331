//! A home and a project of their own for one test, and the built `ccc` inside them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A scratch directory with `home` (which has `.claude`) and `proj` (a git repository with one
/// commit). It vanishes with the value.
pub struct Sandbox {
    dir: tempfile::TempDir,
}

impl Sandbox {
    pub fn new() -> Self {
        let sandbox = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(sandbox.path("home/.claude")).unwrap();
        fs::create_dir_all(sandbox.path("proj")).unwrap();
        sandbox.git(&["init", "-q", "-b", "main"]);
        sandbox.git(&["commit", "-q", "--allow-empty", "-m", "Begin"]);
        sandbox
    }

    pub fn with_settings(text: &str) -> Self {
        let sandbox = Self::new();
        fs::write(sandbox.settings(), text).unwrap();
        sandbox
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn project(&self) -> PathBuf {
        self.path("proj")
    }

    pub fn settings(&self) -> PathBuf {
        self.path("home/.claude/settings.json")
    }

    /// Writes ccc's user config.
    pub fn configure(&self, config: &Value) {
        let path = self.path("home/.claude/ccc/config.json");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, config.to_string()).unwrap();
    }

    /// Runs git in the project; it must succeed. Returns what it prints.
    pub fn git(&self, args: &[&str]) -> String {
        let mut git = self.command(Path::new("git"), args);
        for (role, name) in [("AUTHOR", "Ann"), ("COMMITTER", "Ann")] {
            git.env(format!("GIT_{role}_NAME"), name);
            git.env(format!("GIT_{role}_EMAIL"), "ann@example.org");
        }
        success(&git.output().unwrap())
    }

    /// A program in the project, with an environment of its own.
    pub fn command(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(args)
            .env_clear()
            .env("HOME", self.path("home"))
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .current_dir(self.project());
        command
    }

    pub fn ccc(&self, args: &[&str]) -> Command {
        self.command(Path::new(env!("CARGO_BIN_EXE_ccc")), args)
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.ccc(args).output().unwrap()
    }

    /// Runs a command that must succeed; returns what it says.
    pub fn ok(&self, args: &[&str]) -> String {
        success(&self.run(args))
    }

    /// The history, oldest first.
    pub fn events(&self) -> Vec<Value> {
        let path = self.path("home/.claude/ccc/events.jsonl");
        let text = fs::read_to_string(path).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Every path below a directory of the sandbox, with what it holds.
    pub fn tree(&self, name: &str) -> Vec<(PathBuf, String)> {
        let mut found = Vec::new();
        walk(&self.path(name), &mut found);
        found.sort();
        found
    }
}

fn walk(dir: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap_or_default();
        found.push((path.clone(), String::from_utf8_lossy(&bytes).into_owned()));
        if path.is_dir() {
            walk(&path, found);
        }
    }
}

/// Runs a command with this on its standard input.
pub fn feed(command: &mut Command, input: &str) -> Output {
    use std::io::Write;
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().unwrap();
    // A program that does not read all of it is free to do so.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// What a program that must have succeeded printed.
pub fn success(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}
