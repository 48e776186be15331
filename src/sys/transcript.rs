//! Transcripts: the beginning and the end of a JSONL file that may be huge and still being written.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Bytes that are read from the end.
const TAIL: u64 = 4 << 20;
/// Bytes that are read from the beginning of a longer file, where the first request stands.
const HEAD: u64 = 256 << 10;

/// The whole lines at both ends of a file, in constant memory at any size. A missing file, a
/// directory, or one that cannot be read has none.
pub fn read_lines(path: &Path) -> Vec<Vec<u8>> {
    let Ok(mut file) = File::open(path) else { return Vec::new() };
    let size = file.metadata().map_or(0, |m| m.len());
    let start = size.saturating_sub(TAIL);
    let mut lines = Vec::new();
    if start > 0 {
        let mut head = read_at(&mut file, 0, HEAD.min(start));
        // The last line of the head goes on in the part that is left out.
        head.truncate(head.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1));
        push_lines(&head, &mut lines);
    }
    let tail = read_at(&mut file, start, TAIL);
    let torn = if start == 0 { 0 } else { next_line(&tail) };
    push_lines(&tail[torn..], &mut lines);
    lines
}

/// Whether [`read_lines`] leaves nothing of a file out.
pub fn is_read_whole(path: &Path) -> bool {
    path.metadata().is_ok_and(|m| m.len() <= TAIL)
}

fn read_at(file: &mut File, start: u64, count: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let read =
        file.seek(SeekFrom::Start(start)).and_then(|_| file.take(count).read_to_end(&mut bytes));
    if read.is_err() { Vec::new() } else { bytes }
}

fn next_line(bytes: &[u8]) -> usize {
    bytes.iter().position(|&b| b == b'\n').map_or(bytes.len(), |i| i + 1)
}

fn push_lines(bytes: &[u8], lines: &mut Vec<Vec<u8>>) {
    let whole = bytes.split(|&b| b == b'\n').filter(|line| !line.trim_ascii().is_empty());
    lines.extend(whole.map(<[u8]>::to_vec));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_of_a_large_file_are_read_in_whole_lines() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let line = |i: usize| format!("{{\"i\":{i},\"pad\":\"{}\"}}", "x".repeat(1000));
        let text: String = (0..9000).map(|i| line(i) + "\n").collect();
        std::fs::write(file.path(), text).unwrap();
        let lines = read_lines(file.path());
        assert_eq!(lines[0], line(0).as_bytes());
        assert_eq!(lines.last().unwrap(), line(8999).as_bytes());
        assert!(lines.iter().all(|l| l.starts_with(b"{") && l.ends_with(b"}")));
        assert!(lines.len() < 4700);
    }

    #[test]
    fn what_cannot_be_read_has_no_lines() {
        assert!(read_lines(Path::new("/nowhere/x.jsonl")).is_empty());
        assert!(read_lines(Path::new("/")).is_empty());
    }
}
