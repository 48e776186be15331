//! JSON as language models write it: Python and JavaScript dialects, comments, raw line breaks,
//! unescaped quotes, objects that were cut off, objects in the middle of prose.
//!
//! One pass, bounded depth and bounded look-ahead, so hostile text costs time linear in its
//! length. What had to be guessed is marked, so that the caller can refuse to rely on it.

mod quoted;

use super::json_tree::Node;
use super::text::head_bytes;
use quoted::Quote;

/// Deeper values are given up; a verdict has two levels.
const MAX_DEPTH: usize = 48;
/// How far a look-ahead goes, in bytes: enough for a key or a short comment.
const WINDOW: usize = 256;
/// How many times a text may be gone over again from inside of a guessed object.
const MAX_RESCANS: usize = 8;

/// A value that was read, and how sure the reading is.
#[derive(Clone, Debug, PartialEq)]
pub struct Loose {
    pub node: Node,
    /// Something was missing or ambiguous: an unescaped quote, a lost comma, no closing bracket.
    /// A mere dialect (quotes, `True`, comments, trailing commas) is not guessed.
    pub guessed: bool,
}

/// The text as one object or list, when there is nothing else in it.
pub fn whole(text: &str) -> Option<Loose> {
    let text = text.trim();
    let mut scanner = Scanner::new(text, 0);
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let node = scanner.value(0, Place::Member);
    (scanner.at == text.len()).then_some(Loose { node, guessed: scanner.guessed })
}

/// The objects that stand in a text, in their order. A brace that is not followed by a key is
/// prose. Objects inside of others are left to the caller, except that a guessed one may have
/// swallowed what follows it, so what stands in it is listed too.
pub fn objects(text: &str) -> Vec<Loose> {
    let mut found = Vec::new();
    let mut budget = MAX_RESCANS * text.len();
    let mut at = 0;
    while let Some(start) = text[at..].find('{').map(|i| at + i) {
        at = start + 1;
        if Scanner::new(text, at).next_key().is_none() {
            continue;
        }
        let mut scanner = Scanner::new(text, start);
        let node = scanner.value(0, Place::Member);
        found.push(Loose { node, guessed: scanner.guessed });
        let length = scanner.at - start;
        if scanner.guessed && length <= budget {
            budget -= length;
        } else {
            at = scanner.at;
        }
    }
    found
}

/// The object that a text begins with, and its length in bytes.
pub fn leading_object(text: &str) -> Option<(Loose, usize)> {
    text.strip_prefix('{').and_then(|_| Scanner::new(text, 1).next_key())?;
    let mut scanner = Scanner::new(text, 0);
    let node = scanner.value(0, Place::Member);
    Some((Loose { node, guessed: scanner.guessed }, scanner.at))
}

/// What a value is part of: it tells which characters may follow a closing quote.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Member,
    Item,
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    guessed: bool,
    /// Nothing sensible can follow: all levels return what they have.
    broken: bool,
    /// The last key was written without quotes, so others may be too.
    bare_keys: bool,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str, at: usize) -> Self {
        Self { text, at, guessed: false, broken: false, bare_keys: true }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip_blank(&mut self) {
        self.at = self.text.len() - after_blank(self.rest()).len();
    }

    fn give_up(&mut self) {
        self.guessed = true;
        self.broken = true;
    }

    /// The key and its colon, if they come next, and where the value begins.
    fn next_key(&self) -> Option<(String, usize)> {
        let rest = after_blank(self.rest());
        let (key, length) = key_and_colon(rest, self.bare_keys)?;
        Some((key, self.text.len() - rest.len() + length))
    }

    fn value(&mut self, depth: usize, place: Place) -> Node {
        self.skip_blank();
        let Some(first) = self.peek() else {
            self.give_up();
            return Node::Null;
        };
        match first {
            '{' | '[' if depth >= MAX_DEPTH => {
                self.give_up();
                Node::Null
            }
            '{' => self.object(depth),
            '[' => self.list(depth),
            _ => match Quote::opened_by(first) {
                Some(quote) => self.string(quote, place),
                None => self.bare(),
            },
        }
    }

    fn object(&mut self, depth: usize) -> Node {
        self.at += 1;
        let mut members = Vec::new();
        loop {
            self.skip_blank();
            if self.peek() == Some('}') {
                self.at += 1;
                break;
            }
            let Some((key, value_at)) = self.next_key() else {
                self.give_up();
                break;
            };
            self.bare_keys = Quote::opened_by(self.peek().unwrap_or(' ')).is_none();
            self.at = value_at;
            let value = self.value(depth + 1, Place::Member);
            members.push((key, value));
            if self.broken {
                break;
            }
            self.separator('}');
        }
        Node::Object(members)
    }

    fn list(&mut self, depth: usize) -> Node {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip_blank();
            if self.peek() == Some(']') {
                self.at += 1;
                break;
            }
            let before = self.at;
            let item = self.value(depth + 1, Place::Item);
            items.push(item);
            // A closing brace, a second comma: no item here, and none will come.
            if self.at == before {
                self.give_up();
            }
            if self.broken {
                break;
            }
            self.separator(']');
        }
        Node::List(items)
    }

    /// Goes over one comma. Without one the bracket must close here, or the comma was lost.
    fn separator(&mut self, close: char) {
        self.skip_blank();
        match self.peek() {
            Some(c) if is_comma(c) => self.at += c.len_utf8(),
            Some(c) if c == close => {}
            _ => self.guessed = true,
        }
    }

    /// A value without quotes: a literal, a number, or words up to the next comma, bracket or
    /// line end.
    fn bare(&mut self) -> Node {
        let rest = self.rest();
        let ends = |c: char| is_comma(c) || matches!(c, '}' | ']');
        let is_part = |c: char| !ends(c) && !c.is_whitespace() && c != '/';
        let word = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        if let Some(node) = literal(word).filter(|_| may_follow_a_word(&rest[word.len()..])) {
            self.at += word.len();
            return node;
        }
        self.guessed = true;
        let words = &rest[..rest.find(|c: char| ends(c) || c == '\n').unwrap_or(rest.len())];
        self.at += words.len();
        match words.trim() {
            "" => Node::Null,
            words => Node::Text(words.to_owned()),
        }
    }
}

/// Whether a value without quotes may end before this text: `true` in `true or false` does not.
fn may_follow_a_word(text: &str) -> bool {
    let window = head_bytes(text, WINDOW);
    let rest = after_blank(window);
    let ends = |c: char| is_comma(c) || matches!(c, '}' | ']') || Quote::opened_by(c).is_some();
    window[..window.len() - rest.len()].contains('\n') || rest.chars().next().is_none_or(ends)
}

/// Text after blanks and comments. A comment that is longer than the window is not one.
fn after_blank(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let window = head_bytes(rest, WINDOW);
        let length = if window.starts_with("/*") {
            window.find("*/").map(|i| i + 2)
        } else if window.starts_with("//") || window.starts_with('#') {
            window.find('\n')
        } else {
            None
        };
        let Some(length) = length else { return rest };
        rest = rest[length..].trim_start();
    }
}

/// A key with its colon at the beginning of a text, and the length of both.
fn key_and_colon(text: &str, bare_allowed: bool) -> Option<(String, usize)> {
    let window = head_bytes(text, WINDOW);
    let (key, after) = match Quote::opened_by(window.chars().next()?) {
        Some(quote) => quote.key(window)?,
        None => {
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$');
            let length = window.find(|c| !is_part(c)).unwrap_or(window.len());
            if length == 0 || !bare_allowed {
                return None;
            }
            (window[..length].to_owned(), &window[length..])
        }
    };
    let after = after_blank(after);
    let colon = after.chars().next().filter(|&c| matches!(c, ':' | '：'))?;
    let length = window.len() - after.len() + colon.len_utf8();
    Some((key, length))
}

fn is_comma(c: char) -> bool {
    matches!(c, ',' | '，')
}

/// A literal of JSON, Python or JavaScript, or a number.
fn literal(word: &str) -> Option<Node> {
    let is_number = word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
    if is_number && word.parse::<f64>().is_ok() {
        return Some(Node::Number(word.to_owned()));
    }
    match word.to_ascii_lowercase().as_str() {
        "true" => Some(Node::Bool(true)),
        "false" => Some(Node::Bool(false)),
        "null" | "none" | "nil" | "undefined" | "nan" => Some(Node::Null),
        _ => None,
    }
}
