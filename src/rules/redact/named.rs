//! Values with a secret's name: `name = value` in the ways of source code, configuration files,
//! query strings, headers and markup, and `--name value` on command lines.
//!
//! In code the value is mostly an expression, and stays. What is hidden must look like a value
//! that a person or a machine made up.

use std::ops::Range;

use super::headers::{header, user_and_password};
use super::looks::{Form, MAX_JUDGED, is_code, is_made_up};
use super::names::{Kind, kind};
use super::run_end;

/// Longest name that is looked at, and most blanks around a separator, in bytes.
const MAX_NAME: usize = 80;

/// Calls that only wrap a literal.
const WRAPPERS: [&str; 4] = ["Some(", "String::from(", "SecretString::from(", "Secret::new("];
/// What may follow a value without belonging to it.
const PUNCTUATION: [char; 7] = [',', ';', ')', ']', '}', '.', '\\'];

/// A name that tells, and how its value stands beside it.
struct Named<'a> {
    name: &'a str,
    kind: Kind,
    form: Form,
}

/// The value behind the separator at `at`, if its name and its look make it a secret.
pub fn after_separator(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let sep = separator(bytes, at)?;
    let place = name_before(text, at)?;
    let is_markup = bytes[at] == b'>';
    if is_markup && !bytes[..place.start].ends_with(b"<") {
        return None;
    }
    let (name, kind) = telling(text, place.clone())?;
    let start = skip_blanks(bytes, sep.end);
    if kind.is_header() {
        return header(text, start, kind).filter(|_| !is_markup);
    }
    let is_tight = bytes[at] == b'=' && place.end == at && start == at + 1;
    let form = match () {
        () if is_markup => Form::Markup,
        () if is_tight && is_upper(name) => Form::Variable,
        () if bytes[..place.start].ends_with(b"--") => Form::Flag,
        () if is_setting(text, place, start) => Form::Setting,
        () => Form::Plain,
    };
    let named = Named { name, kind, form };
    let value = named.value(text, start).or_else(|| named.block(text, start));
    // Placeholders stand in such brackets, too.
    value.filter(|value| !is_markup || text[value.end..].starts_with("</"))
}

/// The value behind `--password` or `-u`, where `at` is the first dash.
pub fn after_flag(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if at > 0 && !bytes[at - 1].is_ascii_whitespace() && !b"\"'`([".contains(&bytes[at - 1]) {
        return None;
    }
    let start = run_end(bytes, at, |b| b == b'-');
    let end = run_end(bytes, start, |b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    // A list of arguments has each in quotes.
    let end_of_word = run_end(bytes, end, |b| b == b'"' || b == b'\'' || b == b',');
    let is_far = end - start > MAX_NAME;
    if end == start || is_far || !bytes.get(end_of_word).is_some_and(|b| b" \t".contains(b)) {
        return None;
    }
    let name = &text[start..end];
    let value = skip_blanks(bytes, end_of_word);
    if matches!(name, "u" | "user") {
        return user_and_password(text, at, value);
    }
    let kind = kind(name).filter(|&kind| !kind.is_header() && start - at == 2)?;
    Named { name, kind, form: Form::Flag }.value(text, value)
}

/// The name in a place and its kind, if it tells. A `value` is told by the `name` or the `key`
/// before it.
fn telling(text: &str, place: Range<usize>) -> Option<(&str, Kind)> {
    let mut name = &text[place.clone()];
    if name.eq_ignore_ascii_case("value") {
        name = pair_before(text, place.start)?;
    }
    let asian = || ends_like_password(name).then_some(Kind::Password);
    kind(name).or_else(asian).map(|kind| (name, kind))
}

/// `name: X`, `value: ..` of a list of variables; `key="X" value=".."` of markup: X, where `at` is
/// the place of `value`.
fn pair_before(text: &str, at: usize) -> Option<&str> {
    let head = &text[text.floor_char_boundary(at.saturating_sub(2 * MAX_NAME))..at];
    let head = head.trim_end_matches(|c: char| c.is_whitespace() || "+-,;\"'{".contains(c));
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || c == '.';
    let before = head.trim_end_matches(is_name);
    let name = &head[before.len()..];
    let before = before.trim_end_matches([' ', '"', '\'', ':', '=', '\\']).to_ascii_lowercase();
    (before.ends_with("name") || before.ends_with("key")).then_some(name)
}

/// Whether a setting stands there: alone on its line, in a query string, or as a header.
fn is_setting(text: &str, name: Range<usize>, value: usize) -> bool {
    let before = text[..name.start].trim_end_matches([' ', '\t', '+', '-']);
    let before = before.strip_suffix("export").unwrap_or(before);
    let limit = text.floor_char_boundary(value + MAX_JUDGED);
    let end = value + text[value..limit].find(char::is_whitespace).unwrap_or(limit - value);
    let ends_line = text[end..].trim_start_matches([' ', '\t']).starts_with(['\n', '\r', '#']);
    let is_alone = (before.is_empty() || before.ends_with('\n'))
        && (ends_line || end == text.len())
        && !text[..end].ends_with([',', ';', '{', '(']);
    let is_header = text[name.clone()].contains('-') && text[name].starts_with(char::is_uppercase);
    is_alone || is_header || before.ends_with(['?', '&'])
}

impl Named<'_> {
    /// The value that begins at `at`.
    fn value(&self, text: &str, at: usize) -> Option<Range<usize>> {
        let rest = |at: usize| text.get(at..).unwrap_or_default();
        let wrapper =
            |at| WRAPPERS.iter().find(|w| rest(at).starts_with(**w)).map_or(0, |w| w.len());
        let at = at + wrapper(at);
        let at = at + wrapper(at);
        let Some(inner) = quoted(text, at, self.form == Form::Variable) else {
            return self.unquoted(text, at);
        };
        // What a shell sets is no label in a source file.
        let form = if self.form == Form::Variable { Form::Variable } else { Form::Quoted };
        is_made_up(&text[inner.clone()], self.kind, form, self.name).then_some(inner)
    }

    fn unquoted(&self, text: &str, at: usize) -> Option<Range<usize>> {
        let is_in = |b: u8| !b.is_ascii_whitespace() && !b"\"'`".contains(&b);
        let limit = text.floor_char_boundary(at + MAX_JUDGED);
        let end = run_end(&text.as_bytes()[..limit], at, is_in);
        let run = &text[at..end];
        // `&next=`, `;next=`, an encoded quote or blank, and a closing tag end a value.
        let mut ends = run.match_indices(['&', ';', '<', '%']).map(|(i, _)| i);
        let next = ends.find(|&i| ends_value(&run[i..]));
        // Punctuation at the end belongs to the sentence.
        let value = run[..next.unwrap_or(run.len())].trim_end_matches(PUNCTUATION);
        let is_secret = is_made_up(value, self.kind, self.form, self.name);
        if !is_secret || is_code(value, self.form, self.name) {
            return None;
        }
        let is_cut = next.is_none() && end == limit;
        let end = if is_cut { run_end(text.as_bytes(), end, is_in) } else { at + value.len() };
        Some(at..end)
    }

    /// The first line of a block that `|` or `>` at `at` announces in YAML.
    fn block(&self, text: &str, at: usize) -> Option<Range<usize>> {
        let head = text.get(at..)?.strip_prefix(['|', '>'])?;
        let line =
            head.trim_start_matches(['+', '-', '1', '2', '4', ' ', '\r']).strip_prefix('\n')?;
        let limit = line.floor_char_boundary(2 * MAX_JUDGED);
        let content = line[..limit].trim_start_matches(['+', '-', ' ', '\t']);
        let start = text.len() - line.len() + limit - content.len();
        let content = content.split('\n').next().unwrap_or_default().trim_end();
        let is_secret = is_made_up(content, self.kind, Form::Quoted, self.name);
        is_secret.then_some(start..start + content.len())
    }
}

/// The separator that begins at `at`. One of several bytes is found at its first one.
fn separator(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let before = at.checked_sub(1).map(|i| bytes[i]);
    let end = match &bytes[at..] {
        [b'%', b'3', b'd' | b'D' | b'a' | b'A', ..] => at + 3,
        [0xEF, 0xBC, 0x9A, ..] => at + 3,
        [b':', b':', ..] | [b'%' | 0xEF, ..] => return None,
        [b':', ..] if before == Some(b':') => return None,
        [b'>', ..] if before.is_some_and(|b| b == b'=' || b == b'-') => return None,
        [b'=', ..] if before.is_some_and(|b| b"=!<>:+-*/".contains(&b)) => {
            // The rest of `:=`, `==`, `!=`: its first byte was tried already, if it is one.
            return (before == Some(b'!')).then_some(at..at + 1);
        }
        [b':', b'=', ..] | [b'=', b'>' | b'~', ..] => at + 2,
        [b'=', b'=', b'=', ..] => at + 3,
        [b'=', b'=', ..] => at + 2,
        _ => at + 1,
    };
    Some(at..end)
}

/// The name in front of the separator at `at`.
fn name_before(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let floor = at.saturating_sub(MAX_NAME);
    let mut end = at;
    let is_filler = |b: u8| b" \t\"'`\\]?!".contains(&b);
    while end > floor && is_filler(bytes[end - 1]) {
        end -= 1;
    }
    if bytes[floor..end].ends_with(b"%22") {
        end -= 3;
    }
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-' || b >= 0x80;
    let from =
        bytes[floor..end].iter().rposition(|&b| !is_name(b)).map_or(floor, |i| floor + i + 1);
    // A flag's dashes and a diff's mark are no part of it; nor is half a character.
    let from = text.ceil_char_boundary(run_end(bytes, from, |b| b == b'-').min(end));
    (from < end && text.is_char_boundary(end)).then_some(from..end)
}

/// Chinese names, which no separator divides from what is before.
fn ends_like_password(name: &str) -> bool {
    !name.is_ascii()
        && ["密码", "口令", "密钥", "令牌", "パスワード"].iter().any(|word| name.ends_with(word))
}

fn is_upper(name: &str) -> bool {
    name.bytes().any(|b| b.is_ascii_uppercase()) && !name.bytes().any(|b| b.is_ascii_lowercase())
}

fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    let limit = bytes.len().min(at + MAX_NAME);
    let mut end = run_end(&bytes[..limit], at, |b| b == b' ' || b == b'\t');
    while bytes[end..limit].starts_with(b"%20") {
        end += 3;
    }
    end
}

/// The inside of the quotes that begin at `at`, which may be escaped themselves. Without closing
/// ones it ends with the line.
fn quoted(text: &str, at: usize, is_variable: bool) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_prefix = |b: u8| b"bfru&@$".contains(&b) && !is_variable;
    let open = at + bytes[at..].iter().take(2).take_while(|&&b| is_prefix(b)).count();
    let slashes = bytes[open..].iter().take(8).take_while(|&&b| b == b'\\').count();
    let width = match &bytes[open + slashes..] {
        [b'"' | b'\'' | b'`', ..] => slashes + 1,
        [b'%', b'2', b'2', ..] => 3,
        _ => return None,
    };
    let close = &bytes[open..open + width];
    let start = open + width;
    let mut end = start;
    while end < bytes.len() && bytes[end] != b'\n' && !bytes[end..].starts_with(close) {
        // An escaped byte closes nothing. Where the quotes are escaped, other escapes are, too.
        end += if bytes[end] == b'\\' && width == 1 { 2 } else { 1 };
    }
    Some(start..text.floor_char_boundary(end.min(bytes.len())))
}

fn ends_value(rest: &str) -> bool {
    let bytes = rest.as_bytes();
    match bytes {
        [b'<', b'/', ..] => true,
        [b'%', b'2', b'2' | b'6' | b'0', ..] | [b'%', b'0', ..] => true,
        [b'&' | b';', ..] => {
            let end = run_end(&bytes[..bytes.len().min(40)], 1, |b| {
                b.is_ascii_alphanumeric() || b == b'_'
            });
            end > 1 && bytes.get(end) == Some(&b'=')
        }
        _ => false,
    }
}
