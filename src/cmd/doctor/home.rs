//! ccc's own directory: writable, private, with locks that work, and not too full.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Patient;
use crate::rules::health::Finding;
use crate::sys::lock::Lock;
use crate::sys::store::Store;
use crate::sys::{clock, fs};

/// Bytes of ccc's directory from which on it is worth a remark.
const LARGE: u64 = 500 << 20;
/// Free bytes of the disk below which state may soon not be saved.
const SCARCE: u64 = 50 << 20;

pub fn examine(patient: &Patient) -> Vec<Finding> {
    vec![home(patient), locks(patient), sessions(patient), disk(patient)]
}

fn home(patient: &Patient) -> Finding {
    const NAME: &str = "home";
    let dir = &patient.paths.ccc_home;
    let shown = dir.display();
    let sessions = patient.paths.sessions();
    for dir in [dir, &sessions] {
        if let Err(e) = fs::try_write(dir) {
            let why = format!(
                "`{}` cannot be written ({e}), so no state is saved and every stop is allowed",
                dir.display()
            );
            let mend = if dir.is_dir() {
                format!("chmod u+rwx {}", quoted(dir))
            } else {
                format!("make `{}` a directory that you can write, or set CCC_HOME", dir.display())
            };
            return Finding::broken(NAME, why, mend);
        }
    }
    let open = open_to_others(dir);
    match open.first() {
        Some(path) => Finding::warn(
            NAME,
            format!("others may read `{}`, and it holds parts of your sessions", path.display()),
            "ccc doctor --fix",
        ),
        None if dir.exists() => Finding::ok(NAME, format!("`{shown}` is writable and private")),
        None => Finding::ok(NAME, format!("`{shown}` is made when it is needed")),
    }
}

/// A path for a POSIX shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+".contains(c));
    if is_plain { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// ccc's directory and the files in it that others than the user may read or write.
pub fn open_to_others(home: &Path) -> Vec<PathBuf> {
    let mut paths = vec![home.to_path_buf()];
    for dir in [home.to_path_buf(), home.join("sessions"), home.join("stops")] {
        let entries = std::fs::read_dir(&dir).into_iter().flatten().flatten();
        paths.extend(entries.filter(|e| !e.path().is_symlink()).map(|e| e.path()));
    }
    paths.retain(|p| fs::is_open_to_others(p));
    paths
}

/// Takes a lock, and is refused a second one.
fn locks(patient: &Patient) -> Finding {
    const NAME: &str = "locks";
    let home = &patient.paths.ccc_home;
    if !home.is_dir() {
        return Finding::skipped(NAME, format!("`{}` is not there yet", home.display()));
    }
    let path = home.join(format!("doctor-{}.lock", std::process::id()));
    let tried = Lock::acquire(&path, Duration::ZERO)
        .and_then(|first| Ok((first.is_some(), Lock::acquire(&path, Duration::ZERO)?.is_some())));
    let _ = std::fs::remove_file(&path);
    let mend = "set CCC_HOME to a directory on a local disk";
    match tried {
        Ok((true, false)) => Finding::ok(NAME, "locks exclude each other"),
        Ok(_) => Finding::broken(
            NAME,
            format!("locks in `{}` exclude nobody, so counts may be lost", home.display()),
            mend,
        ),
        Err(e) => Finding::broken(
            NAME,
            format!("no lock can be taken in `{}` ({e}), so no stop is reviewed", home.display()),
            mend,
        ),
    }
}

fn sessions(patient: &Patient) -> Finding {
    const NAME: &str = "sessions";
    let census = Store::new(patient.paths.sessions()).census(clock::now());
    let part = |n: usize, what: &str| (n > 0).then(|| format!("{n} {what}"));
    let parts = [
        part(census.broken, "cannot be read"),
        part(census.old.len(), "older than 30 days"),
        part(census.leftovers.len(), "left-over files"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        return Finding::ok(NAME, format!("{} session states, all readable", census.states));
    }
    let why = format!("of {} session states: {}", census.states, parts.join(", "));
    Finding::warn(NAME, why, "ccc doctor --fix")
}

fn disk(patient: &Patient) -> Finding {
    const NAME: &str = "disk";
    let home = &patient.paths.ccc_home;
    let used = fs::disk_use(home);
    let mb = |bytes: u64| format!("{:.1} MB", bytes as f64 / f64::from(1 << 20));
    match fs::free_space(home) {
        Some(free) if free < SCARCE => Finding::broken(
            NAME,
            format!(
                "the disk of `{}` has {} left; state may not be saved",
                home.display(),
                mb(free)
            ),
            "free some space, or set CCC_HOME to another disk",
        ),
        _ if used > LARGE => Finding::warn(
            NAME,
            format!("`{}` takes {}", home.display(), mb(used)),
            "ccc doctor --fix",
        ),
        _ => Finding::ok(NAME, format!("`{}` takes {}", home.display(), mb(used))),
    }
}
