//! The values of secret-looking environment variables.

use std::fmt;
use std::ops::Range;

use memchr::memmem;
use serde_json::Value;

use super::names::is_secret_variable;

/// Shortest value that is looked for, in bytes.
const MIN_VALUE: usize = 8;
/// Most values, so that an endless environment costs no endless time.
const MAX_VALUES: usize = 200;

/// Values that must not leave the process. Prints as their number alone.
#[derive(Clone, Default)]
pub struct Secrets {
    /// Longest first.
    values: Vec<String>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.values.len())
    }
}

impl Secrets {
    /// Picks the secrets out of an environment: values of variables with a secret's name, and
    /// passwords in URLs. Short, common and ordinary ones are no secrets: hiding them would only
    /// garble the text.
    pub fn from_variables<'a>(variables: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut values = Vec::new();
        for (name, value) in variables {
            match password_of_url(value) {
                Some(password) => add(&mut values, password),
                None if is_secret_variable(name) && !is_location(value) => add(&mut values, value),
                None => {}
            }
        }
        values.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        values.dedup();
        values.truncate(MAX_VALUES);
        Self { values }
    }

    /// Hides secrets in every text of a JSON value.
    pub fn hide_in(&self, value: &mut Value) {
        match value {
            Value::String(text) => super::redact_in_place(text, self),
            Value::Array(items) => items.iter_mut().for_each(|item| self.hide_in(item)),
            Value::Object(map) => map.values_mut().for_each(|value| self.hide_in(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Where the values stand in a text, in order and apart.
    pub(super) fn spans(&self, text: &str) -> Vec<Range<usize>> {
        let mut all: Vec<Range<usize>> = Vec::new();
        for value in &self.values {
            let found = memmem::find_iter(text.as_bytes(), value.as_bytes());
            all.extend(found.map(|at| at..at + value.len()));
        }
        all.sort_by_key(|span| span.start);
        let mut spans: Vec<Range<usize>> = Vec::with_capacity(all.len());
        for span in all {
            match spans.last_mut().filter(|last| last.end >= span.start) {
                Some(last) => last.end = last.end.max(span.end),
                None => spans.push(span),
            }
        }
        spans
    }
}

/// Adds a value line by line (a diff puts a mark between them), and as JSON and a URL write it.
fn add(values: &mut Vec<String>, value: &str) {
    for line in value.lines().map(str::trim).filter(|line| is_uncommon(line)) {
        let json = line.replace('\\', "\\\\").replace('"', "\\\"").replace('\t', "\\t");
        let url = |upper: bool| -> String { line.bytes().map(|b| encoded(b, upper)).collect() };
        for form in [json, url(true), url(false)] {
            if form != line && values.last() != Some(&form) {
                values.push(form);
            }
        }
        values.push(line.to_owned());
    }
}

fn encoded(b: u8, upper: bool) -> String {
    match b {
        _ if b.is_ascii_alphanumeric() || b"-._~".contains(&b) => char::from(b).to_string(),
        _ if upper => format!("%{b:02X}"),
        _ => format!("%{b:02x}"),
    }
}

/// Long enough, and more than a word or a number.
fn is_uncommon(value: &str) -> bool {
    let has = |is: fn(&u8) -> bool| usize::from(value.bytes().any(|b| is(&b)));
    let kinds = has(u8::is_ascii_lowercase)
        + has(u8::is_ascii_uppercase)
        + has(u8::is_ascii_digit)
        + has(|b| !b.is_ascii_alphanumeric());
    let lower = value.to_ascii_lowercase();
    let is_flag =
        ["true", "false", "enabled", "disabled", "required", "optional"].contains(&&*lower);
    let is_number = value.bytes().all(|b| b.is_ascii_digit() || b".-:".contains(&b));
    let min = match kinds {
        _ if is_number => 20,
        1 => 12,
        _ => MIN_VALUE,
    };
    value.len() >= min && !is_flag && !value.contains("-----")
}

fn is_location(value: &str) -> bool {
    let is_path = value.starts_with('/') && !super::is_random(value);
    is_path || ["./", "../", "~/"].iter().any(|p| value.starts_with(p)) || value.contains("://")
}

fn password_of_url(value: &str) -> Option<&str> {
    let at = value.find("://")?;
    let host = value[at + 3..].split(['/', '?', '#']).next()?;
    let user = &host[..host.rfind('@')?];
    Some(user.split_once(':').map_or(user, |(_, password)| password))
}
