//! Whether Claude Code has the hook, would run it, and did run it.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::time::Duration;

use serde_json::Value;

use super::Patient;
use super::settings_files::SettingsFile;
use crate::cli::Scope;
use crate::clients::{claude_transcript, claude_turn, settings};
use crate::cmd::install;
use crate::rules::health::{self, Finding};
use crate::rules::probe::{self, Ran};
use crate::rules::stop::SessionId;
use crate::sys::process::{self, End, Job, Keep};
use crate::sys::store::{Store, Stored};
use crate::sys::{clock, fs, history, transcript};

/// The hook of the plugin.
const PLUGIN_COMMAND: &str = "ccc hook";
/// Beginning of the plugin's name in `enabledPlugins`.
const PLUGIN: &str = "ccc@";
/// Longest wait for the answer to a probe.
const PROBE_LIMIT: Duration = Duration::from_secs(10);
/// Transcripts that are searched for one whose turn has ended.
const TRANSCRIPTS: usize = 20;
/// Seconds between the agent's last word and the record of the hook that are nothing.
const TOLERANCE: u64 = 5;
/// Bytes of the history that are searched.
const HISTORY: u64 = 4 << 20;

/// A place where the hook is registered.
struct Registration {
    /// For people: `the user settings`.
    place: String,
    /// The command, or the program with its arguments.
    command: Command,
}

#[derive(Clone, PartialEq, Eq)]
enum Command {
    Shell(String),
    Program(String, Vec<String>),
}

pub fn examine(patient: &Patient) -> Vec<Finding> {
    let found = registrations(patient);
    let mut findings = entries(patient, &found);
    findings.push(hooks_on(patient));
    findings.push(once(&found));
    findings.extend(fires(patient, &found));
    findings.push(fired(patient));
    findings
}

fn registrations(patient: &Patient) -> Vec<Registration> {
    let mut found = Vec::new();
    for file in &patient.settings {
        let Ok(audit) = settings::audit(&file.text, 0) else { continue };
        let place = format!("the {} settings", file.name());
        found.extend(
            audit
                .stop
                .iter()
                .filter_map(command)
                .map(|command| Registration { place: place.clone(), command }),
        );
    }
    if let Some((name, _)) = plugin(patient) {
        let command = Command::Shell(PLUGIN_COMMAND.to_owned());
        found.push(Registration { place: format!("the plugin `{name}`"), command });
    }
    found
}

fn command(handler: &Value) -> Option<Command> {
    let program = handler.get("command")?.as_str()?.to_owned();
    let Some(args) = handler.get("args").and_then(Value::as_array) else {
        return Some(Command::Shell(program));
    };
    let args = args.iter().filter_map(|a| a.as_str().map(str::to_owned)).collect();
    Some(Command::Program(program, args))
}

/// The enabled plugin and the settings that enable it. The last file that names it decides.
fn plugin<'a>(patient: &'a Patient) -> Option<(String, &'a SettingsFile)> {
    let mut on = None;
    for file in &patient.settings {
        let plugins = file.value.get("enabledPlugins").and_then(Value::as_object);
        for (name, value) in plugins.into_iter().flatten().filter(|(n, _)| n.starts_with(PLUGIN)) {
            on = (value == &Value::Bool(true)).then(|| (name.clone(), file));
        }
    }
    on
}

/// The entries in each file: there, of a form that the client takes, with enough time.
fn entries(patient: &Patient, found: &[Registration]) -> Vec<Finding> {
    let needed = install::work_secs(&patient.loaded.config) + 5;
    let mut findings = Vec::new();
    for file in &patient.settings {
        findings.extend(entry(file, needed));
    }
    if found.is_empty() && health::is_ok(&findings) {
        let why = "no settings of the user or of this project have the hook, and no plugin does";
        findings.push(Finding::broken("hook", why, "ccc install"));
    }
    if let Some((name, file)) = plugin(patient) {
        let why = format!("the plugin `{name}` is enabled in `{}`", file.path.display());
        findings.push(Finding::ok("hook", why));
    }
    findings
}

fn entry(file: &SettingsFile, needed: u64) -> Vec<Finding> {
    let mend = match file.scope {
        Some(Scope::Project) => "ccc install --scope project",
        Some(Scope::Local) => "ccc install --scope local",
        Some(Scope::User) | None => "ccc install",
    };
    let shown = file.path.display();
    if let Some(problem) = &file.problem {
        let why = format!("{problem}; Claude Code does not take the hook from it");
        return vec![Finding::broken("hook", why, format!("mend `{shown}`, then {mend}"))];
    }
    let audit = match settings::audit(&file.text, needed) {
        Ok(audit) => audit,
        Err(settings::Refusal::Shape(why) | settings::Refusal::Syntax { problem: why, .. }) => {
            let why = format!("in `{shown}` {why}; Claude Code does not take the hook from it");
            return vec![Finding::broken("hook", why, format!("mend `{shown}`, then {mend}"))];
        }
    };
    if audit.is_empty() {
        return Vec::new();
    }
    let tell = |why: &String| format!("in `{shown}` {why}");
    let broken = audit.broken.iter().map(|why| Finding::broken("hook", tell(why), mend));
    let warn = audit.warn.iter().map(|why| Finding::warn("hook", tell(why), mend));
    let mut findings: Vec<Finding> = broken.chain(warn).collect();
    if findings.is_empty() {
        findings.push(Finding::ok("hook", format!("`{shown}` has it")));
    }
    findings
}

/// Nothing switches all hooks off.
fn hooks_on(patient: &Patient) -> Finding {
    const NAME: &str = "hooks-on";
    let is_set = |file: &SettingsFile, key: &str| file.value.get(key) == Some(&Value::Bool(true));
    let find = |key: &str| patient.settings.iter().find(|f| is_set(f, key));
    if let Some(file) = find("disableAllHooks") {
        let path = file.path.display();
        let why = format!("`disableAllHooks` in `{path}` switches every hook off, ccc's too");
        return Finding::broken(NAME, why, format!("take `disableAllHooks` out of `{path}`"));
    }
    match find("allowManagedHooksOnly").filter(|f| f.scope.is_none()) {
        Some(file) => Finding::broken(
            NAME,
            format!(
                "`allowManagedHooksOnly` in `{}` lets only the administrator's hooks run",
                file.path.display()
            ),
            "ask your administrator",
        ),
        None => Finding::ok(NAME, "no settings switch hooks off"),
    }
}

/// Registered in one place. Equal commands run once (Claude Code 2.1.332), other ones each.
fn once(found: &[Registration]) -> Finding {
    const NAME: &str = "once";
    let Some(first) = found.first() else {
        return Finding::skipped(NAME, "the hook is not registered");
    };
    let Some(other) = found.iter().skip(1).find(|r| r.place != first.place) else {
        return Finding::ok(NAME, "the hook is registered in one place");
    };
    let why = format!(
        "the hook is registered in {} and in {}; one is enough, and a stop is reviewed only once",
        first.place, other.place
    );
    let mend = if other.place.contains("project") {
        "ccc uninstall --scope project"
    } else if other.place.contains("local") {
        "ccc uninstall --scope local"
    } else {
        "ccc uninstall"
    };
    Finding::warn(NAME, why, mend)
}

/// Sends a probe through each command that is installed, as the client would call it.
fn fires(patient: &Patient, found: &[Registration]) -> Vec<Finding> {
    let mut tried: Vec<&Command> = Vec::new();
    let mut findings = Vec::new();
    for registration in found {
        if !tried.contains(&&registration.command) {
            tried.push(&registration.command);
            findings.push(fire(patient, registration));
        }
    }
    if findings.is_empty() {
        findings.push(Finding::skipped("fires", "the hook is not registered"));
    }
    findings
}

fn fire(patient: &Patient, registration: &Registration) -> Finding {
    let token = format!("{:x}-{:x}", std::process::id(), clock::now());
    let project = patient.context.project.as_path();
    let stdin = probe::payload(&token, &project.to_string_lossy());
    let (program, args): (&OsStr, Vec<OsString>) = match &registration.command {
        Command::Shell(command) => (OsStr::new("/bin/sh"), vec!["-c".into(), command.into()]),
        Command::Program(program, args) => {
            (OsStr::new(program), args.iter().map(OsString::from).collect())
        }
    };
    let job = Job {
        program,
        args,
        env: client_env(patient),
        cwd: project,
        stdin: stdin.as_bytes(),
        limit: PROBE_LIMIT,
        stdout: Keep { head: 64 << 10, tail: 0 },
        stderr: Keep { head: 4 << 10, tail: 0 },
    };
    let ran = match process::run(&job, &patient.cancel) {
        Ok(done) => Ran {
            code: if let End::Code(code) = done.end { Some(code) } else { None },
            ended: match done.end {
                End::Signal(signal) => format!("was ended by signal {signal}"),
                End::TimedOut => format!("did not answer within {} s", PROBE_LIMIT.as_secs()),
                End::Code(_) | End::Cancelled => "was interrupted".to_owned(),
            },
            stdout: done.stdout.text(),
            stderr: done.stderr.text(),
        },
        Err(e) => Ran { ended: format!("cannot be started: {e}"), ..Ran::default() },
    };
    probe::judge(&ran, &token, env!("CARGO_PKG_VERSION"), &registration.place)
}

/// What Claude Code (2.1.332) adds to the environment of a hook: the `env` of the settings and its
/// own variables.
fn client_env(patient: &Patient) -> Vec<(OsString, Option<OsString>)> {
    let mut env: Vec<(OsString, Option<OsString>)> = Vec::new();
    for file in &patient.settings {
        let variables = file.value.get("env").and_then(Value::as_object);
        for (name, value) in variables.into_iter().flatten() {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            env.push((name.into(), Some(text.into())));
        }
    }
    env.push(("CLAUDECODE".into(), Some("1".into())));
    env.push(("CLAUDE_PROJECT_DIR".into(), Some(patient.context.project.clone().into())));
    env
}

/// Whether the hook ran when the last turn of a session ended.
fn fired(patient: &Patient) -> Finding {
    const NAME: &str = "fired";
    let projects = patient.paths.client_dir.join("projects");
    let newest = transcript::newest(&projects, TRANSCRIPTS);
    let ended = newest.iter().find_map(|path| {
        let id = SessionId::new(path.file_stem()?.to_str()?)?;
        let ended = claude_turn::last_ended(&transcript::read_lines(
            path,
            claude_transcript::may_be_request,
        ))?;
        let at = clock::from_rfc3339(&ended.at)?;
        Some((id, ended, at))
    });
    let Some((id, ended, at)) = ended else {
        return Finding::skipped(NAME, "no session of Claude Code has ended a turn yet");
    };
    let age = clock::age(clock::now().saturating_sub(at));
    let record = patient.paths.ccc_home.join("installed.json");
    if fs::modified(&record).is_some_and(|installed| installed > at) {
        return Finding::skipped(NAME, "no turn has ended since the hook was installed");
    }
    if noted(patient, &id, at) || ended.hooks.iter().any(|c| settings::is_ours(c)) {
        return Finding::ok(NAME, format!("it ran when session {id} ended its turn {age} ago"));
    }
    if is_off(patient, &id) {
        return Finding::skipped(NAME, format!("supervision was off for session {id}"));
    }
    Finding::warn(
        NAME,
        format!(
            "session {id} ended its turn {age} ago, and the hook left no trace of it: the session \
             may be older than the hook, or run with other settings"
        ),
        "start a new session of Claude Code, then ccc doctor",
    )
}

/// State or history know of the session at that time.
fn noted(patient: &Patient, id: &SessionId, at: u64) -> bool {
    let since = at.saturating_sub(TOLERANCE);
    if let Stored::State(state) = Store::new(patient.paths.sessions()).load(id)
        && state.updated_at >= since
    {
        return true;
    }
    let events = history::read_events(&patient.paths.events(), HISTORY);
    let text = |e: &Value, key: &str| e.get(key).and_then(Value::as_str).map(str::to_owned);
    events.iter().rev().any(|e| {
        text(e, "session_id").as_deref() == Some(id.as_str())
            && text(e, "ts").and_then(|ts| clock::from_rfc3339(&ts)).is_some_and(|ts| ts >= since)
    })
}

fn is_off(patient: &Patient, id: &SessionId) -> bool {
    let own = match Store::new(patient.paths.sessions()).load(id) {
        Stored::State(state) => state.enabled,
        Stored::Absent | Stored::Broken => None,
    };
    !own.unwrap_or(patient.loaded.config.enabled)
}

/// Whether any settings or the plugin have the hook.
pub fn is_registered(patient: &Patient) -> bool {
    !registrations(patient).is_empty()
}

/// Scopes whose entry of ccc is not as it should be, for `--fix`.
pub fn stale_scopes(patient: &Patient) -> BTreeSet<&'static str> {
    let needed = install::work_secs(&patient.loaded.config) + 5;
    let is_stale = |file: &&SettingsFile| {
        let audit = settings::audit(&file.text, needed).unwrap_or_default();
        !audit.broken.is_empty() || !audit.warn.is_empty()
    };
    patient.settings.iter().filter(is_stale).map(SettingsFile::name).collect()
}
