//! What the agent really did in a session, told from its records.

use std::collections::BTreeMap;

use crate::rules::last_block::{self, LastBlock};
use crate::rules::prompt::quote;
use crate::rules::record::{Call, Record};
use crate::rules::text::{cut, head_and_tail, one_line, printable};

/// Commands that are shown, newest ones.
const MAX_COMMANDS: usize = 25;
/// Output that is shown of one command, in bytes.
const MAX_OUTPUT: usize = 700;
/// Longest request that is shown, in bytes.
const MAX_REQUEST: usize = 4000;
/// Words by which a command is known to run tests or checks.
const TEST_WORDS: &[&str] = &[
    "cargo test",
    "cargo nextest",
    "npm test",
    "npm run test",
    "node --test",
    "pnpm test",
    "yarn test",
    "pytest",
    "unittest",
    "go test",
    "make test",
    "make check",
    "jest",
    "vitest",
    "mvn test",
    "gradle test",
    "rspec",
    "phpunit",
    "ctest",
    "dotnet test",
    "tests/run",
    "run_tests",
    "bats ",
    "tox",
    "lint",
    "cargo clippy",
    "tsc",
    "test.sh",
    "tests/test",
];

/// A session's activity. Fields are in the order of the conversation.
#[derive(Clone, Debug, Default)]
pub struct Activity {
    /// The user's prompts.
    pub requests: Vec<String>,
    pub commands: Vec<Command>,
    pub edits: Vec<Edit>,
    /// What the agent said, the last texts only.
    pub said: Vec<String>,
    /// The last entry is an API error or a usage limit: what it says.
    pub api_error: Option<String>,
    /// Stop hook feedback since the last tool call. Claude Code (2.1.332) counts like this.
    pub blocks_in_a_row: u32,
    /// What became of the last block.
    pub last_block: LastBlock,
    /// Answers of tools other than commands that were errors or refusals.
    pub tool_errors: Vec<String>,
}

/// A shell command and how it ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    pub command: String,
    pub in_background: bool,
    /// `None` while nothing was answered.
    pub failed: Option<bool>,
    pub output: String,
    /// Edits by tools came after it.
    pub is_before_last_edit: bool,
}

/// A file written or edited by a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    pub path: String,
    pub text: String,
}

impl Command {
    /// Whether it runs tests or checks.
    pub fn is_test(&self) -> bool {
        TEST_WORDS.iter().any(|word| self.command.contains(word))
    }
}

/// Reads the records of a session.
pub fn read(records: &[Record]) -> Activity {
    let mut a = Activity { last_block: last_block::read(records), ..Activity::default() };
    let mut open: BTreeMap<&str, Target> = BTreeMap::new();
    for record in records {
        match record {
            Record::Request(text) => a.requests.push(text.clone()),
            Record::Said(text) => a.said.push(text.clone()),
            Record::HookFeedback => a.blocks_in_a_row += 1,
            Record::ApiError(_) | Record::Overridden | Record::Interrupted => {}
            Record::Called { id, call } => {
                a.blocks_in_a_row = 0;
                open.insert(id, a.called(call));
            }
            Record::Answered { id, text, is_error } => {
                let target = open.remove(id.as_str()).unwrap_or(Target::Nothing);
                a.answered(target, text, *is_error);
            }
        }
    }
    if let Some(Record::ApiError(text)) = records.last() {
        a.api_error = Some(text.clone());
    }
    a
}

/// Where the answer to a call belongs.
enum Target {
    Command(usize),
    Tool(String),
    Nothing,
}

impl Activity {
    fn called(&mut self, call: &Call) -> Target {
        match call {
            Call::Run { command, in_background } => {
                self.commands.push(Command {
                    command: command.clone(),
                    in_background: *in_background,
                    failed: None,
                    output: String::new(),
                    is_before_last_edit: false,
                });
                Target::Command(self.commands.len() - 1)
            }
            Call::Edit { path, text } => {
                self.commands.iter_mut().for_each(|c| c.is_before_last_edit = true);
                self.edits.push(Edit { path: path.clone(), text: text.clone() });
                Target::Tool(format!("edit of {path}"))
            }
            Call::Other { name } => Target::Tool(name.clone()),
        }
    }

    fn answered(&mut self, target: Target, text: &str, is_error: bool) {
        match target {
            Target::Command(i) => {
                self.commands[i].failed = Some(is_error);
                self.commands[i].output = printable(text);
            }
            Target::Tool(what) if is_error => {
                self.tool_errors.push(format!("{what}: {}", cut(&one_line(text), 200)));
            }
            Target::Tool(_) | Target::Nothing => {}
        }
    }

    /// The requests in order, the newest marked; quoted.
    pub fn render_requests(&self) -> String {
        let newest = self.requests.len().saturating_sub(1);
        let shown = self.requests.iter().enumerate().filter(|(i, _)| *i == 0 || i + 8 > newest);
        let one = |(i, text): (usize, &String)| {
            let mark = if i == newest { " (the newest; it overrides earlier ones)" } else { "" };
            format!("Request {}{mark}:\n{}", i + 1, quote(&head_and_tail(text, MAX_REQUEST)))
        };
        shown.map(one).collect::<Vec<_>>().join("\n\n")
    }

    /// Commands and edits, as facts. `with_text` also shows what was written, for work that git
    /// does not show.
    pub fn render(&self, with_text: bool) -> String {
        let mut out = vec![self.render_tests()];
        let skipped = self.commands.len().saturating_sub(MAX_COMMANDS);
        if !self.commands.is_empty() {
            let left_out =
                if skipped == 0 { String::new() } else { format!(", first {skipped} left out") };
            out.push(format!("Commands run by the agent ({}{left_out}):", self.commands.len()));
        }
        out.extend(self.commands.iter().skip(skipped).map(|c| render_command(c, with_text)));
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        self.edits.iter().for_each(|e| *counts.entry(&e.path).or_default() += 1);
        if counts.is_empty() {
            out.push("Files edited by tools: none".into());
        } else {
            let list = counts.iter().map(|(path, n)| format!("{path} ({n}x)"));
            out.push(format!("Files edited by tools: {}", list.collect::<Vec<_>>().join(", ")));
        }
        if with_text {
            out.extend(self.edits.iter().map(|e| {
                format!(
                    "Written to {}:\n{}",
                    e.path,
                    indent(&head_and_tail(&printable(&e.text), 2500))
                )
            }));
        }
        if !self.tool_errors.is_empty() {
            let last = self.tool_errors.iter().rev().take(5).rev();
            out.push(format!(
                "Tool errors and refusals: {}",
                last.cloned().collect::<Vec<_>>().join("; ")
            ));
        }
        out.join("\n")
    }

    fn render_tests(&self) -> String {
        match self.commands.iter().rev().find(|c| c.is_test()) {
            None => "Tests: the agent ran no test command that ccc recognizes.".into(),
            Some(c) => {
                let ended = ending(c);
                let stale = if c.is_before_last_edit { "; files were edited after it" } else { "" };
                format!(
                    "Tests: the last test command was `{}` ({ended}{stale}).",
                    one_line(&c.command)
                )
            }
        }
    }
}

fn ending(c: &Command) -> &'static str {
    match (c.in_background, c.failed) {
        (true, _) => "started in the background",
        (false, None) => "no result recorded",
        (false, Some(true)) => "failed",
        (false, Some(false)) => "exit 0",
    }
}

fn render_command(c: &Command, with_text: bool) -> String {
    let max = if with_text { 2500 } else { 400 };
    let command = head_and_tail(&c.command, max).into_owned();
    let mut out = format!("- [{}] {}", ending(c), command.replace('\n', "\n  "));
    if c.failed == Some(true) || c.is_test() || c.output.len() <= 200 {
        let output = head_and_tail(c.output.trim(), MAX_OUTPUT);
        if !output.is_empty() {
            out.push_str(&format!("\n{}", indent(&output)));
        }
    }
    out
}

fn indent(text: &str) -> String {
    text.lines().map(|l| format!("    | {l}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(id: &str, command: &str) -> Record {
        let call = Call::Run { command: command.into(), in_background: false };
        Record::Called { id: id.into(), call }
    }

    fn answer(id: &str, text: &str, is_error: bool) -> Record {
        Record::Answered { id: id.into(), text: text.into(), is_error }
    }

    #[test]
    fn commands_keep_their_own_results_and_the_last_test_is_named() {
        let edit = Call::Edit { path: "a.rs".into(), text: "x".into() };
        let a = read(&[
            Record::Request("do".into()),
            run("1", "cargo test"),
            run("2", "ls"),
            answer("2", "a.rs", false),
            answer("1", "Exit code 101\nFAILED", true),
            Record::Called { id: "3".into(), call: edit },
        ]);
        assert_eq!(
            a.commands.iter().map(|c| c.failed).collect::<Vec<_>>(),
            [Some(true), Some(false)]
        );
        let text = a.render(false);
        assert!(text.contains("`cargo test` (failed; files were edited after it)"), "{text}");
        assert!(text.contains("| FAILED") && text.contains("a.rs (1x)"), "{text}");
    }

    #[test]
    fn blocks_in_a_row_start_anew_at_a_tool_call_and_errors_count_only_at_the_end() {
        let a = read(&[
            Record::HookFeedback,
            run("1", "ls"),
            Record::HookFeedback,
            Record::ApiError("limit".into()),
            Record::HookFeedback,
        ]);
        assert_eq!((a.blocks_in_a_row, a.api_error), (2, None));
        assert!(read(&[Record::ApiError("limit".into())]).api_error.is_some());
    }
}
