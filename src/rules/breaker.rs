//! Circuit breaker: ends a loop that gets nowhere. It only ever stops blocking, it never blocks.

use serde::{Deserialize, Serialize};

/// An open breaker becomes half-open by itself after this many seconds.
const COOL_DOWN_SECS: u64 = 30 * 60;

/// State of one session's breaker, as stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Breaker {
    pub state: State,
    /// Stops in a row without progress.
    pub no_progress: u32,
    /// Blocks in a row with the same feedback.
    pub same_feedback: u32,
    /// The feedback that is counted, folded (see [`fold`]).
    pub last_feedback: Option<String>,
    /// Unix seconds.
    pub opened_at: Option<u64>,
    /// Why it opened, for the user.
    pub why: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    #[default]
    Closed,
    Open,
    HalfOpen,
}

impl State {
    /// The word of the contract.
    pub fn name(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::HalfOpen => "half_open",
        }
    }
}

/// Whether the work moved since the last stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    Yes,
    No,
    /// No repository, no earlier stop, or a stop that only asks a question: the counters freeze.
    Unknown,
}

/// Thresholds, both over 0.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub no_progress: u32,
    pub same_feedback: u32,
}

impl Breaker {
    /// The breaker as it is at `now`: an open one cools down. A clock that jumped back counts as
    /// cooled down, so that nobody is locked out.
    #[must_use]
    pub fn at(mut self, now: u64) -> Self {
        let is_hot = self.opened_at.is_some_and(|t| t <= now && now - t < COOL_DOWN_SECS);
        if self.state == State::Open && !is_hot {
            self.state = State::HalfOpen;
        }
        self
    }

    /// Whether stops are allowed without a review.
    pub fn is_open(&self) -> bool {
        self.state == State::Open
    }

    /// What `ccc reset` does.
    pub fn reset(&mut self) {
        let state = if self.state == State::Closed { State::Closed } else { State::HalfOpen };
        *self = Self { state, ..Self::default() };
    }

    /// Takes note of whether the work moved; may open or close the breaker.
    pub fn note_progress(&mut self, progress: Progress, limits: Limits, now: u64) {
        match (self.state, progress) {
            (_, Progress::Unknown) | (State::Open, _) => {}
            (State::HalfOpen, Progress::Yes) => *self = Self::default(),
            (State::Closed, Progress::Yes) => self.no_progress = 0,
            (State::HalfOpen, Progress::No) => {
                self.no_progress = self.no_progress.saturating_add(1);
                self.open("still no progress after the breaker was half-open", now);
            }
            (State::Closed, Progress::No) => {
                self.no_progress = self.no_progress.saturating_add(1);
                if self.no_progress >= limits.no_progress {
                    let n = self.no_progress;
                    self.open(&format!("{n} stops without progress"), now);
                }
            }
        }
    }

    /// Takes note of a feedback that is about to be sent; may open the breaker, and then it must
    /// not be sent.
    pub fn note_feedback(&mut self, feedback: &str, limits: Limits, now: u64) {
        let folded = fold(feedback);
        if self.last_feedback.as_ref() == Some(&folded) {
            self.same_feedback = self.same_feedback.saturating_add(1);
        } else {
            self.same_feedback = 1;
            self.last_feedback = Some(folded);
        }
        if self.same_feedback >= limits.same_feedback {
            let n = self.same_feedback;
            self.open(&format!("the same feedback {n} times"), now);
        }
    }

    /// A complete verdict clears everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    fn open(&mut self, why: &str, now: u64) {
        self.state = State::Open;
        self.opened_at = Some(now);
        why.clone_into(&mut self.why);
    }
}

/// A feedback made comparable: numbers and paths folded, blanks joined, case dropped, cut.
pub fn fold(text: &str) -> String {
    let word = |w: &str| {
        if w.contains('/') {
            "<path>".to_owned()
        } else {
            w.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect::<String>()
        }
    };
    let words = text.split_whitespace().take(200).map(word);
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { no_progress: 3, same_feedback: 5 };

    #[test]
    fn three_stops_without_progress_open_it_and_questions_freeze_it() {
        let mut b = Breaker::default();
        for p in [Progress::No, Progress::Unknown, Progress::No, Progress::Unknown] {
            b.note_progress(p, LIMITS, 100);
            assert!(!b.is_open());
        }
        b.note_progress(Progress::No, LIMITS, 100);
        assert!(b.is_open() && b.why.contains("3 stops"));
    }

    #[test]
    fn progress_starts_the_count_anew() {
        let mut b = Breaker::default();
        for p in [Progress::No, Progress::No, Progress::Yes, Progress::No, Progress::No] {
            b.note_progress(p, LIMITS, 100);
        }
        assert!(!b.is_open());
    }

    #[test]
    fn it_cools_down_after_half_an_hour_and_when_the_clock_jumps() {
        let mut b = Breaker::default();
        b.open("x", 10_000);
        assert!(b.clone().at(10_000 + COOL_DOWN_SECS - 1).is_open());
        assert_eq!(b.clone().at(10_000 + COOL_DOWN_SECS).state, State::HalfOpen);
        assert_eq!(b.at(9_999).state, State::HalfOpen);
    }

    #[test]
    fn half_open_closes_with_progress_and_opens_without() {
        for (progress, state) in [(Progress::Yes, State::Closed), (Progress::No, State::Open)] {
            let mut b = Breaker { state: State::HalfOpen, ..Breaker::default() };
            b.note_progress(progress, LIMITS, 5);
            assert_eq!(b.state, state);
        }
    }

    #[test]
    fn the_same_feedback_counts_with_numbers_and_paths_folded() {
        let mut b = Breaker::default();
        for i in 0..5 {
            assert!(!b.is_open());
            b.note_feedback(&format!("Mend  src/a{i}.rs line {i}"), LIMITS, 1);
        }
        assert!(b.is_open());
    }
}
