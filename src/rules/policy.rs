//! The limits that let a stop go ahead before anything is started.

use crate::rules::outcome::Allow;
use crate::rules::state::SessionState;
use crate::rules::stop::Stop;

/// Seconds in which reviews are counted.
pub const RATE_WINDOW_SECS: u64 = 3600;
/// Blocks without a tool call that Claude Code (2.1.332) honours; the next one is overridden, and
/// then `claude -p` even prints an empty answer.
pub const CLAUDE_BLOCK_CAP: u32 = 8;

/// What bounds the blocks of a chain.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub max_iterations: u32,
    /// The client's own cap on consecutive blocks; `None` when it has none.
    pub client_cap: Option<u32>,
    pub breaker_enabled: bool,
}

/// Whether a stop is let go because of a limit. `blocks_in_a_row` are the blocks since the last
/// tool call, as the client counts them.
pub fn admit(limits: &Limits, state: &SessionState, blocks_in_a_row: u32) -> Result<(), Allow> {
    if state.chain.iteration >= limits.max_iterations {
        return Err(Allow::CapReached { max: limits.max_iterations });
    }
    if let Some(cap) = limits.client_cap.filter(|&cap| blocks_in_a_row >= cap) {
        return Err(Allow::ClientCap { blocks: cap });
    }
    if limits.breaker_enabled && state.breaker.is_open() {
        return Err(Allow::BreakerOpen(state.breaker.why.clone()));
    }
    Ok(())
}

/// Why a stop waits for background work; `None` when there is none.
pub fn background(stop: &Stop) -> Option<Allow> {
    let what: Vec<&str> = stop.running_tasks().map(|t| t.what.as_str()).collect();
    (!what.is_empty()).then(|| Allow::Background(what.join(", ")))
}

/// Review starts (Unix seconds) that still count at `now`: the last hour, and nothing from the
/// future.
pub fn rate_window(starts: &[u64], now: u64) -> Vec<u64> {
    starts.iter().copied().filter(|&t| t <= now && now - t < RATE_WINDOW_SECS).collect()
}

/// When the next review is free, or `None` when one is free now. `starts` is a [`rate_window`].
pub fn rate_free_at(starts: &[u64], limit: u32, now: u64) -> Option<u64> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    if starts.len() < limit {
        return None;
    }
    let mut starts = starts.to_vec();
    starts.sort_unstable();
    let leaves = starts.len().checked_sub(limit).and_then(|i| starts.get(i));
    Some(leaves.map_or(now, |t| *t) + RATE_WINDOW_SECS)
}

/// Whether a message only asks the user something: its last paragraph ends in a question.
pub fn is_question(message: Option<&str>) -> bool {
    let Some(message) = message else { return false };
    let last = message.trim_end().lines().next_back().unwrap_or_default();
    last.trim_end_matches(['*', '_', '`', ')', '"', ' ']).ends_with(['?', '？'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::stop::{BackgroundTask, Client};

    #[test]
    fn the_cap_holds_before_the_clients_own() {
        let mut s = SessionState::new("s", Client::Claude, String::new(), 0);
        let limits = Limits { max_iterations: 2, client_cap: Some(8), breaker_enabled: true };
        assert_eq!(admit(&limits, &s, 7), Ok(()));
        assert_eq!(admit(&limits, &s, 8), Err(Allow::ClientCap { blocks: 8 }));
        s.chain.iteration = 2;
        assert_eq!(admit(&limits, &s, 8), Err(Allow::CapReached { max: 2 }));
    }

    #[test]
    fn the_rate_window_slides_and_drops_the_future() {
        let window = rate_window(&[100, 3600, 3700, 9000], 3701);
        assert_eq!(window, [3600, 3700]);
        assert_eq!(rate_free_at(&window, 3, 3701), None);
        assert_eq!(rate_free_at(&window, 2, 3701), Some(7200));
        assert_eq!(rate_free_at(&window, 1, 3701), Some(7300));
        assert_eq!(rate_free_at(&[], 0, 50), Some(50 + 3600));
    }

    #[test]
    fn questions_are_told_by_their_last_line() {
        assert!(is_question(Some("I see two ways.\n\n**Which one should I use?**")));
        assert!(is_question(Some("需要我现在开始修改吗？")));
        assert!(!is_question(Some("Is it done? Yes, it is.")) && !is_question(Some("")));
    }

    #[test]
    fn running_background_work_is_named() {
        let task = |status: &str| BackgroundTask {
            kind: "shell".into(),
            status: status.into(),
            what: "npm run soak".into(),
        };
        let mut stop = Stop::new(Client::Claude);
        stop.background_tasks = vec![task("completed")];
        assert_eq!(background(&stop), None);
        stop.background_tasks.push(task("running"));
        assert_eq!(background(&stop), Some(Allow::Background("npm run soak".into())));
    }
}
