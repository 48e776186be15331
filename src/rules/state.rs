//! What is remembered of one session, and how a stop changes it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::rules::breaker::Breaker;
use crate::rules::last_block::LastBlock;
use crate::rules::stop::{Client, Stop};
use crate::rules::text::{cut, one_line};

/// Form of the state file.
pub const SCHEMA: u32 = 1;
/// Verdicts remembered for unchanged work.
const MAX_JUDGED: usize = 8;
/// Checks whose last pass is remembered.
const MAX_PASSES: usize = 32;
/// Feedback of this chain that the next review is shown.
const MAX_FEEDBACK: usize = 12;
/// Longest remembered request, in characters.
const MAX_REQUEST: usize = 200;
/// Longest remembered feedback, in characters.
const MAX_FEEDBACK_CHARS: usize = 4000;

/// One session, as stored in `sessions/<id>.json`. Times are Unix seconds.
///
/// Fields that this version does not know are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionState {
    pub schema: u32,
    pub session_id: String,
    pub client: Client,
    pub project: String,
    pub created_at: u64,
    pub updated_at: u64,
    /// The session's own switch; `None` follows the config.
    #[serde(default)]
    pub enabled: Option<bool>,
    #[serde(default)]
    pub chain: Chain,
    #[serde(default)]
    pub breaker: Breaker,
    /// Fingerprint of the work at the last stop.
    #[serde(default)]
    pub last_work: Option<String>,
    /// Earlier verdicts with the fingerprint of what they judged, oldest first.
    #[serde(default)]
    pub judged: Vec<Judged>,
    /// Checks that passed, the last pass of each.
    #[serde(default)]
    pub passes: Vec<Pass>,
    #[serde(default)]
    pub last_verdict: Option<LastVerdict>,
    #[serde(default)]
    pub cost: Cost,
    /// What the session does now, for those who watch.
    #[serde(default)]
    pub phase: Phase,
    /// The worker's model, by the client's name for it.
    #[serde(default)]
    pub model: Option<String>,
    /// Blocks that the client threw away (no continuation followed, a new prompt came).
    #[serde(default)]
    pub discarded_blocks: u32,
    /// The newest of them.
    #[serde(default)]
    pub last_discarded: Option<Discarded>,
    /// The user was told that the project's config is not trusted.
    #[serde(default)]
    pub told_untrusted: bool,
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// The stops that follow one prompt of the user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Chain {
    /// The client's `prompt_id`.
    pub prompt_id: Option<String>,
    /// Blocks so far; counted before the judge is asked.
    pub iteration: u32,
    pub started_at: u64,
    /// What the agent was sent back with, oldest first.
    pub feedback: Vec<String>,
    /// The last stop of this chain was blocked, and the agent has not stopped again yet.
    pub is_open: bool,
    /// The repository as it was when the chain began.
    pub baseline: Option<Value>,
    /// What the user asked for, in one line.
    pub request: Option<String>,
}

/// A verdict and what it judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    pub fingerprint: String,
    pub completed: bool,
    pub feedback: String,
}

/// A check that passed, and on what work.
///
/// Only a pass is good for the same work a second time. A failure may have its reason in what no
/// fingerprint holds (a missing dependency, a service, chance); from a record it would be said
/// again and again, and nothing but a needless change of a file would end that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pass {
    /// What was run, as a digest of name and command.
    pub check: String,
    /// Fingerprint of the work.
    pub work: String,
    /// The end of what it printed.
    pub output: String,
    pub at: u64,
}

/// The newest verdict, for `status`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LastVerdict {
    pub completed: bool,
    pub feedback: String,
    #[serde(default)]
    pub needs_human: bool,
    pub at: u64,
}

/// A block that had no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Discarded {
    /// The round that it ended.
    pub round: u32,
    pub what: LastBlock,
    /// When that was noticed.
    pub at: u64,
}

impl Discarded {
    /// One sentence for people.
    pub fn sentence(&self) -> String {
        format!("the block of round {} had no effect: {}", self.round, self.what.why())
    }
}

/// What the reviews of this session cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cost {
    pub reviews: u32,
    pub usd: f64,
    pub input_tokens: u64,
    pub cache_read_tokens: u64,
    pub cache_creation_tokens: u64,
    pub output_tokens: u64,
    /// Milliseconds.
    pub duration_ms: u64,
}

/// What a session does, as far as the hook knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    #[default]
    Working,
    Reviewing,
    SentBack,
    Done,
    NeedsYou,
    Allowed,
}

impl Phase {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Reviewing => "reviewing",
            Self::SentBack => "sent back",
            Self::Done => "done",
            Self::NeedsYou => "needs you",
            Self::Allowed => "allowed",
        }
    }
}

impl SessionState {
    /// A session that is seen for the first time.
    pub fn new(session_id: &str, client: Client, project: String, now: u64) -> Self {
        Self {
            schema: SCHEMA,
            session_id: session_id.to_owned(),
            client,
            project,
            created_at: now,
            updated_at: now,
            enabled: None,
            chain: Chain { started_at: now, ..Chain::default() },
            breaker: Breaker::default(),
            last_work: None,
            judged: Vec::new(),
            passes: Vec::new(),
            last_verdict: None,
            cost: Cost::default(),
            phase: Phase::default(),
            model: None,
            discarded_blocks: 0,
            last_discarded: None,
            told_untrusted: false,
            unknown: Map::new(),
        }
    }

    /// Whether the state was not touched for so long that it counts as absent. A time in the
    /// future is no age.
    pub fn is_expired(&self, expire_hours: u64, now: u64) -> bool {
        now.saturating_sub(self.updated_at) >= expire_hours.saturating_mul(3600).max(1)
    }

    /// Notes a stop or a prompt: begins a new chain where the contract says so. A block of the old
    /// chain that nothing followed was thrown away by the client or the user; it is returned.
    /// `last_block` is what the session's records say of it.
    pub fn enter_chain(
        &mut self,
        stop: &Stop,
        last_block: LastBlock,
        now: u64,
    ) -> Option<Discarded> {
        let begins = match (&stop.prompt_id, stop.stop_hook_active) {
            (Some(id), _) => self.chain.prompt_id.as_ref() != Some(id),
            (None, Some(active)) => !active,
            (None, None) => false,
        };
        if !begins {
            return None;
        }
        let prompt_id = stop.prompt_id.clone();
        let new = Chain { prompt_id, started_at: now, ..Chain::default() };
        let old = std::mem::replace(&mut self.chain, new);
        if !old.is_open || last_block == LastBlock::Heard {
            return None;
        }
        self.discarded_blocks = self.discarded_blocks.saturating_add(1);
        self.last_discarded = Some(Discarded { round: old.iteration, what: last_block, at: now });
        self.last_discarded
    }

    /// Notes what the user asked for, if anything.
    pub fn note_request(&mut self, text: Option<&str>) {
        let line = text.map(|text| cut(&one_line(text), MAX_REQUEST).into_owned());
        self.chain.request = line.filter(|l| !l.is_empty()).or(self.chain.request.take());
    }

    /// The verdict for work with this fingerprint, if one was given.
    pub fn verdict_for(&self, fingerprint: Option<&str>) -> Option<&Judged> {
        let fingerprint = fingerprint?;
        self.judged.iter().rev().find(|j| j.fingerprint == fingerprint)
    }

    /// Remembers a verdict.
    pub fn remember(&mut self, judged: Judged) {
        self.judged.retain(|j| j.fingerprint != judged.fingerprint);
        self.judged.push(judged);
        let excess = self.judged.len().saturating_sub(MAX_JUDGED);
        self.judged.drain(..excess);
    }

    /// The pass of a check on this work, if there was one.
    pub fn pass(&self, check: &str, work: &str) -> Option<&Pass> {
        self.passes.iter().find(|pass| pass.check == check && pass.work == work)
    }

    /// Remembers a pass in the place of an older one of the same check.
    pub fn note_pass(&mut self, pass: Pass) {
        self.passes.retain(|old| old.check != pass.check);
        self.passes.push(pass);
        let excess = self.passes.len().saturating_sub(MAX_PASSES);
        self.passes.drain(..excess);
    }

    /// Remembers what the agent was sent back with.
    pub fn sent_back(&mut self, feedback: &str) {
        self.chain.feedback.push(cut(feedback, MAX_FEEDBACK_CHARS).into_owned());
        let excess = self.chain.feedback.len().saturating_sub(MAX_FEEDBACK);
        self.chain.feedback.drain(..excess);
        self.chain.is_open = true;
        self.phase = Phase::SentBack;
    }

    /// What `ccc reset` does: no counts, no remembered verdicts, the breaker half-open.
    pub fn reset(&mut self) {
        self.chain.iteration = 0;
        self.chain.feedback.clear();
        self.judged.clear();
        self.passes.clear();
        self.breaker.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stop(prompt_id: Option<&str>, active: Option<bool>) -> Stop {
        let prompt_id = prompt_id.map(str::to_owned);
        Stop { prompt_id, stop_hook_active: active, ..Stop::new(Client::Claude) }
    }

    #[test]
    fn a_new_prompt_id_begins_a_chain_and_stop_hook_active_only_stands_in() {
        let mut s = SessionState::new("s", Client::Claude, "/p".into(), 1);
        let table = [
            (Some("a"), Some(false), true),
            (Some("a"), Some(false), false),
            (Some("b"), Some(true), true),
            (None, Some(true), false),
            (None, None, false),
            (None, Some(false), true),
        ];
        for (id, active, begins) in table {
            s.chain.iteration = 7;
            s.enter_chain(&stop(id, active), LastBlock::Unknown, 2);
            assert_eq!(s.chain.iteration == 0, begins, "{id:?} {active:?}");
        }
    }

    #[test]
    fn a_block_that_nothing_followed_is_counted_as_discarded() {
        let heard = [
            (LastBlock::Heard, false),
            (LastBlock::Unheard, true),
            (LastBlock::Unknown, true),
            (LastBlock::Overridden, true),
        ];
        for (what, is_discarded) in heard {
            let mut s = SessionState::new("s", Client::Claude, "/p".into(), 1);
            s.enter_chain(&stop(Some("a"), None), LastBlock::Unknown, 1);
            s.chain.iteration = 3;
            s.sent_back("x");
            assert_eq!(s.enter_chain(&stop(Some("a"), None), what, 2), None);
            let discarded = s.enter_chain(&stop(Some("b"), None), what, 2);
            assert_eq!(discarded, is_discarded.then_some(Discarded { round: 3, what, at: 2 }));
            assert_eq!(s.last_discarded, discarded);
            assert_eq!(s.discarded_blocks, u32::from(is_discarded));
            assert!(s.chain.feedback.is_empty());
        }
    }

    #[test]
    fn a_pass_is_good_for_its_own_work_alone() {
        let mut s = SessionState::new("s", Client::Claude, "/p".into(), 1);
        let pass = |check: &str, work: &str| Pass {
            check: check.into(),
            work: work.into(),
            output: String::new(),
            at: 1,
        };
        s.note_pass(pass("tests", "a"));
        s.note_pass(pass("lint", "a"));
        s.note_pass(pass("tests", "b"));
        assert!(s.pass("tests", "a").is_none() && s.pass("tests", "b").is_some());
        assert!(s.pass("lint", "a").is_some());
        (0..99).for_each(|i| s.note_pass(pass(&i.to_string(), "b")));
        assert_eq!(s.passes.len(), MAX_PASSES);
        s.reset();
        assert!(s.passes.is_empty());
    }

    #[test]
    fn unknown_fields_survive_and_times_in_the_future_do_not_expire() {
        let mut s = SessionState::new("s", Client::Claude, "/p".into(), 1_000_000);
        s.unknown.insert("x_future".into(), serde_json::json!({"keep": [1]}));
        let text = serde_json::to_string(&s).unwrap();
        assert_eq!(serde_json::from_str::<SessionState>(&text).unwrap(), s);
        assert!(!s.is_expired(24, 5) && s.is_expired(24, 1_000_000 + 24 * 3600));
    }
}
