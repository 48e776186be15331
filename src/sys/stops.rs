//! The records of the newest stops, one file each: kept, found, read, pruned.

use std::io;
use std::path::{Path, PathBuf};

use crate::rules::stop_record::StopRecord;
use crate::sys::fs;

/// Most records that are kept.
const KEPT: usize = 300;
/// Most bytes that they take together.
const MAX_BYTES: u64 = 32 << 20;
/// Seconds after which a record is removed: 30 days.
const MAX_AGE: u64 = 30 * 86_400;
/// Largest record that is read, in bytes.
const MAX_RECORD: u64 = 8 << 20;

/// Eight hex digits.
pub fn new_id() -> String {
    let mut bytes = [0; 4];
    // Without the system's randomness the process's number tells stops apart for long enough.
    if getrandom::fill(&mut bytes).is_err() {
        bytes = std::process::id().to_be_bytes();
    }
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Keeps a record of a stop at this Unix second, and removes the oldest ones that are too many,
/// too large together or too old.
///
/// # Errors
/// The directory or the disk does not allow it.
pub fn keep(dir: &Path, at: u64, id: &str, bytes: &[u8]) -> io::Result<()> {
    fs::create_private_dir(dir)?;
    fs::write_passing(&dir.join(format!("{at:012}-{id}.json")), bytes)?;
    prune(dir, at);
    Ok(())
}

/// The files, newest first.
pub fn list(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> =
        entries.map(|e| e.path()).filter(|path| parse_name(path).is_some()).collect();
    files.sort_unstable_by(|a, b| b.cmp(a));
    files
}

/// The files whose id begins like this, newest first.
pub fn find(dir: &Path, id: &str) -> Vec<PathBuf> {
    let is_it = |path: &PathBuf| parse_name(path).is_some_and(|(_, own)| own.starts_with(id));
    list(dir).into_iter().filter(is_it).collect()
}

/// Reads one record.
///
/// # Errors
/// There is no such file, it cannot be read, or it is no record.
pub fn read(path: &Path) -> io::Result<StopRecord> {
    let bytes = fs::read_optional(path, MAX_RECORD)?;
    let bytes = bytes.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
    serde_json::from_slice(&bytes)
        .map_err(|e| io::Error::other(format!("it is no record of a stop ({e})")))
}

fn prune(dir: &Path, now: u64) {
    let mut total = 0;
    for (i, path) in list(dir).into_iter().enumerate() {
        total += std::fs::metadata(&path).map_or(0, |m| m.len());
        let is_old = parse_name(&path).is_some_and(|(at, _)| now.saturating_sub(at) > MAX_AGE);
        if i > 0 && (i >= KEPT || total > MAX_BYTES || is_old) {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// The second and the id in a file's name.
fn parse_name(path: &Path) -> Option<(u64, &str)> {
    let (at, id) = path.file_name()?.to_str()?.strip_suffix(".json")?.split_once('-')?;
    Some((at.parse().ok()?, id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_records_are_kept_and_found_by_the_beginning_of_their_id() {
        let dir = tempfile::tempdir().unwrap();
        for i in 0..KEPT as u64 + 20 {
            keep(dir.path(), 1_000_000 + i, &format!("{i:08x}"), b"{}").unwrap();
        }
        let files = list(dir.path());
        assert_eq!(files.len(), KEPT);
        assert!(files[0] > files[1], "newest first");
        assert_eq!(find(dir.path(), "0000013f").len(), 1);
        assert!(find(dir.path(), "00000001").is_empty() && find(dir.path(), "x").is_empty());
        assert!(read(&files[0]).unwrap_err().to_string().contains("no record"));
    }

    #[test]
    fn old_and_large_records_go_but_never_the_new_one() {
        let dir = tempfile::tempdir().unwrap();
        keep(dir.path(), 1000, "aa", b"{}").unwrap();
        keep(dir.path(), 1000 + MAX_AGE + 1, "bb", b"{}").unwrap();
        assert_eq!(list(dir.path()).len(), 1);
        let big = vec![b' '; usize::try_from(MAX_BYTES).unwrap() + 1];
        keep(dir.path(), 1000 + MAX_AGE + 2, "cc", &big).unwrap();
        assert_eq!(find(dir.path(), "cc").len(), 1);
        assert!(find(dir.path(), "bb").is_empty());
    }
}
