//! `ccc prompt`: the effective SUPERVISOR.md, and where it came from.

use std::path::{Path, PathBuf};

use crate::cmd::Context;
use crate::error::{Exit, Result};
use crate::paths::Paths;
use crate::sys::fs;

/// The review prompt that comes with ccc.
const BUILT_IN: &str = include_str!("../../SUPERVISOR.md");
/// Largest file that is read, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// The review prompt that counts in a project.
#[derive(Debug)]
pub struct Supervisor {
    pub text: String,
    /// Its file; `None` for the built-in one.
    pub path: Option<PathBuf>,
    /// Files that count as absent because they cannot be used.
    pub warnings: Vec<String>,
}

/// Finds the first usable file: the project's `.claude/SUPERVISOR.md`, its `SUPERVISOR.md`, the
/// client directory's, else the built-in text. Whitespace only counts as absent.
pub fn load(paths: &Paths, project: &Path) -> Supervisor {
    let mut warnings = Vec::new();
    let places = [
        project.join(".claude/SUPERVISOR.md"),
        project.join("SUPERVISOR.md"),
        paths.client_dir.join("SUPERVISOR.md"),
    ];
    for path in places {
        match read(&path) {
            Ok(Some(text)) => return Supervisor { text, path: Some(path), warnings },
            Ok(None) => {}
            Err(why) => {
                warnings.push(format!("`{}` is not used: {why}", path.display()));
            }
        }
    }
    Supervisor { text: BUILT_IN.to_owned(), path: None, warnings }
}

fn read(path: &Path) -> std::result::Result<Option<String>, String> {
    let Some(bytes) = fs::read_optional(path, MAX_FILE).map_err(|e| e.to_string())? else {
        return Ok(None);
    };
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Ok((!text.trim().is_empty()).then(|| text.to_owned()))
}

/// Prints the prompt on standard output and its origin on standard error.
pub fn run(context: &Context) -> Result<Exit> {
    let found = load(&context.paths()?, &context.project);
    for warning in &found.warnings {
        context.warn(warning);
    }
    match &found.path {
        Some(path) => context.warn(&format!("review prompt from `{}`", path.display())),
        None => context.warn("the built-in review prompt (no SUPERVISOR.md was found)"),
    }
    context.print(&found.text)?;
    Ok(Exit::Ok)
}
