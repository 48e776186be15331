//! What the output of a test run says about it, in the words of the common test programs.

use std::sync::LazyLock;

use regex_lite::Regex;

use crate::rules::text::{cut, one_line, tail_bytes};

/// More than this of an output's end is not read, in bytes.
const MAX_OUTPUT: usize = 256 << 10;
/// Longer lines are no summary, in bytes.
const MAX_LINE: usize = 400;

/// What was understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Sums over all summaries; `None` when no summary told it.
    pub passed: Option<u32>,
    pub failed: Option<u32>,
    /// A line that says by itself that something failed.
    pub failing_line: Option<String>,
    /// A line that says by itself that all went well.
    pub says_ok: bool,
}

impl Report {
    /// Some test failed.
    pub fn is_failing(&self) -> bool {
        self.failed.is_some_and(|n| n > 0) || self.failing_line.is_some()
    }

    /// The tests ran, and none failed.
    pub fn is_passing(&self) -> bool {
        !self.is_failing() && (self.says_ok || self.passed.is_some_and(|n| n > 0))
    }

    /// `3 passed, 1 failed`.
    pub fn counts(&self) -> Option<String> {
        let passed = self.passed.map(|n| format!("{n} passed"));
        let failed = self.failed.filter(|n| *n > 0).map(|n| format!("{n} failed"));
        let parts: Vec<String> = passed.into_iter().chain(failed).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// Reads an output. One that is no test run's gives an empty report.
pub fn read(output: &str) -> Report {
    let mut report = Report::default();
    for line in tail_bytes(output, MAX_OUTPUT).lines().filter(|l| l.len() <= MAX_LINE) {
        let line = line.trim();
        if !summary(line, &mut report) {
            sign(line, &mut report);
        }
    }
    report
}

/// Words of which every summary has one. Most lines with a number have none, and the patterns cost
/// a hundred times more.
const SUMMARY_WORDS: [&str; 10] =
    ["pass", "fail", "Pass", "Fail", "tests", "Tests", "error", "FAILED (", "OK (", "Ran "];

/// Lines with counts. Group 1 are the passed, group 2 the failed ones where both are in one form.
static BOTH: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    regexes(&[
        // cargo
        r"^test result: \w+\. (\d+) passed; (\d+) failed;",
        // deno
        r"^(?:ok|FAILED) \| (\d+) passed(?: \(\d+ steps?\))? \| (\d+) failed",
        // dotnet, whose counts stand the other way round
        r"^(?:Passed|Failed)! +- Failed: +\d+, Passed: +(\d+)()",
    ])
});

/// Words for counts that may stand alone or together on a summary line.
static PASSED: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?i)\b(\d+) (?:tests? )?(?:passed|passing|pass)\b|^(?:#|ℹ) pass (\d+)$")
});
static FAILED: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)\b(\d+) (?:tests? )?(?:failed|failing|fail|errors?|failures?)\b",
        r"|^(?:#|ℹ) fail (\d+)$|\bfailed: +(\d+)",
    ))
});

/// Lines that hold such counts and nothing else: pytest, jest, vitest, mocha, nextest, bun, node.
static COUNTED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    regexes(&[
        r"^=* ?(?:\d+ (?:passed|failed|skipped|deselected|xfailed|xpassed|warnings?|errors?|rerun|subtests passed)(?:, | and )?)+ in [\d.:() a-z]+ ?=*$",
        r"^Tests:? +(?:\d+ (?:failed|passed|skipped|todo|total)(?:, | \| )?)+(?: ?\(\d+\))?$",
        r"^(?:\d+) (?:passing|failing)(?: \([\d.a-z]+\))?$",
        r"^Summary \[ *[\d.]+s\] \d+(?:/\d+)? tests? run: ",
        r"^(?:\d+) (?:pass|fail)$",
        r"^(?:#|ℹ) (?:pass|fail) \d+$",
        r"^(?:Passed|Failed)! +- Failed: ",
        r"^(?:\d+) (?:passed|failed)(?:, \d+ (?:passed|failed|skipped))*\.?$",
    ])
});

/// Totals with failures: unittest and minitest, maven, gradle, rspec, phpunit, ctest, bats.
static TOTALS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    regexes(&[
        r"^Tests run: (\d+), Failures: (\d+), Errors: (\d+)",
        r"^(\d+) tests completed(?:, (\d+) failed)?()",
        r"^(\d+) examples?, (\d+) failures?()",
        r"^(\d+) runs, \d+ assertions, (\d+) failures, (\d+) errors",
        r"^(\d+) tests?, (\d+) failures?()",
        r"^Tests: (\d+), Assertions: \d+(?:, Errors: (\d+))?(?:, Failures: (\d+))?",
        r"^OK \((\d+) tests?, \d+ assertions?\)()()",
    ])
});

static RAN: LazyLock<Regex> = LazyLock::new(|| regex(r"^Ran (\d+) tests? in "));
static UNITTEST: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^FAILED \((?:(?:failures|errors)=(\d+)(?:, )?)(?:errors=(\d+))?"));
static CTEST: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\d+% tests passed, (\d+) tests? failed out of (\d+)"));

fn summary(line: &str, report: &mut Report) -> bool {
    let line = line.strip_prefix("[INFO] ").or(line.strip_prefix("[ERROR] ")).unwrap_or(line);
    let has_digit = line.bytes().any(|b| b.is_ascii_digit());
    if !has_digit || !SUMMARY_WORDS.iter().any(|word| line.contains(word)) {
        return false;
    }
    let number = |found: &regex_lite::Captures, i: usize| {
        found.get(i).and_then(|m| m.as_str().parse::<u32>().ok()).unwrap_or(0)
    };
    if let Some(found) = BOTH.iter().find_map(|r| r.captures(line)) {
        report.add(number(&found, 1), number(&found, 2));
        if let Some(found) = FAILED.captures(line).filter(|_| line.contains("! ")) {
            report.add(0, number(&found, 3));
        }
    } else if let Some(found) = RAN.captures(line) {
        // Its `OK` or `FAILED (failures=1)` follows.
        report.add(number(&found, 1), 0);
    } else if let Some(found) = UNITTEST.captures(line) {
        let failed = number(&found, 1) + number(&found, 2);
        report.passed = report.passed.map(|n| n.saturating_sub(failed));
        report.failed = Some(report.failed.unwrap_or(0) + failed);
    } else if let Some(found) = CTEST.captures(line) {
        report.add(number(&found, 2).saturating_sub(number(&found, 1)), number(&found, 1));
    } else if let Some(found) = TOTALS.iter().find_map(|r| r.captures(line)) {
        let failed = number(&found, 2).saturating_add(number(&found, 3));
        report.add(number(&found, 1).saturating_sub(failed), failed);
    } else if COUNTED.iter().any(|r| r.is_match(line)) {
        let sum = |regex: &Regex| -> Option<u32> {
            let numbers = regex.captures_iter(line).map(|found| {
                (1..found.len()).map(|i| number(&found, i)).fold(0, u32::saturating_add)
            });
            numbers.reduce(u32::saturating_add)
        };
        let (passed, failed) = (sum(&PASSED), sum(&FAILED));
        report.passed = add(report.passed, passed);
        report.failed = add(report.failed, failed);
    } else {
        return false;
    }
    true
}

impl Report {
    fn add(&mut self, passed: u32, failed: u32) {
        self.passed = add(self.passed, Some(passed));
        self.failed = add(self.failed, Some(failed));
    }
}

fn add(a: Option<u32>, b: Option<u32>) -> Option<u32> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (a, b) => a.or(b),
    }
}

fn sign(line: &str, report: &mut Report) {
    let line = line.strip_prefix("[INFO] ").or(line.strip_prefix("[ERROR] ")).unwrap_or(line);
    let is_expected = line.contains("# TODO") || line.contains("# SKIP");
    if report.failing_line.is_none() && is_failing(line) && !is_expected {
        report.failing_line = Some(cut(&one_line(line), 120).into_owned());
    } else if is_ok(line) {
        report.says_ok = true;
    }
}

/// Plain comparisons, for every line of every output comes here.
fn is_failing(line: &str) -> bool {
    const BEGINNINGS: [&str; 13] = [
        "--- FAIL:",
        "✗ ",
        "✖ ",
        "× ",
        "make: *** ",
        "npm ERR! Test failed",
        "npm ERR! Lifecycle",
        "npm error Test failed",
        "npm error Lifecycle",
        "evaluation failed :(",
        "error: test failed",
        "失败",
        "测试失败",
    ];
    const WHOLE: [&str; 3] = ["BUILD FAILED", "BUILD FAILURE", "FAILURES!"];
    let word_ends = |rest: &str, ends: &[char]| rest.is_empty() || rest.starts_with(ends);
    let fail = line.strip_prefix("FAILED").or(line.strip_prefix("FAIL"));
    let tap = line.strip_prefix("not ok");
    let submake = || {
        let (level, rest) = line.strip_prefix("make[")?.split_once("]: *** ")?;
        (level.bytes().all(|b| b.is_ascii_digit())).then_some(rest)
    };
    fail.is_some_and(|rest| word_ends(rest, &[' ', ':', '\t']))
        || tap.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        || BEGINNINGS.iter().any(|beginning| line.starts_with(beginning))
        || WHOLE.contains(&line)
        || submake().is_some()
        || line.starts_with("test ") && line.ends_with(" ... FAILED")
        || line.len() > 8 && line.ends_with("... FAIL")
}

fn is_ok(line: &str) -> bool {
    const WHOLE: [&str; 10] = [
        "OK",
        "PASS",
        "BUILD SUCCESS",
        "BUILD SUCCESSFUL",
        "congratulations :)",
        "all tests passed",
        "all tests passed.",
        "all tests passed!",
        "# fail 0",
        "全部通过",
    ];
    WHOLE.contains(&line)
        || line.starts_with("OK (") && line.ends_with(')')
        || line.starts_with("BUILD SUCCESSFUL in ")
        || line.strip_prefix("ok").is_some_and(is_go_package)
}

/// The rest of a line of go: `ok`, package, and `0.012s` or `(cached)`.
fn is_go_package(rest: &str) -> bool {
    let mut words = rest.split_whitespace().skip(1);
    let seconds = |word: &str| {
        let number = word.strip_suffix('s').unwrap_or_default();
        !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.')
    };
    rest.starts_with([' ', '\t']) && words.next().is_some_and(|w| w == "(cached)" || seconds(w))
}

fn regexes(patterns: &[&str]) -> Vec<Regex> {
    patterns.iter().map(|p| regex(p)).collect()
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern that the tests compile")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn summaries_of_the_common_programs_are_understood() {
        let table = [
            (
                "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n\
              test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured",
                5,
                1,
            ),
            ("     Summary [   0.005s] 10 tests run: 9 passed, 1 failed, 0 skipped", 9, 1),
            ("===== 3 passed, 1 failed, 2 warnings in 0.12s =====", 3, 1),
            ("3 passed in 0.01s", 3, 0),
            ("1 failed, 2 passed, 1 error in 1.20s", 2, 2),
            ("Ran 4 tests in 0.003s\n\nOK", 4, 0),
            ("Ran 4 tests in 0.003s\n\nFAILED (failures=1, errors=2)", 1, 3),
            ("# tests 5\n# suites 0\n# pass 5\n# fail 0", 5, 0),
            ("ℹ tests 5\nℹ pass 4\nℹ fail 1", 4, 1),
            ("Tests:       1 failed, 3 passed, 4 total", 3, 1),
            (" Test Files  1 passed (1)\n      Tests  1 failed | 3 passed (4)", 3, 1),
            ("  3 passing (10ms)\n  1 failing", 3, 1),
            ("[INFO] Tests run: 5, Failures: 1, Errors: 1, Skipped: 0", 3, 2),
            ("5 tests completed, 1 failed", 4, 1),
            ("5 examples, 1 failure", 4, 1),
            ("5 runs, 10 assertions, 1 failures, 0 errors, 0 skips", 4, 1),
            ("OK (5 tests, 10 assertions)", 5, 0),
            ("FAILURES!\nTests: 5, Assertions: 10, Failures: 1.", 4, 1),
            ("90% tests passed, 1 tests failed out of 10", 9, 1),
            ("Failed!  - Failed:     1, Passed:     4, Skipped:     0, Total:     5", 4, 1),
            ("3 tests, 0 failures", 3, 0),
            ("ok | 3 passed | 0 failed (10ms)", 3, 0),
            (" 3 pass\n 0 fail", 3, 0),
        ];
        for (output, passed, failed) in table {
            let report = read(output);
            assert_eq!(
                (report.passed, report.failed.unwrap_or(0)),
                (Some(passed), failed),
                "{output}"
            );
            assert_eq!(report.is_failing(), failed > 0, "{output}");
            assert_eq!(report.is_passing(), failed == 0, "{output}");
        }
    }

    #[test]
    fn other_signs_are_heard_and_plain_text_is_none() {
        for output in [
            "FAIL numeric order past 9: expected [a]",
            "--- FAIL: TestX (0.00s)\nFAIL\nFAIL\tpkg\t0.1s",
            "not ok 2 - sorts",
            "make: *** [Makefile:2: check] Error 1",
            "BUILD FAILURE",
            "test a::b ... FAILED",
        ] {
            assert!(read(output).is_failing(), "{output}");
        }
        for output in ["ok  \tpkg/x\t0.012s", "OK", "PASS\nok pkg 0.1s", "BUILD SUCCESSFUL in 3s"] {
            assert!(read(output).is_passing(), "{output}");
        }
        for output in [
            "",
            "lint ok",
            "ok   keeps two newest",
            "a.tar: FAILED",
            "Failed to fetch 3 passed values",
            "not ok 3 later # TODO",
            "hello",
            "2 files changed, 3 insertions(+)",
            "the 12 passed the gate",
        ] {
            let report = read(output);
            assert!(!report.is_failing() && !report.is_passing(), "{output} {report:?}");
        }
    }

    proptest! {
        #[test]
        fn any_output_is_read(text in "([0-9]{1,12} (passed|failed|tests)[,;. ]|FAILED \\(|=|\n|[a-z ]|\\PC){0,60}") {
            read(&text);
        }
    }
}
