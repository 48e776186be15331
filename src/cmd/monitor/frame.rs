//! Draws one frame: the sessions, the selected one, the keys.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::cmd::monitor::look::Look;
use crate::cmd::monitor::view::{Mode, View};
use crate::cmd::monitor::{details, table};
use crate::rules::board::Row;
use crate::rules::columns::{self, clean_line, fit, pad, width};

/// From this width on the selected session stands beside the table, not below it.
const SIDE_BY_SIDE: u16 = 140;
/// Columns of the table then.
const TABLE: u16 = 88;
/// Columns of the state, which has a style of its own.
const STATE: usize = 9;

/// The keys, by the room there is for them.
const KEYS: [&str; 3] = [
    "↑↓ select  / filter  o on/off  r reset  ⏎ feedback  e evidence  y copy id  PgDn more  ? help  q quit",
    "↑↓ select / filter o on/off r reset ⏎ feedback y copy ? help q quit",
    "↑↓ / filter o on/off r reset ? q",
];
const TEXT_KEYS: &str = "↑↓ PgUp PgDn scroll  q back";
const FILTER_KEYS: &str = "⏎ keep  Esc clear";

const HELP: &str = "\
↑ ↓ k j       select a session (Home, End: first, last)
/             show only sessions with this in state, id, client or project; Esc shows all
PgUp PgDn     scroll what is shown of the selected session
⏎ f           its last feedback in full
e             the evidence that its last review was given
o             supervision on or off, for this session
r             reset: clears its counts, an open breaker becomes half-open
y             copy its id to the clipboard (OSC 52; to tmux's buffer inside tmux)
q Ctrl-C      quit

working       the agent works                 sent back   it works on the feedback
reviewing     its stop is being reviewed      done        the last verdict was: complete
needs you     only you can decide             allowed     let go without an approval
off           not supervised                  stale       nothing was heard for too long";

/// Draws the whole screen. Scrolling that went too far is taken back.
pub fn draw(frame: &mut Frame, view: &mut View, look: Look, now: u64) {
    let area = frame.area();
    if area.width == 0 || area.height == 0 {
        return;
    }
    let (columns, lines) = (usize::from(area.width), area.height);
    title(frame, view, look, Rect { height: 1, ..area });
    let body = Rect { y: 1, height: lines.saturating_sub(2), ..area };
    match (view.mode, view.selected().map(|(_, row)| row.clone())) {
        (Mode::Help, _) => {
            let help = columns::wrap(HELP, columns).into_iter().map(Line::raw).collect();
            scrolled(frame, &mut view.scroll, help, body);
        }
        (Mode::Feedback, Some(row)) => {
            scrolled(frame, &mut view.scroll, details::feedback(&row, look, columns, now), body);
        }
        (Mode::Evidence, Some(_)) => {
            let text = details::evidence(view, look, columns);
            scrolled(frame, &mut view.scroll, text, body);
        }
        (_, row) => board(frame, view, row.as_ref(), look, body, now),
    }
    if lines > 1 {
        foot(frame, view, look, Rect { y: lines - 1, height: 1, ..area });
    }
}

fn title(frame: &mut Frame, view: &View, look: Look, area: Rect) {
    let summary = table::summary(view.rows(), view.broken);
    let filter = clean_line(&view.filter);
    let filter = match (view.mode, filter.as_str()) {
        (Mode::Filter, text) => format!("  filter: {text}▏"),
        (_, "") => String::new(),
        (_, text) => format!("  filter: {text}"),
    };
    let text = format!("ccc monitor  {summary}{filter}");
    line(frame, area, 0, Line::styled(fit(&text, area.width.into()), look.strong()));
}

fn foot(frame: &mut Frame, view: &View, look: Look, area: Rect) {
    let room = usize::from(area.width);
    let message = view.message.as_deref().map(clean_line);
    let text = match (&message, view.mode) {
        (Some(message), _) => message.as_str(),
        (None, Mode::Filter) => FILTER_KEYS,
        (None, Mode::Feedback | Mode::Evidence | Mode::Help) => TEXT_KEYS,
        (None, Mode::Board) => {
            KEYS.into_iter().find(|keys| width(keys) <= room).unwrap_or(KEYS[KEYS.len() - 1])
        }
    };
    line(frame, area, 0, Line::styled(fit(text, room), look.quiet()));
}

fn board(frame: &mut Frame, view: &mut View, row: Option<&Row>, look: Look, area: Rect, now: u64) {
    let is_wide = area.width >= SIDE_BY_SIDE;
    let wanted = u16::try_from(view.shown().len()).unwrap_or(u16::MAX).saturating_add(1);
    let (list, rest) = if is_wide {
        let rest = Rect { x: area.x + TABLE + 2, width: area.width - TABLE - 2, ..area };
        (Rect { width: TABLE, ..area }, rest)
    } else {
        // A third for the sessions, but never so little that the selected one cannot be seen.
        let height = wanted.min((area.height / 3).max(4)).min(area.height);
        let rest =
            Rect { y: area.y + height + 1, height: area.height.saturating_sub(height + 1), ..area };
        (Rect { height, ..area }, rest)
    };
    sessions(frame, view, look, list, now);
    if rest.height == 0 {
        return;
    }
    if !is_wide {
        let rule = Line::styled("─".repeat(area.width.into()), look.quiet());
        line(frame, area, list.height, rule);
    }
    if let Some(row) = row {
        let lines = details::lines(view, row, look, rest.width.into(), now);
        scrolled(frame, &mut view.scroll, lines, rest);
    }
}

fn sessions(frame: &mut Frame, view: &View, look: Look, area: Rect, now: u64) {
    let room = usize::from(area.width).saturating_sub(2);
    let shown = view.shown();
    if shown.is_empty() {
        let why = match view.rows().is_empty() {
            true => "Work with your agent; sessions appear at their first stop.",
            false => "No session has this in it.",
        };
        return line(frame, area, 0, Line::raw(fit(why, area.width.into())));
    }
    line(frame, area, 0, Line::styled(format!("  {}", table::head(room)), look.quiet()));
    let at = view.selected().map_or(0, |(at, _)| at);
    let fits = usize::from(area.height.saturating_sub(1));
    let first = (at + 1).saturating_sub(fits);
    for (row, y) in shown.iter().skip(first).take(fits).zip(1..) {
        let is_selected = view.id().is_some_and(|id| id == row.id);
        line(frame, area, y, session(row, is_selected, look, room, now));
    }
}

fn session(row: &Row, is_selected: bool, look: Look, room: usize, now: u64) -> Line<'static> {
    let text = pad(&table::row(row, room, now), room);
    let state = columns::head(&text, STATE).to_owned();
    let rest = text[state.len()..].to_owned();
    let mark = if is_selected { "▸ " } else { "  " };
    let whole = if is_selected { look.selected() } else { ratatui::style::Style::new() };
    let state = Span::styled(state, look.doing(row.doing));
    Line::from(vec![Span::raw(mark), state, Span::raw(rest)]).style(whole)
}

/// As much of a text as fits, from `scroll` on; says on its last line how much more there is.
fn scrolled(frame: &mut Frame, scroll: &mut usize, lines: Vec<Line<'static>>, area: Rect) {
    let fits = usize::from(area.height);
    if fits == 0 {
        return;
    }
    *scroll = (*scroll).min(lines.len().saturating_sub(fits));
    let more = lines.len().saturating_sub(*scroll + fits);
    let cut = if more == 0 { fits } else { fits - 1 };
    for (text, y) in lines.into_iter().skip(*scroll).take(cut).zip(0..) {
        line(frame, area, y, text);
    }
    if more > 0 {
        let note = format!("… {} more lines (PgDn)", more + 1);
        line(frame, area, area.height - 1, Line::raw(fit(&note, area.width.into())));
    }
}

fn line(frame: &mut Frame, area: Rect, y: u16, text: Line) {
    if y < area.height {
        frame.render_widget(text, Rect { y: area.y + y, height: 1, ..area });
    }
}

#[cfg(test)]
mod tests;
