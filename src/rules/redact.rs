//! Hides secrets in text that is stored, logged, shown or sent: tokens of known shape, values
//! with a secret's name, private keys, and the values of secret-looking environment variables.
//!
//! Lines stay lines, names stay readable, and ordinary code stays as it is: a name alone gives
//! nothing away. What is merely hidden by an encoding other than JSON's or a URL's is not found.

mod headers;
mod looks;
mod named;
mod names;
mod pem;
mod shapes;
#[cfg(test)]
mod tests;
mod values;

use std::borrow::Cow;
use std::ops::Range;

pub use values::Secrets;

/// Stands where a secret stood.
pub const MARK: &str = "[redacted]";
/// Most looks at a text. The second one finds next to nothing.
const MAX_ROUNDS: usize = 4;

/// The text without its secrets; borrowed when there are none. A colored text that holds one loses
/// its colors, too: they may stand inside of it.
///
/// Takes time linear in the text. Doing it again changes nothing.
pub fn redact<'a>(text: &'a str, secrets: &Secrets) -> Cow<'a, str> {
    if text.contains("\x1b[") {
        let plain = without_colors(text);
        return match redact_plain(&plain, secrets) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(redacted) => Cow::Owned(redacted),
        };
    }
    redact_plain(text, secrets)
}

/// Replaces a text by what is left without its secrets.
pub fn redact_in_place(text: &mut String, secrets: &Secrets) {
    if let Cow::Owned(redacted) = redact(text, secrets) {
        *text = redacted;
    }
}

fn redact_plain<'a>(text: &'a str, secrets: &Secrets) -> Cow<'a, str> {
    // Known values first, so that what the other rules see does not depend on them.
    let mut text = mark(text, secrets.spans(text));
    // A mark may change how what surrounds it reads, so look again until nothing is found.
    for _ in 0..MAX_ROUNDS {
        match mark(&text, spans(&text)) {
            Cow::Borrowed(_) => break,
            Cow::Owned(redacted) => text = Cow::Owned(redacted),
        }
    }
    text
}

/// Puts the mark in the place of each span. They are in order, and begin and end at ASCII.
fn mark(text: &str, spans: Vec<Range<usize>>) -> Cow<'_, str> {
    if spans.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for span in spans {
        out.push_str(&text[at..span.start]);
        out.push_str(MARK);
        at = span.end;
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}

/// Bytes at which a rule may apply.
const IS_TELLING: [bool; 256] = {
    let mut table = shapes::FIRST_BYTES;
    let separators = b"=:>%-.\xEF";
    let mut i = 0;
    while i < separators.len() {
        table[separators[i] as usize] = true;
        i += 1;
    }
    table
};

/// The spans of everything that is a secret by its shape or its name, in order.
fn spans(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut spans = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !IS_TELLING[usize::from(bytes[at])] {
            at += 1;
            continue;
        }
        let found = match bytes[at] {
            b':' if bytes[at..].starts_with(b"://") => shapes::userinfo(text, at),
            b'=' | b':' | b'>' | b'%' | 0xEF => named::after_separator(text, at),
            b'-' if bytes[at..].starts_with(b"-----") => {
                at = pem::body(text, at, &mut spans);
                continue;
            }
            b'-' => named::after_flag(text, at),
            b'.' => shapes::jwt(text, at),
            _ => shapes::token(text, at),
        };
        match found {
            // A rule may look back over what another one has hidden already.
            Some(span) => {
                let start = span.start.max(spans.last().map_or(0, |last: &Range<usize>| last.end));
                at = span.end.max(at + 1);
                if start < span.end {
                    spans.push(start..span.end);
                }
            }
            None => at += 1,
        }
    }
    spans
}

/// The text without the escape sequences of a terminal's colors and cursor.
fn without_colors(text: &str) -> String {
    let mut pieces = text.split("\x1b[");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        // A mark behind a lone escape is none.
        if piece.starts_with(&MARK[1..]) {
            out.extend(["\x1b[", piece]);
            continue;
        }
        let end = piece.find(|c: char| !matches!(c, '0'..='9' | ';' | ':' | '?'));
        let end = end.map_or(piece.len(), |i| i + usize::from(piece.as_bytes()[i].is_ascii()));
        out.push_str(&piece[end..]);
    }
    out
}

/// Whether a value looks like made by chance: letters and digits that change often. Capitals of
/// `CamelCase` are no change.
fn is_random(value: &str) -> bool {
    let class = |b: u8| match b {
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        b'0'..=b'9' => 3,
        _ => 0,
    };
    let bytes = value.as_bytes();
    let pairs = bytes.windows(2).map(|w| (class(w[0]), class(w[1])));
    let changes = pairs.filter(|&(a, b)| a != b && a != 0 && b != 0 && (a, b) != (2, 1)).count();
    bytes.len() >= 8 && bytes.iter().any(u8::is_ascii_digit) && changes * 5 >= bytes.len()
}

/// The end of the run of bytes that `is_in` takes, from `at` on.
fn run_end(bytes: &[u8], at: usize, is_in: impl Fn(u8) -> bool) -> usize {
    bytes[at..].iter().position(|&b| !is_in(b)).map_or(bytes.len(), |n| at + n)
}
