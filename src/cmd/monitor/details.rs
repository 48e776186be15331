//! Everything about one session, as lines that fit a width.

use ratatui::text::{Line, Span};

use crate::cmd::monitor::look::Look;
use crate::cmd::monitor::table;
use crate::cmd::monitor::view::View;
use crate::rules::board::Row;
use crate::rules::columns::{clean, clean_line, fit, wrap};
use crate::rules::live::Live;
use crate::rules::state::LastVerdict;
use crate::sys::clock;

/// Events that stand with a session.
const MAX_EVENTS: usize = 8;

/// The lines of the selected session.
pub fn lines(view: &View, row: &Row, look: Look, width: usize, now: u64) -> Vec<Line<'static>> {
    let mut out = Lines { lines: Vec::new(), look, width };
    out.facts(row, now);
    if let Some(live) = &row.review {
        out.review(live, now);
    }
    if let Some(verdict) = &row.verdict {
        out.verdict(verdict, now);
    }
    if !view.happened.is_empty() {
        out.title("Recent activity");
    }
    for event in view.happened.iter().take(MAX_EVENTS) {
        let ago = event.at.map_or_else(String::new, |at| ago(at, now));
        let said = if event.message.is_empty() { "" } else { ": " };
        out.line(&format!("{ago:>10}  {}{said}{}", event.what, event.message));
    }
    if let Some(evidence) = &view.evidence {
        out.title("Evidence that the last review was given");
        out.text(evidence);
    }
    out.lines
}

/// The feedback of the selected session, in full.
pub fn feedback(row: &Row, look: Look, width: usize, now: u64) -> Vec<Line<'static>> {
    let mut out = Lines { lines: Vec::new(), look, width };
    match &row.verdict {
        Some(verdict) => out.verdict(verdict, now),
        None => out.line("no verdict yet"),
    }
    out.lines
}

/// The evidence behind it, in full.
pub fn evidence(view: &View, look: Look, width: usize) -> Vec<Line<'static>> {
    let mut out = Lines { lines: Vec::new(), look, width };
    out.text(
        view.evidence.as_deref().unwrap_or("no review of this session was given evidence yet"),
    );
    out.lines
}

fn ago(at: u64, now: u64) -> String {
    format!("{} ago", clock::age(now.saturating_sub(at)))
}

/// Collects lines.
struct Lines {
    lines: Vec<Line<'static>>,
    look: Look,
    width: usize,
}

impl Lines {
    fn title(&mut self, text: &str) {
        self.lines.push(Line::default());
        self.lines.push(Line::styled(fit(text, self.width), self.look.strong()));
    }

    fn line(&mut self, text: &str) {
        self.lines.push(Line::raw(fit(text, self.width)));
    }

    fn text(&mut self, text: &str) {
        self.lines.extend(wrap(&clean(text), self.width).into_iter().map(Line::raw));
    }

    fn facts(&mut self, row: &Row, now: u64) {
        self.line(&format!("{}  {}", row.client, clean_line(&row.id)));
        self.text(&clean_line(&row.project));
        let doing = row.doing.name();
        self.lines.push(Line::from(vec![
            Span::styled(doing, self.look.doing(row.doing)),
            Span::raw(fit(
                &format!(", round {} of {}, {}", row.round, row.max, ago(row.updated_at, now)),
                self.width.saturating_sub(doing.len()),
            )),
        ]));
        let (breaker, reviews) = (table::breaker(row), row.reviews);
        let cost = table::cost(row.cost_usd);
        self.line(&format!("breaker {breaker}, reviews {reviews}, cost {cost}"));
        if !row.breaker_why.is_empty() {
            self.text(&format!("the breaker opened: {}", clean_line(&row.breaker_why)));
        }
        if let Some(discarded) = &row.discarded {
            self.text(&clean_line(discarded));
        }
    }

    fn review(&mut self, live: &Live, now: u64) {
        self.title(&format!("Review of round {}: {}", live.round, clean_line(&live.stage)));
        let (elapsed, limit) = (live.elapsed(now), live.limit_secs);
        let times = format!(" {elapsed} s of {limit} s");
        let (full, empty) = bar(elapsed, limit, self.width.saturating_sub(times.len()).min(40));
        self.lines.push(Line::from(vec![
            Span::styled("█".repeat(full), self.look.bar()),
            Span::styled("░".repeat(empty), self.look.quiet()),
            Span::raw(times),
        ]));
        for deed in &live.deeds {
            self.line(&format!("{:>10}  {}", ago(deed.at, now), clean_line(&deed.what)));
        }
    }

    fn verdict(&mut self, verdict: &LastVerdict, now: u64) {
        let word = match (verdict.needs_human, verdict.completed) {
            (true, _) => "needs you",
            (false, true) => "complete",
            (false, false) => "not complete",
        };
        self.title(&format!("Last verdict: {word}, {}", ago(verdict.at, now)));
        self.text(&verdict.feedback);
    }
}

/// Full and empty cells of a bar; one that is not over yet never looks full.
fn bar(elapsed: u64, limit: u64, cells: usize) -> (usize, usize) {
    let share = u128::from(elapsed.min(limit)) * cells as u128;
    let full = share.checked_div(u128::from(limit)).unwrap_or(cells as u128);
    let full = usize::try_from(full).unwrap_or(cells);
    (full, cells - full)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_full_at_the_limit_and_not_before() {
        let table = [
            ((0, 600), (0, 20)),
            ((599, 600), (19, 1)),
            ((600, 600), (20, 0)),
            ((9000, 600), (20, 0)),
            ((5, 0), (20, 0)),
            ((u64::MAX, u64::MAX), (20, 0)),
        ];
        for ((elapsed, limit), want) in table {
            assert_eq!(bar(elapsed, limit, 20), want, "{elapsed} {limit}");
        }
        assert_eq!(bar(5, 10, 0), (0, 0));
    }
}
