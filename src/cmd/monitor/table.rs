//! The table of sessions as text: which columns fit a width, and what stands in them.

use crate::rules::board::{Doing, Row};
use crate::rules::breaker::State;
use crate::rules::columns::{self, clean_line, fit_end, pad, width};
use crate::sys::clock;

/// A column, in the order in which they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Doing,
    Round,
    Session,
    Client,
    Breaker,
    Cost,
    Age,
    Project,
}

impl Column {
    fn title(self) -> &'static str {
        match self {
            Self::Doing => "STATE",
            Self::Round => "ROUND",
            Self::Session => "SESSION",
            Self::Client => "CLIENT",
            Self::Breaker => "BREAKER",
            Self::Cost => "COST",
            Self::Age => "AGE",
            Self::Project => "PROJECT",
        }
    }

    fn width(self) -> usize {
        match self {
            Self::Doing | Self::Client | Self::Breaker => 9,
            Self::Round | Self::Age => 6,
            Self::Session => 8,
            Self::Cost => 7,
            Self::Project => 0,
        }
    }

    fn cell(self, row: &Row, now: u64) -> String {
        match self {
            Self::Doing => row.doing.name().to_owned(),
            Self::Round => format!("{}/{}", row.round, row.max),
            Self::Session => clean_line(&row.id),
            Self::Client => row.client.to_owned(),
            Self::Breaker => breaker(row).to_owned(),
            Self::Cost => cost(row.cost_usd),
            Self::Age => clock::age(row.age(now)),
            Self::Project => clean_line(&row.project),
        }
    }
}

/// The breaker in a word.
pub fn breaker(row: &Row) -> &'static str {
    match row.breaker {
        None => "none",
        Some(State::Closed) => "closed",
        Some(State::Open) => "open",
        Some(State::HalfOpen) => "half-open",
    }
}

/// US dollars in 7 columns, as long as they are less than a million.
pub fn cost(usd: f64) -> String {
    match usd {
        ..10.0 => format!("${usd:.4}"),
        10.0..1000.0 => format!("${usd:.2}"),
        _ => format!("${usd:.0}"),
    }
}

/// The columns for a width; what does not fit stands with the selected session only.
fn chosen(width: usize) -> &'static [Column] {
    use Column::{Age, Breaker, Client, Cost, Doing, Project, Round, Session};
    match width {
        0..60 => &[Doing, Round, Age, Project],
        60..76 => &[Doing, Round, Session, Cost, Age, Project],
        _ => &[Doing, Round, Session, Client, Breaker, Cost, Age, Project],
    }
}

/// The line above the sessions.
pub fn head(width: usize) -> String {
    line(width, |column, room| pad(column.title(), room))
}

/// One session.
pub fn row(row: &Row, width: usize, now: u64) -> String {
    line(width, |column, room| {
        let text = column.cell(row, now);
        // Of a path the end tells most, of an id the beginning.
        match column {
            Column::Project => fit_end(&text, room),
            Column::Session => pad(columns::head(&text, room), room),
            _ => pad(&text, room),
        }
    })
}

fn line(all: usize, cell: impl Fn(Column, usize) -> String) -> String {
    let mut out = String::new();
    for &column in chosen(all) {
        if !out.is_empty() {
            out.push(' ');
        }
        let left = all.saturating_sub(width(&out));
        let room = if column == Column::Project { left } else { column.width().min(left) };
        out.push_str(&cell(column, room));
    }
    columns::fit(&out, all)
}

/// How many sessions there are, and how many of them want to be looked at. `broken` state files
/// could not be read.
pub fn summary(rows: &[Row], broken: usize) -> String {
    let mut out = match rows.len() {
        0 => "no supervised sessions yet".to_owned(),
        1 => "1 session".to_owned(),
        n => format!("{n} sessions"),
    };
    for doing in [Doing::Reviewing, Doing::NeedsYou, Doing::Stale] {
        let n = rows.iter().filter(|row| row.doing == doing).count();
        if n > 0 {
            out.push_str(&format!(", {n} {}", doing.name()));
        }
    }
    if broken > 0 {
        out.push_str(&format!(", {broken} unreadable (see `ccc doctor`)"));
    }
    out
}
