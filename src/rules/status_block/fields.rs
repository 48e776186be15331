//! The fields of a block: lines or members in, names and clean values out.

use super::NAMES;
use crate::rules::json_tree::Node;
use crate::rules::text::{cut, one_line};

/// Longest piece of a foreign line that a problem quotes, in characters.
const MAX_QUOTED: usize = 60;

/// The fields as they were read, and what was wrong with them one by one.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub list: Vec<(String, String)>,
    pub problems: Vec<String>,
}

impl Fields {
    /// Adds a line of a block. Blank lines are nothing.
    pub(super) fn line(&mut self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        match key_and_value(line) {
            Some((key, value)) => self.add(key, value),
            None => self.problems.push(format!("`{}` is not a field", quoted(line))),
        }
    }

    /// Adds the members of an object.
    pub(super) fn members(&mut self, members: &[(String, Node)]) {
        for (key, value) in members {
            self.add(key, &value.readable());
        }
    }

    fn add(&mut self, key: &str, value: &str) {
        let Some(name) = NAMES.into_iter().find(|name| name.eq_ignore_ascii_case(key)) else {
            self.problems.push(format!("`{}` is not a field of the block", quoted(key)));
            self.list.push((key.to_owned(), unquoted(value).to_owned()));
            return;
        };
        if self.list.iter().any(|(other, _)| other == name) {
            self.problems.push(format!("{name} stands twice"));
        }
        let value = match name {
            "RECOMMENDATION" => one_line(unquoted(unmarked(value))),
            _ => unquoted(without_comment(value).trim_matches(['*', '`', ' ', '\t'])).to_owned(),
        };
        let value = match checked(name, &value) {
            Ok(value) => value,
            Err(expected) => {
                let said = if value.is_empty() { "empty".to_owned() } else { quoted(&value) };
                self.problems.push(format!("{name} is {said}, not {expected}"));
                value
            }
        };
        self.list.push((name.to_owned(), value));
    }
}

/// The value in the spelling of its list, or what it should have been.
fn checked(name: &str, value: &str) -> Result<String, &'static str> {
    let words: &[&str] = match name {
        "STATUS" => &["IN_PROGRESS", "COMPLETE", "BLOCKED"],
        "TESTS_STATUS" => &["PASSING", "FAILING", "NOT_RUN"],
        "WORK_TYPE" => &["IMPLEMENTATION", "TESTING", "DOCUMENTATION", "REFACTORING"],
        "EXIT_SIGNAL" => {
            return boolean(value).map(|b| b.to_string()).ok_or("true or false");
        }
        "RECOMMENDATION" if value.is_empty() => return Err("one line of text"),
        "RECOMMENDATION" => return Ok(value.to_owned()),
        _ => {
            let is_count = !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit());
            return if is_count { Ok(value.to_owned()) } else { Err("a number, 0 or more") };
        }
    };
    match words.iter().find(|word| word.eq_ignore_ascii_case(value)) {
        Some(word) => Ok((*word).to_owned()),
        None => Err(match name {
            "STATUS" => "IN_PROGRESS, COMPLETE or BLOCKED",
            "TESTS_STATUS" => "PASSING, FAILING or NOT_RUN",
            _ => "IMPLEMENTATION, TESTING, DOCUMENTATION or REFACTORING",
        }),
    }
}

/// A boolean in the spellings that agents use.
pub(super) fn boolean(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "yes" | "1" => Some(true),
        "false" | "no" | "0" => Some(false),
        _ => None,
    }
}

/// A line `key: value`; marks of a list and of bold text around the key are dropped.
pub(super) fn key_and_value(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let item = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark));
    let (key, value) = item.unwrap_or(line).split_once([':', '：'])?;
    let key = key.trim().trim_matches(['*', '`', '"', '\'']).trim_end();
    let is_name = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then_some((key, value.trim()))
}

/// Whether a line is one of the form's fields.
pub(super) fn is_known(line: &str) -> bool {
    key_and_value(line)
        .is_some_and(|(key, _)| NAMES.iter().any(|name| name.eq_ignore_ascii_case(key)))
}

/// Only the fields of a closed form have comments: in free text `#12` is an issue.
fn without_comment(value: &str) -> &str {
    let marks = ["#", "//", "<!--"];
    let starts = marks.iter().filter_map(|mark| match value.strip_prefix(mark) {
        Some(_) => Some(0),
        None => value.find(&format!(" {mark}")).or_else(|| value.find(&format!("\t{mark}"))),
    });
    value[..starts.min().unwrap_or(value.len())].trim()
}

/// Free text without what is left of bold marks around the key or the whole line.
fn unmarked(value: &str) -> &str {
    let value = value.trim_start_matches("**").trim();
    match value.matches("**").count() % 2 {
        0 => value,
        _ => value.trim_end_matches("**").trim(),
    }
}

/// The text without one pair of quotes around it.
fn unquoted(value: &str) -> &str {
    let value = value.trim();
    let inside = ['"', '\''].iter().find_map(|&q| value.strip_prefix(q)?.strip_suffix(q));
    inside.map_or(value, str::trim)
}

fn quoted(text: &str) -> String {
    cut(&one_line(text), MAX_QUOTED).into_owned()
}
