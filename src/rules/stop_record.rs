//! Everything that is kept of one stop: enough to explain it, and to decide it again.

use serde::{Deserialize, Serialize};

use crate::rules::state::SessionState;
use crate::rules::stop::Client;
use crate::rules::text::{cut, head_and_tail};
use crate::rules::verdict::{Reading, Verdict};

/// Form of a record.
pub const SCHEMA: u32 = 1;
/// Requests that are kept, the newest ones.
const MAX_REQUESTS: usize = 8;
/// Longest kept text of somebody else, in bytes.
const MAX_TEXT: usize = 16 << 10;
/// Longest kept evidence, in bytes.
const MAX_EVIDENCE: usize = 64 << 10;

/// One stop. Secrets are hidden before it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StopRecord {
    pub schema: u32,
    /// Eight hex digits, by which people name the stop.
    pub id: String,
    /// Unix seconds.
    pub at: u64,
    pub session_id: String,
    pub client: Client,
    pub project: String,
    /// Where the agent worked.
    pub work_dir: String,
    pub settings: Settings,
    #[serde(default)]
    pub given: Given,
    #[serde(default)]
    pub outcome: Outcome,
}

/// The part of the config that decides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The judge's word in the config.
    pub judge: String,
    /// No model is asked.
    pub by_rules: bool,
    pub max_iterations: u32,
    pub block_on_error: bool,
    pub breaker_enabled: bool,
    pub no_progress: u32,
    pub same_feedback: u32,
    /// Commands of the checks that must pass.
    pub gates: Vec<String>,
}

/// What the rules were given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Given {
    /// The user's requests, oldest first.
    pub requests: Vec<String>,
    pub last_message: Option<String>,
    /// With what the agent ended its earlier turns since the newest request.
    pub closings: Vec<String>,
    pub is_question: bool,
    /// Work that still ran in the background.
    pub background: Option<String>,
    pub api_error: Option<String>,
    pub blocks_in_a_row: u32,
    pub client_cap: Option<u32>,
    /// The session before the stop was counted, its chain entered; `None` where it was not looked at.
    pub before: Option<Box<SessionState>>,
    pub checks: Vec<CheckRecord>,
    pub work: Option<String>,
    pub fingerprint: Option<String>,
    pub evidence: String,
    /// What the judge answered; `None` where none was asked.
    pub answer: Option<Answered>,
}

/// A check that was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckRecord {
    pub name: String,
    pub run: String,
    pub passed: bool,
    pub ended: String,
    pub output: String,
}

/// What a judge answered, as it was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answered {
    Verdict(Verdict),
    Doubt(String),
    Nothing,
    Failed(String),
}

/// How the stop ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Outcome {
    /// The round that a block began.
    pub round: u32,
    /// `allow` or `block`.
    pub decision: String,
    /// The outcome's slug.
    pub reason: String,
    pub message: String,
    pub verdict: Option<Verdict>,
    /// What the judge used.
    pub judge: Option<serde_json::Value>,
    /// The file of the review prompt; `None` for the built-in one.
    pub prompt_path: Option<String>,
    /// Its SHA-256.
    pub prompt_digest: String,
    pub exit: u8,
    /// Exactly what the client was sent.
    pub stdout: String,
    pub stderr: String,
}

impl Answered {
    /// The answer as the rules take it; an error says why the judge failed.
    ///
    /// # Errors
    /// The judge failed.
    pub fn reading(&self) -> Result<Reading, String> {
        match self {
            Self::Verdict(verdict) => Ok(Reading::Verdict(verdict.clone())),
            Self::Doubt(text) => Ok(Reading::Doubt { text: text.clone(), why: "is in doubt" }),
            Self::Nothing => Ok(Reading::Nothing),
            Self::Failed(why) => Err(why.clone()),
        }
    }
}

impl From<&Reading> for Answered {
    fn from(reading: &Reading) -> Self {
        match reading {
            Reading::Verdict(verdict) => Self::Verdict(verdict.clone()),
            Reading::Doubt { text, .. } => Self::Doubt(text.clone()),
            Reading::Nothing => Self::Nothing,
        }
    }
}

impl StopRecord {
    /// Cuts what is too long to be kept. What was sent is bounded already.
    pub fn bound(&mut self) {
        let excess = self.given.requests.len().saturating_sub(MAX_REQUESTS);
        self.given.requests.drain(..excess);
        shorten(&mut self.given.evidence, MAX_EVIDENCE);
        let excess = self.given.closings.len().saturating_sub(MAX_REQUESTS);
        self.given.closings.drain(..excess);
        let said = self.given.closings.iter_mut().chain(&mut self.given.last_message);
        let texts = self.given.requests.iter_mut().chain(said);
        texts.for_each(|text| shorten(text, MAX_TEXT));
        if let Some(state) = &mut self.given.before {
            // Large, and only good for a new look at the repository.
            state.chain.baseline = None;
            state.judged.iter_mut().for_each(|judged| {
                judged.feedback = cut(&judged.feedback, MAX_TEXT / 4).into_owned();
            });
        }
    }
}

fn shorten(text: &mut String, max: usize) {
    if text.len() > max {
        *text = head_and_tail(text, max).into_owned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stop of which nothing special is known.
    pub fn record() -> StopRecord {
        let settings = Settings {
            judge: "claude".into(),
            by_rules: false,
            max_iterations: 10,
            block_on_error: false,
            breaker_enabled: true,
            no_progress: 3,
            same_feedback: 5,
            gates: Vec::new(),
        };
        StopRecord {
            schema: SCHEMA,
            id: "0a1b2c3d".into(),
            at: 1_800_000_000,
            session_id: "s1".into(),
            client: Client::Claude,
            project: "/p".into(),
            work_dir: "/p".into(),
            settings,
            given: Given::default(),
            outcome: Outcome::default(),
        }
    }

    #[test]
    fn a_record_survives_storing_and_is_bounded() {
        let mut record = record();
        record.given.answer = Some(Answered::Failed("no login".into()));
        record.given.requests = vec!["r\n".repeat(MAX_TEXT); 20];
        record.given.evidence = "e\n".repeat(MAX_EVIDENCE);
        let mut state = SessionState::new("s1", Client::Claude, "/p".into(), 1);
        state.chain.baseline = Some(serde_json::json!({ "head": "x".repeat(1 << 20) }));
        record.given.before = Some(Box::new(state));
        record.bound();
        let text = serde_json::to_string(&record).unwrap();
        assert!(text.len() < 400_000, "{}", text.len());
        assert_eq!(record.given.requests.len(), MAX_REQUESTS);
        assert_eq!(serde_json::from_str::<StopRecord>(&text).unwrap(), record);
    }
}
