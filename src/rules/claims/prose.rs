//! The agent's own sentences, with code made readable: names of files and commands become marks
//! that patterns can speak of.

use crate::rules::completion::clauses;
use crate::rules::shell;
use crate::rules::status_block;
use crate::rules::text::tail_bytes;
use crate::rules::tool::{self, Kind};

/// How much of a message's end is looked at, in bytes.
const MAX_TEXT: usize = 24_000;
/// A mark for a file, with its number between.
const OPEN: char = '\u{e000}';
const CLOSE: char = '\u{e001}';

/// A sentence of prose.
#[derive(Clone, Debug)]
pub struct Sentence {
    /// Files are `\u{e000}N\u{e001}`, commands `TESTCMD`, `LINTCMD`, `BUILDCMD`, other code `CODE`.
    pub text: String,
    pub files: Vec<String>,
    /// It stands under a heading that announces changes, as a point of a list.
    pub is_in_list_of_changes: bool,
}

impl Sentence {
    /// The clauses, each with the sentence from its beginning on.
    pub fn clauses(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut at = 0;
        clauses(&self.text).map(move |clause| {
            at += clause.len();
            (clause, &self.text[at - clause.len()..])
        })
    }

    /// A question, or a sentence that begins with a condition.
    pub fn is_open(&self) -> bool {
        let words =
            ["if ", "when ", "once ", "unless ", "should ", "until ", "whether ", "如果", "若"];
        let text = self.text.trim_start_matches(|c: char| !c.is_alphanumeric());
        let is_condition = words.iter().any(|word| {
            text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
        });
        is_condition || self.text.trim_end().ends_with(['?', '？'])
    }
}

/// The sentences of a message that are the agent's own: no quotation, code block, open box,
/// status block.
pub fn sentences(message: &str) -> Vec<Sentence> {
    let own = status_block::without_blocks(message);
    let own = tail_bytes(&own, MAX_TEXT);
    let (mut out, mut fence, mut announces) = (Vec::new(), None, false);
    for line in own.lines() {
        let text = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| text.starts_with(mark));
        if let Some(mark) = mark.filter(|m| fence.is_none_or(|open| open == *m)) {
            fence = if fence.is_some() { None } else { Some(mark) };
            continue;
        }
        let is_point = text.starts_with(['-', '*', '+', '•']) || starts_with_number(text);
        if fence.is_some() || text.starts_with('>') || text.starts_with('|') || is_open_box(text) {
            continue;
        }
        if !is_point && !text.is_empty() {
            announces = announces_changes(text);
        }
        for sentence in split(text) {
            let (text, files) = marked(sentence);
            let is_in_list_of_changes = is_point && announces;
            out.push(Sentence { text, files, is_in_list_of_changes });
        }
    }
    out
}

fn starts_with_number(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < line.len() && rest.starts_with(['.', ')'])
}

fn is_open_box(line: &str) -> bool {
    line.trim_start_matches(['-', '*', '+', ' ']).starts_with("[ ]")
}

/// `Files changed:`, `## Changes`.
fn announces_changes(line: &str) -> bool {
    let line = line.trim_matches(['#', '*', ':', '：', ' ', '_']).to_lowercase();
    let is_plan =
        ["will", "plan", "propos", "suggest", "would", "next", "should", "could", "计划", "打算"];
    let words = [
        "changes",
        "changed",
        "what i did",
        "modified",
        "updated",
        "created",
        "改动",
        "修改",
        "变更",
    ];
    line.len() < 60
        && words.iter().any(|w| line.contains(w))
        && !["no ", "not ", "n't"].iter().any(|w| line.contains(w))
        && !is_plan.iter().any(|w| line.contains(w))
}

/// Cuts a line behind each sentence. A dot within a word or in code ends nothing.
fn split(line: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut start, mut is_code) = (0, false);
    for (i, c) in line.char_indices() {
        let end = i + c.len_utf8();
        let is_end = match c {
            '`' => {
                is_code = !is_code;
                false
            }
            // The number of a point of a list.
            '.' if line[start..i].trim().bytes().all(|b| b.is_ascii_digit()) => false,
            '.' | '!' | '?' => line[end..].chars().next().is_none_or(char::is_whitespace),
            ';' | '。' | '！' | '？' | '；' => true,
            _ => false,
        };
        if is_end && !is_code {
            out.push(&line[start..end]);
            start = end;
        }
    }
    out.push(&line[start..]);
    out.retain(|s| !s.trim().is_empty());
    out
}

/// The sentence with marks, and the files in order.
fn marked(sentence: &str) -> (String, Vec<String>) {
    let (mut text, mut files) = (String::new(), Vec::new());
    for (i, piece) in sentence.split('`').enumerate() {
        if i % 2 == 1 {
            text.push_str(&mark_code(piece, &mut files));
        } else {
            mark_words(&piece.replace("**", ""), &mut text, &mut files);
        }
    }
    (text, files)
}

fn mark_code(code: &str, files: &mut Vec<String>) -> String {
    let code = code.trim();
    let kinds = || shell::steps(code);
    if is_path(code) && !kinds().iter().any(|s| s.words.len() > 1) {
        return mark_file(code, files);
    }
    if is_hash(code) {
        return code.to_owned();
    }
    let kind = kinds().iter().filter_map(|s| tool::kind(&s.words)).next();
    let word = match kind {
        Some(Kind::Test) => "TESTCMD",
        Some(Kind::Lint) => "LINTCMD",
        Some(Kind::Build) => "BUILDCMD",
        _ => "CODE",
    };
    word.to_owned()
}

/// Words outside of code: what has a folder, and an ending that files have, is a file.
fn mark_words(piece: &str, text: &mut String, files: &mut Vec<String>) {
    for word in piece.split_inclusive(char::is_whitespace) {
        let end = word.trim_end();
        let core = end.trim_matches([
            '(', ')', ',', '.', ':', ';', '"', '\'', '*', '[', ']', '。', '，', '、',
        ]);
        if core.contains('/') && is_path(core) && !core.contains("://") {
            let (before, after) = word.split_once(core).unwrap_or_default();
            text.push_str(before);
            text.push_str(&mark_file(core, files));
            text.push_str(after);
        } else {
            text.push_str(word);
        }
    }
}

fn mark_file(path: &str, files: &mut Vec<String>) -> String {
    // `src/a.rs:12` is a place in a file.
    let path = path.split_once(':').map_or(path, |(path, _)| path);
    files.push(path.strip_prefix("./").unwrap_or(path).to_owned());
    format!("{OPEN}{}{CLOSE}", files.len() - 1)
}

/// Endings of files that agents speak of. `a.len` and `user.name` must be none.
const ENDINGS: &str = "rs py pyi js mjs cjs jsx ts tsx mts cts vue svelte go java kt kts scala rb php c h cc cpp \
    cxx hpp cs fs swift m mm sh bash zsh fish ps1 bat pl pm lua ex exs erl hrl clj cljs hs ml mli dart r jl zig nim \
    sql html htm css scss sass less md markdown rst txt adoc json jsonc json5 yml yaml toml ini cfg conf xml csv tsv \
    proto graphql gql tf hcl lock gradle properties plist snap ipynb tex env cmake mk patch diff svg png";

/// Names of files without an ending.
const NAMES: [&str; 14] = [
    "Makefile",
    "Dockerfile",
    "Justfile",
    "justfile",
    "Rakefile",
    "Gemfile",
    "Procfile",
    "Jenkinsfile",
    "LICENSE",
    "README",
    "CHANGELOG",
    ".gitignore",
    ".dockerignore",
    ".editorconfig",
];

/// Whether a piece of code names one file.
pub fn is_path(code: &str) -> bool {
    let code = code.split_once(':').map_or(code, |(path, _)| path);
    let is_plain = |c: char| c.is_alphanumeric() || "._-/@+~".contains(c);
    if code.is_empty() || code.len() > 200 || !code.chars().all(is_plain) || code.ends_with('/') {
        return false;
    }
    let name = shell::base_name(code);
    let products =
        ["node.js", "next.js", "vue.js", "nuxt.js", "express.js", "three.js", "d3.js", "socket.io"];
    if products.contains(&name.to_lowercase().as_str()) && !code.contains('/') {
        return false;
    }
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
    NAMES.contains(&name)
        || ending.is_some_and(|e| ENDINGS.split_ascii_whitespace().any(|known| known == e))
}

/// Whether a word is the beginning of a commit's hash.
pub fn is_hash(word: &str) -> bool {
    (7..=40).contains(&word.len())
        && word.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        && word.bytes().any(|b| b.is_ascii_digit())
        && word.bytes().any(|b| b.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_agents_own_sentences_are_left_with_code_as_marks() {
        let message = "`cargo test` is green. I changed `src/a.rs:12` and tests/b.py, `x.len()` too!\n\
            > All tests pass.\n```\nAll tests pass.\n```\n- [ ] tests pass\n| a | tests pass |\nOK? v1.2 of Node.js";
        let texts: Vec<_> = sentences(message).into_iter().map(|s| (s.text, s.files)).collect();
        let expected = [
            ("TESTCMD is green.", vec![]),
            (
                " I changed \u{e000}0\u{e001} and \u{e000}1\u{e001}, CODE too!",
                vec!["src/a.rs", "tests/b.py"],
            ),
            ("OK?", vec![]),
            (" v1.2 of Node.js", vec![]),
        ];
        let expected = expected
            .map(|(t, f)| (t.to_owned(), f.into_iter().map(str::to_owned).collect::<Vec<_>>()));
        assert_eq!(texts, expected);
    }

    #[test]
    fn files_are_told_from_other_code() {
        for path in [
            "auth.rs",
            "src/a.test.ts",
            "Makefile",
            ".gitignore",
            "/home/x/b.py",
            "docs/README.md",
            "a.rs:3",
        ] {
            assert!(is_path(path), "{path}");
        }
        for code in [
            "a.len",
            "user.name",
            "Options.numeric_right",
            "f(x)",
            "src/",
            "Node.js",
            "1.2.3",
            "",
            "a b.rs",
            "*.rs",
        ] {
            assert!(!is_path(code), "{code}");
        }
    }
}
