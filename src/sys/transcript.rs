//! Transcripts: the beginning and the end of a JSONL file that may be huge and still being written.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Bytes that are read from the end.
const TAIL: u64 = 1 << 20;
/// Bytes that are read from the beginning of a longer file, where the first request stands.
const HEAD: u64 = 64 << 10;
/// Bytes before the tail that are searched for the newest request, when the tail has none.
const SEARCH: u64 = 8 << 20;
/// Bytes that are searched at a time; lines that may be longer than this are not found.
const STEP: u64 = 256 << 10;

/// The whole lines at both ends of a file, in constant memory at any size. When the tail has no
/// request, the newest one before it is added. A missing file, a directory, or one that cannot be
/// read has no lines.
pub fn read_lines(path: &Path, may_be_request: fn(&[u8]) -> bool) -> Vec<Vec<u8>> {
    let Ok(mut file) = File::open(path) else { return Vec::new() };
    let size = file.metadata().map_or(0, |m| m.len());
    let start = size.saturating_sub(TAIL);
    let tail = read_at(&mut file, start, TAIL);
    let torn = if start == 0 { 0 } else { next_line(&tail) };
    let mut lines = Vec::new();
    if start > 0 {
        let head_end = HEAD.min(start);
        let mut head = read_at(&mut file, 0, head_end);
        // The last line of the head goes on in the part that is left out.
        head.truncate(head.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1));
        lines.extend(whole_lines(&head).map(<[u8]>::to_vec));
        if !whole_lines(&tail[torn..]).any(may_be_request) {
            let end = start + torn as u64;
            lines.extend(newest_before(&mut file, head_end, end, may_be_request));
        }
    }
    lines.extend(whole_lines(&tail[torn..]).map(<[u8]>::to_vec));
    lines
}

/// Goes back from `end`, where a line begins, step by step.
fn newest_before(
    file: &mut File,
    head_end: u64,
    end: u64,
    may_be_request: fn(&[u8]) -> bool,
) -> Option<Vec<u8>> {
    let first = end.saturating_sub(SEARCH).max(head_end);
    let (mut end, mut bytes) = (end, Vec::new());
    while end > first {
        let from = end.saturating_sub(STEP).max(first);
        read_into(file, from, end - from, &mut bytes);
        let torn = next_line(&bytes);
        let whole = bytes.get(torn..).unwrap_or_default();
        if let Some(line) = whole_lines(whole).filter(|line| may_be_request(line)).last() {
            return Some(line.to_vec());
        }
        // A line that began before this step is read whole with the next one.
        end = if torn < bytes.len() { from + torn as u64 } else { from };
    }
    None
}

/// Whether [`read_lines`] leaves nothing of a file out.
pub fn is_read_whole(path: &Path) -> bool {
    path.metadata().is_ok_and(|m| m.len() <= TAIL)
}

/// The newest transcripts of all projects of a client directory, newest first.
pub fn newest(projects: &Path, max: usize) -> Vec<PathBuf> {
    let entries = |dir: &Path| std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut found: Vec<(SystemTime, PathBuf)> = entries(projects)
        .flat_map(|project| entries(&project.path()))
        .filter(|file| file.path().extension().is_some_and(|e| e == "jsonl"))
        .filter_map(|file| Some((file.metadata().ok()?.modified().ok()?, file.path())))
        .collect();
    found.sort_by(|a, b| b.cmp(a));
    found.into_iter().take(max).map(|(_, path)| path).collect()
}

fn read_at(file: &mut File, start: u64, count: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    read_into(file, start, count, &mut bytes);
    bytes
}

/// Leaves `bytes` empty on an error.
fn read_into(file: &mut File, start: u64, count: u64, bytes: &mut Vec<u8>) {
    bytes.clear();
    let seek = file.seek(SeekFrom::Start(start));
    if seek.and_then(|_| file.take(count).read_to_end(bytes)).is_err() {
        bytes.clear();
    }
}

fn next_line(bytes: &[u8]) -> usize {
    memchr::memchr(b'\n', bytes).map_or(bytes.len(), |i| i + 1)
}

fn whole_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    let lines = std::iter::from_fn(move || {
        let (line, after) = rest.split_at(next_line(rest));
        rest = after;
        (!line.is_empty()).then_some(line.trim_ascii())
    });
    lines.filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none(_: &[u8]) -> bool {
        false
    }

    fn is_marked(line: &[u8]) -> bool {
        line.starts_with(b"{\"i\":5000,") || line.starts_with(b"{\"i\":7000,")
    }

    fn file_of(count: usize) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text: String = (0..count).map(|i| line(i) + "\n").collect();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    fn line(i: usize) -> String {
        format!("{{\"i\":{i},\"pad\":\"{}\"}}", "x".repeat(1000))
    }

    #[test]
    fn both_ends_of_a_large_file_are_read_in_whole_lines() {
        let file = file_of(9000);
        let lines = read_lines(file.path(), none);
        assert_eq!(lines[0], line(0).as_bytes());
        assert_eq!(lines.last().unwrap(), line(8999).as_bytes());
        assert!(lines.iter().all(|l| l.starts_with(b"{") && l.ends_with(b"}")));
        assert!(lines.len() < 1200);
    }

    #[test]
    fn the_newest_request_before_the_tail_is_searched_when_it_has_none() {
        let file = file_of(9000);
        let plain = read_lines(file.path(), none).len();
        let lines = read_lines(file.path(), is_marked);
        assert_eq!(lines.len(), plain + 1);
        assert!(lines.contains(&line(7000).into_bytes()));
        // The newest one stands in the tail: older ones are not searched.
        let file = file_of(7500);
        assert_eq!(read_lines(file.path(), is_marked), read_lines(file.path(), none));
    }

    #[test]
    fn what_cannot_be_read_has_no_lines() {
        assert!(read_lines(Path::new("/nowhere/x.jsonl"), none).is_empty());
        assert!(read_lines(Path::new("/"), none).is_empty());
    }
}
