//! Bodies that stand in for those that are to be written, and notes that say so.

use crate::rules::findings::changed::{Changed, File, folded};
use crate::rules::findings::marks::has_word;
use crate::rules::findings::source::{Lang, Line};

/// A body that stands in for one that is to be written.
pub fn is_stub(file: &File, lines: &[Changed], at: usize) -> bool {
    let Line { code, literals, .. } = &lines[at].line;
    let throws =
        |list: &[&str]| list.iter().any(|start| has_word(code, start)) && say_open(literals);
    match file.lang {
        Lang::Rust => {
            has_word(code, "unimplemented!(") || has_word(code, "todo!(") || throws(&["panic!("])
        }
        Lang::Python => {
            if file.path.ends_with(".pyi") || is_abstract(lines, at) {
                return false;
            }
            code.starts_with("raise NotImplementedError") || is_empty_function(lines, at)
        }
        Lang::Js => throws(&["throw new Error(", "Promise.reject(new Error("]),
        Lang::Go => throws(&["panic(", "errors.New(", "fmt.Errorf("]),
        Lang::Java => {
            throws(&[
                "throw new UnsupportedOperationException(",
                "throw new RuntimeException(",
                "throw new IllegalStateException(",
                "fatalError(",
                "throw new \\Exception(",
            ]) || has_word(code, "throw new NotImplementedException(")
                || code.starts_with("TODO(")
                || code.ends_with("= TODO()")
        }
        Lang::C => {
            throws(&["assert(", "abort(", "throw std::logic_error(", "throw std::runtime_error("])
        }
        Lang::Ruby => code.starts_with("raise NotImplementedError"),
        Lang::Shell => code.starts_with("echo") && say_open(literals),
        Lang::Make | Lang::Config | Lang::Json | Lang::Other => false,
    }
}

/// Whether a message says that the work is not done.
fn say_open(literals: &[String]) -> bool {
    const STARTS: [&str; 4] = ["not implemented", "not yet implemented", "unimplemented", "todo"];
    let mut texts = literals.iter().map(|text| text.to_lowercase());
    texts.any(|text| STARTS.iter().any(|start| text.starts_with(start)))
}

/// Python: a function whose whole body is `pass` or `...`, told at its `def`.
fn is_empty_function(lines: &[Changed], at: usize) -> bool {
    let code = lines[at].line.code.as_str();
    if !(code.starts_with("def ") || code.starts_with("async def ")) {
        return false;
    }
    let own = code.rsplit_once(':').map_or("", |(_, body)| body.trim());
    if ["pass", "..."].contains(&own) {
        return true;
    }
    // What takes whatever it is given and does nothing is meant to.
    if code.contains("*_") || code.contains("*args") {
        return false;
    }
    let depth = indent(lines[at].text);
    let ends = |line: Option<&Changed>| line.is_none_or(|l| indent(l.text) <= depth);
    let number = lines[at].number;
    match lines.get(at + 1) {
        Some(body) if own.is_empty() && body.number == number + 1 => {
            let after = lines.get(at + 2).filter(|l| l.number == number + 2);
            ["pass", "..."].contains(&body.line.code.as_str()) && ends(after)
        }
        _ => false,
    }
}

/// Python: the function is declared to have no body of its own.
fn is_abstract(lines: &[Changed], at: usize) -> bool {
    let near = lines[..at].iter().rev().take(6);
    let is_near = |l: &&Changed| lines[at].number - l.number <= 6;
    near.filter(is_near).any(|l| {
        let code = l.line.code.as_str();
        code.contains("abstract")
            || code.starts_with("@overload")
            || (code.starts_with("class ") && (code.contains("Protocol") || code.contains("ABC")))
    })
}

fn indent(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// Words that begin such a note.
const WORDS: [&str; 4] = ["TODO", "FIXME", "XXX", "HACK"];
/// Nouns behind them: the comment speaks of such notes, or of a list of things to do.
const NOUNS: [&str; 8] = ["item", "list", "entr", "app", "comment", "note", "mark", "tag"];
/// What else says it.
const PHRASES: [&str; 12] = [
    "not implemented yet",
    "not yet implemented",
    "unimplemented for now",
    "implement this later",
    "implement later",
    "in a real implementation",
    "placeholder implementation",
    "placeholder for now",
    "stub for now",
    "待实现",
    "未实现",
    "暂不实现",
];

/// A comment that says that work is left.
pub fn open_note(comment: &str) -> Option<String> {
    let found = || Some(folded(comment));
    for word in WORDS {
        for (at, _) in comment.match_indices(word) {
            let is_start = comment[..at].chars().all(|c| !c.is_alphanumeric());
            let before = comment[..at].chars().next_back();
            let rest = &comment[at + word.len()..];
            let next = rest.chars().next();
            let is_word = !before.is_some_and(|c| c.is_alphanumeric() || "_\"'`".contains(c))
                && !next.is_some_and(|c| c.is_alphanumeric() || "_\"'`/,".contains(c));
            let is_addressed = next.is_some_and(|c| c == ':' || c == '(' || c == '：');
            let is_noun = NOUNS.iter().any(|noun| rest.trim_start().starts_with(noun));
            if is_word && (is_addressed || (is_start && !is_noun)) {
                return found();
            }
        }
    }
    let lower = comment.to_lowercase();
    PHRASES.iter().any(|phrase| lower.contains(phrase)).then(found).flatten()
}
