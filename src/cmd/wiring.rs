//! What `install` and `uninstall` share: which files they edit, and what `install` remembers so
//! that `uninstall` can leave the user's own things as they were.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::cli::{Scope, WiringArgs};
use crate::clients::settings::{Kept, Refusal};
use crate::cmd::Context;
use crate::error::{Error, PathContext, Result};
use crate::rules::stop::Client;
use crate::sys::fs;

/// Events that ccc wants to hear of.
pub const EVENTS: &[&str] = &["Stop", "UserPromptSubmit"];
/// Containers of a settings file that the hook entries need.
pub const CONTAINERS: &[&str] = &["", "hooks", "hooks.Stop", "hooks.UserPromptSubmit"];
/// The client's variable for the blocks in a row that it honors.
pub const CAP_VARIABLE: &str = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";
/// All scopes, the later ones override the earlier.
pub const SCOPES: [Scope; 3] = [Scope::User, Scope::Project, Scope::Local];
/// Largest file that is read, in bytes.
const MAX_FILE: u64 = 16 << 20;

/// Only Claude Code can be wired.
pub fn only_claude(args: &WiringArgs) -> Result<()> {
    match Client::from(args.client) {
        Client::Claude => Ok(()),
        other => Err(Error::problem(format!(
            "ccc cannot wire `{}` yet; only `claude` is supported",
            other.name()
        ))),
    }
}

/// The settings file of a scope.
pub fn settings_path(context: &Context, scope: Scope) -> Result<PathBuf> {
    Ok(match scope {
        Scope::User => context.paths()?.client_dir.join("settings.json"),
        Scope::Project => context.project.join(".claude/settings.json"),
        Scope::Local => context.project.join(".claude/settings.local.json"),
    })
}

/// The directory of the slash commands of a scope.
pub fn commands_dir(context: &Context, scope: Scope) -> Result<PathBuf> {
    Ok(match scope {
        Scope::User => context.paths()?.client_dir.join("commands"),
        Scope::Project | Scope::Local => context.project.join(".claude/commands"),
    })
}

/// Text of a settings file; `None` when there is none.
pub fn read(path: &Path) -> Result<Option<String>> {
    let bytes = fs::read_optional(path, MAX_FILE).at("read", path)?;
    bytes.map(String::from_utf8).transpose().map_err(|_| {
        Error::problem(format!(
            "`{}` is not UTF-8; nothing was changed, save it as UTF-8 first",
            path.display()
        ))
    })
}

/// Fails when the file cannot be replaced, before anything is changed.
pub fn check_writable(path: &Path) -> Result<()> {
    fs::check_writable(path).map_err(|e| {
        Error::problem(format!(
            "cannot write `{}`: {e}; nothing was changed, make it writable first",
            path.display()
        ))
    })
}

/// Writes the new text, unless somebody changed the file since it was read. Returns the
/// directories that were made for it.
pub fn replace(path: &Path, old: Option<&str>, new: &str) -> Result<Vec<PathBuf>> {
    if read(path)?.as_deref() != old {
        return Err(Error::problem(format!(
            "`{}` was changed by another program meanwhile; nothing was changed, try again",
            path.display()
        )));
    }
    let target = fs::resolve_links(path).at("follow", path)?;
    let made = match target.parent() {
        Some(dir) => make_dirs(dir)?,
        None => Vec::new(),
    };
    fs::write_atomic(path, new.as_bytes()).at("write", path)?;
    Ok(made)
}

/// Makes a directory; returns the new ones, the outermost first.
pub fn make_dirs(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut missing: Vec<PathBuf> =
        dir.ancestors().take_while(|d| !d.exists()).map(Path::to_path_buf).collect();
    missing.reverse();
    fs::create_private_dir(dir).at("create", dir)?;
    Ok(missing)
}

/// Why a text is not edited, as a sentence about its file.
pub fn refused(path: &Path, refusal: Refusal) -> Error {
    match refusal {
        Refusal::Syntax { line, column, problem } => {
            let problem = format!("{problem}; nothing was changed, mend it first");
            Error::Syntax { path: path.to_path_buf(), line, column, problem }
        }
        Refusal::Shape(why) => Error::problem(format!(
            "`{}` is left alone: {why}; nothing was changed, mend it first",
            path.display()
        )),
    }
}

/// The change of a text as a unified diff.
pub fn diff(path: &Path, old: &str, new: &str) -> String {
    let name = path.display().to_string();
    let diff = similar::TextDiff::from_lines(old, new);
    diff.unified_diff().header(&name, &name).to_string()
}

/// What `install` did for one settings file.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub struct Installed {
    /// Containers that the user had.
    pub kept: Kept,
    /// The file is ccc's.
    pub is_new: bool,
    /// Value that `--raise-cap` gave the client's cap.
    pub cap: Option<String>,
    /// Directories that were made, outer ones first.
    pub dirs: Vec<PathBuf>,
}

/// The record of all installations, `<CCC_HOME>/installed.json`. One that is lost costs little:
/// an `uninstall` then takes empty containers for ccc's, and leaves directories.
#[derive(Debug)]
pub struct Record {
    path: PathBuf,
    all: Map<String, Value>,
}

impl Record {
    /// Reads it; a broken one counts as empty.
    pub fn load(context: &Context) -> Result<Self> {
        let path = context.paths()?.ccc_home.join("installed.json");
        let bytes = fs::read_optional(&path, MAX_FILE).ok().flatten().unwrap_or_default();
        let all = serde_json::from_slice(&bytes).unwrap_or_default();
        Ok(Self { path, all })
    }

    /// What is known of a settings file.
    pub fn get(&self, settings: &Path) -> Installed {
        let known = self.all.get(settings.to_string_lossy().as_ref());
        known.and_then(|v| serde_json::from_value(v.clone()).ok()).unwrap_or_default()
    }

    /// Whether `install` put the hook into this file and no `uninstall` took it out.
    pub fn knows(&self, settings: &Path) -> bool {
        self.all.contains_key(settings.to_string_lossy().as_ref())
    }

    /// Stores what is known of a settings file.
    pub fn put(&mut self, settings: &Path, installed: &Installed) -> Result<()> {
        self.all.insert(settings.to_string_lossy().into_owned(), json!(installed));
        self.write()
    }

    /// Forgets a settings file; an empty record goes, too, and so does a directory that held
    /// nothing else.
    pub fn forget(&mut self, settings: &Path) -> Result<()> {
        if self.all.shift_remove(settings.to_string_lossy().as_ref()).is_none() {
            return Ok(());
        }
        if !self.all.is_empty() {
            return self.write();
        }
        std::fs::remove_file(&self.path).at("remove", &self.path)?;
        if let Some(home) = self.path.parent() {
            let _ = std::fs::remove_dir(home);
        }
        Ok(())
    }

    fn write(&self) -> Result<()> {
        if let Some(home) = self.path.parent() {
            fs::create_private_dir(home).at("create", home)?;
        }
        let text = format!("{:#}\n", json!(self.all));
        fs::write_atomic(&self.path, text.as_bytes()).at("write", &self.path)
    }
}
