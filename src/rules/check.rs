//! A project's own check: a command whose end tells whether the work holds.

/// A command that ccc runs itself.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Check {
    pub name: String,
    /// Run by `sh -c` in the project.
    pub run: String,
    pub timeout_secs: u64,
    /// A failing gate blocks at once, without a model call.
    pub gate: bool,
}
