//! A stop: what a client told us when its agent wanted to end its turn.

use std::fmt;
use std::path::PathBuf;

/// Longest session id that is usable as a file name, in bytes.
const MAX_SESSION_ID: usize = 200;

/// The coding agent that calls the hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Client {
    Claude,
    Codex,
    OpenCode,
    Pi,
    Gemini,
    CodeBuddy,
}

impl Client {
    /// The name that users, state and history know it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::OpenCode => "opencode",
            Self::Pi => "pi",
            Self::Gemini => "gemini",
            Self::CodeBuddy => "codebuddy",
        }
    }
}

/// A session id that is safe as a file name and as an argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionId(String);

impl SessionId {
    /// Accepts an id unless it is empty, `null`, too long, begins with `-` or `.`, or holds a
    /// separator or a control character.
    pub fn new(id: &str) -> Option<Self> {
        let refused = id.is_empty()
            || id == "null"
            || id.len() > MAX_SESSION_ID
            || id.starts_with(['-', '.'])
            || id.chars().any(|c| c.is_control() || matches!(c, '/' | '\\'));
        (!refused).then(|| Self(id.to_owned()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Which event called the hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The agent wants to end its turn.
    Stop,
    /// The user sent a prompt: the beginning of a chain.
    Prompt,
    /// `ccc doctor` asks whether the hook is there; the token that the answer repeats.
    Probe(String),
    /// Any other event: none of our business.
    Other(String),
}

/// A task that the session left running in the background.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackgroundTask {
    /// `shell`, `subagent`, `monitor`, `workflow`, ..
    pub kind: String,
    /// `running`, or how it ended.
    pub status: String,
    /// The command, or the description where there is none.
    pub what: String,
}

/// One call of the hook, in the words of Claude Code's payload. Absent and wrongly typed fields
/// are `None` or empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    pub client: Client,
    /// `None` when the payload has no usable session id.
    pub session: Option<SessionId>,
    pub event: Event,
    /// A subagent's event (it carries an `agent_id`), not the session's own.
    pub is_subagent: bool,
    pub cwd: Option<PathBuf>,
    pub transcript_path: Option<PathBuf>,
    /// Constant over all stops that follow one prompt of the user (Claude Code).
    pub prompt_id: Option<String>,
    /// False on the first stop after a prompt, true on the later ones.
    pub stop_hook_active: Option<bool>,
    /// The last thing the agent said; absent when the turn ended without text.
    pub last_assistant_message: Option<String>,
    pub permission_mode: Option<String>,
    /// The worker's effort level (`low` .. `max`).
    pub effort: Option<String>,
    pub background_tasks: Vec<BackgroundTask>,
    /// The user's prompt, on [`Event::Prompt`].
    pub prompt: Option<String>,
}

impl Stop {
    /// A stop of this client without any detail.
    pub fn new(client: Client) -> Self {
        Self {
            client,
            session: None,
            event: Event::Stop,
            is_subagent: false,
            cwd: None,
            transcript_path: None,
            prompt_id: None,
            stop_hook_active: None,
            last_assistant_message: None,
            permission_mode: None,
            effort: None,
            background_tasks: Vec::new(),
            prompt: None,
        }
    }

    /// Every text that somebody else wrote.
    pub fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let own = self.last_assistant_message.iter_mut().chain(&mut self.prompt);
        own.chain(self.background_tasks.iter_mut().map(|task| &mut task.what))
    }

    /// Background work that still runs. Anything not known to have ended counts as running.
    pub fn running_tasks(&self) -> impl Iterator<Item = &BackgroundTask> {
        let ended = ["completed", "done", "failed", "killed", "stopped", "cancelled", "error"];
        self.background_tasks.iter().filter(move |t| !ended.contains(&t.status.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_ids_are_usable_as_file_names_or_refused() {
        let long = "x".repeat(201);
        for bad in ["", "null", "-rf", "a/b", "a\\b", "..", ".x", "a\nb", "a\0", "\u{7f}", &long] {
            assert_eq!(SessionId::new(bad), None, "{bad:?}");
        }
        let longest = "x".repeat(200);
        for good in ["7c1f0a52-3b9e-4d61-9a77-5e0c2f8b41d6", "a b", "日本語", &longest] {
            assert_eq!(SessionId::new(good).map(|s| s.0), Some(good.to_owned()));
        }
    }
}
