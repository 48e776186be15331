//! `ccc install`, `ccc uninstall`: the hook entries in a client's settings.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cli::{InstallArgs, Scope};
use crate::clients::settings::{self, Entry, Refusal};
use crate::cmd::Context;
use crate::config;
use crate::error::{Error, Exit, PathContext, Result};
use crate::rules::policy::CLAUDE_BLOCK_CAP;
use crate::rules::stop::Client;
use crate::sys::fs;

/// Events that ccc wants to hear of.
const EVENTS: &[&str] = &["Stop", "UserPromptSubmit"];
/// Largest settings file, in bytes.
const MAX_FILE: u64 = 16 << 20;
/// Seconds of a hook beyond the limits of the review and the checks.
const SLACK_SECS: u64 = 30;

/// Wires the hook.
pub fn install(context: &Context, args: &InstallArgs) -> Result<Exit> {
    only_claude(args)?;
    let path = settings_path(context, args.scope)?;
    let old = read(&path)?;
    if let Some(other) = registered_elsewhere(context, &path) {
        context.print(&format!(
            "nothing to do: the hook is already registered in `{}`; a second entry would only be \
             skipped",
            other.display()
        ))?;
        return Ok(Exit::Ok);
    }
    let new = settings::install(&old, &entries(context)?).map_err(|r| refused(&path, r))?;
    let is_change = new != old;
    let plan = if is_change { "add the hook to" } else { "leave as it is" };
    if args.dry_run {
        let diff = similar::TextDiff::from_lines(&old, &new);
        context.print(&format!("would {plan} `{}`\n{}", path.display(), diff.unified_diff()))?;
        return Ok(Exit::Ok);
    }
    if is_change {
        remember_containers(context, &path, &old)?;
        write(&path, &new)?;
    }
    let done = if is_change { "the hook is installed in" } else { "the hook is up to date in" };
    context.print(&format!(
        "{done} `{}`\nswitch off with `ccc off`, take out with `ccc uninstall`",
        path.display()
    ))?;
    notices(context)
}

/// Takes out exactly what `install` put in.
pub fn uninstall(context: &Context, args: &InstallArgs) -> Result<Exit> {
    only_claude(args)?;
    let path = settings_path(context, args.scope)?;
    let old = read(&path)?;
    let keep = remembered(context, &path);
    let new = settings::uninstall(&old, EVENTS, &keep).map_err(|r| refused(&path, r))?;
    if new == old {
        context.print(&format!("there is no hook of ccc in `{}`", path.display()))?;
        return Ok(Exit::Ok);
    }
    if args.dry_run {
        let diff = similar::TextDiff::from_lines(&old, &new);
        context.print(&format!("would edit `{}`\n{}", path.display(), diff.unified_diff()))?;
        return Ok(Exit::Ok);
    }
    write(&path, &new)?;
    context.print(&format!("the hook is taken out of `{}`", path.display()))?;
    Ok(Exit::Ok)
}

fn only_claude(args: &InstallArgs) -> Result<()> {
    match Client::from(args.client) {
        Client::Claude => Ok(()),
        other => Err(Error::problem(format!(
            "ccc cannot wire `{}` yet; only `claude` is supported",
            other.name()
        ))),
    }
}

fn settings_path(context: &Context, scope: Scope) -> Result<PathBuf> {
    Ok(match scope {
        Scope::User => context.paths()?.client_dir.join("settings.json"),
        Scope::Project => context.project.join(".claude/settings.json"),
        Scope::Local => context.project.join(".claude/settings.local.json"),
    })
}

fn entries(context: &Context) -> Result<Vec<Entry>> {
    let program = std::env::current_exe()
        .map_err(|e| Error::problem(format!("cannot find the path of this program: {e}")))?;
    let program = program.to_str().ok_or_else(|| {
        Error::problem("the path of this program is not UTF-8; move it, then install again")
    })?;
    let command = format!("'{}' hook", program.replace('\'', "'\\''"));
    let config = config::load(&context.paths()?, &context.project, |_| false).config;
    let checks: u64 = config.evidence.checks.iter().map(|c| c.timeout_secs).sum();
    let timeout = config.review.timeout_secs + checks + SLACK_SECS;
    let entry = |event, timeout, status_message| Entry {
        event,
        command: command.clone(),
        timeout,
        status_message,
    };
    Ok(vec![
        entry("Stop", timeout, Some("ccc is reviewing the work")),
        entry("UserPromptSubmit", 10, None),
    ])
}

fn read(path: &Path) -> Result<String> {
    let bytes = fs::read_optional(path, MAX_FILE).at("read", path)?.unwrap_or_default();
    String::from_utf8(bytes).map_err(|_| {
        Error::problem(format!(
            "`{}` is not UTF-8; nothing was changed, save it as UTF-8 first",
            path.display()
        ))
    })
}

fn refused(path: &Path, refusal: Refusal) -> Error {
    match refusal {
        Refusal::Syntax { line, column, problem } => {
            let problem = format!("{problem}; nothing was changed, mend it first");
            Error::Syntax { path: path.to_path_buf(), line, column, problem }
        }
        Refusal::Shape(why) => Error::problem(format!("`{}` is left alone: {why}", path.display())),
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    let target = fs::resolve_links(path).at("follow", path)?;
    if let Some(dir) = target.parent() {
        fs::create_private_dir(dir).at("create", dir)?;
    }
    if std::fs::metadata(&target).is_ok_and(|m| m.permissions().readonly()) {
        return Err(Error::problem(format!(
            "`{}` is read-only; nothing was changed, make it writable first",
            target.display()
        )));
    }
    fs::write_atomic(path, text.as_bytes()).at("write", path)
}

/// Settings of this project that hold the hook already.
fn registered_elsewhere(context: &Context, path: &Path) -> Option<PathBuf> {
    let places = ["settings.json", "settings.local.json"];
    let files = places.map(|name| context.project.join(".claude").join(name));
    files.into_iter().filter(|f| f != path).find(|file| {
        read(file).is_ok_and(|text| {
            settings::own_commands(&text, "Stop").is_ok_and(|commands| !commands.is_empty())
        })
    })
}

fn notices(context: &Context) -> Result<Exit> {
    for scope in [Scope::User, Scope::Project, Scope::Local] {
        let path = settings_path(context, scope)?;
        let value = settings::parse_value(&read(&path).unwrap_or_default()).unwrap_or(Value::Null);
        if value.get("disableAllHooks") == Some(&Value::Bool(true)) {
            context.print(&format!(
                "notice: `disableAllHooks` in `{}` switches all hooks off, so ccc will not run",
                path.display()
            ))?;
        }
    }
    let max = config::load(&context.paths()?, &context.project, |_| false).config.max_iterations;
    let cap = context.env.claude_block_cap.unwrap_or(CLAUDE_BLOCK_CAP);
    if cap > 0 && max > cap {
        context.print(&format!(
            "notice: Claude Code overrides a hook after {cap} consecutive blocks without a tool call, \
             below max_iterations ({max}); set CLAUDE_CODE_STOP_HOOK_BLOCK_CAP to raise its cap"
        ))?;
    }
    Ok(Exit::Ok)
}

fn memory(context: &Context) -> Result<PathBuf> {
    Ok(context.paths()?.ccc_home.join("installed.json"))
}

/// Remembers which containers the user had, so that `uninstall` leaves them.
fn remember_containers(context: &Context, path: &Path, old: &str) -> Result<()> {
    if EVENTS.iter().any(|e| settings::own_commands(old, e).is_ok_and(|c| !c.is_empty())) {
        return Ok(());
    }
    let file = memory(context)?;
    let home = context.paths()?.ccc_home;
    fs::create_private_dir(&home).at("create", &home)?;
    let mut all = read_memory(&file);
    all[path.to_string_lossy().as_ref()] = settings::containers(old, EVENTS).into();
    fs::write_atomic(&file, all.to_string().as_bytes()).at("write", &file)
}

fn remembered(context: &Context, path: &Path) -> Vec<String> {
    let Ok(file) = memory(context) else { return Vec::new() };
    let all = read_memory(&file);
    let list = all.get(path.to_string_lossy().as_ref()).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(|v| v.as_str().map(str::to_owned)).collect()
}

fn read_memory(file: &Path) -> Value {
    let bytes = fs::read_optional(file, MAX_FILE).ok().flatten().unwrap_or_default();
    let value = serde_json::from_slice::<Value>(&bytes).ok();
    value.filter(Value::is_object).unwrap_or_else(|| serde_json::json!({}))
}
