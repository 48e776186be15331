//! The real Claude Code, with a scratch home and a scripted model, in the closed namespace.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use super::model::Model;
use super::sandbox::{Sandbox, success};

/// The client's program, which npm unpacks beside its launcher.
pub fn program() -> PathBuf {
    let dir =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/node_modules/@anthropic-ai");
    let entries = fs::read_dir(&dir).into_iter().flatten().flatten();
    let native = entries.map(|e| e.path()).find(|p| p.to_string_lossy().contains("claude-code-"));
    native.unwrap_or(dir).join("claude")
}

/// Runs a test that needs the client, see [`super::namespace::closed`].
pub fn with_client(test: fn()) {
    super::namespace::closed(&[&program()], test);
}

/// A home in which the client can work.
pub struct Claude {
    pub sandbox: Sandbox,
    pub model: Model,
}

impl Claude {
    /// A sandbox without the hook; `claude` is on its PATH.
    pub fn new(model: Model) -> Self {
        let sandbox = Sandbox::new();
        fs::create_dir(sandbox.path("bin")).unwrap();
        symlink(program(), sandbox.path("bin/claude")).unwrap();
        Self { sandbox, model }
    }

    /// The same with the hook installed for the user.
    pub fn supervised(model: Model) -> Self {
        let claude = Self::new(model);
        claude.sandbox.ok(&["install"]);
        claude
    }

    /// The client with the environment that every run has.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.sandbox.command(&program(), args);
        command.env("PATH", self.path()).envs(self.variables());
        command
    }

    /// A PATH that has `claude`.
    pub fn path(&self) -> String {
        format!("{}:/usr/local/bin:/usr/bin:/bin", self.sandbox.path("bin").display())
    }

    pub fn variables(&self) -> Vec<(&'static str, String)> {
        let quiet = [
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
            "DISABLE_AUTOUPDATER",
            "DISABLE_TELEMETRY",
            "DISABLE_ERROR_REPORTING",
        ];
        let mut all: Vec<_> = quiet.iter().map(|name| (*name, "1".to_owned())).collect();
        all.push(("ANTHROPIC_BASE_URL", self.model.url.clone()));
        all.push(("ANTHROPIC_API_KEY", "sk-dummy".to_owned()));
        all
    }

    /// One prompt, in print mode, with the tools that a worker needs.
    pub fn print(&self, prompt: &str, more: &[&str]) -> Output {
        let args = ["-p", "--output-format", "json", "--allowedTools", "Bash,Write,Edit"];
        let end = ["--", prompt];
        self.command(&[&args[..], more, &end[..]].concat()).output().unwrap()
    }

    /// The same; it must succeed. Returns the client's result record.
    pub fn result(&self, prompt: &str, more: &[&str]) -> Value {
        let said = success(&self.print(prompt, more));
        serde_json::from_str(&said).unwrap_or_else(|_| panic!("no result record: {said}"))
    }

    /// Everything that the session files say, for what the user was told.
    pub fn notices(&self) -> String {
        let texts = sessions(&self.sandbox.path("home/.claude/projects"))
            .into_iter()
            .map(|path| fs::read_to_string(path).unwrap());
        let lines = texts.collect::<Vec<_>>().join("\n");
        let told = lines.lines().filter(|line| line.contains("hook_system_message"));
        told.collect::<Vec<_>>().join("\n")
    }

    /// Decision and reason of every stop, oldest first.
    pub fn decisions(&self) -> Vec<(String, String)> {
        let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
        let stops = self.sandbox.events();
        let stops = stops.iter().filter(|e| e.get("decision").is_some());
        stops.map(|e| (text(&e["decision"]), text(&e["reason"]))).collect()
    }
}

/// The session files below `projects`, without those of subagents.
pub fn sessions(projects: &Path) -> Vec<PathBuf> {
    let dirs = fs::read_dir(projects).into_iter().flatten().flatten();
    let files = dirs.flat_map(|dir| fs::read_dir(dir.path()).into_iter().flatten().flatten());
    let is_session = |path: &PathBuf| path.extension().is_some_and(|e| e == "jsonl");
    files.map(|file| file.path()).filter(is_session).collect()
}
