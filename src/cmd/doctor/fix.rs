//! `ccc doctor --fix`: mends what is safe to mend without asking.
//!
//! It writes nothing into a project but the entry that is there already, takes nobody else's
//! hook out, and switches nothing on.

use super::{Patient, home, hooks};
use crate::cli::Scope;
use crate::cmd::install;
use crate::cmd::wiring::{Record, SCOPES, settings_path};
use crate::error::{PathContext, Result};
use crate::sys::store::Store;
use crate::sys::{clock, fs};

/// Mends, and says what was done.
pub fn run(patient: &Patient) -> Result<Vec<String>> {
    let mut done = Vec::new();
    own_directory(patient, &mut done)?;
    sessions(patient, &mut done)?;
    entries(patient, &mut done)?;
    Ok(done)
}

fn own_directory(patient: &Patient, done: &mut Vec<String>) -> Result<()> {
    let home = &patient.paths.ccc_home;
    if !home.exists() {
        fs::create_private_dir(home).at("create", home)?;
        done.push(format!("made `{}`", home.display()));
    }
    for path in home::open_to_others(home) {
        fs::make_private(&path).at("change the mode of", &path)?;
        done.push(format!("made `{}` private", path.display()));
    }
    Ok(())
}

fn sessions(patient: &Patient, done: &mut Vec<String>) -> Result<()> {
    let dir = patient.paths.sessions();
    let store = Store::new(dir.clone());
    let broken = store.set_broken_aside().at("set a broken state aside in", &dir)?;
    if broken > 0 {
        done.push(format!("set {broken} unreadable session states aside (`*.json.broken`)"));
    }
    let removed = store.prune(clock::now());
    if removed > 0 {
        done.push(format!("removed {removed} old session states and left-over files"));
    }
    Ok(())
}

/// Entries that are there but not right, and one that `ccc install` once made and that is gone.
fn entries(patient: &Patient, done: &mut Vec<String>) -> Result<()> {
    let stale = hooks::stale_scopes(patient);
    let record = Record::load(patient.context)?;
    for scope in SCOPES {
        let path = settings_path(patient.context, scope)?;
        let file = patient.settings.iter().find(|f| f.scope == Some(scope));
        let Some(file) = file.filter(|f| f.problem.is_none()) else { continue };
        let is_lost = scope == Scope::User && record.knows(&path) && !hooks::is_registered(patient);
        if (is_lost || stale.contains(file.name())) && install::refresh(patient.context, scope)? {
            let what = if is_lost { "put the hook back into" } else { "refreshed the hook in" };
            done.push(format!("{what} `{}`", path.display()));
        }
    }
    Ok(())
}
