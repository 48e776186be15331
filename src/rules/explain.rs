//! Says of a recorded stop, for people, what was decided, by which rule, and what was sent.

use serde_json::Value;

use crate::rules::stop_record::{Answered, StopRecord};
use crate::rules::text::printable;

/// The rule that decided, by the outcome's slug (contract, section 4: the order of the policy).
pub fn rule(slug: &str) -> &'static str {
    match slug {
        "background" => "work of this session was still running; the next stop is looked at again",
        "api-error" => "the turn ended on an API error or a usage limit, which no feedback mends",
        "cap-reached" => "`max_iterations` blocks were sent for this prompt already",
        "client-cap" => {
            "the client would have overridden one more block in a row without a tool call"
        }
        "breaker-open" => {
            "the breaker: the session gets nowhere, or hears the same feedback again and again"
        }
        "rate-limited" => "`rate_limit.reviews_per_hour` reviews were started in the last hour",
        "state-not-saved" => "no block without a persisted count",
        "gate" => "a check that is a gate failed, so no judge was asked",
        "approved-before" => {
            "the same work was judged complete before, so no judge was asked again"
        }
        "unchanged" => "the same work was judged incomplete before, so no judge was asked again",
        "approved" => "the verdict: complete",
        "incomplete" => "the verdict: not complete",
        "needs-human" => "the verdict: only the user can decide what comes next",
        "doubt" => "the judge's answer leaves in doubt what it says, and doubt never approves",
        "judge-failed" => "the judge could not do its job, and `on_error` is \"allow\"",
        "review-failed" => "the judge could not do its job, and `on_error` is \"block\"",
        _ => "no rule of a review",
    }
}

/// The whole explanation. `at` is the time of the stop as people read it.
pub fn render(stop: &StopRecord, at: &str) -> String {
    let outcome = &stop.outcome;
    let mut out = format!("stop {}, {at}\n\n", stop.id);
    let round = match outcome.round {
        0 => String::new(),
        n => format!(", round {n} of {}", stop.settings.max_iterations),
    };
    let facts = [
        ("session", format!("{} ({})", stop.session_id, stop.client.name())),
        ("project", stop.project.clone()),
        ("decision", format!("{}: {}{round}", outcome.decision, outcome.reason)),
        ("rule", rule(&outcome.reason).to_owned()),
        ("judge", judge(stop)),
        ("prompt", prompt(stop)),
    ];
    for (name, text) in facts.iter().filter(|(_, text)| !text.is_empty()) {
        out.push_str(&format!("{name:9} {}\n", printable(text).replace('\n', " ")));
    }
    for (title, text) in sections(stop) {
        let text = printable(&text);
        out.push_str(&format!("\n== {title} ==\n\n{}\n", text.trim_end()));
    }
    out
}

fn judge(stop: &StopRecord) -> String {
    let Some(used) = &stop.outcome.judge else { return "none was asked".to_owned() };
    let number = |key: &str| used.get(key).and_then(Value::as_f64);
    let count = |key: &str| used.get(key).and_then(Value::as_u64).filter(|&n| n > 0);
    let parts = [
        number("cost_usd").map(|usd| format!("${usd:.4}")),
        number("duration_ms").map(|ms| format!("{:.1} s", ms / 1000.0)),
        count("input_tokens").map(|n| format!("{n} input tokens")),
        count("cache_read_tokens").map(|n| format!("{n} read from the cache")),
        count("cache_creation_tokens").map(|n| format!("{n} written to the cache")),
        count("output_tokens").map(|n| format!("{n} output tokens")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!("{}: {}", stop.settings.judge, parts.join(", "))
}

fn prompt(stop: &StopRecord) -> String {
    let outcome = &stop.outcome;
    let digest: String = outcome.prompt_digest.chars().take(12).collect();
    match (&outcome.prompt_path, digest.is_empty()) {
        (_, true) => String::new(),
        (Some(path), false) => format!("`{path}` (SHA-256 {digest})"),
        (None, false) => format!("the built-in one (SHA-256 {digest})"),
    }
}

fn sections(stop: &StopRecord) -> Vec<(&'static str, String)> {
    let (given, outcome) = (&stop.given, &stop.outcome);
    let mut sections = vec![("Request", given.requests.last().cloned().unwrap_or_default())];
    if given.evidence.is_empty() {
        sections
            .push(("Last message of the agent", given.last_message.clone().unwrap_or_default()));
    }
    sections.push(("Evidence", given.evidence.clone()));
    sections.push(("Verdict", verdict(stop)));
    let title = match (outcome.stdout.is_empty(), outcome.stderr.is_empty()) {
        (_, false) => "Sent to the agent (standard error)",
        (false, true) => "Sent to the client (standard output)",
        (true, true) => "Sent to the client",
    };
    let sent = format!("{}{}", outcome.stdout, outcome.stderr);
    let sent = if sent.is_empty() { "nothing".to_owned() } else { sent };
    sections.push((title, format!("(exit {})\n{sent}", outcome.exit)));
    sections.retain(|(_, text)| !text.trim().is_empty());
    sections
}

fn verdict(stop: &StopRecord) -> String {
    let verdict = stop.outcome.verdict.as_ref();
    match (verdict, &stop.given.answer) {
        (Some(verdict), _) => {
            let word = if verdict.completed { "complete" } else { "not complete" };
            let human = if verdict.needs_human { ", needs the user" } else { "" };
            format!("{word}{human}\n\n{}", verdict.feedback)
        }
        (None, Some(Answered::Doubt(text))) => format!("in doubt; the answer was:\n\n{text}"),
        (None, Some(Answered::Failed(why))) => format!("none, the judge failed: {why}"),
        (None, Some(Answered::Nothing)) => "none, the judge said nothing".to_owned(),
        (None, _) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::outcome::{Allow, Block};

    #[test]
    fn every_outcome_of_a_review_has_its_rule() {
        let text = String::new;
        let allows = [
            Allow::Approved,
            Allow::ApprovedBefore,
            Allow::Background(text()),
            Allow::ApiError(text()),
            Allow::CapReached { max: 1 },
            Allow::ClientCap { blocks: 8 },
            Allow::BreakerOpen(text()),
            Allow::RateLimited { limit: 1, free_at: text() },
            Allow::StateNotSaved(text()),
            Allow::NeedsHuman(text()),
            Allow::JudgeFailed(text()),
        ];
        let gate = Block::Gate { name: text(), ended: text(), output: text() };
        let blocks = [
            Block::Incomplete(text()),
            Block::Unchanged(text()),
            gate,
            Block::Doubt(text()),
            Block::ReviewFailed,
        ];
        let slugs = allows.iter().map(Allow::slug).chain(blocks.iter().map(Block::slug));
        let rules: Vec<&str> = slugs.map(rule).collect();
        for (i, rule) in rules.iter().enumerate() {
            assert!(!rule.starts_with("no rule") && !rules[..i].contains(rule), "{rule}");
        }
    }
}
