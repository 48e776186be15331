//! Quoted strings, in whatever quotes, with quotes inside that nobody escaped.

use super::super::json_tree::Node;
use super::super::text::head_bytes;
use super::{Place, Scanner, WINDOW, after_blank, is_comma, key_and_colon};

/// The kinds of quotes that a string may stand in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Quote {
    Straight(char),
    CurlyDouble,
    CurlySingle,
}

impl Quote {
    /// The kind that a character opens.
    pub(super) fn opened_by(c: char) -> Option<Self> {
        match c {
            '"' | '\'' | '`' => Some(Self::Straight(c)),
            '“' | '”' => Some(Self::CurlyDouble),
            '‘' | '’' => Some(Self::CurlySingle),
            _ => None,
        }
    }

    fn is_closed_by(self, c: char) -> bool {
        Self::opened_by(c) == Some(self)
    }

    /// The key that a text begins with, and what follows its closing quote.
    pub(super) fn key(self, text: &str) -> Option<(String, &str)> {
        let mut chars = text.chars();
        chars.next()?;
        let mut key = String::new();
        loop {
            match chars.next()? {
                '\\' => chars = push_escaped(&mut key, chars.as_str())?.chars(),
                c if self.is_closed_by(c) => return Some((key, chars.as_str())),
                c => key.push(c),
            }
        }
    }
}

impl Scanner<'_> {
    /// A string. A quote that nothing sensible follows belongs to its content.
    pub(super) fn string(&mut self, quote: Quote, place: Place) -> Node {
        let mut out = String::new();
        let mut chars = self.rest().chars();
        chars.next();
        loop {
            match chars.next() {
                Some('\\') => match push_escaped(&mut out, chars.as_str()) {
                    Some(rest) => chars = rest.chars(),
                    None => break,
                },
                Some(c) if quote.is_closed_by(c) => {
                    self.at = self.text.len() - chars.as_str().len();
                    if self.may_follow_a_string(place) {
                        return Node::Text(out);
                    }
                    self.guessed = true;
                    out.push(c);
                }
                Some(c) => out.push(c),
                None => break,
            }
        }
        self.at = self.text.len();
        self.give_up();
        Node::Text(out)
    }

    /// Whether what comes next may stand after the closing quote of a string.
    fn may_follow_a_string(&self, place: Place) -> bool {
        let window = head_bytes(self.rest(), WINDOW);
        let rest = after_blank(window);
        let on_a_new_line = window[..window.len() - rest.len()].contains('\n');
        let Some(first) = rest.chars().next() else { return true };
        let is_key = |text: &str| key_and_colon(text, self.bare_keys).is_some();
        match place {
            _ if rest.starts_with("```") || rest.starts_with("~~~") => on_a_new_line,
            Place::Item => first == ']' || is_comma(first),
            Place::Member if is_comma(first) => {
                let rest = after_blank(&rest[first.len_utf8()..]);
                rest.is_empty() || rest.starts_with('}') || is_key(rest)
            }
            Place::Member => first == '}' || (on_a_new_line && is_key(rest)),
        }
    }
}

/// Adds the character that an escape stands for, given the text after the backslash, and
/// returns what follows it. Half a surrogate pair becomes U+FFFD; an unknown escape stays as it
/// is. `None` when the text ends within it.
fn push_escaped<'a>(out: &mut String, text: &'a str) -> Option<&'a str> {
    let c = text.chars().next()?;
    let rest = &text[c.len_utf8()..];
    match c {
        'n' => out.push('\n'),
        't' => out.push('\t'),
        'r' => out.push('\r'),
        'b' => out.push('\u{8}'),
        'f' => out.push('\u{c}'),
        '"' | '\'' | '\\' | '/' | '`' | '\n' => out.push(c),
        'u' => return push_unicode(out, rest),
        _ => out.extend(['\\', c]),
    }
    Some(rest)
}

fn push_unicode<'a>(out: &mut String, text: &'a str) -> Option<&'a str> {
    let Some((unit, rest)) = hex_unit(text) else {
        // Cut off in the middle, or no escape at all.
        out.push_str("\\u");
        return (text.len() >= 4).then_some(text);
    };
    let low = rest.strip_prefix("\\u").and_then(hex_unit);
    match (unit, low) {
        (0xD800..=0xDBFF, Some((low @ 0xDC00..=0xDFFF, rest))) => {
            let c = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
            out.push(char::from_u32(c).unwrap_or(char::REPLACEMENT_CHARACTER));
            Some(rest)
        }
        _ => {
            out.push(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
            Some(rest)
        }
    }
}

/// Four hexadecimal digits at the beginning of a text, and what follows.
fn hex_unit(text: &str) -> Option<(u32, &str)> {
    let digits = text.get(..4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
    Some((u32::from_str_radix(digits, 16).ok()?, &text[4..]))
}
