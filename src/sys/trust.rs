//! Which project configs may run commands: bound to the project's path and the file's content.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::sys::fs;

/// Largest file of trusted projects that is read, in bytes.
const MAX_FILE: u64 = 4 << 20;

/// Whether `ccc trust` allowed this very content for this project. An unreadable list trusts
/// nothing.
pub fn is_trusted(list: &Path, project: &Path, content: &[u8]) -> bool {
    read(list).ok().is_some_and(|known| known.get(&key(project)) == Some(&digest(content)))
}

/// Allows this content.
///
/// # Errors
/// The list cannot be read or written.
pub fn allow(list: &Path, project: &Path, content: &[u8]) -> io::Result<()> {
    let mut known = read(list)?;
    known.insert(key(project), digest(content));
    write(list, &known)
}

/// Takes the permission back; false when there was none.
///
/// # Errors
/// The list cannot be read or written.
pub fn revoke(list: &Path, project: &Path) -> io::Result<bool> {
    let mut known = read(list)?;
    let was_there = known.remove(&key(project)).is_some();
    if was_there {
        write(list, &known)?;
    }
    Ok(was_there)
}

/// Hex SHA-256 of some bytes.
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

fn key(project: &Path) -> String {
    let real = project.canonicalize().unwrap_or_else(|_| project.to_path_buf());
    real.to_string_lossy().into_owned()
}

fn read(list: &Path) -> io::Result<BTreeMap<String, String>> {
    match fs::read_optional(list, MAX_FILE)? {
        None => Ok(BTreeMap::new()),
        Some(bytes) => Ok(serde_json::from_slice(&bytes)?),
    }
}

fn write(list: &Path, known: &BTreeMap<String, String>) -> io::Result<()> {
    if let Some(dir) = list.parent() {
        fs::create_private_dir(dir)?;
    }
    fs::write_atomic(list, &serde_json::to_vec_pretty(known)?)
}
