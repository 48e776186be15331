//! What follows from what is known of a stop. The hook and `ccc replay` decide by the same
//! functions.

use crate::rules::breaker::{Breaker, Limits, Progress, State};
use crate::rules::outcome::{Allow, Block, Decision};
use crate::rules::state::Judged;
use crate::rules::verdict::{Reading, Verdict};

/// Whether the work moved from one stop to the next.
pub fn progress(before: Option<&str>, now: Option<&str>, is_question: bool) -> Progress {
    match (before, now) {
        _ if is_question => Progress::Unknown,
        (Some(before), Some(now)) if before == now => Progress::No,
        (Some(_), Some(_)) => Progress::Yes,
        _ => Progress::Unknown,
    }
}

/// Whether the breaker opens because the work does not move. A half-open one grants one review,
/// and is settled by it.
pub fn no_progress(
    breaker: &Breaker,
    progress: Progress,
    limits: Limits,
    now: u64,
) -> Option<Allow> {
    if breaker.state == State::HalfOpen {
        return None;
    }
    let mut breaker = breaker.clone();
    breaker.note_progress(progress, limits, now);
    breaker.is_open().then_some(Allow::BreakerOpen(breaker.why))
}

/// Whether the breaker opens instead of sending the same feedback once more.
pub fn same_feedback(
    breaker: &mut Breaker,
    block: &Block,
    limits: Limits,
    now: u64,
) -> Option<Allow> {
    breaker.note_feedback(&block.message(), limits, now);
    breaker.is_open().then(|| Allow::BreakerOpen(breaker.why.clone()))
}

/// The same work is not judged twice.
pub fn judged_before(judged: &Judged) -> Decision {
    match judged.completed {
        true => Decision::Allow(Allow::ApprovedBefore),
        false => Decision::Block(Block::Unchanged(judged.feedback.clone())),
    }
}

/// What an answer means. Doubt never lets a stop go silently.
pub fn by_reading(reading: Reading, block_on_error: bool) -> (Decision, Option<Verdict>) {
    match reading {
        Reading::Verdict(verdict) => {
            let text = verdict.feedback.clone();
            let decision = match (verdict.needs_human, verdict.completed) {
                (true, _) => Decision::Allow(Allow::NeedsHuman(text)),
                (false, true) => Decision::Allow(Allow::Approved),
                (false, false) => Decision::Block(Block::Incomplete(text)),
            };
            (decision, Some(verdict))
        }
        Reading::Doubt { text, .. } if !text.trim().is_empty() => {
            (Decision::Block(Block::Doubt(text)), None)
        }
        Reading::Doubt { why, .. } => (on_failure(block_on_error, why.to_owned()), None),
        Reading::Nothing => (on_failure(block_on_error, "the reviewer said nothing".into()), None),
    }
}

/// What a judge means that could not do its job.
pub fn on_failure(block_on_error: bool, why: String) -> Decision {
    match block_on_error {
        false => Decision::Allow(Allow::JudgeFailed(why)),
        true => Decision::Block(Block::ReviewFailed),
    }
}
