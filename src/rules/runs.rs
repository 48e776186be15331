//! Which tests, lints and builds an agent ran, and how each of them ended: by its exit code where
//! the shell let it through, else by its output.

use crate::rules::activity::{Activity, Command};
use crate::rules::shell::{self, Step};
use crate::rules::test_report::{self, Report};
use crate::rules::text::{cut, one_line};
use crate::rules::tool::{self, Kind};

/// Longest command in a sentence, in characters; longest line that is shown whole, in bytes.
const MAX_NAME: usize = 120;
const MAX_LINE: usize = 80;
/// Programs beside a test that are not what failed.
const BYSTANDERS: [&str; 14] = [
    "cd", "echo", "export", "set", "pwd", "true", "sleep", "mkdir", "source", ".", "printf",
    "date", "pushd", "popd",
];

/// A command that did one of these.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    pub command: &'a Command,
    /// The words of the last of them in the line.
    pub words: Vec<String>,
    pub kind: Kind,
    pub end: End,
    /// It ran only some of the tests.
    pub is_selection: bool,
    /// What the output of tests says.
    pub report: Report,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Exit code 0, let through or printed.
    Passed,
    /// Another exit code, when it is known.
    Failed(Option<i32>),
    /// The line as a whole failed, and something else in it may be why.
    LineFailed,
    /// The exit code is another program's (`| tail`, `|| true`).
    Hidden,
    /// In the background, and its end was not recorded.
    Running,
    /// Refused or interrupted.
    Refused,
    NotRecorded,
}

/// All runs, in order.
pub fn of(activity: &Activity) -> Vec<Run<'_>> {
    activity.commands.iter().flat_map(of_command).collect()
}

/// Whether a command did any of these.
pub fn is_any(command: &Command) -> bool {
    shell::steps(&command.command).iter().any(|s| tool::kind(&s.words).is_some())
}

/// The code in Claude Code's `Exit code 101` (2.1.332) at the beginning of an output.
pub fn exit_code(output: &str) -> Option<i32> {
    output.strip_prefix("Exit code ")?.lines().next()?.trim().parse().ok()
}

fn of_command(command: &Command) -> Vec<Run<'_>> {
    let steps = shell::steps(&command.command);
    let kinds: Vec<Option<Kind>> = steps.iter().map(|s| tool::kind(&s.words)).collect();
    let all = [Kind::Test, Kind::Lint, Kind::Build, Kind::Commit, Kind::Push];
    let of_kind = |kind: Kind| {
        let own = steps.iter().zip(&kinds).filter(|(_, k)| **k == Some(kind)).map(|(s, _)| s);
        let own: Vec<&Step> = own.collect();
        let last = own.last()?;
        let report = match kind {
            Kind::Test => test_report::read(&command.output),
            _ => Report::default(),
        };
        Some(Run {
            command,
            words: last.words.clone(),
            kind,
            end: end(command, &steps, last, own.len(), &report),
            is_selection: own.iter().all(|s| tool::is_selection(&s.words)),
            report,
        })
    };
    all.into_iter().filter_map(of_kind).collect()
}

fn end(command: &Command, steps: &[Step], own: &Step, count: usize, report: &Report) -> End {
    if command.is_refused {
        return End::Refused;
    }
    let Some(has_failed) = command.failed else {
        return if command.in_background { End::Running } else { End::NotRecorded };
    };
    if let Some(code) = own.told_after.as_ref().and_then(|text| told(&command.output, text)) {
        return if code == 0 { End::Passed } else { End::Failed(Some(code)) };
    }
    match (has_failed, own.decides) {
        (false, true) => End::Passed,
        (_, false) => End::Hidden,
        (true, true) => {
            let is_other = |s: &&Step| {
                let name = s.words.first().map(|w| shell::base_name(w)).unwrap_or_default();
                s.decides && !BYSTANDERS.contains(&name)
            };
            let others = steps.iter().filter(is_other).count().saturating_sub(count);
            match others == 0 || report.is_failing() {
                true => End::Failed(exit_code(&command.output)),
                false => End::LineFailed,
            }
        }
    }
}

/// The number that a line of the output gives behind `before`.
fn told(output: &str, before: &str) -> Option<i32> {
    let one = |line: &str| {
        let rest = line.trim().strip_prefix(before.trim_start())?;
        let digits = rest.find(|c: char| !c.is_ascii_digit()).map_or(rest, |i| &rest[..i]);
        let is_alone = before.trim().is_empty() && digits.len() != rest.len();
        if is_alone { None } else { digits.parse().ok() }
    };
    output.lines().rev().find_map(one)
}

impl Run<'_> {
    pub fn is_test(&self) -> bool {
        self.kind == Kind::Test
    }

    /// It ended, and well, as far as exit code and output tell.
    pub fn is_good(&self) -> bool {
        match self.end {
            End::Passed => !self.is_failing_behind_exit_0(),
            End::Hidden => self.report.is_passing(),
            End::Running => self.report.is_passing(),
            _ => false,
        }
    }

    /// It ended badly, by exit code or output.
    pub fn is_bad(&self) -> bool {
        match self.end {
            End::Failed(_) => true,
            End::Passed => self.is_failing_behind_exit_0(),
            End::Hidden | End::LineFailed | End::Running => self.report.is_failing(),
            End::Refused | End::NotRecorded => false,
        }
    }

    /// Exit code 0, and an output that says otherwise. A line alone does not count where counts
    /// tell of no failure: it may be what a test prints.
    fn is_failing_behind_exit_0(&self) -> bool {
        match self.report.failed {
            Some(failed) => failed > 0,
            None => self.report.failing_line.is_some() && self.report.passed.is_none(),
        }
    }

    /// The command in backticks: the whole line where it is short.
    pub fn name(&self) -> String {
        let line = one_line(&self.command.command);
        let is_short = line.len() <= MAX_LINE && !self.command.command.trim().contains('\n');
        let name = if is_short { line } else { one_line(&self.words.join(" ")) };
        format!("`{}`", cut(&name, MAX_NAME))
    }

    /// How it ended, as a part of a sentence.
    pub fn ended(&self) -> String {
        let said = match (self.report.counts(), &self.report.failing_line) {
            (Some(counts), _) => format!("its output says {counts}"),
            (None, Some(line)) => format!("its output says `{line}`"),
            (None, None) if self.report.says_ok => "its output says ok".to_owned(),
            (None, None) => String::new(),
        };
        let is_doubtful = self.end != End::Passed || self.is_failing_behind_exit_0();
        let ended = self.exit();
        match said.is_empty() || (!is_doubtful && self.report.counts().is_none()) {
            true => ended,
            false => format!("{ended}; {said}"),
        }
    }

    /// The same without what its output says.
    pub fn exit(&self) -> String {
        match self.end {
            End::Passed => "exit 0".to_owned(),
            End::Failed(Some(code)) => format!("failed with exit {code}"),
            End::Failed(None) => "failed".to_owned(),
            End::LineFailed => "the line it stands in failed".to_owned(),
            End::Hidden => "its exit code was not let through".to_owned(),
            End::Running => "started in the background, no end recorded".to_owned(),
            End::Refused => "not carried out".to_owned(),
            End::NotRecorded => "no result recorded".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(line: &str, failed: bool, output: &str) -> (bool, bool, String) {
        let (command, output) = (line.to_owned(), output.to_owned());
        let command = Command { command, output, failed: Some(failed), ..Command::default() };
        let runs = of_command(&command);
        let run = runs.iter().find(|r| r.is_test()).expect("a test run");
        (run.is_good(), run.is_bad(), run.ended())
    }

    #[test]
    fn the_end_of_a_test_run_is_read_from_exit_code_or_output() {
        let table = [
            ("cargo test", false, "", (true, false), "exit 0"),
            ("cargo test", true, "Exit code 101\nerror", (false, true), "failed with exit 101"),
            ("cd x && cargo test", true, "Exit code 101", (false, true), "failed with exit 101"),
            (
                "cargo test | tail -2",
                false,
                "",
                (false, false),
                "its exit code was not let through",
            ),
            (
                "cargo test 2>&1 | tail -2",
                false,
                "test result: ok. 3 passed; 0 failed;",
                (true, false),
                "its exit code was not let through; its output says 3 passed",
            ),
            (
                "python3 -m unittest 2>&1 | tail -4",
                false,
                "Ran 2 tests in 0.1s\n\nFAILED (failures=1)",
                (false, true),
                "its exit code was not let through; its output says 1 passed, 1 failed",
            ),
            (
                "make check; echo exit=$?",
                false,
                "FAIL numeric order past 9\nexit=0",
                (false, true),
                "exit 0; its output says `FAIL numeric order past 9`",
            ),
            (
                "pytest; echo $?",
                false,
                "1 failed in 0.1s\n1",
                (false, true),
                "failed with exit 1; its output says 1 failed",
            ),
            (
                "cargo build && cargo test",
                true,
                "Exit code 101\nerror: x",
                (false, false),
                "the line it stands in failed",
            ),
            (
                "npm test && npm run deploy",
                true,
                "Exit code 1\n# pass 3\n# fail 0",
                (false, false),
                "the line it stands in failed; its output says 3 passed",
            ),
            (
                "jest",
                false,
                "FAIL is printed by the code under test\nTests: 3 passed, 3 total",
                (true, false),
                "exit 0; its output says 3 passed",
            ),
        ];
        for (line, failed, output, (good, bad), ended) in table {
            assert_eq!(run(line, failed, output), (good, bad, ended.into()), "{line} {output}");
        }
    }
}
