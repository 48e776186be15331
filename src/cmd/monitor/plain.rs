//! The monitor as plain text, for pipes, CI and terminals that can do no more.

use crate::cmd::monitor::source::Source;
use crate::cmd::monitor::table;
use crate::rules::board::Row;
use crate::rules::columns::{clean_line, fit};
use crate::sys::clock;

/// One frame of lines that are at most `width` wide.
pub fn frame(source: &mut Source, width: usize) -> String {
    let now = clock::now();
    let rows = source.rows(now);
    let mut lines = vec![format!("ccc monitor: {}", table::summary(&rows, source.broken()))];
    if !rows.is_empty() {
        lines.push(table::head(width));
    }
    for row in &rows {
        lines.push(table::row(row, width, now));
        lines.extend(more(row, now).map(|line| format!("    {line}")));
    }
    let lines = lines.iter().map(|line| fit(line, width).trim_end().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}

/// What stands below a session.
fn more(row: &Row, now: u64) -> impl Iterator<Item = String> {
    let review = row.review.as_ref().map(|live| {
        let deed = live.deeds.last().map(|deed| format!(": {}", clean_line(&deed.what)));
        let (elapsed, limit) = (live.elapsed(now), live.limit_secs);
        format!("{}, {elapsed} s of {limit} s{}", clean_line(&live.stage), deed.unwrap_or_default())
    });
    let verdict = row.verdict.as_ref().filter(|v| !v.completed && !v.feedback.trim().is_empty());
    review.into_iter().chain(verdict.map(|v| clean_line(&v.feedback)))
}
