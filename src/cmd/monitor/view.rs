//! What the live view is about to show, and what a key does to it. No terminal here.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::cmd::monitor::source::Happened;
use crate::rules::board::Row;

/// Lines that a page key moves.
const PAGE: usize = 10;

/// What fills the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    #[default]
    Board,
    /// The board, while a filter is typed.
    Filter,
    Feedback,
    Evidence,
    Help,
}

/// What a key asks of the world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    Nothing,
    Quit,
    /// Ctrl-C.
    Interrupt,
    Switch {
        id: String,
        on: bool,
    },
    Reset(String),
    Copy(String),
}

/// The live view between two frames.
#[derive(Debug, Default)]
pub struct View {
    /// Every session, newest first.
    rows: Vec<Row>,
    /// State files that cannot be read.
    pub broken: usize,
    /// The session that the user chose; it stays chosen wherever its row moves.
    chosen: Option<String>,
    pub filter: String,
    pub mode: Mode,
    /// Lines of the details, or of the text that fills the screen, that are scrolled away.
    pub scroll: usize,
    /// The answer to the last key.
    pub message: Option<String>,
    /// What was read of the chosen session.
    pub evidence: Option<String>,
    pub happened: Vec<Happened>,
}

impl View {
    /// Takes over what was read.
    pub fn set_rows(&mut self, rows: Vec<Row>, broken: usize) {
        (self.rows, self.broken) = (rows, broken);
        if self.selected().is_none() {
            self.chosen = self.shown().first().map(|row| row.id.clone());
            self.scroll = 0;
        }
    }

    /// Every session, shown or not.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The rows that the filter leaves.
    pub fn shown(&self) -> Vec<&Row> {
        self.rows.iter().filter(|row| row.matches(&self.filter)).collect()
    }

    /// The selected row and where it stands among those shown.
    pub fn selected(&self) -> Option<(usize, &Row)> {
        let chosen = self.chosen.as_deref()?;
        let shown = self.shown();
        let at = shown.iter().position(|row| row.id == chosen)?;
        Some((at, shown[at]))
    }

    /// The id of the selected session.
    pub fn id(&self) -> Option<String> {
        self.selected().map(|(_, row)| row.id.clone())
    }

    /// Does what a key says; what it cannot do itself is returned.
    pub fn press(&mut self, key: KeyEvent) -> Order {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return if key.code == KeyCode::Char('c') { Order::Interrupt } else { Order::Nothing };
        }
        self.message = None;
        match self.mode {
            Mode::Board => return self.on_board(key.code),
            Mode::Filter => self.on_filter(key.code),
            Mode::Feedback | Mode::Evidence => self.on_text(key.code),
            Mode::Help => self.open(Mode::Board),
        }
        Order::Nothing
    }

    fn on_board(&mut self, key: KeyCode) -> Order {
        match key {
            KeyCode::Char('q') => return Order::Quit,
            KeyCode::Esc => self.filter.clear(),
            KeyCode::Up | KeyCode::Char('k') => self.select(|at, _| at.saturating_sub(1)),
            KeyCode::Down | KeyCode::Char('j') => self.select(|at, _| at + 1),
            KeyCode::Home | KeyCode::Char('g') => self.select(|_, _| 0),
            KeyCode::End | KeyCode::Char('G') => self.select(|_, last| last),
            KeyCode::PageUp => self.scroll = self.scroll.saturating_sub(PAGE),
            KeyCode::PageDown | KeyCode::Char(' ') => {
                self.scroll = self.scroll.saturating_add(PAGE);
            }
            KeyCode::Char('/') => self.open(Mode::Filter),
            KeyCode::Enter | KeyCode::Char('f') => self.open(Mode::Feedback),
            KeyCode::Char('e') => self.open(Mode::Evidence),
            KeyCode::Char('?' | 'h') => self.open(Mode::Help),
            KeyCode::Char(c @ ('o' | 'r' | 'y')) => return self.order(c),
            _ => {}
        }
        Order::Nothing
    }

    /// A key that asks for something about the selected session.
    fn order(&self, key: char) -> Order {
        let Some((_, row)) = self.selected() else { return Order::Nothing };
        let id = row.id.clone();
        match key {
            'o' => Order::Switch { id, on: !row.is_on },
            'r' => Order::Reset(id),
            _ => Order::Copy(id),
        }
    }

    fn on_filter(&mut self, key: KeyCode) {
        match key {
            KeyCode::Char(c) => self.filter.push(c),
            KeyCode::Backspace => drop(self.filter.pop()),
            KeyCode::Enter | KeyCode::Down | KeyCode::Up => self.mode = Mode::Board,
            KeyCode::Esc => {
                self.filter.clear();
                self.mode = Mode::Board;
            }
            _ => return,
        }
        if self.selected().is_none() {
            self.select(|_, _| 0);
        }
    }

    fn on_text(&mut self, key: KeyCode) {
        match key {
            KeyCode::Up | KeyCode::Char('k') => self.scroll = self.scroll.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => self.scroll = self.scroll.saturating_add(1),
            KeyCode::PageUp => self.scroll = self.scroll.saturating_sub(PAGE),
            KeyCode::PageDown | KeyCode::Char(' ') => {
                self.scroll = self.scroll.saturating_add(PAGE);
            }
            KeyCode::Home | KeyCode::Char('g') => self.scroll = 0,
            KeyCode::End | KeyCode::Char('G') => self.scroll = usize::MAX,
            KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q' | 'f' | 'e') => {
                self.open(Mode::Board);
            }
            _ => {}
        }
    }

    fn open(&mut self, mode: Mode) {
        (self.mode, self.scroll) = (mode, 0);
    }

    /// Selects the row that `to` makes of the present one and the last one.
    fn select(&mut self, to: impl Fn(usize, usize) -> usize) {
        let at = self.selected().map_or(0, |(at, _)| at);
        let shown = self.shown();
        let last = shown.len().saturating_sub(1);
        self.chosen = shown.get(to(at, last).min(last)).map(|row| row.id.clone());
        self.scroll = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cmd::monitor::sample;

    fn keys(view: &mut View, keys: &str) -> Order {
        let mut last = Order::Nothing;
        for c in keys.chars() {
            let code = match c {
                '\n' => KeyCode::Enter,
                '\x1b' => KeyCode::Esc,
                '\x08' => KeyCode::Backspace,
                '↑' => KeyCode::Up,
                '↓' => KeyCode::Down,
                c => KeyCode::Char(c),
            };
            last = view.press(KeyEvent::new(code, KeyModifiers::NONE));
        }
        last
    }

    fn view() -> View {
        let mut view = View::default();
        view.set_rows(sample::rows(), 0);
        view
    }

    #[test]
    fn the_chosen_session_stays_chosen_when_rows_move_and_go() {
        let mut view = view();
        assert_eq!(view.selected().unwrap().0, 0);
        keys(&mut view, "↓↓↓↑jk");
        let id = view.id().unwrap();
        assert_eq!(view.selected().unwrap().0, 2);
        let mut rows = sample::rows();
        rows.reverse();
        view.set_rows(rows.clone(), 0);
        assert_eq!(view.id().unwrap(), id);
        rows.retain(|row| row.id != id);
        view.set_rows(rows, 0);
        assert_eq!(view.selected().unwrap().0, 0);
        view.set_rows(Vec::new(), 0);
        assert_eq!(keys(&mut view, "↓↑Ggory\n"), Order::Nothing);
        assert_eq!(view.id(), None);
    }

    #[test]
    fn a_filter_is_typed_kept_and_cleared() {
        let mut view = view();
        let all = view.shown().len();
        keys(&mut view, "/needsx\x08");
        assert_eq!((view.shown().len(), view.mode), (1, Mode::Filter));
        assert_eq!(view.selected().unwrap().1.doing.name(), "needs you");
        keys(&mut view, "\n");
        assert_eq!((view.shown().len(), view.mode), (1, Mode::Board));
        keys(&mut view, "\x1b");
        assert_eq!(view.shown().len(), all);
        keys(&mut view, "/nothing has this");
        assert_eq!((view.shown().len(), view.id()), (0, None));
        keys(&mut view, "\x1b");
        assert!(view.id().is_some());
    }

    #[test]
    fn orders_are_about_the_selected_session() {
        let mut view = view();
        let id = view.id().unwrap();
        assert_eq!(keys(&mut view, "r"), Order::Reset(id.clone()));
        assert_eq!(keys(&mut view, "y"), Order::Copy(id.clone()));
        let on = !view.selected().unwrap().1.is_on;
        assert_eq!(keys(&mut view, "o"), Order::Switch { id, on });
        assert_eq!(keys(&mut view, "q"), Order::Quit);
        let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        for mode in ["", "/", "\n", "?"] {
            keys(&mut view, mode);
            assert_eq!(view.press(interrupt), Order::Interrupt);
            keys(&mut view, "\x1b");
        }
    }

    #[test]
    fn texts_open_scroll_and_close() {
        let mut view = view();
        for (key, mode) in [("\n", Mode::Feedback), ("f", Mode::Feedback), ("e", Mode::Evidence)] {
            keys(&mut view, key);
            assert_eq!((view.mode, view.scroll), (mode, 0));
            keys(&mut view, "jjjk");
            assert_eq!(view.scroll, 2);
            assert_eq!(keys(&mut view, "q"), Order::Nothing, "q closes the text, not the monitor");
            assert_eq!((view.mode, view.scroll), (Mode::Board, 0));
        }
        keys(&mut view, "?");
        assert_eq!(view.mode, Mode::Help);
        keys(&mut view, "x");
        assert_eq!(view.mode, Mode::Board);
    }
}
