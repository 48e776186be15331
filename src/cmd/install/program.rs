//! The path that the hook entry names ccc by.

use std::path::{Path, PathBuf};

use crate::cmd::Context;
use crate::error::{Error, Result};

/// The path of this program, quoted for a POSIX shell.
///
/// A link that the user called, as package managers lay them, is preferred to its target: it
/// outlives an update.
pub fn quoted(context: &Context) -> Result<String> {
    let real = std::env::current_exe()
        .map_err(|e| Error::problem(format!("cannot find the path of this program: {e}")))?;
    let path = called(context, &real).unwrap_or(real);
    let shown = path.display();
    // A program of another name would not be known again by `uninstall`.
    if path.file_name().is_none_or(|name| name != "ccc") {
        return Err(Error::problem(format!(
            "`{shown}` must be called `ccc`; rename it, then install"
        )));
    }
    let text = path.to_str().ok_or_else(|| {
        Error::problem(format!("the path `{shown}` is not UTF-8; move the program, then install"))
    })?;
    Ok(format!("'{}'", text.replace('\'', r"'\''")))
}

/// The absolute path that this program was called by, if it leads to `real`.
fn called(context: &Context, real: &Path) -> Option<PathBuf> {
    let word = PathBuf::from(std::env::args_os().next()?);
    let candidates = if word.components().count() > 1 {
        vec![std::path::absolute(&word).ok()?]
    } else {
        let path = context.env.path.as_ref()?;
        std::env::split_paths(path).filter(|d| d.is_absolute()).map(|d| d.join(&word)).collect()
    };
    let leads_here = |path: &PathBuf| path.canonicalize().is_ok_and(|p| p == real);
    candidates.into_iter().find(leads_here).filter(|p| p.file_name().is_some_and(|n| n == "ccc"))
}
