//! `ccc replay`: a recorded stop, decided again by the present config and review prompt.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::cli::ReplayArgs;
use crate::cmd::hook::judge::{self, Answer, Asked, Question};
use crate::cmd::prompt::{self, Supervisor};
use crate::cmd::{Context, why};
use crate::config::{self, JudgeKind, Loaded};
use crate::error::{Error, Exit, PathContext, Result};
use crate::rules::outcome::Decision;
use crate::rules::redact::redact;
use crate::rules::replay::{self, Step};
use crate::rules::stop::SessionId;
use crate::rules::stop_record::{Answered, Settings, StopRecord};
use crate::rules::text::{cut, one_line};
use crate::rules::{explain, prompt as review_prompt};
use crate::sys::signals::Cancel;
use crate::sys::{stops, trust};

/// Longest message that is shown, in characters.
const MAX_MESSAGE: usize = 600;

/// What a replay came to.
struct Replayed {
    stop: StopRecord,
    /// `None` where only a judge could tell, and none was asked.
    decision: Option<Decision>,
    /// A judge was asked now; what it used.
    usage: Option<judge::Usage>,
    /// What is no longer as it was: settings, the review prompt.
    changed: Vec<String>,
    is_as_recorded: bool,
}

/// Replays one stop, and shows what would differ. Changes nothing.
pub fn run(context: &Context, args: &ReplayArgs) -> Result<Exit> {
    let stop = load(context, &args.stop)?;
    let replayed = replay(context, stop, args.judge)?;
    let text = if args.json { format!("{:#}", as_json(&replayed)) } else { as_text(&replayed) };
    context.print(&redact(&text, &context.env.secrets))?;
    Ok(Exit::Ok)
}

fn load(context: &Context, name: &str) -> Result<StopRecord> {
    let path = PathBuf::from(name);
    if path.is_file() {
        return stops::read(&path).at("read", &path);
    }
    why::find(context, Some(name))
}

fn replay(context: &Context, stop: StopRecord, ask_judge: bool) -> Result<Replayed> {
    let paths = context.paths()?;
    let project = PathBuf::from(&stop.project);
    let is_trusted = |bytes: &[u8]| trust::is_trusted(&paths.trust(), &project, bytes);
    let loaded = config::load(&paths, &project, is_trusted);
    loaded.problems.iter().for_each(|problem| context.warn(problem));
    let settings = Settings::from(&loaded.config);
    let supervisor = prompt::load(&paths, &project);
    let mut changed = replay::changes(&stop.settings, &settings);
    let digest = &stop.outcome.prompt_digest;
    if !digest.is_empty() && *digest != trust::digest(supervisor.text.as_bytes()) {
        changed.push("the review prompt (`--judge` asks a judge with the new one)".to_owned());
    }
    let mut usage = None;
    let (decision, is_as_recorded) = match replay::before_judge(&stop, &settings) {
        Step::Decided(decision) => (Some(decision), false),
        Step::AsRecorded => (None, true),
        Step::AskJudge if ask_judge && !settings.by_rules => {
            let (answer, used) = ask(context, &stop, &loaded, &supervisor)?;
            usage = Some(used);
            (replay::judged(&stop, &settings, Some(&answer)), false)
        }
        Step::AskJudge => (replay::judged(&stop, &settings, stop.given.answer.as_ref()), false),
    };
    Ok(Replayed { stop, decision, usage, changed, is_as_recorded })
}

/// Asks the configured judge about the recorded evidence. A fork sees its session as it is now.
fn ask(
    context: &Context,
    stop: &StopRecord,
    loaded: &Loaded,
    supervisor: &Supervisor,
) -> Result<(Answered, judge::Usage)> {
    let config = &loaded.config;
    let token = judge::token();
    let earlier = stop.given.before.as_ref().map(|state| state.chain.feedback.as_slice());
    let prompt = review_prompt::compose(&review_prompt::Parts {
        supervisor: &supervisor.text,
        evidence: &stop.given.evidence,
        earlier_feedback: earlier.unwrap_or_default(),
        token: &token,
        is_fresh: config.judge != JudgeKind::Claude,
    });
    let session = SessionId::new(&stop.session_id)
        .ok_or_else(|| Error::problem("the record has no usable session id"))?;
    let work_dir = crate::paths::work_dir(Some(Path::new(&stop.work_dir)));
    let question = Question {
        kind: config.judge,
        review: &config.review,
        session: &session,
        effort: None,
        prompt: &redact(&prompt, &context.env.secrets),
        token: &token,
        work_dir: &work_dir,
        paths: &context.paths()?,
        env: &context.env,
    };
    let Asked { answer, usage } = judge::ask(&question, &Cancel::on_signals(), &mut |_| {});
    let answer = match answer {
        Answer::Said(reading) => Answered::from(&reading),
        Answer::Failed(why) => Answered::Failed(why),
        Answer::Cancelled => return Err(Error::Interrupted),
    };
    Ok((answer, usage))
}

impl Replayed {
    /// Decision, slug and message, now; `None` where only a judge could tell.
    fn now(&self) -> Option<(String, String, String)> {
        let recorded = &self.stop.outcome;
        if self.is_as_recorded {
            let (decision, reason) = (recorded.decision.clone(), recorded.reason.clone());
            return Some((decision, reason, recorded.message.clone()));
        }
        let decision = self.decision.as_ref()?;
        let message = match decision {
            Decision::Allow(reason) => reason.notice().unwrap_or_default(),
            Decision::Block(block) => block.message(),
        };
        Some((decision.word().to_owned(), decision.slug().to_owned(), message))
    }

    fn is_same(&self) -> Option<bool> {
        let recorded = &self.stop.outcome;
        let (decision, reason, message) = self.now()?;
        // A new answer is never the old one to the letter.
        let is_same_text =
            self.usage.is_some() || one_line(&message) == one_line(&recorded.message);
        Some(decision == recorded.decision && reason == recorded.reason && is_same_text)
    }
}

fn as_json(replayed: &Replayed) -> Value {
    let recorded = &replayed.stop.outcome;
    let now = replayed.now().map(|(decision, reason, message)| {
        json!({ "decision": decision, "reason": reason, "message": message,
            "rule": explain::rule(&reason) })
    });
    json!({
        "id": replayed.stop.id,
        "session_id": replayed.stop.session_id,
        "recorded": { "decision": recorded.decision, "reason": recorded.reason,
            "message": recorded.message },
        "replayed": now,
        "same": replayed.is_same(),
        "changed": replayed.changed,
        "judge": replayed.usage,
    })
}

fn as_text(replayed: &Replayed) -> String {
    let recorded = &replayed.stop.outcome;
    let line = |word: &str, decision: &str, reason: &str, message: &str| {
        let message = one_line(message);
        let said =
            if message.is_empty() { message } else { format!(": {}", cut(&message, MAX_MESSAGE)) };
        format!("{word:9} {decision} {reason}{said}\n")
    };
    let mut out = format!("stop {} of session {}\n", replayed.stop.id, replayed.stop.session_id);
    out += &line("recorded", &recorded.decision, &recorded.reason, &recorded.message);
    match replayed.now() {
        Some((decision, reason, message)) => {
            out += &line("now", &decision, &reason, &message);
            out += &format!("{:9} {}\n", "rule", explain::rule(&reason));
        }
        None => out += &format!("{:9} a judge would be asked (`--judge` asks it)\n", "now"),
    }
    for change in &replayed.changed {
        out += &format!("{:9} {}\n", "changed", one_line(change));
    }
    if let Some(usd) = replayed.usage.as_ref().and_then(|usage| usage.cost_usd) {
        out += &format!("{:9} ${usd:.4}\n", "cost");
    }
    out += match replayed.is_same() {
        Some(true) => "the decision is the same\n",
        Some(false) => "the decision differs\n",
        None => "",
    };
    out
}
