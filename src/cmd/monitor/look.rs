//! How things look: sixteen colors at most, and nothing that only a color tells.

use ratatui::style::{Color, Modifier, Style};

use crate::rules::board::Doing;

/// With or without color.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    pub has_color: bool,
}

impl Look {
    fn colored(self, style: Style, color: Color) -> Style {
        if self.has_color { style.fg(color) } else { style }
    }

    /// What a session does.
    pub fn doing(self, doing: Doing) -> Style {
        let plain = Style::new();
        match doing {
            Doing::Working => self.colored(plain, Color::Cyan),
            Doing::Reviewing => self.colored(plain, Color::Yellow),
            Doing::SentBack => self.colored(plain, Color::Magenta),
            Doing::Done => self.colored(plain, Color::Green),
            Doing::NeedsYou => self.colored(plain.add_modifier(Modifier::BOLD), Color::Red),
            Doing::Stale => self.colored(plain, Color::Red),
            Doing::Allowed => plain,
            Doing::Off => self.quiet(),
        }
    }

    /// The bar of a running review.
    pub fn bar(self) -> Style {
        self.colored(Style::new(), Color::Yellow)
    }

    /// The first and the last line.
    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// What matters less.
    pub fn quiet(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// The selected row.
    pub fn selected(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }
}
