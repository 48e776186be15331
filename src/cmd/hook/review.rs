//! One supervised stop: claim it, count it, collect, judge, conclude.

use std::ops::ControlFlow;

use crate::clients::reply::Reply;
use crate::cmd::hook::collect::{self, Collected};
use crate::cmd::hook::judge::{self, Answer, Asked, Question};
use crate::cmd::hook::{Ended, Session, notify, record};
use crate::cmd::prompt::{self, Supervisor};
use crate::config::{JudgeKind, OnError};
use crate::rules::activity::Activity;
use crate::rules::breaker::{self, Progress};
use crate::rules::last_block::LastBlock;
use crate::rules::outcome::{Allow, Decision};
use crate::rules::policy::{self, Limits};
use crate::rules::redact::{Secrets, redact, redact_in_place};
use crate::rules::state::{Judged, LastVerdict, Pass, Phase, SessionState};
use crate::rules::stop::Client;
use crate::rules::stop_record::{Answered, StopRecord};
use crate::rules::verdict::{Reading, Verdict};
use crate::rules::{decide, feedback, prompt as review_prompt, status_judge};
use crate::sys::live::LiveFile;
use crate::sys::lock::ReviewClaim;
use crate::sys::signals::Cancel;
use crate::sys::store::{self, Stored};
use crate::sys::{clock, trust};

/// What ends a review early (`Break`), or a value to go on with.
type Step<T> = ControlFlow<Conclusion, T>;

/// A decision with what the state and the history are told of it.
#[derive(Debug)]
pub struct Conclusion {
    pub decision: Decision,
    pub verdict: Option<Verdict>,
    /// What the judge used; `None` when none was asked.
    pub usage: Option<judge::Usage>,
    /// Work and question, as judged.
    pub fingerprint: Option<String>,
    /// The work alone.
    work: Option<String>,
    /// Checks that passed on it.
    passes: Vec<Pass>,
    progress: Progress,
    /// The stop was counted in advance.
    is_counted: bool,
}

impl From<Allow> for Conclusion {
    fn from(reason: Allow) -> Self {
        Decision::Allow(reason).into()
    }
}

impl From<Decision> for Conclusion {
    fn from(decision: Decision) -> Self {
        Self {
            decision,
            verdict: None,
            usage: None,
            fingerprint: None,
            work: None,
            passes: Vec::new(),
            progress: Progress::Unknown,
            is_counted: false,
        }
    }
}

impl Conclusion {
    /// Hides the secrets in what is stored, shown and sent from here on.
    fn redact(&mut self, secrets: &Secrets) {
        let texts = self.decision.texts_mut().into_iter();
        let feedback = self.verdict.iter_mut().map(|verdict| &mut verdict.feedback);
        texts.chain(feedback).for_each(|text| redact_in_place(text, secrets));
    }
}

/// Notes that the user sent a prompt: a new chain begins, with a baseline. Silent, whatever fails.
pub fn note_prompt(session: &Session) {
    let baseline = collect::baseline(session);
    // The user waits for this, so the records are read only where they can tell something.
    let is_open = matches!(session.store.load(&session.id), Stored::State(s) if s.chain.is_open);
    let last_block = if is_open { collect::glance(session).last_block } else { LastBlock::Unknown };
    let noted = session.store.update(&session.id, |old| {
        let mut state = session.state_from(old);
        let discarded = state.enter_chain(&session.stop, last_block, session.now);
        state.chain.baseline = baseline;
        state.note_request(session.stop.prompt.as_deref());
        state.phase = Phase::Working;
        state.updated_at = session.now;
        (state, discarded)
    });
    if let Ok(Some(discarded)) = noted {
        record::discarded(session, discarded);
    }
}

/// Reviews a stop and answers it.
pub fn run(session: &Session) -> Ended {
    let claim = match session.store.claim_review(&session.id) {
        Ok(ReviewClaim::Mine(lock)) => lock,
        Ok(ReviewClaim::TakenByReview) => return super::allow(&Allow::AlreadyReviewing),
        Ok(ReviewClaim::TakenByStranger) => return super::allow(&Allow::LockHeld),
        Err(e) => return super::allow(&Allow::StateNotSaved(e.to_string())),
    };
    let cancel = Cancel::on_signals().watching(session.env.claude_pid);
    let supervisor = prompt::load(&session.paths, &session.project);
    let mut stop = record::begin(session);
    let ended = match review(session, &supervisor, &mut stop, &cancel) {
        Some(conclusion) => conclude(session, &supervisor, stop, conclusion),
        None => {
            // Nobody waits for an answer any more, so nothing was blocked and nothing counts.
            save(session, |state| {
                state.chain.iteration = state.chain.iteration.saturating_sub(1);
                state.phase = Phase::Working;
            });
            Ended::Signal(cancel.signal().unwrap_or(15))
        }
    };
    drop(claim);
    store::daily(&session.paths.prune_lock(), session.now, || {
        session.store.prune(session.now);
    });
    ended
}

/// `None` when we were told to end.
fn review(
    session: &Session,
    supervisor: &Supervisor,
    stop: &mut StopRecord,
    cancel: &Cancel,
) -> Option<Conclusion> {
    let seen = collect::glance(session);
    record::note_glance(stop, &seen, client_cap(session));
    if let Some(error) = &seen.api_error {
        return Some(Allow::ApiError(error.clone()).into());
    }
    let state = match admit(session, &seen, stop) {
        ControlFlow::Continue(state) => *state,
        ControlFlow::Break(conclusion) => return Some(conclusion),
    };
    record::monitor_status(session, state.chain.iteration, "reviewing");
    let mut live = live(session, &state);
    let collected = collect::evidence(session, Some(&state), &seen, cancel);
    record::evidence(session, &collected.text);
    if cancel.is_cancelled() {
        return None;
    }
    let fingerprint = fingerprint(session, supervisor, &collected);
    record::note_collected(stop, &collected, fingerprint.as_deref());
    let early = gate(&collected)
        .and_then_continue(|| progress(session, &state, &collected))
        .and_then_continue(|| from_record(session, &state, &collected, fingerprint.as_deref()))
        .and_then_continue(|| book(session));
    let conclusion = match early {
        ControlFlow::Break(conclusion) => conclusion,
        ControlFlow::Continue(()) if session.loaded.config.judge == JudgeKind::Status => {
            judge_by_rules(session, &seen)
        }
        ControlFlow::Continue(()) => {
            judge(session, supervisor, &state, (&collected, stop), &mut live, cancel)?
        }
    };
    let progress = progress_since(&state, &collected);
    let Collected { work, passes, .. } = collected;
    Some(Conclusion { fingerprint, work, passes, progress, is_counted: true, ..conclusion })
}

/// Lets the review be watched, beginning with the evidence.
fn live(session: &Session, state: &SessionState) -> LiveFile {
    let checks = session.loaded.config.evidence.checks.iter().map(|check| check.timeout_secs);
    let limit = checks.fold(collect::GIT_BUDGET.as_secs(), u64::saturating_add);
    let (dir, round) = (session.paths.live(), state.chain.iteration);
    LiveFile::begin(&dir, &session.id, round, "collecting evidence", limit)
}

/// Chains checks that may end a review.
trait Steps {
    fn and_then_continue(self, next: impl FnOnce() -> Step<()>) -> Step<()>;
}

impl Steps for Step<()> {
    fn and_then_continue(self, next: impl FnOnce() -> Step<()>) -> Step<()> {
        match self {
            ControlFlow::Continue(()) => next(),
            ControlFlow::Break(conclusion) => ControlFlow::Break(conclusion),
        }
    }
}

/// Enters the chain, applies the limits, and counts. No block without a persisted count: what
/// cannot be saved lets the stop go.
fn admit(session: &Session, seen: &Activity, stop: &mut StopRecord) -> Step<Box<SessionState>> {
    let config = &session.loaded.config;
    let limits = Limits {
        max_iterations: config.max_iterations,
        client_cap: client_cap(session),
        breaker_enabled: config.breaker.enabled,
    };
    let rate_free_at =
        store::rate_free_at(&session.paths.rate(), config.reviews_per_hour, session.now);
    let mut discarded = None;
    let admitted = session.store.update(&session.id, |old| {
        let mut state = session.state_from(old);
        discarded = state.enter_chain(&session.stop, seen.last_block, session.now);
        state.note_request(seen.requests.last().map(String::as_str));
        state.model = seen.model.clone().or(state.model.take());
        state.breaker = state.breaker.at(session.now);
        state.updated_at = session.now;
        state.chain.is_open = false;
        stop.given.before = Some(Box::new(state.clone()));
        let mut admitted = policy::admit(&limits, &state, seen.blocks_in_a_row);
        if admitted.is_ok() && config.judge != JudgeKind::Status {
            admitted = rate_free_at.map_or(Ok(()), |at| Err(rate_limited(session, at)));
        }
        if admitted.is_ok() {
            state.chain.iteration += 1;
            state.phase = Phase::Reviewing;
        }
        let copy = state.clone();
        (state, admitted.map(|()| Box::new(copy)))
    });
    if let Some(discarded) = discarded.filter(|_| admitted.is_ok()) {
        record::discarded(session, discarded);
    }
    match admitted {
        Ok(Ok(state)) => ControlFlow::Continue(state),
        Ok(Err(reason)) => ControlFlow::Break(reason.into()),
        Err(e) => ControlFlow::Break(Allow::StateNotSaved(e.to_string()).into()),
    }
}

/// Claude Code's cap; `None` when it has none, or when the caller is not Claude Code.
fn client_cap(session: &Session) -> Option<u32> {
    let is_claude = session.stop.client == Client::Claude;
    let cap = session.env.claude_block_cap.unwrap_or(policy::CLAUDE_BLOCK_CAP);
    (is_claude && cap > 0).then_some(cap)
}

fn rate_limited(session: &Session, free_at: u64) -> Allow {
    let limit = session.loaded.config.reviews_per_hour;
    Allow::RateLimited { limit, free_at: clock::local_time_of_day(free_at) }
}

fn gate(collected: &Collected) -> Step<()> {
    match &collected.failed_gate {
        Some(block) => ControlFlow::Break(Decision::Block(block.clone()).into()),
        None => ControlFlow::Continue(()),
    }
}

/// Whether the work moved since the last stop; opens the breaker when it did not for too long.
fn progress(session: &Session, state: &SessionState, collected: &Collected) -> Step<()> {
    if !session.loaded.config.breaker.enabled {
        return ControlFlow::Continue(());
    }
    let progress = progress_since(state, collected);
    match decide::no_progress(&state.breaker, progress, breaker_limits(session), session.now) {
        Some(reason) => ControlFlow::Break(reason.into()),
        None => ControlFlow::Continue(()),
    }
}

fn progress_since(state: &SessionState, collected: &Collected) -> Progress {
    let (before, now) = (state.last_work.as_deref(), collected.work.as_deref());
    decide::progress(before, now, collected.is_question)
}

fn breaker_limits(session: &Session) -> breaker::Limits {
    let config = &session.loaded.config.breaker;
    breaker::Limits { no_progress: config.no_progress, same_feedback: config.same_feedback }
}

/// The same work is not paid for twice. Without a breaker nothing would end such a round, and a
/// half-open one wants a real review.
fn from_record(
    session: &Session,
    state: &SessionState,
    collected: &Collected,
    fingerprint: Option<&str>,
) -> Step<()> {
    let config = &session.loaded.config;
    let applies = config.breaker.enabled
        && config.judge != JudgeKind::Status
        && state.breaker.state == breaker::State::Closed
        && !collected.is_question;
    let Some(judged) = state.verdict_for(fingerprint).filter(|_| applies) else {
        return ControlFlow::Continue(());
    };
    let decision = decide::judged_before(judged);
    let verdict = Verdict {
        completed: judged.completed,
        feedback: judged.feedback.clone(),
        needs_human: false,
    };
    ControlFlow::Break(Conclusion { verdict: Some(verdict), ..decision.into() })
}

/// Books the review in the hour of all sessions; another session may have been faster.
fn book(session: &Session) -> Step<()> {
    let config = &session.loaded.config;
    if config.judge == JudgeKind::Status {
        return ControlFlow::Continue(());
    }
    let booked = store::book_review(&session.paths.rate(), config.reviews_per_hour, session.now);
    match booked {
        Ok(Ok(())) => ControlFlow::Continue(()),
        Ok(Err(free_at)) => ControlFlow::Break(rate_limited(session, free_at).into()),
        Err(e) => ControlFlow::Break(Allow::StateNotSaved(e.to_string()).into()),
    }
}

/// Work, question and standard together: what a verdict is good for. `None` when unknown.
fn fingerprint(
    session: &Session,
    supervisor: &Supervisor,
    collected: &Collected,
) -> Option<String> {
    let work = collected.work.as_deref()?;
    let config = &session.loaded.config;
    let checks = serde_json::to_string(&config.evidence.checks).ok()?;
    let parts = [
        work,
        session.stop.prompt_id.as_deref().unwrap_or_default(),
        &collected.requests,
        &supervisor.text,
        config.judge.name(),
        &checks,
    ];
    Some(trust::digest(parts.join("\0").as_bytes()))
}

fn judge(
    session: &Session,
    supervisor: &Supervisor,
    state: &SessionState,
    (collected, stop): (&Collected, &mut StopRecord),
    live: &mut LiveFile,
    cancel: &Cancel,
) -> Option<Conclusion> {
    let config = &session.loaded.config;
    let token = judge::token();
    let prompt = review_prompt::compose(&review_prompt::Parts {
        supervisor: &supervisor.text,
        evidence: &collected.text,
        earlier_feedback: &state.chain.feedback,
        token: &token,
        is_fresh: config.judge != JudgeKind::Claude,
    });
    let question = Question {
        kind: config.judge,
        review: &config.review,
        session: &session.id,
        effort: session.stop.effort.as_deref(),
        prompt: &redact(&prompt, &session.env.secrets),
        token: &token,
        work_dir: &session.work_dir,
        paths: &session.paths,
        env: session.env,
    };
    live.enter(&format!("asking {}", config.judge.name()), config.review.timeout_secs);
    let Asked { answer, usage } = judge::ask(&question, cancel, &mut |what| live.note(&what));
    let (decision, verdict) = match answer {
        Answer::Cancelled => return None,
        Answer::Failed(why) => {
            stop.given.answer = Some(Answered::Failed(why.clone()));
            (decide::on_failure(config.on_error == OnError::Block, why), None)
        }
        Answer::Said(reading) => {
            stop.given.answer = Some(Answered::from(&reading));
            decide::by_reading(reading, config.on_error == OnError::Block)
        }
    };
    Some(Conclusion { verdict, usage: Some(usage), ..decision.into() })
}

/// The judge `status`. The last message is the payload's alone: the transcript may lag behind.
fn judge_by_rules(session: &Session, seen: &Activity) -> Conclusion {
    let last = session.stop.last_assistant_message.as_deref().unwrap_or_default();
    let earlier = seen.closings.iter().map(String::as_str);
    let messages: Vec<&str> = earlier.chain([last]).collect();
    let reading = Reading::Verdict(status_judge::judge(&messages));
    let block_on_error = session.loaded.config.on_error == OnError::Block;
    let (decision, verdict) = decide::by_reading(reading, block_on_error);
    Conclusion { verdict, ..decision.into() }
}

/// Stores what came of it, writes the history, and answers.
fn conclude(
    session: &Session,
    supervisor: &Supervisor,
    mut stop: StopRecord,
    mut conclusion: Conclusion,
) -> Ended {
    conclusion.redact(&session.env.secrets);
    let mut warnings = session.loaded.problems.clone();
    warnings.extend(supervisor.warnings.iter().cloned());
    let state = save(session, |state| {
        settle(session, state, &mut conclusion);
        // Feedback is for the agent: the user is told with the first stop that goes ahead.
        let is_heard = matches!(conclusion.decision, Decision::Allow(_));
        if session.loaded.is_untrusted && is_heard && !state.told_untrusted {
            state.told_untrusted = true;
            warnings.push(format!(
                "the commands in `{}` are not run until you allow them with `ccc trust`",
                crate::paths::project_config(&session.project).display()
            ));
        }
    });
    let round = state.as_ref().map_or(1, |s| s.chain.iteration.max(1));
    let reply = reply(session, &conclusion.decision, round, &warnings);
    let began = state.as_ref().map_or(session.now, |s| s.chain.started_at);
    let lasted = clock::now().saturating_sub(began);
    let reply = notify::notify(session, &conclusion.decision, lasted, reply);
    record::note_prompt(&mut stop, supervisor);
    record::event(session, state.as_ref(), &conclusion, stop, &reply);
    record::monitor_status(session, round, state.as_ref().map_or("allowed", |s| s.phase.name()));
    Ended::Reply(reply)
}

fn reply(session: &Session, decision: &Decision, round: u32, warnings: &[String]) -> Reply {
    match decision {
        Decision::Block(block) => {
            let max = session.loaded.config.max_iterations;
            Reply::block(session.stop.client, feedback::compose(block, round, max))
        }
        Decision::Allow(reason) => {
            let warnings = warnings.iter().map(|w| format!("ccc: {w}"));
            let lines: Vec<String> = reason.notice().into_iter().chain(warnings).collect();
            Reply::allow((!lines.is_empty()).then(|| lines.join("\n")))
        }
    }
}

/// Changes the stored state. The count was persisted before; what fails here loses a remark, not
/// a limit.
fn save(session: &Session, change: impl FnOnce(&mut SessionState)) -> Option<SessionState> {
    let saved = session.store.update(&session.id, |old| {
        let mut state = session.state_from(old);
        change(&mut state);
        (state.clone(), state)
    });
    saved.ok()
}

/// Brings the state in line with the decision. A breaker that opens now turns a block into an
/// allowed stop.
fn settle(session: &Session, state: &mut SessionState, conclusion: &mut Conclusion) {
    let limits = breaker_limits(session);
    let has_breaker = session.loaded.config.breaker.enabled;
    state.updated_at = session.now;
    conclusion.passes.drain(..).for_each(|pass| state.note_pass(pass));
    if conclusion.work.is_some() {
        state.last_work = conclusion.work.take();
        if has_breaker {
            state.breaker.note_progress(conclusion.progress, limits, session.now);
        }
    }
    if let (Decision::Block(block), true) = (&conclusion.decision, has_breaker) {
        let opened = decide::same_feedback(&mut state.breaker, block, limits, session.now);
        if let Some(reason) = opened {
            conclusion.decision = Decision::Allow(reason);
        }
    }
    note_verdict(session, state, conclusion);
    match &conclusion.decision {
        Decision::Block(block) => state.sent_back(&block.message()),
        Decision::Allow(Allow::Approved | Allow::ApprovedBefore) => {
            state.chain.iteration = 0;
            state.chain.feedback.clear();
            state.breaker.clear();
            state.phase = Phase::Done;
        }
        Decision::Allow(reason) => {
            state.chain.iteration -= u32::from(conclusion.is_counted).min(state.chain.iteration);
            let is_question = matches!(reason, Allow::NeedsHuman(_));
            state.phase = if is_question { Phase::NeedsYou } else { Phase::Allowed };
        }
    }
}

/// Remembers a verdict, and what the review cost.
fn note_verdict(session: &Session, state: &mut SessionState, conclusion: &Conclusion) {
    if let Some(usage) = &conclusion.usage {
        let cost = &mut state.cost;
        cost.reviews += 1;
        cost.usd += usage.cost_usd.unwrap_or_default();
        cost.input_tokens += usage.input_tokens;
        cost.cache_read_tokens += usage.cache_read_tokens;
        cost.cache_creation_tokens += usage.cache_creation_tokens;
        cost.output_tokens += usage.output_tokens;
        cost.duration_ms += usage.duration_ms;
    }
    let Some(Verdict { completed, feedback, needs_human }) = conclusion.verdict.clone() else {
        return;
    };
    // A question to the user is asked anew: his answer may not show in the work.
    if let (Some(fingerprint), Some(_), false) =
        (&conclusion.fingerprint, &conclusion.usage, needs_human)
    {
        let (fingerprint, feedback) = (fingerprint.clone(), feedback.clone());
        state.remember(Judged { fingerprint, completed, feedback });
    }
    state.last_verdict = Some(LastVerdict { completed, feedback, needs_human, at: session.now });
}
