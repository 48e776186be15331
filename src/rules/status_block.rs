//! RALPH_STATUS: the block that an agent ends a turn with, read and checked.
//!
//! It is a claim of the agent. Whether it is true is for the evidence and the judge to say.

mod fields;
mod locate;
#[cfg(test)]
mod tests;

use serde_json::Value;

use fields::Fields;

/// The fields, in the order of the form. A block has exactly these.
const NAMES: [&str; 7] = [
    "STATUS",
    "TASKS_COMPLETED_THIS_LOOP",
    "FILES_MODIFIED",
    "TESTS_STATUS",
    "WORK_TYPE",
    "EXIT_SIGNAL",
    "RECOMMENDATION",
];

/// The form as an agent is shown it.
pub const FORM: &str = "---RALPH_STATUS---
STATUS: IN_PROGRESS | COMPLETE | BLOCKED
TASKS_COMPLETED_THIS_LOOP: <number>
FILES_MODIFIED: <number>
TESTS_STATUS: PASSING | FAILING | NOT_RUN
WORK_TYPE: IMPLEMENTATION | TESTING | DOCUMENTATION | REFACTORING
EXIT_SIGNAL: false | true
RECOMMENDATION: <one line: the next step, what blocks, or what was achieved>
---END_RALPH_STATUS---";

/// A block as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusBlock {
    /// Name and value in the order of the block. Known names are in upper case; values are
    /// without quotes, marks and comments, words of a closed list in their spelling of the list.
    pub fields: Vec<(String, String)>,
    /// What is missing, unknown, of a wrong form, or contradicts. One sentence each.
    pub problems: Vec<String>,
    /// The explicit signal; a false one wins where it stands twice. Known even when the block is
    /// not valid.
    pub exit_signal: Option<bool>,
}

/// The state that an agent reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    InProgress,
    Complete,
    Blocked,
}

/// What an agent reports about its tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestsStatus {
    Passing,
    Failing,
    NotRun,
}

impl StatusBlock {
    fn new(fields: Fields) -> Self {
        let Fields { list, mut problems } = fields;
        let mut block = Self { fields: list, problems: Vec::new(), exit_signal: None };
        let signals = block.fields.iter().filter(|(name, _)| name == "EXIT_SIGNAL");
        let signals: Vec<_> = signals.map(|(_, value)| fields::boolean(value)).collect();
        block.exit_signal = match signals.as_slice() {
            [] => None,
            signals if signals.contains(&Some(false)) => Some(false),
            signals if signals.contains(&None) => None,
            _ => Some(true),
        };
        let is_missing = |name: &&&str| block.field(name).is_none();
        problems.extend(NAMES.iter().filter(is_missing).map(|name| format!("{name} is missing")));
        problems.extend(block.contradictions());
        block.problems = problems;
        block
    }

    /// Nothing is missing, unknown or contradictory.
    pub fn is_valid(&self) -> bool {
        self.problems.is_empty()
    }

    /// The value of a field; the last one where it stands twice.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// `STATUS`, when it is one of the three.
    pub fn status(&self) -> Option<Status> {
        match self.field("STATUS")? {
            "IN_PROGRESS" => Some(Status::InProgress),
            "COMPLETE" => Some(Status::Complete),
            "BLOCKED" => Some(Status::Blocked),
            _ => None,
        }
    }

    /// `TESTS_STATUS`, when it is one of the three.
    pub fn tests_status(&self) -> Option<TestsStatus> {
        match self.field("TESTS_STATUS")? {
            "PASSING" => Some(TestsStatus::Passing),
            "FAILING" => Some(TestsStatus::Failing),
            "NOT_RUN" => Some(TestsStatus::NotRun),
            _ => None,
        }
    }

    /// `RECOMMENDATION`, when it says something.
    pub fn recommendation(&self) -> Option<&str> {
        self.field("RECOMMENDATION").filter(|text| !text.is_empty())
    }

    /// `valid`, `problems`, `fields` and `exit_signal`: the form of `ccc status-block --json`.
    pub fn to_json(&self) -> Value {
        let fields = self.fields.iter().map(|(name, value)| (name.clone(), value.clone().into()));
        serde_json::json!({
            "valid": self.is_valid(),
            "problems": self.problems,
            "fields": Value::Object(fields.collect()),
            "exit_signal": self.exit_signal,
        })
    }

    fn contradictions(&self) -> Vec<String> {
        let mut found = Vec::new();
        if self.exit_signal == Some(true) {
            let others = [
                self.status().filter(|&s| s != Status::Complete).and(Some("STATUS")),
                self.tests_status()
                    .filter(|&s| s != TestsStatus::Passing)
                    .and(Some("TESTS_STATUS")),
            ];
            for name in others.into_iter().flatten() {
                let value = self.field(name).unwrap_or_default();
                found.push(format!("EXIT_SIGNAL true contradicts {name} {value}"));
            }
        }
        found
    }
}

/// The status block of a message, or of a client's JSON output that carries the message.
///
/// The last one counts. A block in a quotation, or in a code fence with text after it, is an
/// example. A block at the end without its closing line is read, and so are the older forms: an
/// object after `RALPH_STATUS:`, and `<<COMPLETED>>`.
pub fn find(text: &str) -> Option<StatusBlock> {
    let message = locate::message_in(text);
    let text = message.as_deref().unwrap_or(text);
    let blocks = locate::blocks(text);
    let last = blocks.into_iter().rfind(|found| found.counts);
    match last {
        Some(found) => Some(StatusBlock::new(found.fields)),
        None => locate::has_completed_mark(text).then(|| {
            let signal = |name: &str, value: &str| (name.to_owned(), value.to_owned());
            let list = vec![signal("STATUS", "COMPLETE"), signal("EXIT_SIGNAL", "true")];
            StatusBlock::new(Fields { list, problems: Vec::new() })
        }),
    }
}

/// The text without its status blocks, examples included: what the agent says in its own words.
pub fn without_blocks(text: &str) -> String {
    let mut rest = String::with_capacity(text.len());
    let mut at = 0;
    for found in locate::blocks(text) {
        rest.push_str(&text[at..found.span.start]);
        at = found.span.end;
    }
    rest + &text[at..]
}
