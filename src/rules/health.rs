//! What an examination of the installation found, and how it is shown.

use serde_json::{Value, json};

/// How well one thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Health {
    /// Nothing to do.
    Ok,
    /// Does not apply here, or could not be examined.
    Skipped,
    /// Works, but not as the user may expect.
    Warn,
    /// Supervision does not happen, or not as configured.
    Broken,
}

impl Health {
    /// The word of the contract.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Skipped => "skipped",
            Self::Warn => "warn",
            Self::Broken => "broken",
        }
    }
}

/// One thing that was examined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub name: &'static str,
    pub health: Health,
    /// One sentence.
    pub reason: String,
    /// The command, or the step, that mends it.
    pub mend: Option<String>,
}

impl Finding {
    /// All is well.
    pub fn ok(name: &'static str, reason: impl Into<String>) -> Self {
        Self { name, health: Health::Ok, reason: reason.into(), mend: None }
    }

    /// Not examined.
    pub fn skipped(name: &'static str, reason: impl Into<String>) -> Self {
        Self { name, health: Health::Skipped, reason: reason.into(), mend: None }
    }

    /// Works, with a remark.
    pub fn warn(name: &'static str, reason: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { name, health: Health::Warn, reason: reason.into(), mend: Some(mend.into()) }
    }

    /// Does not work.
    pub fn broken(name: &'static str, reason: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { name, health: Health::Broken, reason: reason.into(), mend: Some(mend.into()) }
    }
}

/// Whether nothing is broken.
pub fn is_ok(findings: &[Finding]) -> bool {
    findings.iter().all(|f| f.health != Health::Broken)
}

/// The report as data (contract, section 5).
pub fn as_json(findings: &[Finding]) -> Value {
    let one = |f: &Finding| json!({ "name": f.name, "state": f.health.name(), "reason": f.reason, "mend": f.mend });
    json!({ "ok": is_ok(findings), "checks": findings.iter().map(one).collect::<Vec<_>>() })
}

/// How a report is shown.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub color: bool,
    /// Columns of the terminal.
    pub width: usize,
    /// Every finding on lines of its own, not the bad ones alone.
    pub verbose: bool,
}

/// The report for people: what is broken first, each with what mends it; the rest in short.
pub fn render(findings: &[Finding], style: Style) -> String {
    let is_long = |f: &&Finding| style.verbose || matches!(f.health, Health::Warn | Health::Broken);
    let mut long: Vec<&Finding> = findings.iter().filter(is_long).collect();
    long.sort_by_key(|f| std::cmp::Reverse(f.health));
    let names = long.iter().map(|f| f.name.len()).max().unwrap_or_default();
    let mut out = String::new();
    for finding in &long {
        out.push_str(&entry(finding, names, style));
    }
    if !long.is_empty() {
        out.push('\n');
    }
    out + &summary(findings, style)
}

fn entry(finding: &Finding, names: usize, style: Style) -> String {
    let (mark, color) = match finding.health {
        Health::Ok => ("✓", "32"),
        Health::Skipped => ("·", "2"),
        Health::Warn => ("!", "33"),
        Health::Broken => ("✗", "31"),
    };
    let indent = names + 4;
    let room = style.width.saturating_sub(indent).max(30);
    let mut lines = wrap(&finding.reason, room).into_iter();
    let first = lines.next().unwrap_or_default();
    let name = format!("{:names$}", finding.name);
    let mut out = format!("{} {}  {first}\n", paint(mark, color, style), paint(&name, "1", style));
    lines.for_each(|line| out.push_str(&format!("{:indent$}{line}\n", "")));
    // A command is never broken: it is there to be copied.
    for line in finding.mend.iter().flat_map(|m| m.lines()) {
        out.push_str(&format!("{:indent$}{} {}\n", "", paint("→", "36", style), line));
    }
    out
}

fn summary(findings: &[Finding], style: Style) -> String {
    let count = |health| findings.iter().filter(|f| f.health == health).count();
    let (ok, skipped) = (count(Health::Ok), count(Health::Skipped));
    let (warn, broken) = (count(Health::Warn), count(Health::Broken));
    let part = |n: usize, word: &str, color: &str| {
        (n > 0).then(|| paint(&format!("{n} {word}"), color, style))
    };
    let parts = [
        part(broken, "broken", "31"),
        part(warn, if warn == 1 { "warning" } else { "warnings" }, "33"),
        part(ok, "ok", "32"),
        part(skipped, "skipped", "2"),
    ];
    let line = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    if style.verbose || ok == 0 {
        return line + "\n";
    }
    let names: Vec<_> =
        findings.iter().filter(|f| f.health == Health::Ok).map(|f| f.name).collect();
    let mut out = line + "\n";
    for line in wrap(&names.join(", "), style.width.saturating_sub(2).max(30)) {
        out.push_str(&format!("  {}\n", paint(&line, "2", style)));
    }
    out
}

fn paint(text: &str, color: &str, style: Style) -> String {
    if style.color { format!("\x1b[{color}m{text}\x1b[0m") } else { text.to_owned() }
}

/// Breaks a text at blanks into lines of at most `width` characters; longer words stay whole.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().map_or(0, |l| l.chars().count());
        if line > 0 && line + 1 + word.chars().count() > width {
            lines.push(String::new());
        }
        if let Some(last) = lines.last_mut() {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Style = Style { color: false, width: 58, verbose: false };

    fn some() -> Vec<Finding> {
        vec![
            Finding::ok("home", "`~/.claude/ccc` is writable"),
            Finding::warn("cap", "the client overrides a hook after 8 blocks in a row", "ccc x"),
            Finding::skipped("fired", "no session has ended yet"),
            Finding::broken("hook", "no entry", "ccc install"),
        ]
    }

    #[test]
    fn what_is_broken_comes_first_and_what_is_well_in_one_line() {
        let said = render(&some(), PLAIN);
        let want = "✗ hook  no entry\n        → ccc install\n! cap   the client overrides a hook \
                    after 8 blocks in a\n        row\n        → ccc x\n\n1 broken, 1 warning, 1 ok, \
                    1 skipped\n  home\n";
        assert_eq!(said, want);
        assert!(render(&some(), Style { verbose: true, ..PLAIN }).contains("· fired"));
        assert!(render(&some(), Style { color: true, ..PLAIN }).contains("\x1b[31m✗\x1b[0m"));
    }

    #[test]
    fn only_a_broken_thing_makes_the_report_bad() {
        assert!(!is_ok(&some()) && is_ok(&some()[..3]));
        let report = as_json(&some());
        assert_eq!(report["ok"], false);
        assert_eq!(report["checks"][3]["state"], "broken");
        assert_eq!(report["checks"][0]["mend"], Value::Null);
    }
}
