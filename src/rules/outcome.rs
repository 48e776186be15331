//! The closed set of ways in which one stop can end, each with a slug for the history and a
//! sentence for the user.

use crate::rules::text::{cut, one_line};

/// Longest notice, in characters.
const MAX_NOTICE: usize = 1200;

/// What the client is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    Allow(Allow),
    Block(Block),
}

/// Why a stop goes ahead.
#[derive(Clone, Debug, PartialEq)]
pub enum Allow {
    /// Another event than this session's own stop.
    NotThisStop,
    /// Switched off for this session, project or user.
    Off,
    /// Another hook process reviews this very stop.
    AlreadyReviewing,
    /// The verdict is: complete.
    Approved,
    /// The same work was judged complete before.
    ApprovedBefore,
    /// The payload has no usable session id; the text says what was wrong.
    NoSession(String),
    /// Background work still runs.
    Background(String),
    /// The turn ended on an API error or a usage limit.
    ApiError(String),
    /// This chain was blocked `max` times.
    CapReached { max: u32 },
    /// The client would override the next block (its own cap on consecutive blocks).
    ClientCap { blocks: u32 },
    /// The breaker is open; the text says why it opened.
    BreakerOpen(String),
    /// No review is left in this hour; `free_at` is a local time.
    RateLimited { limit: u32, free_at: String },
    /// The count could not be persisted, so a block is not allowed either.
    StateNotSaved(String),
    /// A stranger holds the session's lock.
    LockHeld,
    /// The user has to decide something.
    NeedsHuman(String),
    /// The judge could not do its job.
    JudgeFailed(String),
    /// Something inside ccc failed.
    Internal(String),
}

/// Why the agent goes on.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// The verdict is: not complete.
    Incomplete(String),
    /// The same work was judged incomplete before.
    Unchanged(String),
    /// A gate failed: its name, how it ended, and the tail of its output.
    Gate { name: String, ended: String, output: String },
    /// What the verdict says is in doubt; the text is passed on.
    Doubt(String),
    /// The judge could not do its job, and the config says to block then.
    ReviewFailed,
}

impl Decision {
    /// The word of the contract: `allow` or `block`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Allow(_) => "allow",
            Self::Block(_) => "block",
        }
    }

    /// The outcome's slug.
    pub fn slug(&self) -> &'static str {
        match self {
            Self::Allow(allow) => allow.slug(),
            Self::Block(block) => block.slug(),
        }
    }
}

impl Decision {
    /// Every text in it that somebody else wrote.
    pub fn texts_mut(&mut self) -> Vec<&mut String> {
        match self {
            Self::Allow(allow) => allow.text_mut().into_iter().collect(),
            Self::Block(Block::Gate { name, ended, output }) => vec![name, ended, output],
            Self::Block(Block::Incomplete(text) | Block::Unchanged(text) | Block::Doubt(text)) => {
                vec![text]
            }
            Self::Block(Block::ReviewFailed) => Vec::new(),
        }
    }
}

impl Allow {
    fn text_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::NoSession(text)
            | Self::Background(text)
            | Self::ApiError(text)
            | Self::BreakerOpen(text)
            | Self::StateNotSaved(text)
            | Self::NeedsHuman(text)
            | Self::JudgeFailed(text)
            | Self::Internal(text) => Some(text),
            Self::NotThisStop
            | Self::Off
            | Self::AlreadyReviewing
            | Self::Approved
            | Self::ApprovedBefore
            | Self::CapReached { .. }
            | Self::ClientCap { .. }
            | Self::RateLimited { .. }
            | Self::LockHeld => None,
        }
    }

    /// Stable name in the history.
    pub fn slug(&self) -> &'static str {
        match self {
            Self::NotThisStop => "not-this-stop",
            Self::Off => "off",
            Self::AlreadyReviewing => "already-reviewing",
            Self::Approved => "approved",
            Self::ApprovedBefore => "approved-before",
            Self::NoSession(_) => "no-session",
            Self::Background(_) => "background",
            Self::ApiError(_) => "api-error",
            Self::CapReached { .. } => "cap-reached",
            Self::ClientCap { .. } => "client-cap",
            Self::BreakerOpen(_) => "breaker-open",
            Self::RateLimited { .. } => "rate-limited",
            Self::StateNotSaved(_) => "state-not-saved",
            Self::LockHeld => "lock-held",
            Self::NeedsHuman(_) => "needs-human",
            Self::JudgeFailed(_) => "judge-failed",
            Self::Internal(_) => "internal-error",
        }
    }

    /// The sentence for the user; `None` where the contract wants silence, and for an approval.
    pub fn notice(&self) -> Option<String> {
        let text = match self {
            Self::NotThisStop
            | Self::Off
            | Self::AlreadyReviewing
            | Self::Approved
            | Self::ApprovedBefore => return None,
            Self::NoSession(why) => format!("not reviewed: {why}"),
            Self::Background(what) => {
                format!("not reviewed yet: background work is still running ({what})")
            }
            Self::ApiError(what) => {
                format!("not reviewed: the turn ended on an API error or limit: {what}")
            }
            Self::CapReached { max } => format!(
                "sent back {max} times for this prompt, which is max_iterations; the stop is \
                 allowed without a review (`ccc reset` clears the count)"
            ),
            Self::ClientCap { blocks } => format!(
                "{blocks} blocks in a row without a tool call, the cap of the client; the stop is \
                 allowed without a review (raise CLAUDE_CODE_STOP_HOOK_BLOCK_CAP for more)"
            ),
            Self::BreakerOpen(why) => format!(
                "the breaker is open ({why}); stops are allowed without a review for now \
                 (`ccc reset` tries again)"
            ),
            Self::RateLimited { limit, free_at } => format!(
                "rate limit reached ({limit} reviews an hour); not reviewed, free again at {free_at}"
            ),
            Self::StateNotSaved(why) => {
                format!("not reviewed: the session state could not be saved ({why})")
            }
            Self::LockHeld => {
                "not reviewed: another process holds the lock of this session's state".to_owned()
            }
            Self::NeedsHuman(what) => return Some(format!("ccc: needs you: {}", what.trim())),
            Self::JudgeFailed(why) => format!("the review failed, so the stop is allowed: {why}"),
            Self::Internal(why) => {
                format!("ccc itself failed, so the stop is allowed: {why} (`ccc doctor` may help)")
            }
        };
        Some(format!("ccc: {}", cut(&one_line(&text), MAX_NOTICE)))
    }
}

impl Block {
    /// Stable name in the history.
    pub fn slug(&self) -> &'static str {
        match self {
            Self::Incomplete(_) => "incomplete",
            Self::Unchanged(_) => "unchanged",
            Self::Gate { .. } => "gate",
            Self::Doubt(_) => "doubt",
            Self::ReviewFailed => "review-failed",
        }
    }

    /// What the agent is told, without the frame of [`crate::rules::feedback`].
    pub fn message(&self) -> String {
        match self {
            Self::Incomplete(text) | Self::Unchanged(text) | Self::Doubt(text) => text.clone(),
            Self::Gate { name, ended, output } => {
                format!(
                    "The check `{name}` {ended}. The end of its output:\n\n{}",
                    output.trim_end()
                )
            }
            Self::ReviewFailed => {
                "The review of your work could not be done: the reviewer failed, \
                not your work. Check by yourself that every part of the request is done and \
                verified, mend what is not, then finish your turn."
                    .to_owned()
            }
        }
    }
}
