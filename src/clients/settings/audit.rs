//! Examines the entries of ccc in a settings text, as Claude Code (2.1.332) would take them.

use serde_json::Value;

use super::own::is_own_value;
use super::{Refusal, Result, own_handlers, parse_value, split_bom};

/// What ccc has in one settings file.
#[derive(Debug, Default)]
pub struct Audit {
    /// The Stop entries of ccc.
    pub stop: Vec<Value>,
    /// Faults that keep a review from happening.
    pub broken: Vec<String>,
    /// Faults that only make it poorer.
    pub warn: Vec<String>,
}

impl Audit {
    /// Whether the file holds anything of ccc.
    pub fn is_empty(&self) -> bool {
        self.stop.is_empty() && self.broken.is_empty()
    }
}

/// Examines a text. `seconds` is the time limit that a Stop entry needs at least.
///
/// # Errors
/// The text does not parse, or has another shape.
pub fn audit(text: &str, seconds: u64) -> Result<Audit> {
    let value = parse_value(text)?;
    check_shape(&value)?;
    let (_, body) = split_bom(text);
    let body = if body.trim().is_empty() { "{}" } else { body };
    let mut audit = Audit { stop: own_handlers(body, "Stop")?, ..Audit::default() };
    if is_flat(&value) {
        let why =
            "an entry stands outside a group with `hooks`, and Claude Code drops such entries";
        let list = if audit.stop.is_empty() { &mut audit.broken } else { &mut audit.warn };
        list.push(why.to_owned());
    }
    if audit.stop.len() > 1 {
        audit.warn.push(format!("it is registered {} times", audit.stop.len()));
    }
    for handler in &audit.stop {
        audit.broken.extend(fault(handler, seconds));
    }
    if !audit.stop.is_empty() && own_handlers(body, "UserPromptSubmit")?.is_empty() {
        audit.warn.push(
            "the entry for UserPromptSubmit is missing, so work is not measured from the prompt"
                .into(),
        );
    }
    Ok(audit)
}

fn check_shape(value: &Value) -> Result<()> {
    let Some(hooks) = value.get("hooks").filter(|h| !h.is_null()) else { return Ok(()) };
    match (hooks.as_object(), hooks.get("Stop")) {
        (None, _) => Err(Refusal::Shape("\"hooks\" is not an object".into())),
        (Some(_), Some(stop)) if !stop.is_array() => {
            Err(Refusal::Shape("\"hooks.Stop\" is not a list".into()))
        }
        _ => Ok(()),
    }
}

/// An entry directly under `hooks.Stop`.
fn is_flat(value: &Value) -> bool {
    let groups = value.get("hooks").and_then(|h| h.get("Stop")?.as_array());
    groups.into_iter().flatten().any(is_own_value)
}

fn fault(handler: &Value, seconds: u64) -> Option<String> {
    let on = |key: &str| handler.get(key) == Some(&Value::Bool(true));
    if handler.get("type").and_then(Value::as_str) != Some("command") {
        return Some("the entry is not of the type `command`".into());
    }
    if on("async") || on("asyncRewake") {
        return Some(
            "the entry is asynchronous, so Claude Code does not wait for the review".into(),
        );
    }
    let timeout = match handler.get("timeout") {
        // Claude Code's own limit for a command.
        None => Some(600.0),
        Some(timeout) => timeout.as_f64().filter(|t| *t > 0.0),
    };
    match timeout {
        None => {
            Some("its `timeout` is not a number over 0, and Claude Code drops such an entry".into())
        }
        // Both are whole seconds far below what a float holds exactly.
        #[expect(clippy::cast_precision_loss)]
        Some(have) if have < seconds as f64 => Some(format!(
            "its `timeout` is {have} s, below the {seconds} s that the review and the checks may \
             take; Claude Code would end them in silence"
        )),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(handler: &str) -> String {
        format!(
            r#"{{"hooks":{{"Stop":[{{"hooks":[{handler}]}}],"UserPromptSubmit":[{{"hooks":[{{"type":"command","command":"ccc hook"}}]}}]}}}}"#
        )
    }

    #[test]
    fn each_fault_is_named() {
        let good = r#"{"type":"command","command":"ccc hook","timeout":630}"#;
        let table = [
            (with(good), "", ""),
            (with(&format!("{good},{good}")), "", "registered 2 times"),
            (with(r#"{"type":"command","command":"ccc hook"}"#), "below the 605 s", ""),
            (
                with(r#"{"type":"command","command":"ccc hook","timeout":"630"}"#),
                "not a number",
                "",
            ),
            (with(&good.replace("630", "30")), "is 30 s", ""),
            (with(&good.replace("630", "630,\"async\":true")), "asynchronous", ""),
            (with(&good.replace("\"type\":\"command\",", "")), "type", ""),
            (format!(r#"{{"hooks":{{"Stop":[{good}]}}}}"#), "outside a group", ""),
            (format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{good}]}}]}}}}"#), "", "UserPromptSubmit"),
        ];
        for (text, broken, warn) in table {
            let audit = audit(&text, 605).unwrap();
            assert!(!audit.is_empty(), "{text}");
            assert_eq!(audit.broken.is_empty(), broken.is_empty(), "{audit:?}");
            assert!(audit.broken.join(" ").contains(broken), "{audit:?}");
            assert!(audit.warn.join(" ").contains(warn), "{audit:?}");
        }
        assert!(audit("", 605).unwrap().is_empty());
        assert!(audit("{\"hooks\":[]}", 605).is_err() && audit("{", 605).is_err());
    }
}
