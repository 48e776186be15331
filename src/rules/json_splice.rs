//! Puts an element into a JSON container, and takes one out, as splices of its text.

use jsonc_parser::ast::Value as Ast;
use jsonc_parser::common::{Range, Ranged};
use serde_json::Value;

/// How a text is written.
#[derive(Debug)]
pub struct Style {
    newline: &'static str,
    /// One level.
    indent: String,
}

impl Style {
    /// Line ends and indentation as they are in the text; two blanks where nothing tells.
    pub fn of(text: &str) -> Self {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let indented = text.lines().find(|l| l.starts_with([' ', '\t']) && !l.trim().is_empty());
        let indent = indented.map_or("  ", |l| &l[..l.len() - l.trim_start().len()]);
        Self { newline, indent: indent.to_owned() }
    }
}

/// Range of a value.
pub fn range(value: &Ast) -> Range {
    value.range()
}

/// Appends an element to the container at `range`, whose elements end at `ends`.
pub fn append(
    text: &str,
    style: &Style,
    range: Range,
    ends: &[usize],
    key: Option<&str>,
    value: &Value,
) -> String {
    let inside = &text[range.start..range.end];
    let close_indent = line_indent(text, range.end - 1);
    let Some(&last) = ends.last() else {
        // An empty container is opened up, but stays on one line with everything else.
        let (at, nl) = (range.start + 1, style.newline);
        if !text.trim_end().contains('\n') && text.trim() != "{}" {
            return spliced(text, at, at, &compact(key, value));
        }
        let indent = format!("{}{}", line_indent(text, range.start), style.indent);
        let item = pretty(key, value, style, &indent);
        let end = if inside.contains('\n') { String::new() } else { format!("{nl}{close_indent}") };
        return spliced(text, at, at, &format!("{nl}{indent}{item}{end}"));
    };
    let comma = comma_after(text, last, range.end);
    let at = comma.map_or(last, |comma| comma + 1);
    let trailing = if comma.is_some() { "," } else { "" };
    let leading = if comma.is_some() { "" } else { "," };
    if !inside.contains('\n') {
        let blank =
            if text[..last].contains(", ") || text[..last].contains(": ") { " " } else { "" };
        return spliced(
            text,
            at,
            at,
            &format!("{leading}{blank}{}{trailing}", compact(key, value)),
        );
    }
    let indent = format!("{close_indent}{}", style.indent);
    let item = pretty(key, value, style, &indent);
    spliced(text, at, at, &format!("{leading}{}{indent}{item}{trailing}", style.newline))
}

/// Takes out the element with this index, and the comma and the blanks that it brought along.
/// Comments around it stay: somebody else wrote them.
pub fn remove_element(text: &str, container: Range, elements: &[Range], index: usize) -> String {
    let (start, end) = (elements[index].start, elements[index].end);
    let own_comma = comma_after(text, end, container.end);
    let comma_before = index.checked_sub(1).and_then(|i| comma_after(text, elements[i].end, start));
    let gap = comma_before.map_or(container.start + 1, |comma| comma + 1);
    let is_blank = |from: usize, to: usize| text[from..to].trim().is_empty();
    let from = if is_blank(gap, start) { gap } else { start };
    // What is left of an emptied container is its brackets.
    let inner_end = container.end - 1;
    let is_emptied = elements.len() == 1 && from == gap;
    let until = |to: usize| if is_emptied && is_blank(to, inner_end) { inner_end } else { to };
    match (own_comma, comma_before) {
        (Some(comma), _) => spliced(&spliced(text, comma, until(comma + 1), ""), from, end, ""),
        (None, Some(comma)) => spliced(&spliced(text, from, end, ""), comma, comma + 1, ""),
        (None, None) => spliced(text, from, until(end), ""),
    }
}

/// The text with a part of it replaced.
pub fn spliced(text: &str, from: usize, to: usize, new: &str) -> String {
    format!("{}{new}{}", &text[..from], &text[to..])
}

/// Position of the comma between `from` and `until`, comments skipped.
fn comma_after(text: &str, from: usize, until: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < until {
        let rest = &text[at..until];
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |i| i + 2);
        } else if bytes[at] == b',' {
            return Some(at);
        } else if bytes[at].is_ascii_whitespace() {
            at += 1;
        } else {
            return None;
        }
    }
    None
}

/// Leading blanks of the line that holds this position.
pub fn line_indent(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |i| i + 1);
    let line = &text[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn compact(key: Option<&str>, value: &Value) -> String {
    match key {
        Some(key) => format!("{}:{value}", Value::from(key)),
        None => value.to_string(),
    }
}

/// A value as it is written on lines of their own, the first of them at `indent`.
pub fn pretty(key: Option<&str>, value: &Value, style: &Style, indent: &str) -> String {
    let text = format!("{value:#}");
    let mut out = key.map_or(String::new(), |key| format!("{}: ", Value::from(key)));
    for (i, line) in text.lines().enumerate() {
        if i > 0 {
            out.push_str(style.newline);
            out.push_str(indent);
        }
        let bare = line.trim_start_matches(' ');
        out.push_str(&style.indent.repeat((line.len() - bare.len()) / 2));
        out.push_str(bare);
    }
    out
}
