//! Private keys in PEM form, whole or with an end cut off, also in a diff or quoted.

use std::ops::Range;

use super::{MARK, run_end};

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
/// A key on one line (with its line ends escaped) is shorter than this, in bytes.
const MAX_LINE: usize = 16 << 10;
/// Fewest digits of base64 that make a line a part of a key.
const MIN_RUN: usize = 16;

/// Hides the key whose first or last line begins at `at`; returns where to go on.
pub fn body(text: &str, at: usize, spans: &mut Vec<Range<usize>>) -> usize {
    let dashes = run_end(text.as_bytes(), at, |b| b == b'-');
    // The first dash of more than five is the mark of a diff.
    let at = dashes - 5;
    let rest = &text[at..];
    let label = rest.strip_prefix(BEGIN).or_else(|| rest.strip_prefix(END)).unwrap_or_default();
    let label = &label[..label.floor_char_boundary(64)];
    let Some(length) = label.find("-----").filter(|&n| label[..n].contains("PRIVATE KEY")) else {
        return dashes;
    };
    if rest.starts_with(BEGIN) {
        return forward(text, at + BEGIN.len() + length + 5, spans);
    }
    backward(text, at, spans);
    at + END.len() + length + 5
}

/// Hides what follows a first line, up to the last line or to what is no part of a key.
fn forward(text: &str, mut at: usize, spans: &mut Vec<Range<usize>>) -> usize {
    let mut is_first = true;
    while at < text.len() {
        let limit = text.floor_char_boundary(at + MAX_LINE);
        let end = text[at..limit].find('\n').map_or(limit, |n| at + n);
        let stop = text[at..end].find("-----").map_or(end, |n| at + n);
        let found = runs(text, at..stop);
        let is_part = !found.is_empty() || is_first || is_header(&text[at..stop]);
        if !is_part && !is_last_line(text, at..stop, spans) {
            return at;
        }
        spans.extend(found);
        if stop < end {
            return stop + usize::from(!text[stop..].starts_with(END)) * 5;
        }
        is_first = false;
        at = end + 1;
    }
    text.len()
}

/// Hides what leads to a last line whose beginning is cut off.
fn backward(text: &str, at: usize, spans: &mut Vec<Range<usize>>) {
    let floor = spans.last().map_or(0, |span| span.end);
    let mut end = at;
    let mut found = Vec::new();
    while end > floor {
        let limit = text.ceil_char_boundary(end.saturating_sub(MAX_LINE)).max(floor);
        let start = text[limit..end].rfind('\n').map_or(limit, |n| limit + n + 1);
        let line = runs(text, start..end);
        // The line of the mark itself may begin with the rest of the key.
        if line.is_empty() && end < at {
            if found.is_empty() && is_short_run(text, start..end) {
                found.push(trimmed(text, start..end));
            } else {
                break;
            }
        }
        found.extend(line.into_iter().rev());
        end = start.saturating_sub(1);
    }
    spans.extend(found.into_iter().rev());
}

/// The runs of base64 in a line that are long enough for a key.
fn runs(text: &str, line: Range<usize>) -> Vec<Range<usize>> {
    let bytes = &text.as_bytes()[..line.end];
    // The mark of a diff is a digit of base64, too.
    let mut at = line.start + usize::from(bytes[line.clone()].starts_with(b"+"));
    let mut runs = Vec::new();
    while at < line.end {
        let end = run_end(bytes, at, is_base64);
        if end - at >= MIN_RUN {
            runs.push(at..end);
        }
        at = end.max(at) + 1;
    }
    runs
}

fn is_base64(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"+/=".contains(&b)
}

fn is_header(line: &str) -> bool {
    let line = line.trim_start_matches(['+', '-', ' ', '\t', '>', '|']);
    line.trim().is_empty()
        || line.starts_with("Proc-Type:")
        || line.starts_with("DEK-Info:")
        || line.starts_with("Version:")
        || line.starts_with("Comment:")
        || line.contains(MARK)
}

/// A shorter line that ends a key.
fn is_last_line(text: &str, line: Range<usize>, spans: &mut Vec<Range<usize>>) -> bool {
    let is_last = is_short_run(text, line.clone());
    if is_last {
        spans.push(trimmed(text, line));
    }
    is_last
}

fn is_short_run(text: &str, line: Range<usize>) -> bool {
    let run = &text[trimmed(text, line)];
    run.len() >= 2 && run.bytes().all(is_base64)
}

fn trimmed(text: &str, line: Range<usize>) -> Range<usize> {
    let is_around = |c: char| " \t\r+->|\"',\\".contains(c);
    let inner = text[line.clone()].trim_start_matches(is_around);
    let unnumbered = inner.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = unnumbered.starts_with(['\t', ':', '→', '|', '-']);
    let inner = if is_numbered { unnumbered.trim_start_matches([':', '→']) } else { inner };
    let inner = inner.trim_start_matches(is_around);
    let start = line.end - inner.len();
    start..start + inner.trim_end_matches(is_around).len()
}
