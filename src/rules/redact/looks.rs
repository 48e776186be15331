//! Whether a value with a secret's name looks like a secret, or like code and prose.

use super::names::{Kind, kind};
use super::{MARK, is_random, run_end};

/// Beginning of a value by which it is judged, in bytes.
pub const MAX_JUDGED: usize = 128;

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

/// How a value stands beside its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Quoted,
    /// `NAME=value`, as in a shell.
    Variable,
    Flag,
    Markup,
    /// Alone on its line, in a query string or in a header: hardly code.
    Setting,
    /// Anywhere else, where code is likely.
    Plain,
}

/// Whether a value stands for something else: a variable, a pattern, a placeholder.
pub fn is_reference(value: &str) -> bool {
    let is_encoded = |v: &str| v.len() > 2 && v.as_bytes()[1..3].iter().all(u8::is_ascii_hexdigit);
    value.starts_with(['$', '{', '<', '[', '#'])
        || (value.starts_with('%') && !is_encoded(value))
        || value
            .split_once("${")
            .or_else(|| value.split_once("{{"))
            .is_some_and(|(head, _)| !is_random(head))
}

/// Whether a value looks like a secret that somebody made up.
pub fn is_made_up(value: &str, kind: Kind, form: Form, name: &str) -> bool {
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
        Form::Setting => value.len() >= 6 && !is_name,
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
        Form::Setting if !value.starts_with(|c: char| c.is_ascii_uppercase()) => {
            let has_digit = value.bytes().any(|b| b.is_ascii_digit());
            is_random(&value[..end]) || (has_digit && !is_label && !value.contains('_'))
        }
        Form::Setting | Form::Plain => is_random(&value[..end]),
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
pub fn is_location(value: &str) -> bool {
    let is_path = value.starts_with('/') && value.matches('/').count() > 1;
    let is_relative = ["./", "../", "~/"].iter().any(|p| value.starts_with(p));
    value.contains("://") || is_relative || (is_path && !is_random(value))
}

/// `config.api_key`, `self::password`
pub fn is_path_of_names(value: &str) -> bool {
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
pub fn is_code(value: &str, form: Form, name: &str) -> bool {
    let first = value.bytes().next().unwrap_or(b' ');
    let part = value.split([',', ';', ')']).next().unwrap_or_default();
    if form != Form::Variable && is_named_after(part, form, name) {
        return true;
    }
    if is_random(&value[..run_end(value.as_bytes(), 0, |b| b.is_ascii_alphanumeric())]) {
        return false;
    }
    let is_call = value.split_once(['(', '[', '{', '<']).is_some_and(|(head, _)| {
        head.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.:!&".contains(&b))
    });
    if is_call || value.contains("::") {
        return true;
    }
    match form {
        Form::Variable | Form::Markup => false,
        Form::Flag => first == b'-' || is_metavariable(value),
        Form::Setting | Form::Plain | Form::Quoted => {
            let begins =
                first.is_ascii_alphanumeric() || b"/+_^~".contains(&first) || first >= 0x80;
            !begins || is_path_of_names(part) || value.contains("->")
        }
    }
}

/// `token = next_token`, `password = pass2`: the name of a variable or a type. In a setting
/// somebody may call his password so.
fn is_named_after(value: &str, form: Form, name: &str) -> bool {
    let is_in = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    if !value.bytes().all(is_in) || value.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    let last = name.rsplit(['_', '-']).next().unwrap_or_default().to_ascii_lowercase();
    let is_chosen = form == Form::Setting
        && kind(name) == Some(Kind::Password)
        && value.bytes().any(|b| b.is_ascii_digit());
    !is_chosen && (lower.contains(&last) || lower.contains("pass"))
}
