//! Asks a judge: builds its call, runs it within the limit, and reads what it said.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};

use crate::clients::claude::{self, Fork, ForkResult};
use crate::config::{JudgeKind, Review};
use crate::env::{self, Env};
use crate::paths::Paths;
use crate::rules::redact::{Secrets, redact};
use crate::rules::stop::SessionId;
use crate::rules::text::{cut, one_line};
use crate::rules::verdict::{self, Reading};
use crate::sys::fs;
use crate::sys::process::{self, End, Finished, Job, Keep};
use crate::sys::signals::Cancel;

/// Output of a judge that is kept when no result record is found in it.
const KEEP: Keep = Keep { head: 1 << 20, tail: 1 << 20 };
/// Largest settings file that is searched for authentication, in bytes.
const MAX_SETTINGS: u64 = 4 << 20;

/// One question to a judge.
#[derive(Debug)]
pub struct Question<'a> {
    pub kind: JudgeKind,
    pub review: &'a Review,
    pub session: &'a SessionId,
    pub effort: Option<&'a str>,
    pub prompt: &'a str,
    pub token: &'a str,
    pub work_dir: &'a Path,
    pub paths: &'a Paths,
    pub env: &'a Env,
}

/// What came of it.
#[derive(Debug)]
pub struct Asked {
    pub answer: Answer,
    pub usage: Usage,
}

/// The judge's answer.
#[derive(Debug)]
pub enum Answer {
    Said(Reading),
    /// The judge could not do its job; one line says why.
    Failed(String),
    /// We were told to end.
    Cancelled,
}

/// What a review used.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Usage {
    pub cost_usd: Option<f64>,
    pub num_turns: Option<u64>,
    pub input_tokens: u64,
    pub cache_read_tokens: u64,
    pub cache_creation_tokens: u64,
    pub output_tokens: u64,
    pub duration_ms: u64,
}

/// Asks the judge. `on_activity` is told what a reviewer does as it happens.
pub fn ask(question: &Question, cancel: &Cancel, on_activity: &mut dyn FnMut(String)) -> Asked {
    let asked = match question.kind {
        JudgeKind::Claude => ask_claude(question, cancel, on_activity),
        JudgeKind::Command => ask_command(question, cancel),
        JudgeKind::Codex => {
            Err("the judge `codex` is not built in yet; set `judge` to \"claude\", \
             \"command\" or \"status\""
                .to_owned())
        }
        // Rules need no program: the caller has decided already.
        JudgeKind::Status => Err("the judge `status` asks nobody".to_owned()),
    };
    asked.unwrap_or_else(|why| Asked { answer: Answer::Failed(why), usage: Usage::default() })
}

fn ask_claude(
    question: &Question,
    cancel: &Cancel,
    on_activity: &mut dyn FnMut(String),
) -> Result<Asked, String> {
    let program = find_claude(question.review, question.env)?;
    let fork = Fork {
        session: question.session,
        effort: question.env.claude_effort.as_deref().or(question.effort),
        model: question.review.model.as_deref(),
        max_budget_usd: question.review.max_budget_usd,
        allow: &question.review.allow,
        auth: auth_settings(question.paths),
    };
    let args = claude::fork_args(&fork).into_iter().map(OsString::from).collect();
    let env = claude::fork_env(question.review.timeout_secs);
    let env = env.into_iter().map(|(name, value)| (name.into(), Some(value.into()))).collect();
    let mut result = None;
    let finished = run(question, program.as_os_str(), args, env, cancel, &mut |line| {
        if let Some(found) = claude::read_result_line(line) {
            result = Some(found);
        } else if let Some(activity) = claude::read_activity(line) {
            on_activity(redact(&activity, &question.env.secrets).into_owned());
        }
    })?;
    let result = result.or_else(|| claude::read_result(&finished.stdout.text()));
    let mut usage = result.as_ref().map(usage).unwrap_or_default();
    usage.duration_ms = millis(finished.took);
    let answer = ended_early(&finished, question).unwrap_or_else(|| match result {
        Some(result) => read_result(&result, finished.end, question),
        None => read_plain(&finished, "claude", question),
    });
    Ok(Asked { answer, usage })
}

fn ask_command(question: &Question, cancel: &Cancel) -> Result<Asked, String> {
    let Some(command) = &question.review.command else {
        return Err("the judge is \"command\", but `review.command` is not set".into());
    };
    let args = vec!["-c".into(), command.into()];
    let env = vec![(env::SUPERVISING.into(), Some("1".into()))];
    let finished = run(question, OsStr::new("/bin/sh"), args, env, cancel, &mut |_| {})?;
    let usage = Usage { duration_ms: millis(finished.took), ..Usage::default() };
    let answer = ended_early(&finished, question)
        .unwrap_or_else(|| read_plain(&finished, "the review command", question));
    Ok(Asked { answer, usage })
}

fn run(
    question: &Question,
    program: &OsStr,
    args: Vec<OsString>,
    env: Vec<(OsString, Option<OsString>)>,
    cancel: &Cancel,
    on_line: &mut dyn FnMut(&[u8]),
) -> Result<Finished, String> {
    let job = Job {
        program,
        args,
        env,
        cwd: question.work_dir,
        stdin: question.prompt.as_bytes(),
        limit: Duration::from_secs(question.review.timeout_secs),
        stdout: KEEP,
        stderr: Keep { head: 4 << 10, tail: 4 << 10 },
    };
    process::run_with_lines(&job, cancel, on_line)
        .map_err(|e| format!("`{}` could not be started: {e}", program.to_string_lossy()))
}

/// The program of the judge `claude`: the configured one, else `claude` on `PATH`, else where its
/// installer puts it.
///
/// # Errors
/// A sentence that says what is wrong.
pub fn find_claude(review: &Review, env: &Env) -> Result<PathBuf, String> {
    let path = env.path.as_deref();
    if let Some(given) = &review.claude_path {
        return process::find_program(given.as_os_str(), path);
    }
    let usual = env.home.as_deref().map(claude::usual_places);
    process::find_program(OsStr::new("claude"), path).or_else(|why| {
        let found = |p: &PathBuf| process::find_program(p.as_os_str(), None).ok();
        usual.iter().flatten().find_map(found).ok_or(format!("the reviewer cannot run: {why}"))
    })
}

/// What the user's settings say about authentication, without the rest of them.
fn auth_settings(paths: &Paths) -> Map<String, Value> {
    let file = paths.client_dir.join("settings.json");
    let bytes = fs::read_optional(&file, MAX_SETTINGS).ok().flatten().unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let options = jsonc_parser::ParseOptions::default();
    let parsed: Option<Value> = jsonc_parser::parse_to_serde_value(&text, &options).ok();
    let Some(Value::Object(settings)) = parsed else { return Map::new() };
    settings.into_iter().filter(|(key, _)| claude::AUTH_KEYS.contains(&key.as_str())).collect()
}

/// A run that did not come to its own end.
fn ended_early(finished: &Finished, question: &Question) -> Option<Answer> {
    match finished.end {
        End::Cancelled => Some(Answer::Cancelled),
        End::TimedOut => Some(Answer::Failed(format!(
            "it timed out after {} s (review.timeout_secs)",
            question.review.timeout_secs
        ))),
        End::Code(_) | End::Signal(_) => None,
    }
}

fn read_result(result: &ForkResult, end: End, question: &Question) -> Answer {
    let token = question.token;
    let short = |text: &str| short(text, &question.env.secrets);
    let text = result.result.as_deref().unwrap_or_default();
    if result.is_error {
        let said =
            [text, &result.errors.join("; "), result.terminal_reason.as_deref().unwrap_or("")];
        let said = said.into_iter().find(|s| !s.trim().is_empty()).unwrap_or("no reason given");
        return Answer::Failed(format!("the reviewer ended with an error: {}", short(said)));
    }
    let reading = match &result.structured_output {
        Some(value) => verdict::read_value(value, token),
        None => verdict::read(text, token),
    };
    match reading {
        Reading::Nothing if !result.denied.is_empty() => Answer::Failed(format!(
            "the reviewer gave no verdict; it was denied permission for {}",
            short(&result.denied.join(", "))
        )),
        Reading::Nothing if !result.errors.is_empty() => Answer::Failed(format!(
            "the reviewer gave no verdict: {}",
            short(&result.errors.join("; "))
        )),
        Reading::Nothing => Answer::Failed("the reviewer said nothing".into()),
        reading => no_approval_from_a_failure(reading, end),
    }
}

/// Output without a result record: plain text may be a verdict, a stream that broke off is none.
fn read_plain(finished: &Finished, who: &str, question: &Question) -> Answer {
    let token = question.token;
    let short = |text: &str| short(text, &question.env.secrets);
    let text = finished.stdout.text();
    let text = text.trim();
    let is_stream = text.lines().any(|line| {
        serde_json::from_str::<Value>(line)
            .is_ok_and(|v| v.get("type").is_some_and(Value::is_string))
    });
    if text.is_empty() || text.starts_with("API Error") || is_stream {
        let stderr = finished.stderr.text();
        let said = match (is_stream, text.is_empty(), stderr.trim().is_empty()) {
            (true, _, _) => "its stream ended without a result".to_owned(),
            (false, false, _) => short(text),
            (false, true, false) => format!("no output; {}", short(&stderr)),
            (false, true, true) => "no output, it said nothing".to_owned(),
        };
        return Answer::Failed(format!("{who} {}: {said}", ending(finished.end)));
    }
    no_approval_from_a_failure(verdict::read(text, token), finished.end)
}

/// A judge that exits with an error may send the agent back, but never let it go.
fn no_approval_from_a_failure(reading: Reading, end: End) -> Answer {
    match (&reading, end) {
        (_, End::Code(0)) => Answer::Said(reading),
        (Reading::Verdict(verdict), _) if !verdict.completed => Answer::Said(reading),
        _ => Answer::Failed(format!("the reviewer {}", ending(end))),
    }
}

fn ending(end: End) -> String {
    match end {
        End::Code(code) => format!("exited with {code}"),
        End::Signal(signal) => format!("was ended by signal {signal}"),
        End::TimedOut => "timed out".to_owned(),
        End::Cancelled => "was cancelled".to_owned(),
    }
}

fn usage(result: &ForkResult) -> Usage {
    Usage {
        cost_usd: result.cost_usd,
        num_turns: result.num_turns,
        input_tokens: result.input_tokens,
        cache_read_tokens: result.cache_read_tokens,
        cache_creation_tokens: result.cache_creation_tokens,
        output_tokens: result.output_tokens,
        duration_ms: 0,
    }
}

fn short(text: &str, secrets: &Secrets) -> String {
    cut(&one_line(&redact(text, secrets)), 300).into_owned()
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// 16 hex digits that no quoted text can know.
pub fn token() -> String {
    let mut bytes = [0; 8];
    // Without the system's randomness the token is only hard to guess, and still unlike any text.
    if getrandom::fill(&mut bytes).is_err() {
        bytes = (u64::from(std::process::id()) << 32 ^ crate::sys::clock::now()).to_be_bytes();
    }
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
