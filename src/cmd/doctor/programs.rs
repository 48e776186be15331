//! The client, its cap, the judge and its authentication.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Patient;
use crate::clients::claude;
use crate::cmd::hook::judge::find_claude;
use crate::cmd::install::notices;
use crate::config::JudgeKind;
use crate::rules::health::Finding;
use crate::rules::text::{cut, one_line};
use crate::sys::process::{self, End, Job, Keep};

/// Longest wait for `--version`.
const VERSION_LIMIT: Duration = Duration::from_secs(15);

pub fn examine(patient: &Patient) -> Vec<Finding> {
    let client = process::find_program(OsStr::new("claude"), patient.context.env.path.as_deref());
    let version = client.as_ref().map(|path| version_of(patient, path));
    vec![
        client_version(client.as_deref(), version.as_ref()),
        cap(patient),
        judge(patient, client.as_deref().ok(), version.as_ref().ok()),
        auth(patient),
    ]
}

/// What a program prints for `--version`, on one line.
fn version_of(patient: &Patient, program: &Path) -> Result<String, String> {
    let job = Job {
        program: program.as_os_str(),
        args: vec!["--version".into()],
        env: vec![
            (crate::env::SUPERVISING.into(), Some("1".into())),
            ("DISABLE_AUTOUPDATER".into(), Some("1".into())),
        ],
        cwd: Path::new("/"),
        stdin: b"",
        limit: VERSION_LIMIT,
        stdout: Keep { head: 4 << 10, tail: 0 },
        stderr: Keep { head: 4 << 10, tail: 0 },
    };
    let shown = program.display();
    let done = process::run(&job, &patient.cancel)
        .map_err(|e| format!("`{shown}` cannot be started: {e}"))?;
    let said = one_line(&done.stderr.text());
    match done.end {
        End::Code(0) => Ok(cut(&one_line(&done.stdout.text()), 100).into_owned()),
        End::Code(code) => {
            Err(format!("`{shown} --version` failed with exit {code} {}", cut(&said, 160)))
        }
        End::Signal(signal) => Err(format!("`{shown} --version` was ended by signal {signal}")),
        End::TimedOut | End::Cancelled => {
            Err(format!("`{shown} --version` did not answer within {} s", VERSION_LIMIT.as_secs()))
        }
    }
}

fn client_version(
    path: Result<&Path, &String>,
    version: Result<&Result<String, String>, &&String>,
) -> Finding {
    const NAME: &str = "client";
    let mend = "install or update Claude Code";
    let (path, version) = match (path, version) {
        (Ok(path), Ok(version)) => (path.display(), version),
        (Err(why), _) => return Finding::warn(NAME, why.as_str(), mend),
        (_, Err(why)) => return Finding::warn(NAME, why.as_str(), mend),
    };
    match version.as_ref().map(|v| (claude::version(v), v)) {
        Err(why) => Finding::warn(NAME, why.as_str(), mend),
        Ok((None, said)) => Finding::warn(NAME, format!("`{path}` tells no version: {said}"), mend),
        Ok((Some(version), said)) if version < claude::OLDEST => {
            let (major, minor, patch) = claude::OLDEST;
            let why =
                format!("Claude Code is {said}; ccc is made for {major}.{minor}.{patch} or newer");
            Finding::warn(NAME, why, "claude update")
        }
        Ok((Some(_), said)) => Finding::ok(NAME, format!("`{path}` is {said}")),
    }
}

fn cap(patient: &Patient) -> Finding {
    const NAME: &str = "cap";
    let max = patient.loaded.config.max_iterations;
    match notices::cap(patient.context, max) {
        None => Finding::ok(NAME, format!("Claude Code honors the {max} blocks of max_iterations")),
        Some(why) => {
            let why = why.split(';').next().unwrap_or_default().to_owned();
            Finding::warn(NAME, why, "ccc install --raise-cap")
        }
    }
}

fn judge(
    patient: &Patient,
    client: Option<&Path>,
    known: Option<&Result<String, String>>,
) -> Finding {
    const NAME: &str = "judge";
    let config = &patient.loaded.config;
    match config.judge {
        JudgeKind::Status => Finding::ok(NAME, "the judge `status` needs no program"),
        JudgeKind::Codex => Finding::broken(
            NAME,
            "the judge `codex` is not built in yet, so each review fails",
            "set `judge` to \"claude\", \"command\" or \"status\"",
        ),
        JudgeKind::Command => judge_command(patient),
        JudgeKind::Claude => match find_claude(&config.review, &patient.context.env) {
            Err(why) => Finding::broken(
                NAME,
                why,
                "install Claude Code, or set `review.claude_path` in the config",
            ),
            Ok(path) => {
                let is_client = client == Some(path.as_path());
                let said = match known.filter(|_| is_client) {
                    Some(known) => known.clone(),
                    None => version_of(patient, &path),
                };
                tell_judge(&path, said)
            }
        },
    }
}

fn tell_judge(path: &Path, said: Result<String, String>) -> Finding {
    match said {
        Ok(said) => Finding::ok("judge", format!("`{}` answers: {said}", path.display())),
        Err(why) => Finding::broken(
            "judge",
            format!("{why}, so each review fails"),
            "install Claude Code anew, or set `review.claude_path` in the config",
        ),
    }
}

/// A command may do anything, so it is looked for but not run.
fn judge_command(patient: &Patient) -> Finding {
    const NAME: &str = "judge";
    let Some(command) = &patient.loaded.config.review.command else {
        let why = "the judge is \"command\", but `review.command` is not set, so each review fails";
        return Finding::broken(NAME, why, "set `review.command` in the config");
    };
    let word = command.split_whitespace().next().unwrap_or_default();
    let is_plain = word.chars().all(|c| c.is_alphanumeric() || "/._-+".contains(c));
    let path = Path::new(word);
    let path = if word.contains('/') { patient.context.project.join(path) } else { path.into() };
    let shown = cut(command, 60).into_owned();
    match process::find_program(path.as_os_str(), patient.context.env.path.as_deref()) {
        _ if !is_plain => Finding::skipped(NAME, format!("`{shown}` is for the shell to find")),
        Ok(path) => Finding::ok(NAME, format!("the review command runs `{}`", path.display())),
        Err(_) if BUILT_IN.contains(&word) => {
            Finding::ok(NAME, format!("the review command is `{shown}`"))
        }
        Err(why) => Finding::broken(
            NAME,
            format!("the review command cannot run: {why}"),
            "set `review.command` in the config to a program that is there",
        ),
    }
}

/// Words that a shell runs itself.
const BUILT_IN: &[&str] =
    &[":", ".", "cd", "echo", "eval", "exec", "export", "if", "printf", "set", "test", "while"];

/// Whether there is anything to log in with. Only its presence is looked at, never its content.
fn auth(patient: &Patient) -> Finding {
    const NAME: &str = "auth";
    if patient.loaded.config.judge != JudgeKind::Claude {
        return Finding::skipped(NAME, "the judge is not Claude Code");
    }
    if patient.context.env.has_credentials {
        return Finding::ok(NAME, "the environment has credentials");
    }
    let has = |value: &serde_json::Value, key: &str| value.get(key).is_some_and(|v| !v.is_null());
    for file in &patient.settings {
        let keys = ["apiKeyHelper", "awsCredentialExport", "awsAuthRefresh", "gcpAuthRefresh"];
        let in_env = file
            .value
            .get("env")
            .is_some_and(|env| crate::env::CREDENTIALS.iter().any(|name| has(env, name)));
        if in_env || keys.iter().any(|key| has(&file.value, key)) {
            return Finding::ok(NAME, format!("`{}` has credentials", file.path.display()));
        }
    }
    let store: PathBuf = patient.paths.client_dir.join(".credentials.json");
    match std::fs::metadata(&store) {
        Ok(m) if m.len() > 2 => Finding::ok(NAME, format!("`{}` is there", store.display())),
        _ if cfg!(target_os = "macos") => {
            Finding::skipped(NAME, "credentials may be in the keychain, which is not looked into")
        }
        _ => Finding::warn(
            NAME,
            "no credentials of Claude Code were found, so reviews may fail with \"not logged in\"",
            "claude, then /login",
        ),
    }
}
