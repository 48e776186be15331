//! The history (`events.jsonl`) and the readable log (`supervisor.log`): append, rotate, read, follow.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
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

/// Reads the history oldest first, across rotations, and goes on where it stopped.
#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    /// Open from the beginning, so that a rotation takes nothing away; the present file last.
    files: VecDeque<BufReader<File>>,
    /// A line that is not finished yet.
    line: Vec<u8>,
    /// The first file was found rotated away: somebody may be writing a last line into it.
    is_leaving: bool,
}

impl Follower {
    /// Begins with the oldest file that was written at or after `since` (Unix seconds); the present
    /// one is read in any case.
    pub fn new(path: &Path, since: u64) -> Self {
        let rotated = (1..=KEPT).map(|n| numbered(path, &n.to_string()));
        let mut files = VecDeque::new();
        let mut newer: Option<PathBuf> = None;
        // Newest first: a rotation meanwhile shows one file twice, and hides none.
        for file_path in std::iter::once(path.to_path_buf()).chain(rotated) {
            let is_old =
                file_path != path && super::fs::modified(&file_path).is_some_and(|at| at < since);
            let Ok(file) = File::open(&file_path) else { continue };
            let is_twice = newer.is_some_and(|newer| super::fs::is_same(&newer, &file_path));
            newer = Some(file_path);
            if !is_twice && !is_old {
                files.push_front(BufReader::new(file));
            }
        }
        Self { path: path.to_path_buf(), files, line: Vec::new(), is_leaving: false }
    }

    /// The next event; `None` where there is none yet. Lines that are not JSON objects are left
    /// out.
    pub fn next_event(&mut self) -> Option<Value> {
        loop {
            if self.files.is_empty() {
                self.files.push_back(BufReader::new(File::open(&self.path).ok()?));
            }
            while let Some(line) = self.next_line() {
                if let Ok(event @ Value::Object(_)) = serde_json::from_slice(&line) {
                    return Some(event);
                }
            }
            let is_last = self.files.len() == 1;
            let is_present = is_last
                && self.files.front().is_some_and(|f| super::fs::is_at(f.get_ref(), &self.path));
            if is_present || (is_last && !self.is_leaving) {
                self.is_leaving = !is_present;
                return None;
            }
            self.files.pop_front();
            self.line.clear();
            self.is_leaving = false;
        }
    }

    fn next_line(&mut self) -> Option<Vec<u8>> {
        let read = self.files.front_mut()?.read_until(b'\n', &mut self.line);
        let is_whole = read.is_ok() && self.line.ends_with(b"\n");
        is_whole.then(|| std::mem::take(&mut self.line))
    }
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
    use serde_json::json;

    fn numbers(follower: &mut Follower) -> Vec<i64> {
        let events = std::iter::from_fn(|| follower.next_event());
        events.map(|event| event["i"].as_i64().unwrap()).collect()
    }

    #[test]
    fn a_follower_reads_old_files_first_and_goes_on_after_a_rotation() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.jsonl");
        let append = |i: i32| append_event(&path, &json!({ "i": i })).unwrap();
        let move_away = || fs::rename(&path, numbered(&path, "1")).unwrap();
        let mut early = Follower::new(&path, 0);
        assert!(numbers(&mut early).is_empty());
        append(1);
        assert_eq!(numbers(&mut early), [1]);
        move_away();
        assert!(numbers(&mut early).is_empty(), "nothing new");
        // A writer that had the file open already.
        writeln!(super::super::fs::open_append(&numbered(&path, "1")).unwrap(), "[]\n{{\"i\":2}}")
            .unwrap();
        append(3);
        assert_eq!(numbers(&mut early), [2, 3]);
        assert_eq!(numbers(&mut Follower::new(&path, 0)), [1, 2, 3]);
        assert_eq!(numbers(&mut Follower::new(&path, u64::MAX)), [3]);
    }

    #[test]
    fn a_line_that_is_being_written_waits_for_its_end() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.jsonl");
        let mut file = super::super::fs::open_append(&path).unwrap();
        let mut follower = Follower::new(&path, 0);
        file.write_all(b"{\"i\":").unwrap();
        assert!(numbers(&mut follower).is_empty());
        file.write_all(b"7}\n{\"i\":8").unwrap();
        assert_eq!(numbers(&mut follower), [7]);
    }

    #[test]
    fn a_grown_file_is_rotated_and_four_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.jsonl");
        for i in 0..7 {
            File::create(&path).unwrap().set_len(MAX_SIZE + 1).unwrap();
            append_event(&path, &json!({ "i": i })).unwrap();
            assert_eq!(read_events(&path, 1000).len(), 1);
        }
        let files = fs::read_dir(dir.path()).unwrap().count();
        assert_eq!(files, 1 + KEPT + 1, "the file, four old ones, the lock");
    }
}
