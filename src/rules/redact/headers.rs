//! Credentials in the headers of HTTP, and in the words of a command that makes them.

use std::ops::Range;

use super::looks::{MAX_JUDGED, is_location, is_path_of_names, is_reference};
use super::names::Kind;
use super::{MARK, run_end};

/// `Authorization: Bearer x`: what stands behind the scheme. A cookie: all of it.
pub fn header(text: &str, at: usize, kind: Kind) -> Option<Range<usize>> {
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

/// `curl -u name:password`.
pub fn user_and_password(text: &str, flag: usize, at: usize) -> Option<Range<usize>> {
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
