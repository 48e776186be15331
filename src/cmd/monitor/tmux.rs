//! `ccc monitor --tmux`: the agent on the left, the monitor on the right of it. In a session of its
//! own, or in the window that it is called in.

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::cmd::Context;
use crate::env;
use crate::error::{Error, Exit, Result};
use crate::paths;
use crate::sys::process;

/// The agent, where none is named.
const AGENT: &str = "claude";
/// Sessions of one project, at most.
const MAX_SESSIONS: usize = 50;
/// Size of a session that no terminal shows yet.
const SIZE: (u16, u16) = (200, 50);

/// Starts both; does not come back where tmux or the agent takes over this process.
///
/// # Errors
/// tmux or the agent is missing, or tmux refuses.
pub fn run(context: &Context, command: &[OsString]) -> Result<Exit> {
    let path = context.env.path.as_deref();
    let tmux = process::find_program(OsStr::new("tmux"), path).map_err(|why| {
        let help = "install tmux, or run `ccc monitor` in a second terminal";
        Error::problem(format!("cannot start tmux: {why}; {help}"))
    })?;
    let default = [OsString::from(AGENT)];
    let agent = if command.is_empty() { &default[..] } else { command };
    let program = process::find_program(&agent[0], path).map_err(|why| {
        Error::problem(format!("cannot start the agent: {why}; name one after `--`"))
    })?;
    let me = std::env::current_exe()
        .map_err(|e| Error::problem(format!("cannot find the path of this program: {e}")))?;
    let tmux = Tmux { program: tmux, context, dir: paths::work_dir(None) };
    let monitor = [me.into_os_string(), "monitor".into()];
    if context.env.tmux {
        tmux.split_here(&monitor)?;
        // The pane that this was typed in becomes the agent's.
        let e = Command::new(&program).args(&agent[1..]).exec();
        return Err(Error::problem(format!("cannot start `{}`: {e}", program.display())));
    }
    let name = tmux.start(&monitor, agent)?;
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        context.print(&format!("started; look at it with `tmux attach -t {name}`"))?;
        return Ok(Exit::Ok);
    }
    let e = tmux.command(&["attach-session", "-t", &format!("={name}")]).exec();
    Err(Error::problem(format!("cannot attach to the tmux session `{name}`: {e}")))
}

/// tmux, as called from this directory.
struct Tmux<'a> {
    program: PathBuf,
    context: &'a Context,
    dir: PathBuf,
}

impl Tmux<'_> {
    /// The monitor at the right side of this pane; the focus stays here.
    fn split_here(&self, monitor: &[OsString]) -> Result<()> {
        let columns = monitor_columns(size().0).to_string();
        let mut tmux = self.command(&["split-window", "-h", "-d", "-l", &columns, "-c"]);
        tmux.arg(self.dir()).arg("--").args(self.words(monitor));
        ask(&mut tmux).map(drop)
    }

    /// A new session, detached. Returns its name.
    fn start(&self, monitor: &[OsString], agent: &[OsString]) -> Result<String> {
        let name = self.free_name()?;
        let (columns, lines) = size();
        let (x, y) = (columns.to_string(), lines.to_string());
        let print = ["-P", "-F", "#{pane_id}"];
        // The monitor first: an agent that ends at once must not take the session with it.
        let mut tmux = self.command(&["new-session", "-d", "-s", &name, "-x", &x, "-y", &y]);
        tmux.args(print).arg("-c").arg(self.dir()).arg("--").args(self.words(monitor));
        let pane = ask(&mut tmux)?;
        let left = (columns - monitor_columns(columns)).saturating_sub(1).max(1).to_string();
        let mut tmux = self.command(&["split-window", "-h", "-b", "-l", &left, "-t", &pane, "-c"]);
        tmux.arg(self.dir()).arg("--").args(self.words(agent));
        ask(&mut tmux).inspect_err(|_| {
            let _ = ask(&mut self.command(&["kill-session", "-t", &format!("={name}")]));
        })?;
        Ok(name)
    }

    /// A name of the project that no session has.
    fn free_name(&self) -> Result<String> {
        let project = self.context.project.file_name().unwrap_or_default().to_string_lossy();
        let is_fit = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        let project: String = project.chars().map(|c| if is_fit(c) { c } else { '-' }).collect();
        let is_free = |name: &String| {
            ask(&mut self.command(&["has-session", "-t", &format!("={name}")])).is_err()
        };
        let first = format!("ccc-{project}");
        let others = (2..=MAX_SESSIONS).map(|n| format!("ccc-{project}-{n}"));
        std::iter::once(first).chain(others).find(is_free).ok_or_else(|| {
            Error::problem(format!(
                "there are {MAX_SESSIONS} tmux sessions of this project; end some"
            ))
        })
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(args);
        command
    }

    /// tmux reads a directory as a format, where `#` stands for more than itself.
    fn dir(&self) -> OsString {
        let doubled = self.dir.as_os_str().as_bytes().split(|&b| b == b'#').collect::<Vec<_>>();
        OsString::from_vec(doubled.join(&b"##"[..]))
    }

    /// A command as arguments of tmux. More than one, so that no shell reads them, and with the
    /// variables that decide where things are: a running server has those of its own start.
    fn words(&self, command: &[OsString]) -> Vec<OsString> {
        let env = &self.context.env;
        let path = |p: &Option<PathBuf>| p.as_ref().map(|p| p.clone().into_os_string());
        let variables = [
            ("HOME", path(&env.home)),
            ("PATH", env.path.clone()),
            (env::HOME, path(&env.ccc_home)),
            ("CLAUDE_CONFIG_DIR", path(&env.claude_config_dir)),
            ("NO_COLOR", env.no_color.then(|| "1".into())),
        ];
        let set = variables.into_iter().filter_map(|(name, value)| {
            let mut word = OsString::from(format!("{name}="));
            word.push(value?);
            Some(word)
        });
        let words = std::iter::once("env".into()).chain(set).chain(command.iter().cloned());
        words.map(|word| without_separator(&word)).collect()
    }
}

/// To tmux a semicolon at the end of an argument begins another command of its own.
fn without_separator(word: &OsStr) -> OsString {
    match word.as_bytes().strip_suffix(b";") {
        Some(rest) => OsString::from_vec([rest, b"\\;"].concat()),
        None => word.to_owned(),
    }
}

/// Columns and lines of this terminal.
fn size() -> (u16, u16) {
    let size = crossterm::terminal::size().ok().filter(|_| io::stdout().is_terminal());
    size.filter(|&(columns, lines)| columns > 0 && lines > 0).unwrap_or(SIZE)
}

/// A bit less than half for the monitor, or half where that would be under 40.
fn monitor_columns(all: u16) -> u16 {
    (all / 20 * 9).max(40).min(all / 2).max(1)
}

/// Runs tmux to its end; returns what it printed.
fn ask(tmux: &mut Command) -> Result<String> {
    let output = tmux.stdin(Stdio::null()).output();
    let output = output.map_err(|e| Error::problem(format!("cannot start tmux: {e}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = crate::rules::text::one_line(&said);
        return Err(Error::problem(format!("tmux refused: {said}")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_semicolon_reaches_the_agent() {
        for (word, want) in [("a;", "a\\;"), (";", "\\;"), ("a\\;", "a\\\\;"), ("a;b", "a;b")] {
            assert_eq!(without_separator(OsStr::new(word)), want);
        }
    }
}
