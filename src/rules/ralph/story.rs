//! One story of a list, as the loop sees it, whatever form the list has.

use serde::{Deserialize, Serialize};

/// Priority of a story that names none; 1 comes first.
pub const DEFAULT_PRIORITY: i64 = 5;

/// Where a story stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    #[default]
    Pending,
    InProgress,
    /// Validated, and waiting for a reviewer.
    ReadyForReview,
    Passed,
    /// The last attempt failed; it is tried again.
    Failed,
    /// Failed too often, or a person said so; it is not tried again.
    Blocked,
}

impl Status {
    /// All of them, in the order of a story's life.
    pub const ALL: [Self; 6] = [
        Self::Pending,
        Self::InProgress,
        Self::ReadyForReview,
        Self::Passed,
        Self::Failed,
        Self::Blocked,
    ];

    /// The word of the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::ReadyForReview => "ready_for_review",
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Blocked => "blocked",
        }
    }

    /// The status of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.name() == name)
    }

    /// Whether an iteration may take the story. `in_progress` counts: only a process that died can
    /// have left it, for one loop at a time runs in a project.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::InProgress | Self::Failed)
    }
}

/// A story. Absent fields are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Story {
    pub id: String,
    pub title: String,
    pub description: String,
    /// Lower comes first.
    pub priority: i64,
    pub status: Status,
    pub validation_command: Option<String>,
    pub acceptance_criteria: Vec<String>,
    /// Ids of stories that must have passed before.
    pub depends_on: Vec<String>,
    /// Attempts that failed.
    pub attempts: u32,
    pub last_error: Option<String>,
    /// What a reviewer rejected it with.
    pub feedback: Option<String>,
    pub notes: String,
    pub files_touched: Vec<String>,
}

/// What changes of a story; `None` leaves a field as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    pub status: Option<Status>,
    pub attempts: Option<u32>,
    /// The inner `None` takes the field back.
    pub last_error: Option<Option<String>>,
    pub feedback: Option<Option<String>>,
    pub files_touched: Option<Vec<String>>,
}

impl Change {
    /// Only the status.
    pub fn status(status: Status) -> Self {
        Self { status: Some(status), ..Self::default() }
    }
}
