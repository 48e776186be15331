//! The supervised sessions as rows of a board: what each does, and whether that can still be true.
//!
//! A row says nothing that only a session has, so whatever else works in rounds may stand beside.

use crate::rules::breaker;
use crate::rules::live::Live;
use crate::rules::state::{LastVerdict, Phase, SessionState};

/// Seconds that a review may take beyond its limits before it counts as dead.
const GRACE: u64 = 60;

/// What a session does, for those who watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    Working,
    Reviewing,
    SentBack,
    Done,
    /// The stop was allowed without an approval.
    Allowed,
    NeedsYou,
    Off,
    /// It said to be at work, and nothing was heard of it for too long; or its review was killed.
    Stale,
}

impl Doing {
    /// Every one of them.
    #[cfg(test)]
    pub const ALL: [Self; 8] = [
        Self::Working,
        Self::Reviewing,
        Self::SentBack,
        Self::Done,
        Self::Allowed,
        Self::NeedsYou,
        Self::Off,
        Self::Stale,
    ];

    /// For people; also the word in `--json`, with `_` for the blank.
    pub fn name(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Reviewing => "reviewing",
            Self::SentBack => "sent back",
            Self::Done => "done",
            Self::Allowed => "allowed",
            Self::NeedsYou => "needs you",
            Self::Off => "off",
            Self::Stale => "stale",
        }
    }
}

/// What the config of a session's project says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub enabled: bool,
    pub max_iterations: u32,
    pub breaker_enabled: bool,
    pub expire_hours: u64,
    /// Longest review, checks included, in seconds.
    pub review_secs: u64,
}

/// A running review with what the system says of its process.
#[derive(Clone, Debug, PartialEq)]
pub struct Review {
    pub live: Live,
    pub is_alive: bool,
}

/// One line of the board.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub id: String,
    pub client: &'static str,
    pub project: String,
    pub doing: Doing,
    pub is_on: bool,
    /// Blocks so far in this chain, of at most `max`.
    pub round: u32,
    pub max: u32,
    /// `None` where the config has no breaker.
    pub breaker: Option<breaker::State>,
    /// Why the breaker opened, else empty.
    pub breaker_why: String,
    pub reviews: u32,
    pub cost_usd: f64,
    /// Unix seconds.
    pub updated_at: u64,
    pub review: Option<Live>,
    pub verdict: Option<LastVerdict>,
    /// A block that had no effect, in one sentence.
    pub discarded: Option<String>,
}

impl Row {
    /// The row of a session at `now`.
    pub fn of_session(
        state: &SessionState,
        review: Option<&Review>,
        limits: &Limits,
        now: u64,
    ) -> Self {
        let is_on = state.enabled.unwrap_or(limits.enabled);
        let breaker = state.breaker.clone().at(now);
        let live = review.filter(|r| r.is_alive).map(|r| r.live.clone());
        Self {
            id: state.session_id.clone(),
            client: state.client.name(),
            project: state.project.clone(),
            doing: doing(state, review, limits, now),
            is_on,
            round: state.chain.iteration,
            max: limits.max_iterations,
            breaker: limits.breaker_enabled.then_some(breaker.state),
            breaker_why: breaker.why,
            reviews: state.cost.reviews,
            cost_usd: state.cost.usd,
            updated_at: state.updated_at,
            review: live.filter(|_| state.phase == Phase::Reviewing),
            verdict: state.last_verdict.clone(),
            discarded: state.last_discarded.map(|d| d.sentence()),
        }
    }

    /// Seconds since something happened; a time in the future is none.
    pub fn age(&self, now: u64) -> u64 {
        now.saturating_sub(self.updated_at)
    }

    /// Whether one of the texts that a person would look for holds this one, in any case.
    pub fn matches(&self, wanted: &str) -> bool {
        let wanted = wanted.to_lowercase();
        let texts = [&self.id, &self.project, self.client, self.doing.name()];
        texts.iter().any(|text| text.to_lowercase().contains(&wanted))
    }
}

fn doing(state: &SessionState, review: Option<&Review>, limits: &Limits, now: u64) -> Doing {
    let age = now.saturating_sub(state.updated_at);
    match state.phase {
        // Supervision that was switched off meanwhile does not end a review.
        Phase::Reviewing => match review {
            Some(review) if review.is_alive => Doing::Reviewing,
            Some(_) => Doing::Stale,
            None if age > limits.review_secs.saturating_add(GRACE) => Doing::Stale,
            None => Doing::Reviewing,
        },
        _ if !state.enabled.unwrap_or(limits.enabled) => Doing::Off,
        Phase::Working | Phase::SentBack if state.is_expired(limits.expire_hours, now) => {
            Doing::Stale
        }
        Phase::Working => Doing::Working,
        Phase::SentBack => Doing::SentBack,
        Phase::Done => Doing::Done,
        Phase::NeedsYou => Doing::NeedsYou,
        Phase::Allowed => Doing::Allowed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::stop::Client;

    const LIMITS: Limits = Limits {
        enabled: true,
        max_iterations: 10,
        breaker_enabled: true,
        expire_hours: 24,
        review_secs: 600,
    };
    const DAY: u64 = 86_400;

    fn state(phase: Phase, enabled: Option<bool>) -> SessionState {
        let new = SessionState::new("s-1", Client::Codex, "/home/Ann/Shop".into(), 1_000_000);
        SessionState { phase, enabled, ..new }
    }

    fn review(is_alive: bool) -> Review {
        let live = Live {
            pid: 7,
            round: 1,
            stage: "asking claude".into(),
            started_at: 1_000_000,
            limit_secs: 600,
            deeds: Vec::new(),
        };
        Review { live, is_alive }
    }

    #[test]
    fn what_a_session_does_follows_from_phase_switch_age_and_process() {
        let (alive, dead) = (review(true), review(false));
        let table = [
            (Phase::Working, None, None, 5, Doing::Working),
            (Phase::Working, None, None, DAY, Doing::Stale),
            (Phase::Working, Some(false), None, 5, Doing::Off),
            (Phase::SentBack, Some(true), None, 5, Doing::SentBack),
            (Phase::SentBack, None, None, DAY, Doing::Stale),
            (Phase::Reviewing, None, Some(&alive), 5, Doing::Reviewing),
            (Phase::Reviewing, Some(false), Some(&alive), 5, Doing::Reviewing),
            (Phase::Reviewing, None, Some(&dead), 5, Doing::Stale),
            (Phase::Reviewing, None, None, 660, Doing::Reviewing),
            (Phase::Reviewing, None, None, 661, Doing::Stale),
            (Phase::Done, None, None, 9 * DAY, Doing::Done),
            (Phase::NeedsYou, None, None, 9 * DAY, Doing::NeedsYou),
            (Phase::Allowed, None, None, 9 * DAY, Doing::Allowed),
            (Phase::Done, Some(false), None, 5, Doing::Off),
        ];
        for (phase, enabled, live, age, want) in table {
            let row = Row::of_session(&state(phase, enabled), live, &LIMITS, 1_000_000 + age);
            assert_eq!(row.doing, want, "{phase:?} {enabled:?} {live:?} {age}");
            assert_eq!(row.age(1_000_000 + age), age);
        }
    }

    #[test]
    fn the_config_decides_where_the_session_does_not_and_clocks_may_jump() {
        let off = Limits { enabled: false, breaker_enabled: false, ..LIMITS };
        let row = Row::of_session(&state(Phase::Done, None), None, &off, 5);
        assert_eq!((row.doing, row.is_on, row.breaker, row.age(5)), (Doing::Off, false, None, 0));
        let row = Row::of_session(&state(Phase::Done, Some(true)), None, &off, 5);
        assert_eq!((row.doing, row.is_on), (Doing::Done, true));
    }

    #[test]
    fn an_open_breaker_cools_down_on_the_board_too() {
        let mut s = state(Phase::Allowed, None);
        s.breaker.state = breaker::State::Open;
        s.breaker.opened_at = Some(1_000_000);
        let shown = |at| Row::of_session(&s, None, &LIMITS, at).breaker;
        assert_eq!(shown(1_000_010), Some(breaker::State::Open));
        assert_eq!(shown(1_000_000 + 1800), Some(breaker::State::HalfOpen));
    }

    #[test]
    fn a_row_is_found_by_what_is_read_on_it() {
        let row = Row::of_session(&state(Phase::NeedsYou, None), None, &LIMITS, 1_000_000);
        for wanted in ["s-1", "shop", "ANN", "codex", "needs", ""] {
            assert!(row.matches(wanted), "{wanted}");
        }
        assert!(!row.matches("claude") && !row.matches("stale"));
    }
}
