//! The loop's part of the configuration.

use serde_json::Value;

use super::{Reader, as_bool, as_count, as_positive, as_text, as_texts, as_u32, as_u64, as_usize};

/// How `ccc ralph` works.
#[derive(Clone, Debug, PartialEq)]
pub struct Ralph {
    pub executor: ExecutorKind,
    /// Program of the executor `command`, run by `sh -c` with the prompt on standard input.
    pub command: Option<String>,
    /// `None` leaves the choice to the executor.
    pub model: Option<String>,
    pub sandbox: Sandbox,
    /// What the executor `claude` may run beyond edits, in the client's rule syntax.
    pub allow: Vec<String>,
    pub max_iterations: u32,
    /// Failed attempts after which a story is blocked.
    pub max_attempts: u32,
    pub auto_commit: bool,
    /// Characters of `progress.txt` that a prompt ends with.
    pub progress_context_limit: usize,
    /// Validates a story that has no command of its own.
    pub default_validation: Option<String>,
    pub iteration_timeout_secs: u64,
    pub validation_timeout_secs: u64,
    /// Silence after which the executor counts as hanging.
    pub stall_secs: u64,
    /// Executor calls of all projects in a sliding hour.
    pub calls_per_hour: u32,
    /// Longest wait for a usage limit to end.
    pub usage_limit_wait_minutes: u64,
    pub review: ReviewBy,
    pub on_failure: OnFailure,
}

/// What works on a story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExecutorKind {
    Codex,
    Claude,
    Command,
}

impl ExecutorKind {
    /// The word of the config file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::Claude => "claude",
            Self::Command => "command",
        }
    }
}

/// What an executor may touch, in the words of Codex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sandbox {
    ReadOnly,
    WorkspaceWrite,
    FullAccess,
}

impl Sandbox {
    /// The word of the config file and of Codex.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::WorkspaceWrite => "workspace-write",
            Self::FullAccess => "danger-full-access",
        }
    }
}

/// Who has to approve a validated story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewBy {
    Nobody,
    Human,
    Supervisor,
}

/// What becomes of the changes of a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFailure {
    /// They stay for the next attempt.
    Keep,
    Stash,
    Reset,
}

impl Default for Ralph {
    fn default() -> Self {
        Self {
            executor: ExecutorKind::Codex,
            command: None,
            model: None,
            sandbox: Sandbox::WorkspaceWrite,
            allow: Vec::new(),
            max_iterations: 20,
            max_attempts: 5,
            auto_commit: true,
            progress_context_limit: 2000,
            default_validation: None,
            iteration_timeout_secs: 600,
            validation_timeout_secs: 300,
            stall_secs: 120,
            calls_per_hour: 100,
            usage_limit_wait_minutes: 60,
            review: ReviewBy::Nobody,
            on_failure: OnFailure::Keep,
        }
    }
}

/// Keys that name a program or what it may do: they need trust in a project's file.
pub(super) const COMMANDS: &[&str] =
    &["default_validation", "command", "executor", "sandbox", "allow"];

impl Reader<'_> {
    pub(super) fn ralph(&mut self, key: &str, value: &Value, c: &mut Ralph) {
        let name = key.trim_start_matches("ralph.");
        match name {
            _ if COMMANDS.contains(&name) => self.ralph_command(key, name, value, c),
            "model" => self.set(key, value, "text or null", as_text, &mut c.model),
            "max_iterations" => self.set(key, value, COUNT, as_count, &mut c.max_iterations),
            "max_attempts" => self.set(key, value, COUNT, as_count, &mut c.max_attempts),
            "auto_commit" => self.set(key, value, "true or false", as_bool, &mut c.auto_commit),
            "progress_context_limit" => {
                self.set(key, value, "a whole number", as_usize, &mut c.progress_context_limit);
            }
            "iteration_timeout_secs" => {
                self.set(key, value, SECONDS, as_positive, &mut c.iteration_timeout_secs);
            }
            "validation_timeout_secs" => {
                self.set(key, value, SECONDS, as_positive, &mut c.validation_timeout_secs);
            }
            "stall_secs" => self.set(key, value, SECONDS, as_positive, &mut c.stall_secs),
            "calls_per_hour" => {
                self.set(key, value, "a whole number", as_u32, &mut c.calls_per_hour);
            }
            "usage_limit_wait_minutes" => {
                self.set(key, value, "a whole number", as_u64, &mut c.usage_limit_wait_minutes);
            }
            "review" => self.set(
                key,
                value,
                "\"none\", \"human\" or \"supervisor\"",
                as_review,
                &mut c.review,
            ),
            "on_failure" => self.set(
                key,
                value,
                "\"keep\", \"stash\" or \"reset\"",
                as_on_failure,
                &mut c.on_failure,
            ),
            _ => self.unknown(key),
        }
    }

    fn ralph_command(&mut self, key: &str, name: &str, value: &Value, c: &mut Ralph) {
        match name {
            _ if !self.may_run => {}
            "executor" => self.set(
                key,
                value,
                "\"codex\", \"claude\" or \"command\"",
                as_executor,
                &mut c.executor,
            ),
            "command" => self.set(key, value, "text or null", as_text, &mut c.command),
            "allow" => self.set(key, value, "a list of texts", as_texts, &mut c.allow),
            "default_validation" => {
                self.set(key, value, "text or null", as_text, &mut c.default_validation);
            }
            _ => self.set(
                key,
                value,
                "\"read-only\", \"workspace-write\" or \"danger-full-access\"",
                as_sandbox,
                &mut c.sandbox,
            ),
        }
    }
}

const COUNT: &str = "a whole number over 0";
const SECONDS: &str = "seconds over 0";

fn as_executor(v: &Value) -> Option<ExecutorKind> {
    let all = [ExecutorKind::Codex, ExecutorKind::Claude, ExecutorKind::Command];
    all.into_iter().find(|k| Some(k.name()) == v.as_str())
}

fn as_sandbox(v: &Value) -> Option<Sandbox> {
    let all = [Sandbox::ReadOnly, Sandbox::WorkspaceWrite, Sandbox::FullAccess];
    all.into_iter().find(|k| Some(k.name()) == v.as_str())
}

fn as_review(v: &Value) -> Option<ReviewBy> {
    match v.as_str()? {
        "none" => Some(ReviewBy::Nobody),
        "human" => Some(ReviewBy::Human),
        "supervisor" => Some(ReviewBy::Supervisor),
        _ => None,
    }
}

fn as_on_failure(v: &Value) -> Option<OnFailure> {
    match v.as_str()? {
        "keep" => Some(OnFailure::Keep),
        "stash" => Some(OnFailure::Stash),
        "reset" => Some(OnFailure::Reset),
        _ => None,
    }
}
