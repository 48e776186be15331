//! What the loop remembers of a project beside its list.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::rules::ralph::prd::{Form, Prd};
use crate::rules::ralph::story::{Change, Status, Story};

/// The loop's part of a session's state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoopState {
    /// Of a list that has no room for it: what is known of each open story.
    pub stories: BTreeMap<String, Record>,
    /// What failed attempts at a story left in the work tree.
    pub leftover: Option<Leftover>,
    /// The executor that runs now.
    pub executor: Option<Running>,
    /// Iterations and executor calls of this session.
    pub iterations: u32,
    pub calls: u32,
    /// The unified status, as it was last written.
    pub unified: Value,
}

/// What is known of a story.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    pub status: Status,
    pub attempts: u32,
    pub last_error: Option<String>,
    pub feedback: Option<String>,
    pub files_touched: Vec<String>,
}

/// Files that an unfinished story left changed, each with its signature, by their names in the
/// repository.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Leftover {
    pub story: String,
    pub files: BTreeMap<String, String>,
}

/// A process, told from another one of the same number by its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    pub pid: i32,
    /// Clock ticks since boot.
    pub started: u64,
}

impl LoopState {
    /// Adds what is remembered to a list that cannot hold it.
    pub fn complete(&self, prd: &mut Prd) {
        if prd.form == Form::Stories {
            return;
        }
        for story in &mut prd.stories {
            let Some(known) = self.stories.get(&story.id) else { continue };
            if story.status != Status::Passed && known.status != Status::Passed {
                story.status = known.status;
            }
            story.attempts = known.attempts;
            story.last_error.clone_from(&known.last_error);
            story.feedback.clone_from(&known.feedback);
            story.files_touched.clone_from(&known.files_touched);
        }
    }

    /// Takes a change up for a list that cannot hold it.
    pub fn note(&mut self, story: &Story, change: &Change) {
        let known = self.stories.entry(story.id.clone()).or_default();
        known.status = change.status.unwrap_or(story.status);
        known.attempts = change.attempts.unwrap_or(story.attempts);
        if let Some(error) = &change.last_error {
            known.last_error.clone_from(error);
        }
        if let Some(feedback) = &change.feedback {
            known.feedback.clone_from(feedback);
        }
        if let Some(files) = &change.files_touched {
            known.files_touched.clone_from(files);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::ralph::prd;

    #[test]
    fn attempts_of_the_other_form_are_remembered_and_its_verdict_stays_in_the_file() {
        let text = br#"{"userStories":[{"id":"a","passes":false},{"id":"b","passes":true}]}"#;
        let mut prd = prd::read(text).unwrap();
        let mut state = LoopState::default();
        let failed =
            Change { status: Some(Status::Failed), attempts: Some(2), ..Change::default() };
        state.note(&prd.stories[0], &failed);
        state.note(&prd.stories[1], &failed);
        state.complete(&mut prd);
        assert_eq!((prd.stories[0].status, prd.stories[0].attempts), (Status::Failed, 2));
        assert_eq!(prd.stories[1].status, Status::Passed);
    }
}
