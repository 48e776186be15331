//! Tests that are no longer run: their declaration went, and came nowhere else.

use std::collections::HashSet;

use crate::rules::diff::Kind;
use crate::rules::findings::changed::{Changed, File, folded};
use crate::rules::findings::source::{Lang, Line};
use crate::rules::findings::{Finding, Topic};

/// The declaration of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Test {
    name: String,
    /// Index of its line.
    at: usize,
    /// First and last number of the changed lines that are its body, it included.
    body: (u32, u32),
}

/// Tests that went, of all files.
#[derive(Debug, Default)]
pub struct Gone {
    pub findings: Vec<Finding>,
    /// Of each file, the removed lines that went with a whole test.
    bodies: Vec<Vec<(u32, u32)>>,
}

impl Gone {
    /// Whether a removed line of a file is part of a test that went, or moved, as a whole.
    pub fn holds(&self, file: usize, number: u32) -> bool {
        let bodies = self.bodies.get(file).map(Vec::as_slice).unwrap_or_default();
        bodies.iter().any(|&(from, to)| (from..=to).contains(&number))
    }
}

/// Looks for tests that went.
pub fn find(files: &[File]) -> Gone {
    let added: Vec<Vec<Test>> = files.iter().map(|f| tests(f.lang, &f.added)).collect();
    let names: HashSet<&str> = added.iter().flatten().map(|test| test.name.as_str()).collect();
    let mut gone = Gone::default();
    for file in files {
        let removed = tests(file.lang, &file.removed);
        let missing: Vec<&Test> = removed
            .iter()
            .filter(|test| !names.contains(test.name.as_str()) && is_whole(test, &file.removed))
            .collect();
        gone.bodies.push(missing.iter().map(|test| test.body).collect());
        gone.findings.extend(told(file, &missing));
        gone.findings.extend(lost_marks(file));
    }
    gone
}

/// The body went too, and did not come elsewhere under another name.
fn is_whole(test: &Test, removed: &[Changed]) -> bool {
    let (from, to) = test.body;
    let body = removed.iter().filter(|l| l.number > removed[test.at].number && l.number <= to);
    let code: Vec<&Changed> = body.filter(|l| !l.line.code.is_empty()).collect();
    let is_one_line = from == to && is_closed(&removed[test.at].line.code);
    let stays = code.iter().filter(|l| l.is_moved).count();
    is_one_line || (!code.is_empty() && stays * 2 < code.len().max(1) + 1)
}

fn is_closed(code: &str) -> bool {
    code.ends_with('}') || code.ends_with("});") || code.ends_with("})")
}

fn told(file: &File, missing: &[&Test]) -> Vec<Finding> {
    let quoted = |test: &Test| format!("`{}`", test.name);
    if file.kind == Kind::Deleted && !missing.is_empty() {
        let names: Vec<String> = missing.iter().take(4).map(|t| quoted(t)).collect();
        let more = missing.len().saturating_sub(names.len());
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let text = format!("the file is deleted, with {}{more}", names.join(", "));
        return vec![Finding::of_file(Topic::TestGone, file.path, text)];
    }
    let one = |test: &&Test| {
        let line = &file.removed[test.at];
        let comment = folded(&line.line.code);
        let is_kept =
            file.added.iter().any(|l| !comment.is_empty() && folded(&l.line.comment) == comment);
        let what = if is_kept { "commented out: " } else { "" };
        Finding::removed(Topic::TestGone, file.path, line, what.to_owned())
    };
    missing.iter().map(one).collect()
}

/// `#[test]` or `@Test` went, and what it stood before stayed.
fn lost_marks(file: &File) -> Vec<Finding> {
    if !matches!(file.lang, Lang::Rust | Lang::Java) {
        return Vec::new();
    }
    let marks = |lines: &[Changed]| -> Vec<usize> {
        (0..lines.len()).filter(|&i| is_mark(file.lang, &lines[i].line.code)).collect()
    };
    let added: Vec<u32> = marks(&file.added).iter().map(|&i| file.added[i].anchor).collect();
    let is_lost = |&i: &usize| {
        let line = &file.removed[i];
        let block: Vec<&Changed> =
            file.removed.iter().filter(|l| l.anchor == line.anchor).collect();
        // In a longer block the mark went with its function, or git slid the block.
        let is_alone = block.iter().all(|l| function(&l.line.code).is_none());
        is_alone && !added.contains(&line.anchor)
    };
    let lost = marks(&file.removed).into_iter().filter(is_lost);
    lost.map(|i| {
        let what = "the mark that makes it a test: ".to_owned();
        Finding::removed(Topic::TestGone, file.path, &file.removed[i], what)
    })
    .collect()
}

/// The tests declared in changed lines.
fn tests(lang: Lang, lines: &[Changed]) -> Vec<Test> {
    let mut found: Vec<Test> = Vec::new();
    let mut start = 0;
    while start < lines.len() {
        let end = (start + 1..lines.len())
            .find(|&i| lines[i].number != lines[i - 1].number + 1)
            .unwrap_or(lines.len());
        found.extend(in_block(lang, lines, start, end));
        start = end;
    }
    found
}

/// The tests of a run of lines without a gap.
fn in_block(lang: Lang, lines: &[Changed], start: usize, end: usize) -> Vec<Test> {
    let mut at: Vec<(usize, String)> = Vec::new();
    let mut is_marked = false;
    for (i, Changed { line, .. }) in lines.iter().enumerate().take(end).skip(start) {
        is_marked |= is_mark(lang, &line.code);
        let name = match lang {
            Lang::Rust | Lang::Java => {
                let name = function(&line.code);
                name.filter(|_| std::mem::take(&mut is_marked)).map(str::to_owned)
            }
            _ => declared(lang, line),
        };
        at.extend(name.map(|name| (i, name)));
    }
    // git may slide a block so that it ends with the mark of the next test and lacks its own.
    if is_marked && let Some(first) = slid(lines, start, end, &at) {
        at.insert(0, first);
    }
    let ends = at.iter().skip(1).map(|(i, _)| *i).chain([end]).collect::<Vec<_>>();
    at.into_iter()
        .zip(ends)
        .map(|((at, name), next)| {
            let body = (lines[at].number, lines[next - 1].number);
            Test { name, at, body }
        })
        .collect()
}

fn slid(
    lines: &[Changed],
    start: usize,
    end: usize,
    at: &[(usize, String)],
) -> Option<(usize, String)> {
    let end = at.first().map_or(end, |(i, _)| *i);
    (start..end).find_map(|i| Some((i, function(&lines[i].line.code)?.to_owned())))
}

/// An attribute that makes the next function a test.
fn is_mark(lang: Lang, code: &str) -> bool {
    match lang {
        Lang::Rust => {
            let inner = code.strip_prefix("#[").unwrap_or_default();
            let name = inner.split([']', '(']).next().unwrap_or_default();
            name == "test" || name.ends_with("::test") || name == "rstest" || name == "test_case"
        }
        Lang::Java => ["@Test", "@ParameterizedTest", "[Fact", "[Test", "[Theory"]
            .iter()
            .any(|mark| code.starts_with(mark)),
        _ => false,
    }
}

/// The name of a function that is declared here, in Rust and the languages of its braces.
fn function(code: &str) -> Option<&str> {
    let name = |rest: &'_ str| rest.find(|c: char| !c.is_alphanumeric() && c != '_');
    if let Some((before, rest)) =
        code.split_once("fn ").filter(|(b, _)| b.is_empty() || b.ends_with(' '))
    {
        let _ = before;
        return name(rest).map(|end| &rest[..end]).filter(|n| !n.is_empty());
    }
    let open = code.find('(')?;
    let head = code[..open].trim_end();
    let word = head.rsplit([' ', '\t']).next()?;
    let is_declared = head.contains(' ')
        && code.ends_with('{')
        && !head.contains('=')
        && !["if", "for", "while", "switch", "catch", "return", "new", "else"]
            .iter()
            .any(|key| head.starts_with(key));
    (is_declared && !word.is_empty()).then_some(word)
}

/// The name of a test whose declaration is one line.
fn declared(lang: Lang, line: &Line) -> Option<String> {
    let code = line.code.as_str();
    let literal = || line.literals.first().cloned();
    match lang {
        Lang::Python => {
            let rest = code.strip_prefix("async ").unwrap_or(code).strip_prefix("def ")?;
            name_at(rest).filter(|name| name.starts_with("test"))
        }
        Lang::Js => {
            let call = code.split(['(', '`']).next()?;
            let base = call.split('.').next()?;
            ["it", "test", "xit", "xtest", "fit"].contains(&base).then(literal)?
        }
        Lang::Go => {
            let rest = code.strip_prefix("func ")?;
            let is_test = |n: &String| n.starts_with("Test") || n.starts_with("Fuzz");
            name_at(rest).filter(is_test).filter(|_| code.contains("testing."))
        }
        Lang::C => c_test(line),
        Lang::Ruby => {
            if let Some(rest) = code.strip_prefix("def test_") {
                return Some(rest.to_owned());
            }
            (code.starts_with("it ") || code.starts_with("test ")).then(literal)?
        }
        Lang::Shell => {
            if code.starts_with("@test ") {
                return literal();
            }
            let rest = code.strip_prefix("function ").unwrap_or(code);
            let name = name_at(rest)?;
            (name.starts_with("test_") && rest[name.len()..].starts_with("()")).then_some(name)
        }
        Lang::Rust | Lang::Java | Lang::Make | Lang::Config | Lang::Json | Lang::Other => None,
    }
}

fn c_test(line: &Line) -> Option<String> {
    let code = line.code.as_str();
    let macros = ["TEST(", "TEST_F(", "TEST_P(", "START_TEST(", "TEST_CASE("];
    if macros.iter().any(|start| code.starts_with(start)) {
        return Some(line.literals.first().cloned().unwrap_or_else(|| folded(code)));
    }
    let rest = code.strip_prefix("static ").unwrap_or(code).strip_prefix("void ")?;
    name_at(rest).filter(|name| name.starts_with("test_") && !code.ends_with(';'))
}

/// The name at the beginning.
fn name_at(rest: &str) -> Option<String> {
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    Some(rest[..end].to_owned())
}
