//! Decides a recorded stop again, by the settings that count now. Follows the order of the hook.

use crate::rules::breaker::{self, Progress, State};
use crate::rules::decide;
use crate::rules::outcome::{Allow, Block, Decision};
use crate::rules::policy::{self, Limits};
use crate::rules::state::SessionState;
use crate::rules::status_judge;
use crate::rules::stop_record::{Answered, Settings, StopRecord};
use crate::rules::verdict::Reading;

/// How far the rules come with a record.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// They decide.
    Decided(Decision),
    /// The world decided (a lock, a full hour, a state that could not be saved), no rule.
    AsRecorded,
    /// A judge is asked.
    AskJudge,
}

/// Everything that comes before a judge.
pub fn before_judge(stop: &StopRecord, settings: &Settings) -> Step {
    let given = &stop.given;
    if let Some(what) = &given.background {
        return Step::Decided(Decision::Allow(Allow::Background(what.clone())));
    }
    if let Some(error) = &given.api_error {
        return Step::Decided(Decision::Allow(Allow::ApiError(error.clone())));
    }
    let Some(state) = &given.before else { return Step::AsRecorded };
    let limits = Limits {
        max_iterations: settings.max_iterations,
        client_cap: given.client_cap,
        breaker_enabled: settings.breaker_enabled,
    };
    if let Err(reason) = policy::admit(&limits, state, given.blocks_in_a_row) {
        return Step::Decided(Decision::Allow(reason));
    }
    if let Some(block) = failed_gate(stop, settings) {
        return Step::Decided(Decision::Block(block));
    }
    let stuck =
        decide::no_progress(&state.breaker, progress(stop, state), limits_of(settings), stop.at);
    if let Some(reason) = stuck.filter(|_| settings.breaker_enabled) {
        return Step::Decided(Decision::Allow(reason));
    }
    let is_same_judge = settings.judge == stop.settings.judge;
    let is_closed = settings.breaker_enabled && state.breaker.state == State::Closed;
    let judged = state.verdict_for(given.fingerprint.as_deref());
    match judged.filter(|_| is_closed && is_same_judge && !settings.by_rules && !given.is_question)
    {
        Some(judged) => {
            Step::Decided(after_feedback(stop, settings, decide::judged_before(judged)))
        }
        None if stop.outcome.reason == "rate-limited" && !settings.by_rules => Step::AsRecorded,
        None => Step::AskJudge,
    }
}

/// What follows from a judge's answer, or, where the judge is made of rules, from the last
/// message. `None` without an answer.
pub fn judged(
    stop: &StopRecord,
    settings: &Settings,
    answer: Option<&Answered>,
) -> Option<Decision> {
    let reading = if settings.by_rules {
        let last = stop.given.last_message.as_deref().unwrap_or_default();
        let earlier = stop.given.closings.iter().map(String::as_str);
        let messages: Vec<&str> = earlier.chain([last]).collect();
        Ok(Reading::Verdict(status_judge::judge(&messages)))
    } else {
        answer?.reading()
    };
    let decision = match reading {
        Ok(reading) => decide::by_reading(reading, settings.block_on_error).0,
        Err(why) => decide::on_failure(settings.block_on_error, why),
    };
    Some(after_feedback(stop, settings, decision))
}

fn failed_gate(stop: &StopRecord, settings: &Settings) -> Option<Block> {
    let is_gate = |run: &String| settings.gates.contains(run);
    let check = stop.given.checks.iter().find(|check| !check.passed && is_gate(&check.run))?;
    Some(Block::Gate {
        name: check.name.clone(),
        ended: format!("({}) {}", check.run, check.ended),
        output: check.output.clone(),
    })
}

fn progress(stop: &StopRecord, state: &SessionState) -> Progress {
    let (before, now) = (state.last_work.as_deref(), stop.given.work.as_deref());
    decide::progress(before, now, stop.given.is_question)
}

fn limits_of(settings: &Settings) -> breaker::Limits {
    breaker::Limits { no_progress: settings.no_progress, same_feedback: settings.same_feedback }
}

/// A block may open the breaker, and is then not sent.
fn after_feedback(stop: &StopRecord, settings: &Settings, decision: Decision) -> Decision {
    let (Some(state), true) = (&stop.given.before, settings.breaker_enabled) else {
        return decision;
    };
    let Decision::Block(block) = &decision else { return decision };
    let mut breaker = state.breaker.clone();
    if stop.given.work.is_some() {
        breaker.note_progress(progress(stop, state), limits_of(settings), stop.at);
    }
    match decide::same_feedback(&mut breaker, block, limits_of(settings), stop.at) {
        Some(reason) => Decision::Allow(reason),
        None => decision,
    }
}

/// The settings that changed, for people: `max_iterations 10 -> 2`.
pub fn changes(old: &Settings, new: &Settings) -> Vec<String> {
    let on = |is_on: bool| if is_on { "true" } else { "false" }.to_owned();
    let failure = |blocks: bool| if blocks { "block" } else { "allow" }.to_owned();
    let pairs = |s: &Settings| {
        [
            ("judge", s.judge.clone()),
            ("max_iterations", s.max_iterations.to_string()),
            ("on_error", failure(s.block_on_error)),
            ("breaker.enabled", on(s.breaker_enabled)),
            ("breaker.no_progress", s.no_progress.to_string()),
            ("breaker.same_feedback", s.same_feedback.to_string()),
            ("gates", if s.gates.is_empty() { "none".to_owned() } else { s.gates.join(", ") }),
        ]
    };
    let both = pairs(old).into_iter().zip(pairs(new)).filter(|(old, new)| old != new);
    both.map(|((key, old), (_, new))| format!("{key}: {old} -> {new}")).collect()
}
