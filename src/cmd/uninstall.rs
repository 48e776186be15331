//! `ccc uninstall`: takes out exactly what `install` put in.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::cli::UninstallArgs;
use crate::clients::{claude_commands, settings};
use crate::cmd::Context;
use crate::cmd::wiring::{self, CAP_VARIABLE, EVENTS, Installed, Record, refused, settings_path};
use crate::error::{Exit, PathContext, Result};

/// Files of ccc's directory.
const STATE: &[&str] = &[
    "config.json",
    "events.jsonl",
    "installed.json",
    "monitor-status.json",
    "prune.lock",
    "rate.json",
    "rate.lock",
    "supervisor.log",
    "trust.json",
];
/// Files that are rotated, so that others bear their names with something added.
const LOGS: &[&str] = &["events.jsonl", "supervisor.log"];
/// The directory of the session states.
const SESSIONS: &str = "sessions";
/// What is kept for those who watch.
const LIVE: &str = "live";
const EVIDENCE: &str = "evidence";
/// Records of stops.
const STOPS: &str = "stops";

/// Takes the hook out, and with `--purge` everything that ccc stored.
pub fn run(context: &Context, args: &UninstallArgs) -> Result<Exit> {
    wiring::only_claude(&args.wiring)?;
    let path = settings_path(context, args.wiring.scope)?;
    let mut record = Record::load(context)?;
    let installed = record.get(&path);
    let old = wiring::read(&path)?;
    let text = old.as_deref().unwrap_or_default();
    let new = without_ours(text, &installed).map_err(|r| refused(&path, r))?;
    let commands = own_commands(&wiring::commands_dir(context, args.wiring.scope)?);
    if new != text {
        wiring::check_writable(&path)?;
    }
    if args.wiring.dry_run {
        let diff = wiring::diff(&path, text, &new);
        return show(context, args, &path, &diff, &commands);
    }
    if new == text {
        context.print(&format!("there is no hook of ccc in `{}`", path.display()))?;
    } else {
        take_out(&path, text, &new, &installed)?;
        context.print(&format!("the hook is taken out of `{}`", path.display()))?;
    }
    for file in &commands {
        std::fs::remove_file(file).at("remove", file)?;
    }
    record.forget(&path)?;
    if args.purge {
        purge(context)?;
    }
    // Only empty ones go; what a user put there keeps its directory.
    for dir in installed.dirs.iter().rev() {
        let _ = std::fs::remove_dir(dir);
    }
    Ok(Exit::Ok)
}

fn without_ours(text: &str, installed: &Installed) -> Result<String, settings::Refusal> {
    let new = settings::remove_status_line(text, &installed.kept)?;
    let new = settings::uninstall(&new, EVENTS, &installed.kept)?;
    let value = settings::parse_value(&new)?;
    let is_ours =
        installed.cap.is_some() && settings::variable(&value, CAP_VARIABLE) == installed.cap;
    if is_ours { settings::remove_variable(&new, CAP_VARIABLE, &installed.kept) } else { Ok(new) }
}

/// Writes the shorter text; a file that `install` made goes when nothing else is in it.
fn take_out(path: &Path, old: &str, new: &str, installed: &Installed) -> Result<()> {
    wiring::replace(path, Some(old), new)?;
    if installed.is_new && !path.is_symlink() && new.split_whitespace().eq(["{}"]) {
        std::fs::remove_file(path).at("remove", path)?;
    }
    Ok(())
}

/// Command files that `install` wrote. A link is the user's own arrangement.
fn own_commands(dir: &Path) -> Vec<PathBuf> {
    let files = claude_commands::ALL.into_iter().map(|command| dir.join(command.file));
    let is_ours = |file: &PathBuf| {
        let text = wiring::read(file).ok().flatten();
        !file.is_symlink() && text.is_some_and(|t| claude_commands::is_ours(t.as_bytes()))
    };
    files.filter(is_ours).collect()
}

fn show(
    context: &Context,
    args: &UninstallArgs,
    path: &Path,
    diff: &str,
    commands: &[PathBuf],
) -> Result<Exit> {
    let what = if diff.is_empty() { "leave" } else { "change" };
    let mut text = format!("would {what} `{}`\n{diff}", path.display());
    for file in commands {
        text += &format!("would remove `{}`\n", file.display());
    }
    if args.purge {
        for file in state(&context.paths()?.ccc_home)? {
            text += &format!("would remove `{}`\n", file.display());
        }
    }
    context.print(&text)?;
    Ok(Exit::Ok)
}

/// Removes ccc's own files, and the directories that this leaves empty: `CCC_HOME` may name one
/// that others use, too.
fn purge(context: &Context) -> Result<()> {
    let home = context.paths()?.ccc_home;
    for file in state(&home)? {
        std::fs::remove_file(&file).at("remove", &file)?;
    }
    for dir in [SESSIONS, LIVE, EVIDENCE, STOPS] {
        let _ = std::fs::remove_dir(home.join(dir));
    }
    match std::fs::remove_dir(&home) {
        Err(e) if e.kind() != ErrorKind::NotFound => context.print(&format!(
            "ccc's state is removed; `{}` stays, since other things are in it",
            home.display()
        )),
        _ => context.print(&format!("`{}` is removed", home.display())),
    }
}

/// The files that ccc stored.
fn state(home: &Path) -> Result<Vec<PathBuf>> {
    let is_state = |name: &str| {
        STATE.contains(&name) || LOGS.iter().any(|log| name.starts_with(&format!("{log}.")))
    };
    let is_session = |name: &str| [".json", ".lock", ".broken"].iter().any(|e| name.ends_with(e));
    let mut files = list(home, is_state)?;
    files.extend(list(&home.join(SESSIONS), is_session)?);
    files.extend(list(&home.join(LIVE), |name| name.ends_with(".json"))?);
    files.extend(list(&home.join(STOPS), |name| name.ends_with(".json"))?);
    files.extend(list(&home.join(EVIDENCE), |name| name.ends_with(".txt"))?);
    Ok(files)
}

/// Files (and links) of a directory whose names are wanted, in order.
fn list(dir: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(dir) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.at("list", dir)?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.at("list", dir)?;
        let is_file = entry.file_type().is_ok_and(|t| !t.is_dir());
        if is_file && entry.file_name().to_str().is_some_and(&is_wanted) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}
