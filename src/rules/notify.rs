//! When the user is called back to a session, and by which sequence his terminal does it.

use crate::rules::outcome::{Allow, Decision};
use crate::rules::text::{cut, one_line};

/// Longest text of a notification, in characters.
const MAX_TEXT: usize = 200;

/// What of it is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Notify {
    /// When only the user can decide what comes next.
    pub needs_you: bool,
    /// When a prompt's work ends after more than so many minutes.
    pub after_minutes: Option<u64>,
    pub terminal: Terminal,
    /// A command that is told, too; run by `sh -c`.
    pub command: Option<String>,
}

impl Default for Notify {
    fn default() -> Self {
        Self { needs_you: true, after_minutes: None, terminal: Terminal::Osc9, command: None }
    }
}

/// The sequence that a terminal notifies by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminal {
    Osc9,
    Osc777,
    Bell,
    None,
}

impl Terminal {
    /// By its word in the config.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "osc9" => Some(Self::Osc9),
            "osc777" => Some(Self::Osc777),
            "bell" => Some(Self::Bell),
            "none" => Some(Self::None),
            _ => None,
        }
    }

    /// What a terminal shows this text for. Claude Code (2.1.332) passes these three on, and
    /// nothing else.
    pub fn sequence(self, text: &str) -> Option<String> {
        match self {
            Self::Osc9 => Some(format!("\x1b]9;{text}\x07")),
            Self::Osc777 => Some(format!("\x1b]777;notify;ccc;{text}\x07")),
            Self::Bell => Some("\x07".to_owned()),
            Self::None => None,
        }
    }
}

/// Why the user is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    NeedsYou,
    Ended,
}

impl Call {
    /// The word that a command is given.
    pub fn name(self) -> &'static str {
        match self {
            Self::NeedsYou => "needs_you",
            Self::Ended => "ended",
        }
    }
}

/// Whether this end of a stop calls the user; `lasted` are seconds since his prompt.
pub fn call(notify: &Notify, decision: &Decision, lasted: u64) -> Option<Call> {
    let is_long = notify.after_minutes.is_some_and(|minutes| lasted > minutes.saturating_mul(60));
    match decision {
        Decision::Allow(Allow::NeedsHuman(_)) if notify.needs_you => Some(Call::NeedsYou),
        // The session goes on by itself when the work in the background ends.
        Decision::Allow(Allow::Background(_)) | Decision::Block(_) => None,
        Decision::Allow(_) => is_long.then_some(Call::Ended),
    }
}

/// One line for the notification.
pub fn text(decision: &Decision, project: &str) -> String {
    let what = match decision {
        Decision::Allow(Allow::NeedsHuman(what)) => format!("needs you: {what}"),
        Decision::Allow(Allow::Approved | Allow::ApprovedBefore) => "approved".to_owned(),
        decision => format!("ended: {}", decision.slug()),
    };
    let place = project.rsplit('/').next().unwrap_or_default();
    cut(&one_line(&format!("{place}: {what}")), MAX_TEXT).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::outcome::Block;

    #[test]
    fn only_a_need_for_the_user_calls_by_default_and_long_work_where_asked() {
        let needs = Decision::Allow(Allow::NeedsHuman("which\nport?".into()));
        let approved = Decision::Allow(Allow::Approved);
        let failed = Decision::Allow(Allow::JudgeFailed("x".into()));
        let waits = Decision::Allow(Allow::Background("x".into()));
        let block = Decision::Block(Block::ReviewFailed);
        let default = Notify::default();
        let long = Notify { after_minutes: Some(10), ..Notify::default() };
        let off = Notify { needs_you: false, ..long.clone() };
        let table = [
            (&default, &needs, 0, Some(Call::NeedsYou)),
            (&default, &approved, 90_000, None),
            (&long, &approved, 600, None),
            (&long, &approved, 601, Some(Call::Ended)),
            (&long, &failed, 601, Some(Call::Ended)),
            (&long, &waits, 601, None),
            (&long, &block, 601, None),
            (&off, &needs, 0, None),
            (&off, &needs, 601, Some(Call::Ended)),
        ];
        for (notify, decision, lasted, expected) in table {
            assert_eq!(call(notify, decision, lasted), expected, "{decision:?} {lasted}");
        }
        assert_eq!(text(&needs, "/home/ann/shop"), "shop: needs you: which port?");
        assert_eq!(text(&failed, "/p"), "p: ended: judge-failed");
    }

    #[test]
    fn a_foreign_text_cannot_leave_its_sequence() {
        let evil = Decision::Allow(Allow::NeedsHuman("a\x07\x1b]0;b\u{9c}c".into()));
        for name in ["osc9", "osc777", "bell"] {
            let sequence = Terminal::from_name(name).unwrap().sequence(&text(&evil, "/p")).unwrap();
            let inner = &sequence[..sequence.len() - 1];
            let controls = inner.chars().filter(|c| c.is_control()).count();
            assert!(sequence.ends_with('\x07') && controls == usize::from(name != "bell"));
        }
        assert_eq!(Terminal::from_name("none").unwrap().sequence("x"), None);
    }
}
