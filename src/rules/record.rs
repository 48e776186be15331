//! One entry of a conversation, whatever client wrote it.

/// What the evidence needs to know of an entry. Subagents' entries never become records.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// A prompt of the user himself.
    Request(String),
    /// The agent said something.
    Said(String),
    /// The agent called a tool.
    Called { id: String, call: Call },
    /// What a tool answered.
    Answered { id: String, text: String, is_error: bool },
    /// A tool call that was not carried out: the user or a rule refused it, or it was interrupted.
    Refused { id: String, text: String },
    /// Files that a shell command changed, as the client saw it. Stands before the answer.
    Changed { id: String, paths: Vec<String> },
    /// A command went on in the background, as the task of this name.
    InBackground { id: String, task: String },
    /// What a background task printed, or how it ended; `failed` is `None` while it runs.
    TaskSaid { task: String, text: String, failed: Option<bool> },
    /// A Stop hook sent the agent back.
    HookFeedback,
    /// The client took no notice of the last feedback: its own cap was reached.
    Overridden,
    /// The user interrupted the turn.
    Interrupted,
    /// The turn ended on an API error or a usage limit.
    ApiError(String),
}

impl Record {
    /// Every text that somebody else wrote.
    pub fn texts_mut(&mut self) -> Vec<&mut String> {
        match self {
            Self::Request(text) | Self::Said(text) | Self::ApiError(text) => vec![text],
            Self::Answered { text, .. }
            | Self::Refused { text, .. }
            | Self::TaskSaid { text, .. } => vec![text],
            Self::Called { call: Call::Run { command, .. }, .. } => vec![command],
            Self::Called { call: Call::Edit { text, .. }, .. } => vec![text],
            Self::Called { .. }
            | Self::Changed { .. }
            | Self::InBackground { .. }
            | Self::HookFeedback
            | Self::Overridden
            | Self::Interrupted => Vec::new(),
        }
    }
}

/// A tool call.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// A shell command.
    Run { command: String, in_background: bool },
    /// A file written or edited: its path and the new text.
    Edit { path: String, text: String },
    /// Work given to a subagent.
    Delegate,
    /// Looks at a background task.
    Watch { task: String },
    /// Any other tool.
    Other { name: String },
}
