//! What the agent really did in a session, told from its records.

use std::collections::BTreeMap;

use crate::rules::last_block::{self, LastBlock};
use crate::rules::prompt::quote;
use crate::rules::record::{Call, Record};
use crate::rules::runs;
use crate::rules::shell::base_name;
use crate::rules::text::{cut, head_and_tail, one_line, printable};

/// Commands that are shown, newest ones.
const MAX_COMMANDS: usize = 25;
/// Output that is shown of one command, in bytes.
const MAX_OUTPUT: usize = 700;
/// Longest request that is shown, in bytes.
const MAX_REQUEST: usize = 4000;
/// A session's activity. Fields are in the order of the conversation.
#[derive(Clone, Debug, Default)]
pub struct Activity {
    /// The user's prompts.
    pub requests: Vec<String>,
    pub commands: Vec<Command>,
    pub edits: Vec<Edit>,
    /// Files changed by tools and, where the client saw it, by commands, in order.
    pub touched: Vec<String>,
    /// Tasks given to subagents, whose own commands are not seen.
    pub delegated: u32,
    /// Something of the session was read.
    pub is_recorded: bool,
    /// The middle of a long session was left out.
    pub is_partial: bool,
    /// What the agent said, the last texts only.
    pub said: Vec<String>,
    /// With what the agent ended its earlier turns since the newest request.
    pub closings: Vec<String>,
    /// The model that answered last, by the client's name for it.
    pub model: Option<String>,
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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Command {
    pub command: String,
    pub in_background: bool,
    /// The background task that it became.
    pub task: Option<String>,
    /// `None` while nothing was answered.
    pub failed: Option<bool>,
    /// It was not carried out: refused or interrupted.
    pub is_refused: bool,
    pub output: String,
    /// How many of [`Activity::touched`] came before its end.
    pub touched_before: usize,
    /// How many requests came before it.
    pub request: usize,
}

/// A file written or edited by a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    pub path: String,
    pub text: String,
    /// The tool could not do it.
    pub failed: bool,
    /// How many requests came before it.
    pub request: usize,
}

/// Reads the records of a session.
pub fn read(records: &[Record]) -> Activity {
    let mut a = Activity {
        is_recorded: !records.is_empty(),
        last_block: last_block::read(records),
        ..Activity::default()
    };
    let mut open: BTreeMap<&str, Target> = BTreeMap::new();
    for record in records {
        match record {
            Record::Request(text) => {
                a.requests.push(text.clone());
                a.closings.clear();
            }
            Record::Said(text) => a.said.push(text.clone()),
            Record::HookFeedback => {
                a.blocks_in_a_row += 1;
                a.closings.extend(a.said.last().cloned());
            }
            Record::ApiError(_) | Record::Overridden | Record::Interrupted => {}
            Record::Called { id, call } => {
                a.blocks_in_a_row = 0;
                open.insert(id, a.called(call));
            }
            Record::Answered { id, text, is_error } => {
                let target = open.remove(id.as_str()).unwrap_or(Target::Nothing);
                a.answered(target, text, *is_error);
            }
            Record::Refused { id, text } => {
                let target = open.remove(id.as_str()).unwrap_or(Target::Nothing);
                a.refused(&target, text);
            }
            Record::Changed { paths, .. } => a.touched.extend(paths.iter().cloned()),
            Record::InBackground { id, task } => {
                if let Some(Target::Command(i)) = open.get(id.as_str()) {
                    (a.commands[*i].in_background, a.commands[*i].task) =
                        (true, Some(task.clone()));
                }
            }
            Record::TaskSaid { task, text, failed } => a.task_said(task, text, *failed),
        }
    }
    // An edit whose answer is not written yet counts as done.
    for target in open.into_values() {
        if let Target::Edit(i) = target {
            a.touched.push(a.edits[i].path.clone());
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
    Edit(usize),
    Task(String),
    Tool(String),
    Nothing,
}

impl Activity {
    fn called(&mut self, call: &Call) -> Target {
        let request = self.requests.len();
        match call {
            Call::Run { command, in_background } => {
                self.commands.push(Command {
                    command: command.clone(),
                    in_background: *in_background,
                    touched_before: self.touched.len(),
                    request,
                    ..Command::default()
                });
                Target::Command(self.commands.len() - 1)
            }
            Call::Edit { path, text } => {
                let (path, text) = (path.clone(), text.clone());
                self.edits.push(Edit { path, text, failed: false, request });
                Target::Edit(self.edits.len() - 1)
            }
            Call::Delegate => {
                self.delegated += 1;
                Target::Tool("subagent".into())
            }
            Call::Watch { task } => Target::Task(task.clone()),
            Call::Other { name } => Target::Tool(name.clone()),
        }
    }

    fn answered(&mut self, target: Target, text: &str, is_error: bool) {
        match target {
            Target::Command(i) => self.command_ended(i, text, is_error),
            Target::Edit(i) => {
                self.edits[i].failed = is_error;
                let path = self.edits[i].path.clone();
                match is_error {
                    true => self.note_error(&format!("edit of {path}"), text),
                    false => self.touched.push(path),
                }
            }
            Target::Task(task) => self.task_said(&task, text, None),
            Target::Tool(what) if is_error => self.note_error(&what, text),
            Target::Tool(_) | Target::Nothing => {}
        }
    }

    fn command_ended(&mut self, i: usize, text: &str, is_error: bool) {
        let touched_before = self.touched.len();
        let command = &mut self.commands[i];
        command.output = printable(text);
        command.touched_before = touched_before;
        // What a background command answers is only that it was started.
        if command.task.is_none() && !command.in_background {
            command.failed = Some(is_error);
        }
        let of_task = |c: &Command| {
            let mark = c.task.as_ref().map(|task| format!("tasks/{task}.output"));
            mark.is_some_and(|mark| self.commands[i].command.contains(&mark))
        };
        if let Some(watched) = self.commands[..i].iter().rposition(of_task) {
            self.commands[watched].output = printable(text);
        }
    }

    fn refused(&mut self, target: &Target, text: &str) {
        match target {
            Target::Command(i) => {
                (self.commands[*i].is_refused, self.commands[*i].output) = (true, printable(text));
            }
            Target::Edit(i) => {
                self.edits[*i].failed = true;
                let what = format!("edit of {}", self.edits[*i].path);
                self.note_error(&what, text);
            }
            Target::Tool(what) => self.note_error(what, text),
            Target::Task(_) | Target::Nothing => {}
        }
    }

    fn note_error(&mut self, what: &str, text: &str) {
        self.tool_errors.push(format!("{what}: {}", cut(&one_line(text), 200)));
    }

    fn task_said(&mut self, task: &str, text: &str, failed: Option<bool>) {
        let is_it = |c: &&mut Command| c.task.as_deref() == Some(task);
        let Some(command) = self.commands.iter_mut().rev().find(is_it) else { return };
        match failed {
            Some(_) => command.failed = failed,
            None => command.output = printable(text),
        }
    }

    /// Files changed after a command ended, each once.
    pub fn touched_after(&self, command: &Command) -> Vec<&str> {
        let later = self.touched.get(command.touched_before..).unwrap_or_default();
        let mut paths: Vec<&str> = later.iter().map(String::as_str).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
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
        let done = || self.edits.iter().filter(|e| !e.failed);
        done().for_each(|e| *counts.entry(&e.path).or_default() += 1);
        if counts.is_empty() {
            out.push("Files edited by tools: none".into());
        } else {
            let list = counts.iter().map(|(path, n)| format!("{path} ({n}x)"));
            out.push(format!("Files edited by tools: {}", list.collect::<Vec<_>>().join(", ")));
        }
        if with_text {
            out.extend(done().map(|e| {
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
        let runs = runs::of(self);
        let Some(run) = runs.iter().rev().find(|r| r.is_test()) else {
            return "Tests: the agent ran no test command that ccc recognizes.".into();
        };
        let later = self.touched_after(run.command);
        let names: Vec<&str> = later.iter().take(5).map(|path| base_name(path)).collect();
        let stale = match later.len() {
            0 => String::new(),
            1..=5 => format!("; files were edited after it: {}", names.join(", ")),
            n => format!("; {n} files were edited after it, such as {}", names.join(", ")),
        };
        format!("Tests: the last test command was {} ({}{stale}).", run.name(), run.ended())
    }
}

fn ending(c: &Command) -> String {
    match (c.is_refused, c.in_background, c.failed) {
        (true, ..) => "not carried out".into(),
        (_, true, None) => "started in the background".into(),
        (_, true, Some(true)) => "in the background, failed".into(),
        (_, true, Some(false)) => "in the background, ended".into(),
        (_, false, None) => "no result recorded".into(),
        (_, false, Some(true)) => match runs::exit_code(&c.output) {
            Some(code) => format!("failed, exit {code}"),
            None => "failed".into(),
        },
        (_, false, Some(false)) => "exit 0".into(),
    }
}

fn render_command(c: &Command, with_text: bool) -> String {
    let max = if with_text { 2500 } else { 400 };
    let command = head_and_tail(&c.command, max).into_owned();
    let mut out = format!("- [{}] {}", ending(c), command.replace('\n', "\n  "));
    if c.failed == Some(true) || runs::is_any(c) || c.output.len() <= 200 {
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
            answer("3", "ok", false),
        ]);
        assert_eq!(
            a.commands.iter().map(|c| c.failed).collect::<Vec<_>>(),
            [Some(true), Some(false)]
        );
        let text = a.render(false);
        assert!(
            text.contains("`cargo test` (failed with exit 101; its output says `FAILED`; files"),
            "{text}"
        );
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
