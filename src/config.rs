//! Configuration: defaults, overridden key by key by the user's file, then by the project's.
//!
//! A file that does not parse or a value of the wrong type is reported and its default used: a
//! broken config never traps a session. What a project's file may run counts only when trusted.

mod notify;
mod ralph;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::paths::{self, Paths};
use crate::rules::check::Check;
use crate::rules::notify::Notify;
use crate::rules::stop_record::Settings;
use crate::sys::fs;

pub use ralph::{ExecutorKind, Ralph};

/// Largest config file that is read, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// Effective configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    pub enabled: bool,
    pub judge: JudgeKind,
    /// Most blocks in one chain.
    pub max_iterations: u32,
    pub on_error: OnError,
    pub review: Review,
    pub evidence: Evidence,
    pub breaker: Breaker,
    /// Reviews of all sessions of one `CCC_HOME` in a sliding hour.
    pub reviews_per_hour: u32,
    /// State that was not touched for this many hours counts as absent.
    pub expire_hours: u64,
    pub ralph: Ralph,
    pub notify: Notify,
}

/// What decides whether the work is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgeKind {
    /// A forked, read-only session of Claude Code.
    Claude,
    /// A read-only session of Codex.
    Codex,
    /// Any program: review prompt on stdin, verdict on stdout.
    Command,
    /// Rules only, no model.
    Status,
}

impl JudgeKind {
    /// The word of the config file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Command => "command",
            Self::Status => "status",
        }
    }
}

/// What happens when a judge could not do its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    Allow,
    Block,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Review {
    pub timeout_secs: u64,
    pub model: Option<String>,
    pub max_budget_usd: Option<f64>,
    pub claude_path: Option<PathBuf>,
    pub codex_path: Option<PathBuf>,
    /// Program of the judge `command`, run by `sh -c`.
    pub command: Option<String>,
    /// What the reviewer may run beyond the client's read-only set, in the client's rule syntax.
    pub allow: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    pub git: bool,
    pub max_bytes: usize,
    pub checks: Vec<Check>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Breaker {
    pub enabled: bool,
    pub no_progress: u32,
    pub same_feedback: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            enabled: true,
            judge: JudgeKind::Claude,
            max_iterations: 10,
            on_error: OnError::Allow,
            review: Review {
                timeout_secs: 600,
                model: None,
                max_budget_usd: None,
                claude_path: None,
                codex_path: None,
                command: None,
                allow: Vec::new(),
            },
            evidence: Evidence { git: true, max_bytes: 24_000, checks: Vec::new() },
            breaker: Breaker { enabled: true, no_progress: 3, same_feedback: 5 },
            reviews_per_hour: 100,
            expire_hours: 24,
            ralph: Ralph::default(),
            notify: Notify::default(),
        }
    }
}

impl From<&Config> for Settings {
    fn from(config: &Config) -> Self {
        let gates = config.evidence.checks.iter().filter(|check| check.gate);
        Self {
            judge: config.judge.name().to_owned(),
            by_rules: config.judge == JudgeKind::Status,
            max_iterations: config.max_iterations,
            block_on_error: config.on_error == OnError::Block,
            breaker_enabled: config.breaker.enabled,
            no_progress: config.breaker.no_progress,
            same_feedback: config.breaker.same_feedback,
            gates: gates.map(|check| check.run.clone()).collect(),
        }
    }
}

/// A config with what was wrong with its files.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    pub config: Config,
    /// Sentences for the user: a file that does not parse, a value of the wrong type.
    pub problems: Vec<String>,
    /// Keys that ccc does not know, with their file (for `ccc doctor`).
    pub unknown: Vec<String>,
    /// The project's file asks for commands that `ccc trust` has not allowed.
    pub is_untrusted: bool,
}

/// Reads and merges the files.
///
/// `is_trusted` is asked with the bytes of the project's file, if there is one.
pub fn load(paths: &Paths, project: &Path, is_trusted: impl FnOnce(&[u8]) -> bool) -> Loaded {
    let mut loaded = Loaded::default();
    if let Some((user, _)) = read(&paths.config(), &mut loaded.problems) {
        Reader::new(&paths.config(), true, &mut loaded).apply(&user);
    }
    let file = paths::project_config(project);
    if let Some((values, bytes)) = read(&file, &mut loaded.problems) {
        let trusted = !asks_for_commands(&values) || is_trusted(&bytes);
        loaded.is_untrusted = !trusted;
        Reader::new(&file, trusted, &mut loaded).apply(&values);
    }
    loaded
}

/// The project's file and whether it asks for commands; `None` without one.
pub fn read_project_file(project: &Path) -> Option<(Vec<u8>, bool)> {
    let (values, bytes) = read(&paths::project_config(project), &mut Vec::new())?;
    Some((bytes, asks_for_commands(&values)))
}

fn read(path: &Path, problems: &mut Vec<String>) -> Option<(Map<String, Value>, Vec<u8>)> {
    let shown = path.display();
    let bytes = match fs::read_optional(path, MAX_FILE) {
        Ok(bytes) => bytes?,
        Err(e) => {
            problems.push(format!("cannot read `{shown}` ({e}); its defaults are used"));
            return None;
        }
    };
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    match serde_json::from_slice::<Value>(text) {
        Ok(Value::Object(map)) => Some((map, bytes)),
        Ok(_) => {
            problems.push(format!("`{shown}` is not a JSON object; its defaults are used"));
            None
        }
        Err(e) if text.trim_ascii().is_empty() && e.is_eof() => None,
        Err(e) => {
            let (line, column) = (e.line(), e.column());
            problems.push(format!(
                "`{shown}` line {line}, column {column} does not parse; its defaults are used"
            ));
            None
        }
    }
}

/// Whether a project's file names a program or a command.
fn asks_for_commands(values: &Map<String, Value>) -> bool {
    let section = |name: &str| values.get(name).and_then(Value::as_object);
    let has = |name: &str, keys: &[&str]| {
        section(name).is_some_and(|s| keys.iter().any(|k| s.get(*k).is_some_and(|v| !v.is_null())))
    };
    has("review", &["command", "claude_path", "codex_path", "allow"])
        || has("evidence", &["checks"])
        || has("notify", &["command"])
        || has("ralph", ralph::COMMANDS)
}

/// Applies one file; remembers what is wrong with it.
struct Reader<'a> {
    path: PathBuf,
    may_run: bool,
    loaded: &'a mut Loaded,
}

impl<'a> Reader<'a> {
    fn new(path: &Path, may_run: bool, loaded: &'a mut Loaded) -> Self {
        Self { path: path.to_path_buf(), may_run, loaded }
    }

    fn apply(&mut self, values: &Map<String, Value>) {
        let mut c = std::mem::take(&mut self.loaded.config);
        for (key, value) in values {
            match key.as_str() {
                "enabled" => self.set(key, value, "true or false", as_bool, &mut c.enabled),
                "judge" => self.set(
                    key,
                    value,
                    "\"claude\", \"codex\", \"command\" or \"status\"",
                    as_judge,
                    &mut c.judge,
                ),
                "max_iterations" => {
                    self.set(key, value, "a whole number", as_u32, &mut c.max_iterations);
                }
                "on_error" => {
                    self.set(key, value, "\"allow\" or \"block\"", as_on_error, &mut c.on_error);
                }
                "review" => self.section(key, value, |r, k, v| r.review(k, v, &mut c.review)),
                "evidence" => self.section(key, value, |r, k, v| r.evidence(k, v, &mut c.evidence)),
                "breaker" => self.section(key, value, |r, k, v| r.breaker(k, v, &mut c.breaker)),
                "rate_limit" => self.section(key, value, |r, k, v| match k {
                    "rate_limit.reviews_per_hour" => {
                        r.set(k, v, "a whole number", as_u32, &mut c.reviews_per_hour);
                    }
                    _ => r.unknown(k),
                }),
                "session" => self.section(key, value, |r, k, v| match k {
                    "session.expire_hours" => {
                        r.set(k, v, "a whole number", as_u64, &mut c.expire_hours);
                    }
                    _ => r.unknown(k),
                }),
                "notify" => self.section(key, value, |r, k, v| r.notify(k, v, &mut c.notify)),
                "ralph" => self.section(key, value, |r, k, v| r.ralph(k, v, &mut c.ralph)),
                _ => self.unknown(key),
            }
        }
        self.loaded.config = c;
    }

    fn review(&mut self, key: &str, value: &Value, c: &mut Review) {
        match key {
            "review.timeout_secs" => {
                self.set(key, value, "seconds over 0", as_positive, &mut c.timeout_secs);
            }
            "review.model" => self.set(key, value, "text or null", as_text, &mut c.model),
            "review.max_budget_usd" => {
                self.set(key, value, "a number over 0 or null", as_budget, &mut c.max_budget_usd);
            }
            _ if !self.may_run => {}
            "review.claude_path" => {
                self.set(key, value, "a path or null", as_path, &mut c.claude_path);
            }
            "review.codex_path" => {
                self.set(key, value, "a path or null", as_path, &mut c.codex_path);
            }
            "review.command" => self.set(key, value, "text or null", as_text, &mut c.command),
            "review.allow" => self.set(key, value, "a list of texts", as_texts, &mut c.allow),
            _ => self.unknown(key),
        }
    }

    fn evidence(&mut self, key: &str, value: &Value, c: &mut Evidence) {
        match key {
            "evidence.git" => self.set(key, value, "true or false", as_bool, &mut c.git),
            "evidence.max_bytes" => {
                self.set(key, value, "a whole number of bytes", as_usize, &mut c.max_bytes);
            }
            "evidence.checks" if !self.may_run => {}
            "evidence.checks" => match value.as_array() {
                Some(list) => {
                    c.checks =
                        list.iter().enumerate().filter_map(|(i, v)| self.check(i, v)).collect();
                }
                None => self.wrong(key, "a list"),
            },
            _ => self.unknown(key),
        }
    }

    fn check(&mut self, index: usize, value: &Value) -> Option<Check> {
        let key = format!("evidence.checks[{index}]");
        let Some(run) = value.get("run").and_then(Value::as_str).filter(|s| !s.trim().is_empty())
        else {
            self.wrong(&key, "an object with the text `run`");
            return None;
        };
        let mut check =
            Check { name: run.to_owned(), run: run.to_owned(), timeout_secs: 300, gate: false };
        for (name, value) in value.as_object().into_iter().flatten() {
            let key = format!("{key}.{name}");
            match name.as_str() {
                "run" => {}
                "name" => match value.as_str() {
                    Some(text) => text.clone_into(&mut check.name),
                    None => self.wrong(&key, "text"),
                },
                "timeout_secs" => {
                    self.set(&key, value, "seconds over 0", as_positive, &mut check.timeout_secs);
                }
                "gate" => self.set(&key, value, "true or false", as_bool, &mut check.gate),
                _ => self.unknown(&key),
            }
        }
        Some(check)
    }

    fn breaker(&mut self, key: &str, value: &Value, c: &mut Breaker) {
        match key {
            "breaker.enabled" => self.set(key, value, "true or false", as_bool, &mut c.enabled),
            "breaker.no_progress" => {
                self.set(key, value, "a whole number over 0", as_count, &mut c.no_progress);
            }
            "breaker.same_feedback" => {
                self.set(key, value, "a whole number over 0", as_count, &mut c.same_feedback);
            }
            _ => self.unknown(key),
        }
    }

    fn section(&mut self, key: &str, value: &Value, mut each: impl FnMut(&mut Self, &str, &Value)) {
        match value.as_object() {
            Some(map) => map.iter().for_each(|(k, v)| each(self, &format!("{key}.{k}"), v)),
            None => self.wrong(key, "an object"),
        }
    }

    fn set<T>(
        &mut self,
        key: &str,
        value: &Value,
        want: &str,
        read: fn(&Value) -> Option<T>,
        to: &mut T,
    ) {
        match read(value) {
            Some(v) => *to = v,
            None => self.wrong(key, want),
        }
    }

    fn wrong(&mut self, key: &str, want: &str) {
        let path = self.path.display();
        self.loaded.problems.push(format!("`{key}` in `{path}` is not {want}; ignored"));
    }

    fn unknown(&mut self, key: &str) {
        self.loaded.unknown.push(format!("`{key}` in `{}`", self.path.display()));
    }
}

fn as_bool(v: &Value) -> Option<bool> {
    v.as_bool()
}

fn as_u64(v: &Value) -> Option<u64> {
    v.as_u64()
}

fn as_positive(v: &Value) -> Option<u64> {
    v.as_u64().filter(|&n| n > 0 && n < 1 << 32)
}

fn as_u32(v: &Value) -> Option<u32> {
    v.as_u64().and_then(|n| u32::try_from(n).ok())
}

fn as_count(v: &Value) -> Option<u32> {
    as_u32(v).filter(|&n| n > 0)
}

fn as_usize(v: &Value) -> Option<usize> {
    v.as_u64().and_then(|n| usize::try_from(n).ok())
}

/// `null` is a value, too: it takes an earlier file's setting back.
fn as_text(v: &Value) -> Option<Option<String>> {
    if v.is_null() { Some(None) } else { v.as_str().map(|s| Some(s.to_owned())) }
}

fn as_path(v: &Value) -> Option<Option<PathBuf>> {
    as_text(v).map(|text| text.map(PathBuf::from))
}

fn as_texts(v: &Value) -> Option<Vec<String>> {
    v.as_array()?.iter().map(|s| s.as_str().map(str::to_owned)).collect()
}

fn as_budget(v: &Value) -> Option<Option<f64>> {
    if v.is_null() { Some(None) } else { v.as_f64().filter(|&n| n > 0.0).map(Some) }
}

fn as_judge(v: &Value) -> Option<JudgeKind> {
    [JudgeKind::Claude, JudgeKind::Codex, JudgeKind::Command, JudgeKind::Status]
        .into_iter()
        .find(|k| Some(k.name()) == v.as_str())
}

fn as_on_error(v: &Value) -> Option<OnError> {
    match v.as_str()? {
        "allow" => Some(OnError::Allow),
        "block" => Some(OnError::Block),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load_texts(user: &str, project: &str, trusted: bool) -> Loaded {
        let dir = tempfile::tempdir().unwrap();
        let paths = Paths { client_dir: dir.path().into(), ccc_home: dir.path().join("ccc") };
        let file = paths::project_config(&dir.path().join("p"));
        fs::create_private_dir(&paths.ccc_home).unwrap();
        fs::create_private_dir(file.parent().unwrap()).unwrap();
        std::fs::write(paths.config(), user).unwrap();
        std::fs::write(file, project).unwrap();
        load(&paths, &dir.path().join("p"), |_| trusted)
    }

    #[test]
    fn the_project_overrides_the_user_key_by_key() {
        let user = r#"{"max_iterations": 3, "review": {"timeout_secs": 9, "model": "m"}}"#;
        let loaded = load_texts(user, r#"{"review": {"model": null}, "enabled": false}"#, false);
        assert!(loaded.problems.is_empty() && !loaded.is_untrusted, "{loaded:?}");
        let c = loaded.config;
        assert_eq!((c.max_iterations, c.enabled), (3, false));
        assert_eq!((c.review.timeout_secs, c.review.model), (9, None));
    }

    #[test]
    fn wrong_values_are_reported_and_the_defaults_stay() {
        let user = r#"{"max_iterations": "5", "review": [], "breaker": {"no_progress": 0},
            "evidence": {"checks": [{"name": "x"}, {"run": "true", "gate": 1}]}, "zz": 1}"#;
        let loaded = load_texts(user, "{", true);
        assert_eq!(loaded.problems.len(), 6, "{:?}", loaded.problems);
        assert_eq!(loaded.unknown.len(), 1);
        assert_eq!(loaded.config.max_iterations, 10);
        assert!(!loaded.config.evidence.checks[0].gate);
    }

    #[test]
    fn an_untrusted_project_runs_nothing() {
        let project = r#"{"max_iterations": 2, "review": {"command": "x", "allow": ["Bash"]},
            "evidence": {"checks": [{"run": "touch x"}]}}"#;
        let loaded = load_texts("{}", project, false);
        assert!(loaded.is_untrusted && loaded.config.evidence.checks.is_empty());
        assert_eq!((loaded.config.review.command, loaded.config.max_iterations), (None, 2));
        assert!(!load_texts("{}", project, true).config.evidence.checks.is_empty());
    }
}
