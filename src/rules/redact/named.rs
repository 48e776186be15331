//! Values with a secret's name: `name = value` in the ways of source code, configuration files,
//! query strings, headers and markup, and `--name value` on command lines.
//!
//! In code the value is mostly an expression, and stays. What is hidden must look like a value
//! that a person or a machine made up.

use std::ops::Range;

use super::names::{Kind, kind};
use super::{MARK, is_random, run_end};

/// Longest name that is looked at, and most blanks around a separator, in bytes.
const MAX_NAME: usize = 80;
/// Beginning of a value by which it is judged, in bytes.
const MAX_JUDGED: usize = 256;

/// Values that stand for something else, in lower case.
const ORDINARY: [&str; 47] = [
    "argument",
    "bool",
    "boolean",
    "bytes",
    "cannot",
    "char",
    "default",
    "disabled",
    "enabled",
    "example",
    "expired",
    "false",
    "field",
    "float",
    "hidden",
    "input",
    "instead",
    "integer",
    "invalid",
    "missing",
    "must",
    "never",
    "none",
    "null",
    "number",
    "object",
    "option",
    "optional",
    "options",
    "parameter",
    "placeholder",
    "prompt",
    "redacted",
    "removed",
    "required",
    "should",
    "stdin",
    "string",
    "text",
    "true",
    "undefined",
    "unknown",
    "unset",
    "value",
    "void",
    "with",
    "optional,",
];

/// What may follow a value without belonging to it.
const PUNCTUATION: [char; 7] = [',', ';', ')', ']', '}', '.', '\\'];

/// How a value stands beside its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Quoted,
    /// `NAME=value`, as in a shell.
    Variable,
    Flag,
    Markup,
    Plain,
}

/// The value behind the separator at `at`, if its name and its look make it a secret.
pub fn after_separator(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let sep = separator(bytes, at)?;
    let name = name_before(text, at)?;
    let is_markup = bytes[at] == b'>';
    if is_markup && !bytes[..name.start].ends_with(b"<") {
        return None;
    }
    let kind = match kind(&text[name.clone()]) {
        Some(kind) => kind,
        None if ends_like_password(&text[name.clone()]) => Kind::Password,
        None => return None,
    };
    let is_variable =
        bytes[at] == b'=' && sep.end == name.end + 1 && is_upper(&bytes[name.clone()]);
    let start = skip_blanks(bytes, sep.end);
    if kind.is_header() {
        return header(text, start, kind).filter(|_| bytes[at] != b'>');
    }
    if let Some(inner) = quoted(text, start, is_variable) {
        let value = &text[inner.clone()];
        let is_secret = is_made_up(value, kind, Form::Quoted, &text[name]);
        return is_secret.then_some(inner);
    }
    let form = match () {
        () if is_markup => Form::Markup,
        () if is_variable && start == sep.end => Form::Variable,
        () if bytes[..name.start].ends_with(b"--") => Form::Flag,
        () => Form::Plain,
    };
    unquoted(text, start, kind, form, &text[name])
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
    let value = skip_blanks(bytes, end_of_word);
    if value == end
        || end - start > MAX_NAME
        || !bytes.get(end_of_word).is_some_and(|b| b" \t".contains(b))
    {
        return None;
    }
    let name = &text[start..end];
    if matches!(name, "u" | "user") {
        return user_and_password(text, at, value);
    }
    let kind = kind(name).filter(|&kind| !kind.is_header() && start - at == 2)?;
    if let Some(inner) = quoted(text, value, false) {
        return is_made_up(&text[inner.clone()], kind, Form::Quoted, name).then_some(inner);
    }
    unquoted(text, value, kind, Form::Flag, name)
}

/// `curl -u name:password`.
fn user_and_password(text: &str, flag: usize, at: usize) -> Option<Range<usize>> {
    let line = &text.as_bytes()[flag.saturating_sub(200)..flag];
    let line = line.rsplit(|&b| b == b'\n').next().unwrap_or_default();
    if !line.windows(4).any(|w| w == b"curl") {
        return None;
    }
    let at = run_end(text.as_bytes(), at, |b| b == b'"' || b == b'\'');
    let limit = text.floor_char_boundary(at + MAX_JUDGED);
    let end = run_end(&text.as_bytes()[..limit], at, |b| {
        !b.is_ascii_whitespace() && b != b'"' && b != b'\''
    });
    let colon = at + text[at..end].find(':')?;
    let password = &text[colon + 1..end];
    let is_secret = !password.is_empty() && !is_reference(password) && password != MARK;
    is_secret.then_some(colon + 1..end)
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
    ["密码", "口令", "密钥", "令牌", "パスワード"].iter().any(|word| name.ends_with(word))
}

fn is_upper(name: &[u8]) -> bool {
    name.iter().any(u8::is_ascii_uppercase) && !name.iter().any(u8::is_ascii_lowercase)
}

fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    let limit = bytes.len().min(at + MAX_NAME);
    let mut end = run_end(&bytes[..limit], at, |b| b == b' ' || b == b'\t');
    while bytes[end..limit].starts_with(b"%20") {
        end += 3;
    }
    end
}

/// The inside of the quotes that begin at `at`. Without closing ones it ends with the line.
fn quoted(text: &str, at: usize, is_variable: bool) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_prefix = |b: u8| b"bfru&@$".contains(&b) && !is_variable;
    let open = at + bytes[at..].iter().take(2).take_while(|&&b| is_prefix(b)).count();
    let close: &[u8] = match &bytes[open..] {
        [b'\\', b'"', ..] => b"\\\"",
        [b'\\', b'\'', ..] => b"\\'",
        [b'%', b'2', b'2', ..] => b"%22",
        [b'"', ..] => b"\"",
        [b'\'', ..] => b"'",
        [b'`', ..] => b"`",
        _ => return None,
    };
    let start = open + close.len();
    let mut end = start;
    while end < bytes.len() && bytes[end] != b'\n' && !bytes[end..].starts_with(close) {
        // An escaped byte closes nothing. Where the quotes are escaped, other escapes are, too.
        end += if bytes[end] == b'\\' && close.len() == 1 { 2 } else { 1 };
    }
    Some(start..text.floor_char_boundary(end.min(bytes.len())))
}

fn unquoted(text: &str, at: usize, kind: Kind, form: Form, name: &str) -> Option<Range<usize>> {
    let is_in = |b: u8| !b.is_ascii_whitespace() && !b"\"'`".contains(&b);
    let limit = text.floor_char_boundary(at + MAX_JUDGED);
    let end = run_end(&text.as_bytes()[..limit], at, is_in);
    let run = &text[at..end];
    // `&next=`, `;next=`, an encoded quote or blank, and a closing tag end a value.
    let ends = run.match_indices(['&', ';', '<', '%']).map(|(i, _)| i);
    let next = ends.into_iter().find(|&i| ends_value(&run[i..]));
    // Punctuation at the end belongs to the sentence.
    let value = run[..next.unwrap_or(run.len())].trim_end_matches(PUNCTUATION);
    if !is_made_up(value, kind, form, name) || is_code(value, form, name) {
        return None;
    }
    let is_cut = next.is_none() && end == limit;
    let end = if is_cut { run_end(text.as_bytes(), end, is_in) } else { at + value.len() };
    Some(at..end)
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

/// `Authorization: Bearer x`: what stands behind the scheme. A cookie: all of it.
fn header(text: &str, at: usize, kind: Kind) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let at = run_end(&bytes[..bytes.len().min(at + 4)], at, |b| b"\"'`\\".contains(&b));
    let limit = text.floor_char_boundary(at + MAX_JUDGED);
    let is_in = |b: u8| !b"\"'`\\\n\r".contains(&b);
    let end = run_end(&bytes[..limit], at, is_in);
    let value = text[at..end].trim_end();
    let start = match value.split_once(' ') {
        Some((scheme, rest)) if scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') => {
            at + value.len() - rest.trim_start().len()
        }
        _ => at,
    };
    let value = &text[start..at + value.len()];
    let is_word = value.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    let is_code =
        value.contains(['(', '[', '{', '<']) || is_path_of_names(value) || is_location(value);
    let is_list = value.contains(' ') && !value.contains('=');
    // Code names cookies, too; but none in a pair.
    let is_no_cookie = kind == Kind::Cookie && !value.split([';', ' ']).any(is_pair);
    if value.len() < 8 || is_reference(value) || is_word || is_code || is_list || is_no_cookie {
        return None;
    }
    let end = if end == limit { run_end(bytes, end, is_in) } else { start + value.len() };
    Some(start..end)
}

/// `name=value`, without a space.
fn is_pair(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, value)| !name.is_empty() && value.len() >= 4)
}

/// Whether a value stands for something else: a variable, a pattern, a placeholder.
fn is_reference(value: &str) -> bool {
    let is_encoded = |v: &str| v.len() > 2 && v.as_bytes()[1..3].iter().all(u8::is_ascii_hexdigit);
    value.starts_with(['$', '{', '<', '[', '#'])
        || (value.starts_with('%') && !is_encoded(value))
        || value
            .split_once("${")
            .or_else(|| value.split_once("{{"))
            .is_some_and(|(head, _)| !is_random(head))
}

/// Whether a value looks like a secret that somebody made up.
fn is_made_up(value: &str, kind: Kind, form: Form, name: &str) -> bool {
    let value = value.split(MARK).next().unwrap_or_default();
    let value = &value[..value.floor_char_boundary(MAX_JUDGED)];
    let is_filler = |b: u8| b"*.xX-_?:".contains(&b);
    if is_reference(value) || value.bytes().all(is_filler) || is_ordinary(value, name) {
        return false;
    }
    match kind {
        Kind::Password => is_password(value, form),
        Kind::Token | Kind::Header | Kind::Cookie => is_key(value, form),
    }
}

/// A word that is rather a type or a state than a secret, or the name once more.
fn is_ordinary(value: &str, name: &str) -> bool {
    let head = &value[..run_end(value.as_bytes(), 0, |b| b.is_ascii_alphanumeric() || b == b'_')];
    let is_whole = value[head.len()..].bytes().all(|b| b",;:)]}".contains(&b));
    let head = head.to_ascii_lowercase();
    is_whole && (ORDINARY.contains(&head.as_str()) || head == name.to_ascii_lowercase())
}

fn is_password(value: &str, form: Form) -> bool {
    let is_word = value.bytes().all(|b| b.is_ascii_alphabetic());
    let is_name = value.bytes().all(|b| b.is_ascii_alphabetic() || b"_,;:)".contains(&b));
    let has_letter = value.chars().any(char::is_alphabetic);
    match form {
        Form::Quoted if value.contains([' ', '\t']) => has_mixed_word(value),
        // `type="password"` in other words.
        Form::Quoted if is_word && value.to_ascii_lowercase().contains("password") => false,
        Form::Quoted | Form::Variable | Form::Markup => value.len() >= 4,
        Form::Flag => value.len() >= 6 && !is_metavariable(value),
        Form::Plain => value.len() >= 6 && has_letter && !is_name,
    }
}

fn is_key(value: &str, form: Form) -> bool {
    let is_in = |b: u8| !b.is_ascii_whitespace() && !b"(){}[]<>|\\".contains(&b);
    let end = run_end(value.as_bytes(), 0, is_in);
    let is_whole = end == value.len() || is_random(&value[..end]);
    let has_letter = value.bytes().any(|b| b.is_ascii_alphabetic());
    if value.len() < 8 || !has_letter || !is_whole || is_location(value) {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    let is_label = ["token", "secret", "key"].iter().any(|word| lower.contains(word))
        || value.bytes().all(|b| b.is_ascii_alphabetic())
        || is_path_of_names(value);
    match form {
        Form::Variable => true,
        Form::Quoted | Form::Markup | Form::Flag => {
            value.bytes().any(|b| b.is_ascii_digit()) || (value.len() >= 16 && !is_label)
        }
        Form::Plain => is_random(&value[..end]),
    }
}

/// A sentence has numbers, but a passphrase has words such as `s3cret`.
fn has_mixed_word(value: &str) -> bool {
    let is_mixed = |w: &str| {
        let (first, last) = (w.as_bytes().first(), w.as_bytes().last());
        let inner = w.bytes().any(|b| b.is_ascii_digit());
        inner
            && first.is_some_and(u8::is_ascii_alphabetic)
            && last.is_some_and(u8::is_ascii_alphanumeric)
    };
    value.split_ascii_whitespace().any(is_mixed)
}

/// `--token TOKEN` in a help text.
fn is_metavariable(value: &str) -> bool {
    value.bytes().all(|b| b.is_ascii_uppercase() || b == b'_' || b == b'-')
}

/// A path or an address says where a secret is, not what it is.
fn is_location(value: &str) -> bool {
    let is_path = value.starts_with('/') && value.matches('/').count() > 1;
    let is_relative = ["./", "../", "~/"].iter().any(|p| value.starts_with(p));
    value.contains("://") || is_relative || (is_path && !is_random(value))
}

/// `config.api_key`, `self::password`
fn is_path_of_names(value: &str) -> bool {
    let is_name = |part: &str| {
        let first = part.bytes().next();
        first.is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
            && part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'?' || b == b'!')
    };
    value.contains('.') && value.split('.').all(is_name)
}

/// Whether an unquoted value is an expression or a type.
fn is_code(value: &str, form: Form, name: &str) -> bool {
    let first = value.bytes().next().unwrap_or(b' ');
    if is_random(&value[..run_end(value.as_bytes(), 0, |b| b.is_ascii_alphanumeric())]) {
        return false;
    }
    let is_call = value.split_once(['(', '[', '{', '<']).is_some_and(|(head, _)| {
        head.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.:!&".contains(&b))
    });
    let parts = value.split([',', ';', ')']).next().unwrap_or_default();
    let is_name =
        parts.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') && !first.is_ascii_digit();
    let lower = value.to_ascii_lowercase();
    let last = name.rsplit(['_', '-']).next().unwrap_or_default().to_ascii_lowercase();
    let is_same = is_name && (lower.contains(last.as_str()) || lower.contains("pass"));
    if is_call || value.contains("::") {
        return true;
    }
    match form {
        Form::Variable | Form::Markup => false,
        Form::Flag => first == b'-' || is_metavariable(value),
        Form::Plain | Form::Quoted => {
            let is_start =
                first.is_ascii_alphanumeric() || b"/+_^~".contains(&first) || first >= 0x80;
            !is_start || is_same || is_path_of_names(parts) || value.contains("->")
        }
    }
}
