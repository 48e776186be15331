//! One line of a source file, taken apart into code, comment and literals, as far as that is
//! possible without the lines around it; and what kind of file it stands in.

/// What a file is written in, as far as the findings care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lang {
    Rust,
    Python,
    /// JavaScript and TypeScript.
    Js,
    Go,
    /// Java, Kotlin, Scala, C#, Swift, PHP: braces, `//`, annotations.
    Java,
    /// C and C++.
    C,
    Ruby,
    Shell,
    Make,
    /// YAML, TOML, INI and the like.
    Config,
    Json,
    /// Prose, data, and what is not known: nothing is looked for in it.
    Other,
}

impl Lang {
    /// By the name of a file.
    pub fn of(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let Some((_, ending)) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) else {
            let is_script = ["bin", "scripts", ".husky", "hooks", ".githooks", "ci", ".ci"];
            return match name {
                "Makefile" | "makefile" | "GNUmakefile" | "justfile" | "Justfile" => Self::Make,
                "Dockerfile" => Self::Shell,
                "Jenkinsfile" => Self::Java,
                "Rakefile" | "Gemfile" => Self::Ruby,
                _ if path.split('/').any(|part| is_script.contains(&part)) => Self::Shell,
                _ => Self::Other,
            };
        };
        match ending {
            "rs" => Self::Rust,
            "py" => Self::Python,
            "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" | "vue" | "svelte" => {
                Self::Js
            }
            "go" => Self::Go,
            "java" | "kt" | "kts" | "scala" | "groovy" | "cs" | "swift" | "php" | "dart" => {
                Self::Java
            }
            "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "hh" | "m" | "mm" => Self::C,
            "rb" => Self::Ruby,
            "sh" | "bash" | "zsh" | "bats" | "ksh" => Self::Shell,
            "mk" | "just" => Self::Make,
            "yml" | "yaml" | "toml" | "ini" | "cfg" => Self::Config,
            "json" | "jsonc" => Self::Json,
            _ => Self::Other,
        }
    }

    /// Files that a program is made of.
    pub fn is_program(self) -> bool {
        !matches!(self, Self::Make | Self::Config | Self::Json | Self::Other)
    }

    fn has_hash_comments(self) -> bool {
        matches!(self, Self::Python | Self::Ruby | Self::Shell | Self::Make | Self::Config)
    }

    fn has_slash_comments(self) -> bool {
        matches!(self, Self::Rust | Self::Js | Self::Go | Self::Java | Self::C | Self::Json)
    }
}

/// Whether a file holds tests, by its name and folders.
pub fn is_test_path(path: &str) -> bool {
    const FOLDERS: [&str; 7] =
        ["test", "tests", "__tests__", "spec", "specs", "e2e", "androidTest"];
    let mut parts: Vec<&str> = path.split('/').collect();
    let name = parts.pop().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or(name);
    parts.iter().any(|part| FOLDERS.contains(part))
        || [".test.", ".spec.", ".bats"].iter().any(|part| name.contains(part))
        || stem.starts_with("test_")
        || ["_test", "_tests", "_spec"].iter().any(|end| stem.ends_with(end))
        || stem == "tests"
        || ["Test", "Tests", "IT"].iter().any(|end| {
            let before = stem.strip_suffix(end);
            before.is_some_and(|b| b.ends_with(|c: char| c.is_ascii_lowercase()))
        })
}

/// One line taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Without comment and without blanks at its ends; string literals are emptied (`""`).
    pub code: String,
    /// Without the mark that begins it.
    pub comment: String,
    /// What stood in the string literals.
    pub literals: Vec<String>,
}

impl Line {
    /// Reads a line. What began on another line (a long string, a long comment) is not known.
    pub fn read(lang: Lang, text: &str) -> Self {
        let text = text.trim();
        if lang == Lang::Other {
            return Self::default();
        }
        if let Some(comment) = whole_comment(lang, text) {
            return Self { comment: comment.trim().to_owned(), ..Self::default() };
        }
        let mut line = Self::default();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            if let Some(comment) = comment_at(lang, rest, &line.code) {
                line.comment = comment.trim_end_matches("*/").trim().to_owned();
                break;
            }
            let literal = is_quote(lang, c, rest).then(|| closing(lang, c, rest)).flatten();
            rest = match literal {
                Some(end) => {
                    line.code.extend([c, c]);
                    line.literals.push(rest[c.len_utf8()..end].to_owned());
                    &rest[end + c.len_utf8()..]
                }
                None => {
                    line.code.push(c);
                    &rest[c.len_utf8()..]
                }
            };
        }
        line.code.truncate(line.code.trim_end().len());
        line
    }

    /// The code with every number and truth value folded: two lines with the same shape differ in
    /// literals alone.
    pub fn shape(&self) -> String {
        let mut out = String::with_capacity(self.code.len());
        let mut word = String::new();
        for c in self.code.chars().chain(['\n']) {
            if c.is_alphanumeric() || c == '_' || (c == '.' && is_number(&word)) {
                word.push(c);
                continue;
            }
            match word.as_str() {
                w if is_number(w) => out.push('0'),
                "true" | "false" | "True" | "False" => out.push('?'),
                w => out.push_str(w),
            }
            word.clear();
            if !c.is_whitespace() {
                out.push(c);
            }
        }
        out
    }
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// A line that is nothing but a comment, or a documentation string.
fn whole_comment(lang: Lang, text: &str) -> Option<&str> {
    let slashes = lang.has_slash_comments();
    if slashes && (text == "*" || text.starts_with("* ") || text.starts_with("*/")) {
        return Some(text.trim_start_matches(['*', '/']));
    }
    if lang == Lang::Python {
        let doc = text.strip_prefix("\"\"\"").or(text.strip_prefix("'''"))?;
        return Some(doc.trim_end_matches(['"', '\'']));
    }
    None
}

/// The comment that begins here.
fn comment_at<'a>(lang: Lang, rest: &'a str, before: &str) -> Option<&'a str> {
    if lang.has_slash_comments() {
        let is_line = rest.starts_with("//") && !before.ends_with(':');
        if is_line || rest.starts_with("/*") {
            return Some(rest.trim_start_matches(['/', '*', '!']));
        }
    }
    let is_mark = before.is_empty() || before.ends_with(|c: char| c.is_whitespace());
    if lang.has_hash_comments() && rest.starts_with('#') && is_mark {
        return Some(rest.trim_start_matches(['#', '!']));
    }
    None
}

fn is_quote(lang: Lang, c: char, rest: &str) -> bool {
    match c {
        '"' => true,
        '`' => matches!(lang, Lang::Js | Lang::Go),
        // A lifetime has no second quote near by.
        '\'' if lang == Lang::Rust => {
            let mut chars = rest.chars().skip(1);
            match chars.next() {
                Some('\\') => true,
                Some(_) => chars.next() == Some('\''),
                None => false,
            }
        }
        '\'' => true,
        _ => false,
    }
}

/// Where the quote at the beginning of `rest` is closed.
fn closing(lang: Lang, quote: char, rest: &str) -> Option<usize> {
    let mut is_escaped = false;
    let has_escapes = !(lang == Lang::Shell && quote == '\'');
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if has_escapes => is_escaped = true,
            c if c == quote => return Some(at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_line_is_taken_apart() {
        let table = [
            (Lang::Rust, r#"let a = "x // y"; // TODO: z"#, r#"let a = "";"#, "TODO: z"),
            (Lang::Rust, "fn f<'a>(x: &'a str) {", "fn f<'a>(x: &'a str) {", ""),
            (Lang::Rust, "/// Says so.", "", "Says so."),
            (Lang::Js, "  * TODO in a block", "", "TODO in a block"),
            (Lang::Js, "get('https://a.b/c') // d", "get('')", "d"),
            (Lang::Python, "x = '#1'  # FIXME later", "x = ''", "FIXME later"),
            (Lang::Python, r#""""TODO: say more.""""#, "", "TODO: say more."),
            (Lang::Shell, "echo ${#list}", "echo ${#list}", ""),
            (Lang::Shell, "#!/bin/sh", "", "/bin/sh"),
            (Lang::Other, "# TODO", "", ""),
        ];
        for (lang, text, code, comment) in table {
            let line = Line::read(lang, text);
            assert_eq!((line.code.as_str(), line.comment.as_str()), (code, comment), "{text}");
        }
    }

    #[test]
    fn files_with_tests_are_known_by_their_names() {
        for path in [
            "tests/a.rs",
            "src/git/tests.rs",
            "a/test_x.py",
            "x_test.go",
            "web/a.test.tsx",
            "src/__tests__/a.js",
            "app/FooTest.java",
            "t/x.bats",
            "spec/a_spec.rb",
        ] {
            assert!(is_test_path(path), "{path}");
        }
        for path in ["src/latest.rs", "contest.py", "src/testing_ground.md", "src/EMIT.java"] {
            assert!(!is_test_path(path), "{path}");
        }
    }

    #[test]
    fn the_shape_leaves_literals_out() {
        let shape = |text| Line::read(Lang::Rust, text).shape();
        assert_eq!(shape("assert_eq!(f(3), \"a\");"), shape("assert_eq!(f(4),  \"bc\");"));
        assert_eq!(shape("assert!(x1 == 2.5)"), shape("assert!(x1 == 3)"));
        assert_ne!(shape("assert!(x1)"), shape("assert!(x2)"));
    }

    proptest! {
        #[test]
        fn any_line_is_read(text in "([a-z\"'`\\\\/#* é目.:]){0,40}") {
            for lang in [Lang::Rust, Lang::Python, Lang::Js, Lang::Shell, Lang::Json] {
                Line::read(lang, &text).shape();
            }
        }
    }
}
