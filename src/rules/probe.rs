//! The probe: a payload that asks an installed hook whether it is there. It reviews nothing and
//! leaves nothing behind.
//!
//! Its event name is one that no client sends, so that an older ccc lets it go in silence, too.

use serde_json::{Value, json};

use crate::rules::health::Finding;
use crate::rules::text::{cut, one_line};

/// Name of the event.
pub const EVENT: &str = "CccProbe";
/// Key of the token that the answer repeats.
pub const TOKEN: &str = "probe";
/// Name of the finding.
const NAME: &str = "fires";

/// The payload of a probe.
pub fn payload(token: &str, cwd: &str) -> String {
    let payload =
        json!({ "session_id": "ccc-probe", "hook_event_name": EVENT, "cwd": cwd, TOKEN: token });
    format!("{payload}\n")
}

/// What a hook says to a probe.
pub fn answer(token: &str, version: &str) -> String {
    format!("ccc probe {} {version}", one_line(token))
}

/// How the installed command ended.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    /// Its exit code; `None` for a signal or a time limit.
    pub code: Option<i32>,
    /// How it ended otherwise.
    pub ended: String,
    pub stdout: String,
    pub stderr: String,
}

/// What the answer of the installed command means. `place` says where the command stands, and
/// `version` is the version of the one who asks.
pub fn judge(ran: &Ran, token: &str, version: &str, place: &str) -> Finding {
    let said = one_line(&ran.stderr);
    let said = if said.is_empty() { String::new() } else { format!(" ({})", cut(&said, 160)) };
    let broken = |why: String| Finding::broken(NAME, why, "ccc install");
    match ran.code {
        Some(0) => judge_answer(&ran.stdout, token, version, place),
        Some(126) => broken(format!("the command in {place} cannot be executed{said}")),
        Some(127) => broken(format!("the command in {place} was not found{said}")),
        Some(64) => broken(format!("the command in {place} is written wrongly{said}")),
        Some(code) => broken(format!("the command in {place} failed with exit {code}{said}")),
        None => broken(format!("the command in {place} {}{said}", ran.ended)),
    }
}

fn judge_answer(stdout: &str, token: &str, version: &str, place: &str) -> Finding {
    let text = stdout.trim();
    if text.is_empty() {
        let why = format!(
            "the command in {place} ran and said nothing: CCC_DISABLE or CCC_SUPERVISING is set \
             for it, or it is not this ccc"
        );
        return Finding::broken(
            NAME,
            why,
            "unset CCC_DISABLE (shell, `env` of the settings), or ccc install",
        );
    }
    let message = serde_json::from_str::<Value>(text).ok();
    let message = message.and_then(|v| v.get("systemMessage")?.as_str().map(str::to_owned));
    let theirs = message.as_deref().and_then(|m| m.strip_prefix(&answer(token, "")));
    match theirs {
        Some(theirs) if theirs == version => {
            Finding::ok(NAME, format!("the command in {place} answers, version {version}"))
        }
        Some(theirs) => Finding::warn(
            NAME,
            format!("the command in {place} runs ccc {theirs}, this is {version}"),
            "ccc install",
        ),
        None if text.contains(token) => Finding::broken(
            NAME,
            format!(
                "the command in {place} prints other text beside its answer, and Claude Code \
                 ignores such an answer"
            ),
            "ccc install",
        ),
        None => Finding::broken(
            NAME,
            format!("the command in {place} answers something else: {}", cut(&one_line(text), 160)),
            "ccc install",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::health::Health;

    #[test]
    fn only_the_very_answer_counts() {
        let good = json!({ "systemMessage": answer("t1", "1.0") }).to_string();
        let old = json!({ "systemMessage": answer("t1", "0.9") }).to_string();
        let table = [
            (Some(0), good.clone(), Health::Ok, "version 1.0"),
            (Some(0), old, Health::Warn, "runs ccc 0.9"),
            (Some(0), String::new(), Health::Broken, "said nothing"),
            (Some(0), format!("hello\n{good}"), Health::Broken, "other text"),
            (Some(0), "{\"systemMessage\":\"ccc probe t2 1.0\"}".into(), Health::Broken, "else"),
            (Some(1), good.clone(), Health::Broken, "exit 1"),
            (Some(2), good.clone(), Health::Broken, "exit 2"),
            (Some(127), String::new(), Health::Broken, "not found"),
            (None, good, Health::Broken, "timed out"),
        ];
        for (code, stdout, health, part) in table {
            let ran = Ran { code, stdout, ended: "timed out".into(), stderr: String::new() };
            let found = judge(&ran, "t1", "1.0", "the user settings");
            assert_eq!(found.health, health, "{found:?}");
            assert!(found.reason.contains(part), "{found:?}");
        }
    }
}
