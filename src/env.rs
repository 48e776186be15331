//! Every environment variable that ccc reads, and one snapshot of them, taken once in `main`.
//!
//! No other file asks for a variable by name, so this list is complete.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::rules::redact::Secrets;

/// `1` in the environment of a review: the hook inside it allows at once, so a review never
/// reviews itself.
pub const SUPERVISING: &str = "CCC_SUPERVISING";
/// `1` allows every stop at once and silently.
pub const DISABLE: &str = "CCC_DISABLE";
/// ccc's own directory.
pub const HOME: &str = "CCC_HOME";
/// Variables by which Claude Code may be logged in.
pub const CREDENTIALS: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_USE_VERTEX",
];

/// The variables ccc reads, as they were at the start.
///
/// An empty value counts as absent.
#[derive(Clone, Debug, Default)]
pub struct Env {
    /// Inside a review of ccc's own (`CCC_SUPERVISING=1`).
    pub supervising: bool,
    /// Switched off for this process tree (`CCC_DISABLE=1`).
    pub disabled: bool,
    /// `CCC_HOME`.
    pub ccc_home: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`: replaces `~/.claude`.
    pub claude_config_dir: Option<PathBuf>,
    /// `CLAUDE_PROJECT_DIR`: the directory the client was started in.
    pub claude_project_dir: Option<PathBuf>,
    /// `CLAUDE_CODE_SESSION_ID`: reaches commands that are typed inside a session.
    pub claude_session_id: Option<String>,
    /// `CLAUDE_EFFORT`: a fork does not inherit the effort by itself (Claude Code 2.1.332).
    pub claude_effort: Option<String>,
    /// `CLAUDE_PID`: the client's process, to notice that it died while a review runs.
    pub claude_pid: Option<i32>,
    /// `CLAUDE_CODE_STOP_HOOK_BLOCK_CAP`: consecutive blocks without a tool call after which
    /// Claude Code overrides the hook. Absent means 8, 0 means no cap (2.1.332).
    pub claude_block_cap: Option<u32>,
    /// One of the [`CREDENTIALS`] is set. Their values are nobody's business.
    pub has_credentials: bool,
    /// `NO_COLOR`: no colors, whatever the terminal can.
    pub no_color: bool,
    /// Names of the `GIT_*` variables: they are kept from every git that ccc starts.
    pub git: Vec<OsString>,
    /// What must not be stored, logged, shown or sent: the values of secret-looking variables.
    pub secrets: Secrets,
    /// `HOME`, only if absolute.
    pub home: Option<PathBuf>,
    /// `PATH`.
    pub path: Option<OsString>,
    /// `TERM` is `dumb`: the terminal can show lines, and no more.
    pub is_dumb: bool,
    /// `NO_COLOR` is set, or `TERM` is `dumb`.
    pub is_plain: bool,
    /// `TMUX`: inside a window of tmux.
    pub tmux: bool,
}

impl Env {
    /// Reads the process's environment.
    pub fn snapshot() -> Self {
        let get = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty());
        let text = |name: &str| get(name).and_then(|v| v.into_string().ok());
        let path = |name: &str| get(name).map(PathBuf::from);
        let is_one = |name: &str| text(name).is_some_and(|v| v == "1");
        let is_dumb = text("TERM").is_some_and(|v| v == "dumb");
        Self {
            supervising: is_one(SUPERVISING),
            disabled: is_one(DISABLE),
            ccc_home: path(HOME),
            claude_config_dir: path("CLAUDE_CONFIG_DIR"),
            claude_project_dir: path("CLAUDE_PROJECT_DIR"),
            claude_session_id: text("CLAUDE_CODE_SESSION_ID"),
            claude_effort: text("CLAUDE_EFFORT"),
            claude_pid: text("CLAUDE_PID").and_then(|v| v.parse().ok()).filter(|&pid| pid > 1),
            claude_block_cap: text("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP").and_then(|v| v.parse().ok()),
            has_credentials: CREDENTIALS.iter().any(|name| get(name).is_some()),
            no_color: get("NO_COLOR").is_some(),
            git: std::env::vars_os().map(|(name, _)| name).filter(is_git).collect(),
            secrets: secrets(),
            home: dirs::home_dir().filter(|p| p.is_absolute()),
            path: get("PATH"),
            is_dumb,
            is_plain: get("NO_COLOR").is_some() || is_dumb,
            tmux: get("TMUX").is_some(),
        }
    }
}

/// Names of all variables but `PATH` and those of the dynamic linker: what a child is started
/// without that shall see nothing of the user's.
pub fn names() -> Vec<OsString> {
    let is_needed = |name: &OsString| {
        let name = name.as_encoded_bytes();
        name == b"PATH" || name.starts_with(b"LD_") || name.starts_with(b"DYLD_")
    };
    std::env::vars_os().map(|(name, _)| name).filter(|name| !is_needed(name)).collect()
}

fn secrets() -> Secrets {
    let text = |(name, value): (OsString, OsString)| {
        (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned())
    };
    let all: Vec<(String, String)> = std::env::vars_os().map(text).collect();
    Secrets::from_variables(all.iter().map(|(name, value)| (name.as_str(), value.as_str())))
}

/// Whether a variable could make git speak of another repository, write traces, run a program or
/// answer differently. `GIT_TEST_*` and `GIT_CONFIG_NOSYSTEM` are not meant: they only ever make
/// git refuse or read less.
fn is_git(name: &OsString) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b"GIT_") && !name.starts_with(b"GIT_TEST_") && name != b"GIT_CONFIG_NOSYSTEM"
}
