//! Where in a text the status blocks stand, and which of them are only examples.

use std::ops::Range;

use serde_json::Value;

use super::fields::{self, Fields};
use crate::rules::json_tree::Node;
use crate::rules::loose_json;

/// A block that was found.
pub(super) struct Located {
    pub span: Range<usize>,
    pub fields: Fields,
    /// False for an example.
    pub counts: bool,
}

/// The message inside of a client's JSON output: the `result` text of an object, or of the last
/// one in an array or in lines. `None` when the text is no such output.
pub(super) fn message_in(text: &str) -> Option<String> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let result = |value: &Value| Some(value.get("result")?.as_str()?.to_owned());
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(items)) => items.iter().rev().find_map(result),
        Ok(value) => result(&value).or_else(|| {
            let block = value.get("RALPH_STATUS").filter(|block| block.is_object())?;
            Some(format!("RALPH_STATUS: {block}"))
        }),
        Err(_) => text
            .lines()
            .rev()
            .filter(|line| line.trim_start().starts_with('{'))
            .find_map(|line| result(&serde_json::from_str(line).ok()?)),
    }
}

/// Whether the older mark stands alone on a line that is no example.
pub(super) fn has_completed_mark(text: &str) -> bool {
    let mut lines = Lines::new(text);
    while let Some(line) = lines.next() {
        if bare(line.text) == "<<COMPLETED>>" && (!line.is_fenced || ends_text(lines.rest())) {
            return true;
        }
    }
    false
}

/// All blocks, examples included, in their order.
pub(super) fn blocks(text: &str) -> Vec<Located> {
    let mut found = Vec::new();
    let mut lines = Lines::new(text);
    while let Some(line) = lines.next() {
        let block = if is_mark(line.text, "---RALPH_STATUS---") {
            delimited(&mut lines, &line)
        } else if let Some(inline) = older_header(line.text) {
            older(&mut lines, &line, inline)
        } else {
            continue;
        };
        let Some((fields, end)) = block else { continue };
        let counts = !line.is_fenced || ends_text(&text[end..]);
        lines.at = lines.at.max(end);
        found.push(Located { span: line.start..end, fields, counts });
    }
    found
}

/// Reads up to the closing line. Without one the block ends with its last field; it must then be
/// the end of the text, or it says so. `None` when another header comes first.
fn delimited(lines: &mut Lines<'_>, header: &Line<'_>) -> Option<(Fields, usize)> {
    let mut closed = lines.clone();
    let mut fields = Fields::default();
    while let Some(line) = closed.next() {
        if is_mark(line.text, "---RALPH_STATUS---") {
            return None;
        }
        // A fence that closes, or opens, cannot stand inside of a block.
        if line.is_fenced != header.is_fenced || line.is_fence {
            break;
        }
        if is_mark(line.text, "---END_RALPH_STATUS---") {
            *lines = closed;
            return Some((fields, lines.at));
        }
        fields.line(line.text);
    }
    let mut fields = Fields::default();
    let mut end = lines.at;
    while let Some(line) = lines.clone().next() {
        let is_part =
            !line.is_fence && (line.text.trim().is_empty() || fields::is_known(line.text));
        if !is_part {
            break;
        }
        lines.next();
        fields.line(line.text);
        end = lines.at;
    }
    if !ends_text(&lines.text[end..]) {
        fields.problems.push("the closing line ---END_RALPH_STATUS--- is missing".to_owned());
    }
    Some((fields, end))
}

/// What follows `RALPH_STATUS:` on its line, if the line is such a header.
fn older_header(line: &str) -> Option<&str> {
    let (key, value) = fields::key_and_value(line)?;
    let value = value.trim_matches('*').trim_start();
    let is_header = key.eq_ignore_ascii_case("RALPH_STATUS");
    (is_header && (value.is_empty() || value.starts_with('{'))).then_some(value)
}

/// A JSON object, or lines that are indented deeper than the header or known by name.
fn older(lines: &mut Lines<'_>, header: &Line<'_>, inline: &str) -> Option<(Fields, usize)> {
    let mut fields = Fields::default();
    let from = match inline {
        "" => lines.at,
        _ => header.start + header.text.find('{')?,
    };
    let rest = &lines.text[from..];
    let blank = rest.len() - rest.trim_start().len();
    if let Some((loose, length)) = loose_json::leading_object(&rest[blank..]) {
        if let Node::Object(members) = &loose.node {
            fields.members(members);
        }
        if loose.guessed {
            fields.problems.push("the object after RALPH_STATUS is not well-formed".to_owned());
        }
        return Some((fields, from + blank + length));
    }
    while let Some(line) = lines.clone().next() {
        let is_deeper = indent(line.text) > indent(header.text);
        let is_part = fields::is_known(line.text)
            || (is_deeper && fields::key_and_value(line.text).is_some());
        if line.is_fence || !is_part {
            break;
        }
        lines.next();
        fields.line(line.text);
    }
    (!fields.list.is_empty()).then_some((fields, lines.at))
}

/// Nothing follows but blanks and the end of a fence.
fn ends_text(rest: &str) -> bool {
    rest.lines().all(|line| line.trim().is_empty() || fence(line).is_some_and(|f| f.can_close))
}

/// A line that is one of the marks, in whatever bold marks or blanks.
fn is_mark(line: &str, mark: &str) -> bool {
    bare(line).eq_ignore_ascii_case(mark)
}

fn bare(line: &str) -> &str {
    line.trim().trim_matches(['*', '`']).trim()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// A line of a text.
struct Line<'a> {
    start: usize,
    text: &'a str,
    /// It stands in a code fence, or is the fence.
    is_fenced: bool,
    /// It opens or closes one.
    is_fence: bool,
}

/// The lines of a text, with the code fences that they stand in.
#[derive(Clone)]
struct Lines<'a> {
    text: &'a str,
    at: usize,
    open: Option<Fence>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0, open: None }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn next(&mut self) -> Option<Line<'a>> {
        let start = self.at;
        let whole = self.rest().split_inclusive('\n').next()?;
        self.at += whole.len();
        let text = whole.trim_end_matches(['\n', '\r']);
        let was_open = self.open;
        match (was_open, fence(text)) {
            (None, opening) => self.open = opening,
            (Some(open), Some(mark)) if mark.closes(open) => self.open = None,
            (Some(_), _) => {}
        }
        let is_fence = was_open.is_some() != self.open.is_some();
        let is_fenced = was_open.is_some() || self.open.is_some();
        Some(Line { start, text, is_fenced, is_fence })
    }
}

/// The mark of a code fence.
#[derive(Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
    /// Nothing stands behind it.
    can_close: bool,
}

impl Fence {
    fn closes(self, open: Self) -> bool {
        self.can_close && self.mark == open.mark && self.length >= open.length
    }
}

fn fence(line: &str) -> Option<Fence> {
    let line = line.trim();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let behind = line.trim_start_matches(mark);
    let length = line.len() - behind.len();
    // "```text```" on one line is no fence.
    (length >= 3 && !behind.contains('`')).then_some(Fence {
        mark,
        length,
        can_close: behind.is_empty(),
    })
}
