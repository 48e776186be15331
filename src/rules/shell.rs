//! Shell command lines taken apart as far as a reader of logs needs it: the simple commands, and
//! which of them can make the whole line fail. Reads any text without complaint.

use crate::rules::text::head_bytes;

/// More of a line than this is not looked at, in bytes.
const MAX_LINE: usize = 32 << 10;
/// How deep `sh -c '..'` is followed.
const MAX_DEPTH: u32 = 3;

/// A simple command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Its words without quotes, from the program's name on. Variables set for it, redirections
    /// and wrappers (`timeout 60`, `npx`, `poetry run`) are left out.
    pub words: Vec<String>,
    /// When it fails, the whole line fails. False behind `| tail`, `|| true`, `; echo`.
    pub decides: bool,
    /// Text before the exit code where the next command prints it (`; echo "exit=$?"`).
    pub told_after: Option<String>,
}

/// The simple commands of a line, in order.
pub fn steps(line: &str) -> Vec<Step> {
    steps_at(line, 0)
}

fn steps_at(line: &str, depth: u32) -> Vec<Step> {
    let pipelines = pipelines(tokens(head_bytes(line, MAX_LINE)));
    let told: Vec<Option<Told>> = pipelines.iter().map(told).collect();
    let mut sets = Sets::default();
    let mut out = Vec::new();
    let shows = decides(&pipelines);
    for (i, pipeline) in pipelines.iter().enumerate() {
        sets.note(pipeline);
        let last = pipeline.commands.len().saturating_sub(1);
        for (n, words) in pipeline.commands.iter().enumerate() {
            let is_heard = n == last || sets.pipefail;
            let decides = is_heard && (shows[i] || (sets.errexit && !pipeline.is_tested()));
            let told = told.get(i + 1).and_then(Option::as_ref);
            let told = told.filter(|t| if t.is_first { n == 0 } else { n == last });
            let words = unwrapped(words);
            if let (Some(inner), true) = (script_of(words), depth < MAX_DEPTH) {
                out.extend(steps_at(inner, depth + 1).into_iter().map(|step| Step {
                    decides: step.decides && decides,
                    told_after: step.told_after.or_else(|| told.map(|t| t.before.clone())),
                    ..step
                }));
            } else if !words.is_empty() {
                let told_after = told.map(|t| t.before.clone());
                out.push(Step { words: words.to_vec(), decides, told_after });
            }
        }
    }
    out
}

/// Options of the shell that are on from here.
#[derive(Default)]
struct Sets {
    errexit: bool,
    pipefail: bool,
}

impl Sets {
    fn note(&mut self, pipeline: &Pipeline) {
        let Some([name, options @ ..]) = pipeline.commands.first().map(Vec::as_slice) else {
            return;
        };
        if name == "set" {
            self.pipefail |= options.iter().any(|o| o == "pipefail");
            let is_e = |o: &String| o.starts_with('-') && !o.starts_with("--") && o.contains('e');
            self.errexit |= options.iter().any(is_e);
        }
    }
}

/// Commands joined by pipes, and what joins them to the next ones.
#[derive(Debug, Default)]
struct Pipeline {
    commands: Vec<Vec<String>>,
    then: Then,
    /// Behind `if`, `while`, `!`, or in a loop: its exit code is used up.
    is_compound: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Then {
    And,
    Or,
    #[default]
    Next,
    Background,
}

impl Pipeline {
    fn is_tested(&self) -> bool {
        self.is_compound || matches!(self.then, Then::Or | Then::Background)
    }
}

/// Whether the failure of each pipeline is the failure of the line.
fn decides(pipelines: &[Pipeline]) -> Vec<bool> {
    let mut out = vec![false; pipelines.len()];
    let mut is_open = true;
    for (i, pipeline) in pipelines.iter().enumerate().rev() {
        let is_last = i + 1 == pipelines.len();
        is_open = match pipeline.then {
            Then::Next if is_last => true,
            Then::And => is_open,
            Then::Or => pipelines.get(i + 1).is_some_and(gives_up),
            Then::Next | Then::Background => false,
        };
        out[i] = is_open && !pipeline.is_compound;
    }
    out
}

/// `exit 1`, `false`, `return 1`.
fn gives_up(pipeline: &Pipeline) -> bool {
    match pipeline.commands.first().map(Vec::as_slice) {
        Some([name, code, ..]) => (name == "exit" || name == "return") && code != "0",
        Some([name]) => name == "false",
        _ => false,
    }
}

/// Where an `echo` prints the exit code of the command before it.
struct Told {
    before: String,
    /// Of the first command of the pipe (`${PIPESTATUS[0]}`), else of the last.
    is_first: bool,
}

fn told(pipeline: &Pipeline) -> Option<Told> {
    let [words] = pipeline.commands.as_slice() else { return None };
    let (name, rest) = words.split_first()?;
    if name != "echo" {
        return None;
    }
    let text = rest.join(" ");
    let first = text.find("${PIPESTATUS[0]}");
    let at = first.or_else(|| text.find("$?"))?;
    Some(Told { before: text[..at].to_owned(), is_first: first.is_some() })
}

#[derive(Debug, PartialEq)]
enum Token {
    Word(String),
    Pipe,
    Then(Then),
}

fn pipelines(tokens: Vec<Token>) -> Vec<Pipeline> {
    const KEYWORDS: [&str; 14] = [
        "if", "then", "else", "elif", "fi", "do", "done", "while", "until", "for", "case", "esac",
        "!", "time",
    ];
    let mut out: Vec<Pipeline> = Vec::new();
    let mut now = Pipeline::default();
    let mut words: Vec<String> = Vec::new();
    let mut is_compound = false;
    let end = |now: &mut Pipeline, words: &mut Vec<String>| {
        if !words.is_empty() {
            now.commands.push(std::mem::take(words));
        }
    };
    for token in tokens {
        match token {
            Token::Word(word) if words.is_empty() && KEYWORDS.contains(&word.as_str()) => {
                is_compound |= word != "time";
            }
            Token::Word(word) if words.is_empty() && (word == "{" || word == "}") => {}
            Token::Word(word) => words.push(word),
            Token::Pipe => end(&mut now, &mut words),
            Token::Then(then) => {
                end(&mut now, &mut words);
                if now.commands.is_empty() {
                    // `&&` and the like at the beginning of a line belong to the one before.
                    continue;
                }
                now.then = then;
                out.push(std::mem::take(&mut now));
            }
        }
    }
    end(&mut now, &mut words);
    if !now.commands.is_empty() {
        out.push(now);
    }
    out.iter_mut().for_each(|p| p.is_compound = is_compound);
    out
}

fn tokens(line: &str) -> Vec<Token> {
    let mut out = Vec::new();
    let mut word = Word::default();
    let mut heredocs: Vec<String> = Vec::new();
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next() {
                Some('\n') | None => {}
                Some(next) => word.push(next),
            },
            '\'' => word.push_until(&mut rest, '\''),
            '"' => double_quoted(&mut rest, &mut word),
            '`' => word.push_until(&mut rest, '`'),
            '$' if rest.peek() == Some(&'(') => substitution(&mut rest, &mut word),
            '#' if word.is_absent() => while rest.next_if(|&c| c != '\n').is_some() {},
            '<' if rest.peek() == Some(&'<') => {
                rest.next();
                if rest.next_if_eq(&'<').is_none() {
                    heredocs.push(heredoc_end(&mut rest));
                }
            }
            '>' | '<' => {
                word.drop_digits();
                redirection(&mut rest);
            }
            '&' if rest.peek() == Some(&'>') => {
                rest.next();
                redirection(&mut rest);
            }
            '\n' => {
                word.end(&mut out);
                out.push(Token::Then(Then::Next));
                heredocs.drain(..).for_each(|end| skip_heredoc(&mut rest, &end));
            }
            ';' | '&' | '|' => {
                word.end(&mut out);
                let is_double = rest.next_if_eq(&c).is_some();
                out.push(match (c, is_double) {
                    ('&', true) => Token::Then(Then::And),
                    ('&', false) => Token::Then(Then::Background),
                    ('|', true) => Token::Then(Then::Or),
                    ('|', false) => {
                        rest.next_if_eq(&'&');
                        Token::Pipe
                    }
                    _ => Token::Then(Then::Next),
                });
            }
            '(' | ')' => word.end(&mut out),
            c if c.is_whitespace() => word.end(&mut out),
            c => word.push(c),
        }
    }
    word.end(&mut out);
    out
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// The word that is being read; an empty one in quotes is a word, too.
#[derive(Default)]
struct Word(Option<String>);

impl Word {
    fn push(&mut self, c: char) {
        self.0.get_or_insert_default().push(c);
    }

    fn push_until(&mut self, rest: &mut Chars, end: char) {
        let word = self.0.get_or_insert_default();
        word.extend(rest.by_ref().take_while(|&c| c != end));
    }

    fn is_absent(&self) -> bool {
        self.0.is_none()
    }

    /// The `2` of `2>&1` is no word.
    fn drop_digits(&mut self) {
        if self.0.as_ref().is_some_and(|w| w.bytes().all(|b| b.is_ascii_digit())) {
            self.0 = None;
        }
    }

    fn end(&mut self, out: &mut Vec<Token>) {
        out.extend(self.0.take().map(Token::Word));
    }
}

fn double_quoted(rest: &mut Chars, word: &mut Word) {
    word.0.get_or_insert_default();
    while let Some(c) = rest.next() {
        match c {
            '"' => return,
            '\\' => rest.next().into_iter().for_each(|c| word.push(c)),
            '$' if rest.peek() == Some(&'(') => substitution(rest, word),
            c => word.push(c),
        }
    }
}

/// `$(..)`, taken as text.
fn substitution(rest: &mut Chars, word: &mut Word) {
    word.push('$');
    let mut depth = 0_usize;
    for c in rest.by_ref() {
        word.push(c);
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return;
        }
    }
}

/// Skips the target of a redirection, such as `&1` or ` file`.
fn redirection(rest: &mut Chars) {
    while rest.next_if(|&c| c == '>' || c == '&' || c == ' ').is_some() {}
    let mut quote = None;
    while let Some(&c) = rest.peek() {
        match quote {
            Some(q) if c == q => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c.is_whitespace() || ";&|()<>".contains(c) => return,
            None => {}
        }
        rest.next();
    }
}

fn heredoc_end(rest: &mut Chars) -> String {
    while rest.next_if(|&c| c == '-' || c == ' ').is_some() {}
    let mut end = String::new();
    while let Some(c) = rest.next_if(|&c| !c.is_whitespace() && !";&|()<>".contains(c)) {
        if !matches!(c, '\'' | '"' | '\\') {
            end.push(c);
        }
    }
    end
}

fn skip_heredoc(rest: &mut Chars, end: &str) {
    while rest.peek().is_some() {
        let line: String = rest.by_ref().take_while(|&c| c != '\n').collect();
        if line.trim() == end {
            return;
        }
    }
}

/// The command line that `sh -c` is given.
fn script_of(words: &[String]) -> Option<&str> {
    let (name, rest) = words.split_first()?;
    if !matches!(base_name(name), "sh" | "bash" | "zsh" | "dash") {
        return None;
    }
    let is_c = |w: &String| w.starts_with('-') && !w.starts_with("--") && w.ends_with('c');
    let at = rest.iter().position(is_c)?;
    rest.get(at + 1).map(String::as_str)
}

/// The last part of a path.
pub fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Without assignments and programs that only run another one.
fn unwrapped(mut words: &[String]) -> &[String] {
    while let Some((first, rest)) = words.split_first() {
        let next = rest.first().map(String::as_str);
        let skip = match (base_name(first), next) {
            _ if is_assignment(first) => 0,
            (
                "sudo" | "env" | "nohup" | "command" | "exec" | "nice" | "npx" | "bunx"
                | "xvfb-run" | "stdbuf" | "timeout" | "ionice",
                _,
            ) => options(rest),
            ("poetry" | "pipenv" | "uv" | "pdm" | "rye" | "hatch" | "conda", Some("run"))
            | ("bundle" | "pnpm" | "yarn" | "mise" | "npm", Some("exec")) => {
                1 + options(&rest[1..])
            }
            ("docker" | "podman", Some("exec")) => 2 + options(&rest[1..]),
            ("docker", Some("compose")) | ("docker-compose", _) => {
                match rest.iter().position(|w| w == "exec" || w == "run") {
                    Some(at) => at + 2 + options(&rest[at + 1..]),
                    None => return words,
                }
            }
            _ => return words,
        };
        words = rest.get(skip..).unwrap_or_default();
        if base_name(first) == "timeout" {
            let is_time = |w: &&String| w.starts_with(|c: char| c.is_ascii_digit() || c == '-');
            words = &words[words.iter().take_while(is_time).count()..];
        }
    }
    words
}

/// How many words are options.
fn options(words: &[String]) -> usize {
    words.iter().take_while(|w| w.starts_with('-')).count()
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `words` of each step; `!` before those whose failure does not show.
    fn read(line: &str) -> Vec<String> {
        let one = |s: Step| format!("{}{}", if s.decides { "" } else { "!" }, s.words.join(" "));
        steps(line).into_iter().map(one).collect()
    }

    #[test]
    fn the_commands_of_a_line_are_told_with_whose_failure_shows() {
        let table: [(&str, &[&str]); 24] = [
            ("cargo test", &["cargo test"]),
            ("cd web && npm test", &["cd web", "npm test"]),
            ("npm test; echo done", &["!npm test", "echo done"]),
            ("cargo test 2>&1 | tail -5", &["!cargo test", "tail -5"]),
            ("set -o pipefail; pytest | tail", &["!set -o pipefail", "pytest", "tail"]),
            (
                "set -euo pipefail\npytest | tail\nls",
                &["set -euo pipefail", "pytest", "tail", "ls"],
            ),
            ("make check || true", &["!make check", "true"]),
            ("make check || exit 1", &["make check", "exit 1"]),
            ("pytest > /tmp/log 2>&1 && cat /tmp/log", &["pytest", "cat /tmp/log"]),
            ("(cd a && go test ./...)", &["cd a", "go test ./..."]),
            ("if cargo test; then echo ok; fi", &["!cargo test", "!echo ok"]),
            ("! cargo test", &["!cargo test"]),
            ("npm start & npm test", &["!npm start", "npm test"]),
            ("CI=1 timeout -k 5 60 npx jest", &["jest"]),
            ("RUST_LOG=x timeout 60 cargo test", &["cargo test"]),
            ("poetry run pytest -q", &["pytest -q"]),
            ("docker compose exec -T app pytest", &["pytest"]),
            ("bash -lc 'cargo test | tail'", &["!cargo test", "tail"]),
            (
                "git commit -m 'run cargo test; npm test'",
                &["git commit -m run cargo test; npm test"],
            ),
            ("echo \"$(cargo test)\"", &["echo $(cargo test)"]),
            ("cat <<'EOF' > x.sh\ncargo test\nEOF\nls", &["!cat", "ls"]),
            ("# cargo test\nls", &["ls"]),
            ("", &[]),
            ("a &&\n b", &["a", "b"]),
        ];
        for (line, expected) in table {
            assert_eq!(read(line), expected, "{line}");
        }
    }

    #[test]
    fn an_exit_code_that_is_printed_is_found_by_the_text_before_it() {
        let told = |line: &str| steps(line).into_iter().next().and_then(|s| s.told_after);
        assert_eq!(told("make check; echo exit=$?"), Some("exit=".into()));
        assert_eq!(told("pytest | tail; echo \"rc: ${PIPESTATUS[0]}\""), Some("rc: ".into()));
        assert_eq!(told("pytest | tail; echo $?"), None);
        assert_eq!(told("pytest; echo done"), None);
    }

    proptest! {
        #[test]
        fn any_line_is_read(line in "([a-z $'\"`\\\\(){}<>&|;#=\n-]|<<E|&&|[^a]){0,80}") {
            steps(&line);
        }
    }
}
