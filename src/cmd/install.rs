//! `ccc install`: the hook entries in a client's settings, and the slash commands beside them.

pub mod notices;
mod program;

use std::path::{Path, PathBuf};

use crate::cli::{ClientArg, InstallArgs, Scope, WiringArgs};
use crate::clients::claude_commands::{self, SlashCommand};
use crate::clients::settings::{self, Entry};
use crate::cmd::Context;
use crate::cmd::wiring::{
    self, CAP_VARIABLE, CONTAINERS, EVENTS, Installed, Record, SCOPES, refused, settings_path,
};
use crate::config::{self, Config};
use crate::error::{Exit, PathContext, Result};
use crate::sys::{fs, trust};

/// Seconds of a Stop hook beyond the limits of the review and the checks.
const SLACK_SECS: u64 = 30;
/// Seconds of the prompt hook, which only takes a baseline.
const PROMPT_SECS: u64 = 10;

/// Everything that an installation would change.
struct Plan {
    path: PathBuf,
    old: Option<String>,
    new: String,
    installed: Installed,
    /// Command files to write, with their texts.
    commands: Vec<(PathBuf, String)>,
    notices: Vec<String>,
}

/// Wires the hook.
pub fn run(context: &Context, args: &InstallArgs) -> Result<Exit> {
    wiring::only_claude(&args.wiring)?;
    let path = settings_path(context, args.wiring.scope)?;
    if let Some(other) = registered_in_project(context, &path)? {
        context.print(&format!(
            "nothing to do: the hook is already registered in `{}`; a second entry would only be \
             skipped",
            other.display()
        ))?;
        return notify(context, &notices::disabled(context));
    }
    let config = load_config(context)?;
    let mut plan = plan(context, args, &path, &config)?;
    if plan.is_change() {
        wiring::check_writable(&path)?;
    }
    if args.wiring.dry_run {
        return context.print(&plan.shown()).map(|()| Exit::Ok);
    }
    plan.apply(context)?;
    let done = if plan.is_change() { "installed" } else { "up to date" };
    context.print(&format!(
        "the hook is {done} in `{}`\nswitch off with `ccc off`, take out with `ccc uninstall`",
        path.display()
    ))?;
    plan.notices.extend(notices::disabled(context));
    plan.notices.extend(notices::second(context, &path)?);
    plan.notices.extend(notices::cap(context, config.max_iterations));
    notify(context, &plan.notices)
}

/// Brings the entries of one scope up to date, and puts them in where they are missing; whether
/// that changed the file. Says nothing.
pub fn refresh(context: &Context, scope: Scope) -> Result<bool> {
    let path = settings_path(context, scope)?;
    let wiring = WiringArgs { client: ClientArg::Claude, scope, dry_run: false };
    let args = InstallArgs { wiring, raise_cap: false, statusline: false };
    let mut plan = plan(context, &args, &path, &load_config(context)?)?;
    let is_change = plan.is_change();
    if is_change {
        wiring::check_writable(&path)?;
        plan.apply(context)?;
    }
    Ok(is_change)
}

fn notify(context: &Context, notices: &[String]) -> Result<Exit> {
    for notice in notices {
        context.print(&format!("notice: {notice}"))?;
    }
    Ok(Exit::Ok)
}

fn load_config(context: &Context) -> Result<Config> {
    let paths = context.paths()?;
    let is_trusted = |bytes: &[u8]| trust::is_trusted(&paths.trust(), &context.project, bytes);
    Ok(config::load(&paths, &context.project, is_trusted).config)
}

fn plan(context: &Context, args: &InstallArgs, path: &Path, config: &Config) -> Result<Plan> {
    let program = program::quoted(context)?;
    let old = wiring::read(path)?;
    let text = old.as_deref().unwrap_or_default();
    let mut installed = Record::load(context)?.get(path);
    let is_own = |e: &str| settings::own_commands(text, e).is_ok_and(|c| !c.is_empty());
    if !EVENTS.iter().any(|e| is_own(e)) {
        installed.kept = settings::containers(text, CONTAINERS);
        installed.is_new = old.is_none();
    }
    let new = settings::install(text, &entries(&program, config)).map_err(|r| refused(path, r))?;
    let (commands, notices) = plan_commands(context, args.wiring.scope, &program)?;
    let mut plan = Plan { path: path.to_path_buf(), old, new, installed, commands, notices };
    if args.raise_cap {
        plan.raise_cap(context, config.max_iterations)?;
    }
    if args.statusline {
        plan.wire_status_line(context, &program)?;
    }
    Ok(plan)
}

/// Longest time that a review and the checks of a stop may take.
pub fn work_secs(config: &Config) -> u64 {
    let checks = config.evidence.checks.iter().map(|c| c.timeout_secs);
    checks.fold(config.review.timeout_secs, u64::saturating_add)
}

/// The entries, whose time limits leave room for the review and the checks.
fn entries(program: &str, config: &Config) -> Vec<Entry> {
    let entry = |event, timeout, status_message| Entry {
        event,
        command: format!("{program} hook"),
        timeout,
        status_message,
    };
    vec![
        entry(
            "Stop",
            work_secs(config).saturating_add(SLACK_SECS),
            Some("ccc is reviewing the work"),
        ),
        entry("UserPromptSubmit", PROMPT_SECS, None),
    ]
}

/// Command files with their texts, and what to tell about those that cannot be written.
type CommandPlan = (Vec<(PathBuf, String)>, Vec<String>);

fn plan_commands(context: &Context, scope: Scope, program: &str) -> Result<CommandPlan> {
    let dir = wiring::commands_dir(context, scope)?;
    let mut plan = (Vec::new(), Vec::new());
    for command in claude_commands::ALL {
        match plan_command(&dir, command, program) {
            Ok(Some(file)) => plan.0.push(file),
            Ok(None) => {}
            Err(notice) => plan.1.push(notice),
        }
    }
    Ok(plan)
}

fn plan_command(
    dir: &Path,
    command: SlashCommand,
    program: &str,
) -> Result<Option<(PathBuf, String)>, String> {
    let path = dir.join(command.file);
    let name = command.file.trim_end_matches(".md");
    let Some(text) = claude_commands::text(command, program) else {
        return Err(format!(
            "there is no `/{name}`: Claude Code cannot run the path {program} from it"
        ));
    };
    match wiring::read(&path) {
        _ if path.is_symlink() => {}
        Ok(None) => return Ok(Some((path, text))),
        Ok(Some(old)) if old == text => return Ok(None),
        Ok(Some(old)) if claude_commands::is_ours(old.as_bytes()) => {
            return Ok(Some((path, text)));
        }
        Ok(Some(_)) | Err(_) => {}
    }
    Err(format!("`{}` is not ccc's and is left alone, so `/{name}` is yours", path.display()))
}

impl Plan {
    fn is_change(&self) -> bool {
        self.old.as_deref() != Some(self.new.as_str())
    }

    fn old(&self) -> &str {
        self.old.as_deref().unwrap_or_default()
    }

    fn shown(&self) -> String {
        let mut text = if self.is_change() {
            format!("would change `{}`\n", self.path.display())
        } else {
            format!("would leave `{}` as it is\n", self.path.display())
        };
        text += &wiring::diff(&self.path, self.old(), &self.new);
        for (path, _) in &self.commands {
            text += &format!("would write `{}`\n", path.display());
        }
        text
    }

    /// Raises the client's cap in this file to the blocks that ccc may ask for.
    fn raise_cap(&mut self, context: &Context, max: u32) -> Result<()> {
        let value = settings::parse_value(&self.new).map_err(|r| refused(&self.path, r))?;
        let present = settings::variable(&value, CAP_VARIABLE);
        if notices::is_enough(context, max) {
            return Ok(());
        }
        if present.is_some() && present != self.installed.cap {
            self.notices.push(format!(
                "{CAP_VARIABLE} in `{}` is not ccc's and is left alone",
                self.path.display()
            ));
            return Ok(());
        }
        if present.is_none() {
            self.installed.kept.remove("env");
            self.installed.kept.extend(settings::containers(self.old(), &["env"]));
        }
        let cap = max.to_string();
        let raised = settings::set_variable(&self.new, CAP_VARIABLE, &cap);
        self.new = raised.map_err(|r| refused(&self.path, r))?;
        self.installed.cap = Some(cap);
        Ok(())
    }

    /// Puts the status line into this file, unless the user has one, here or in another scope.
    fn wire_status_line(&mut self, context: &Context, program: &str) -> Result<()> {
        let others = SCOPES.into_iter().filter_map(|scope| settings_path(context, scope).ok());
        let all = std::iter::once(self.path.clone()).chain(others);
        if let Some(path) = all.into_iter().find(|path| has_foreign_status_line(path)) {
            self.notices.push(format!(
                "`statusLine` in `{}` is yours and is left alone; `{program} status --line` prints \
                 a segment for it",
                path.display()
            ));
            return Ok(());
        }
        let new = settings::set_status_line(&self.new, &format!("{program} status --line"));
        self.new = new.map_err(|r| refused(&self.path, r))?;
        Ok(())
    }

    /// Writes the record first: entries that nobody knows of could not be taken out cleanly.
    fn apply(&mut self, context: &Context) -> Result<()> {
        let mut record = Record::load(context)?;
        if self.is_change() {
            let dirs = self.path.parent().map(wiring::make_dirs).transpose()?.unwrap_or_default();
            self.installed.dirs.extend(dirs);
            record.put(&self.path, &self.installed)?;
            let dirs = wiring::replace(&self.path, self.old.as_deref(), &self.new)?;
            self.installed.dirs.extend(dirs);
        }
        for (path, text) in std::mem::take(&mut self.commands) {
            match self.write_command(&path, &text) {
                Ok(()) => {}
                Err(e) => self.notices.push(format!("{e}; the hook works without this file")),
            }
        }
        if record.get(&self.path) != self.installed {
            record.put(&self.path, &self.installed)?;
        }
        Ok(())
    }

    fn write_command(&mut self, path: &Path, text: &str) -> Result<()> {
        if let Some(dir) = path.parent() {
            self.installed.dirs.extend(wiring::make_dirs(dir)?);
        }
        fs::write_atomic(path, text.as_bytes()).at("write", path)
    }
}

/// Settings of this project, other than `path`, that hold the hook already.
fn registered_in_project(context: &Context, path: &Path) -> Result<Option<PathBuf>> {
    for scope in SCOPES {
        let file = settings_path(context, scope)?;
        let is_other = scope != Scope::User && !fs::is_same(&file, path);
        if is_other && has_hook(&file) {
            return Ok(Some(file));
        }
    }
    Ok(None)
}

fn has_foreign_status_line(file: &Path) -> bool {
    let text = wiring::read(file).ok().flatten().unwrap_or_default();
    let value = settings::parse_value(&text);
    value.is_ok_and(|value| settings::status_line_owner(&value) == settings::Owner::User)
}

fn has_hook(file: &Path) -> bool {
    let text = wiring::read(file).ok().flatten().unwrap_or_default();
    settings::own_commands(&text, "Stop").is_ok_and(|commands| !commands.is_empty())
}
