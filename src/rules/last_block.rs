//! What became of the last block, told from the records of a session.

use serde::{Deserialize, Serialize};

use crate::rules::record::Record;

/// What followed the newest feedback of a Stop hook, up to the next request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LastBlock {
    /// No feedback is recorded.
    #[default]
    Unknown,
    /// The agent went on.
    Heard,
    /// Nothing.
    Unheard,
    /// The client overrode the hook, by its own cap on blocks in a row.
    Overridden,
    /// The user interrupted before the agent did anything.
    Interrupted,
}

impl LastBlock {
    /// Why the block had no effect, for people.
    pub fn why(self) -> &'static str {
        match self {
            Self::Overridden => {
                "the client's own cap on blocks in a row ended the turn (`ccc install --raise-cap` raises it)"
            }
            Self::Interrupted => "the turn was interrupted",
            Self::Unknown | Self::Heard | Self::Unheard => {
                "the agent did not go on before the next prompt came (the client's own cap on blocks in a row, or an \
                 interruption)"
            }
        }
    }
}

/// Reads the records of a session. The request that a prompt hook is told of may be among them or
/// not yet; what counts is the feedback before it.
pub fn read(records: &[Record]) -> LastBlock {
    let mut before_request = LastBlock::Unknown;
    let mut now = LastBlock::Unknown;
    for record in records {
        now = match (record, now) {
            (Record::HookFeedback, _) => LastBlock::Unheard,
            (Record::Request(_), _) => {
                before_request = now;
                LastBlock::Unknown
            }
            (Record::Overridden, LastBlock::Unheard) => LastBlock::Overridden,
            (Record::Interrupted, LastBlock::Unheard) => LastBlock::Interrupted,
            (Record::Said(_) | Record::Called { .. }, LastBlock::Unheard) => LastBlock::Heard,
            (_, now) => now,
        };
    }
    if now == LastBlock::Unknown { before_request } else { now }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_followed_the_feedback_before_the_newest_request_counts() {
        let (request, said, feedback) =
            (|| Record::Request("x".into()), || Record::Said("x".into()), || Record::HookFeedback);
        let table = [
            (vec![request(), said()], LastBlock::Unknown),
            (vec![request(), said(), feedback()], LastBlock::Unheard),
            (vec![request(), said(), feedback(), said()], LastBlock::Heard),
            (vec![feedback(), said(), Record::Interrupted, request()], LastBlock::Heard),
            (vec![feedback(), Record::Interrupted, request(), said()], LastBlock::Interrupted),
            (vec![feedback(), said(), feedback(), Record::Overridden], LastBlock::Overridden),
            (vec![feedback(), Record::Overridden, request(), said()], LastBlock::Overridden),
            (vec![feedback(), request(), said(), feedback(), said()], LastBlock::Heard),
            (vec![feedback(), request(), said(), request(), said()], LastBlock::Unknown),
        ];
        for (records, expected) in table {
            assert_eq!(read(&records), expected, "{records:?}");
        }
    }
}
