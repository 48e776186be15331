//! Changes to what guards the work: the supervisor's page, ccc's own config, the build server's
//! files, the definitions of checks.

use crate::rules::findings::changed::{Changed, File};
use crate::rules::findings::silenced::is_ci;
use crate::rules::findings::{Finding, Topic};
use crate::rules::shell;

/// What the changed files guard. `paths` are all changed files, `checks` the command lines of the
/// checks that ccc runs.
pub fn find(paths: &[String], files: &[File], checks: &[String]) -> Vec<Finding> {
    let mut out = Vec::new();
    for path in paths {
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_own = name == "SUPERVISOR.md"
            || path.ends_with(".claude/ccc.json")
            || path.ends_with(".claude/settings.json")
            || path.ends_with(".claude/settings.local.json");
        let file = files.iter().find(|file| file.path == path);
        if is_own {
            out.push(Finding::of_file(Topic::Guard, path, "it steers this review".into()));
        } else if let Some(check) = checks.iter().find(|check| runs(check, path)) {
            let what = format!("the check `{check}` runs it");
            out.push(Finding::of_file(Topic::CheckChanged, path, what));
        } else if is_ci(path) {
            let what = "the build server reads it".into();
            out.push(Finding::of_file(Topic::CheckChanged, path, what));
        } else if let Some(changed) = file.and_then(|file| definition(file, name)) {
            out.push(Finding::changed(Topic::CheckChanged, path, changed.0, changed.1));
        } else if is_expected_output(path) && file.is_some_and(|file| !file.removed.is_empty()) {
            let what = "a file of expected output".into();
            out.push(Finding::of_file(Topic::Expected, path, what));
        }
    }
    out
}

/// Whether a check's command line names the file.
fn runs(check: &str, path: &str) -> bool {
    let steps = shell::steps(check);
    let mut words = steps.iter().flat_map(|step| &step.words);
    words.any(|word| word.contains('/') && path.ends_with(word.trim_start_matches("./")))
}

/// Output that tests compare with.
fn is_expected_output(path: &str) -> bool {
    path.contains("__snapshots__/")
        || path.contains("/golden/")
        || path.contains("/expected/")
        || [".snap", ".golden", ".expected", ".approved.txt"].iter().any(|end| path.ends_with(end))
}

/// Files that are nothing but the definition of a check.
const WHOLE: [&str; 15] = [
    "tox.ini",
    "pytest.ini",
    ".coveragerc",
    ".pre-commit-config.yaml",
    ".golangci.yml",
    ".golangci.yaml",
    "clippy.toml",
    ".flake8",
    "mypy.ini",
    "ruff.toml",
    "phpunit.xml",
    "codecov.yml",
    ".mocharc.json",
    ".rspec",
    "noxfile.py",
];
/// How the names of others begin.
const STARTS: [&str; 6] = [
    "jest.config.",
    "vitest.config.",
    "playwright.config.",
    "eslint.config.",
    ".eslintrc",
    "karma.conf.",
];

/// The first changed line of a file that says what is tested, linted or demanded. The answer also
/// tells whether the line came in.
fn definition<'a>(file: &'a File, name: &str) -> Option<(&'a Changed<'a>, bool)> {
    let is_whole = WHOLE.contains(&name)
        || STARTS.iter().any(|start| name.starts_with(start))
        || file.path.contains(".husky/");
    let words = if is_whole { &[""] } else { settings(name)? };
    let holds = |l: &&'a Changed| {
        !l.is_moved
            && !l.text.trim().is_empty()
            && words.iter().any(|word| l.text.trim_start().starts_with(word))
    };
    let came = file.added.iter().find(holds).map(|l| (l, true));
    came.or_else(|| file.removed.iter().find(holds).map(|l| (l, false)))
}

/// How the lines begin that matter in a file of many settings.
fn settings(name: &str) -> Option<&'static [&'static str]> {
    let words: &[&str] = match name {
        "package.json" => &[
            "\"test",
            "\"lint",
            "\"check",
            "\"typecheck",
            "\"pretest",
            "\"posttest",
            "\"coverageThreshold",
        ],
        "pyproject.toml" | "setup.cfg" => &[
            "addopts",
            "fail_under",
            "testpaths",
            "norecursedirs",
            "python_files",
            "ignore",
            "disable",
            "exclude",
            "strict",
            "filterwarnings",
        ],
        "Cargo.toml" => &["test =", "doctest =", "harness =", "unsafe_code", "warnings ="],
        "tsconfig.json" => &["\"strict", "\"noImplicit", "\"noUnused", "\"exclude", "\"skipLib"],
        _ => return None,
    };
    Some(words)
}
