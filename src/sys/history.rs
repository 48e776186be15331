//! The history (`events.jsonl`) and the readable log (`supervisor.log`): append, rotate, read.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::sys::lock::Lock;

/// A file is rotated when it has grown over this, in bytes.
const MAX_SIZE: u64 = 10 << 20;
/// Rotated files that are kept.
const KEPT: usize = 4;

/// Appends one event as one line.
///
/// # Errors
/// The file cannot be opened or written.
pub fn append_event(path: &Path, event: &Value) -> io::Result<()> {
    append_line(path, &event.to_string())
}

/// Appends one line with a single write, so that lines of several processes do not mix.
///
/// # Errors
/// The file cannot be opened or written.
pub fn append_line(path: &Path, line: &str) -> io::Result<()> {
    if let Some(dir) = path.parent() {
        super::fs::create_private_dir(dir)?;
    }
    if fs::metadata(path).is_ok_and(|m| m.len() > MAX_SIZE) {
        rotate(path)?;
    }
    super::fs::open_append(path)?.write_all(format!("{line}\n").as_bytes())
}

fn rotate(path: &Path) -> io::Result<()> {
    let lock = Lock::acquire(&numbered(path, "lock"), Duration::from_secs(1))?;
    // Whoever came second finds a small file; who cannot have the lock leaves it to the next.
    if lock.is_none() || fs::metadata(path).is_ok_and(|m| m.len() <= MAX_SIZE) {
        return Ok(());
    }
    for n in (1..KEPT).rev() {
        let _ = fs::rename(numbered(path, &n.to_string()), numbered(path, &(n + 1).to_string()));
    }
    fs::rename(path, numbered(path, "1"))
}

fn numbered(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    name.into()
}

/// The newest events, oldest first: whole lines within the last `max_bytes` of the file. Lines
/// that are not JSON objects are left out.
pub fn read_events(path: &Path, max_bytes: u64) -> Vec<Value> {
    let text = read_tail(path, max_bytes).unwrap_or_default();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter(Value::is_object).collect()
}

fn read_tail(path: &Path, max_bytes: u64) -> io::Result<String> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let start = size.saturating_sub(max_bytes);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(max_bytes).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let torn = if start == 0 { 0 } else { text.find('\n').map_or(text.len(), |i| i + 1) };
    Ok(text[torn..].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grown_file_is_rotated_and_four_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.jsonl");
        for i in 0..7 {
            File::create(&path).unwrap().set_len(MAX_SIZE + 1).unwrap();
            append_event(&path, &serde_json::json!({ "i": i })).unwrap();
            assert_eq!(read_events(&path, 1000).len(), 1);
        }
        let files = fs::read_dir(dir.path()).unwrap().count();
        assert_eq!(files, 1 + KEPT + 1, "the file, four old ones, the lock");
    }
}
