//! The file by which a running review is watched. What fails here is ignored: nothing waits for it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::rules::live::Live;
use crate::rules::stop::SessionId;
use crate::sys::{clock, fs};

/// Most writes in [`SPAN`]: a reviewer that calls many tools at once is not slowed down.
const MAX_WRITES: u32 = 20;
const SPAN: Duration = Duration::from_secs(1);

/// One running review; its file vanishes with the value.
#[derive(Debug)]
pub struct LiveFile {
    path: PathBuf,
    live: Live,
    span: (Instant, u32),
}

impl LiveFile {
    /// Begins with a stage, in this directory.
    pub fn begin(dir: &Path, id: &SessionId, round: u32, stage: &str, limit_secs: u64) -> Self {
        let _ = fs::create_private_dir(dir);
        let live = Live {
            pid: i32::try_from(std::process::id()).unwrap_or_default(),
            round,
            stage: stage.to_owned(),
            started_at: clock::now(),
            limit_secs,
            deeds: Vec::new(),
        };
        let path = dir.join(format!("{id}.json"));
        let file = Self { path, live, span: (Instant::now(), 0) };
        file.write();
        file
    }

    /// Enters another stage.
    pub fn enter(&mut self, stage: &str, limit_secs: u64) {
        self.live.enter(stage, limit_secs, clock::now());
        self.write();
    }

    /// Notes what the reviewer does; the caller has hidden its secrets.
    pub fn note(&mut self, what: &str) {
        self.live.note(what, clock::now());
        if self.span.0.elapsed() >= SPAN {
            self.span = (Instant::now(), 0);
        }
        self.span.1 += 1;
        if self.span.1 <= MAX_WRITES {
            self.write();
        }
    }

    fn write(&self) {
        if let Ok(bytes) = serde_json::to_vec(&self.live) {
            let _ = fs::write_passing(&self.path, &bytes);
        }
    }
}

impl Drop for LiveFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_tells_what_is_done_and_goes_with_the_review() {
        let dir = tempfile::tempdir().unwrap();
        let id = SessionId::new("s1").unwrap();
        let path = dir.path().join("live/s1.json");
        let read = || serde_json::from_slice::<Live>(&std::fs::read(&path).unwrap()).unwrap();
        let mut file = LiveFile::begin(&dir.path().join("live"), &id, 2, "collecting", 5);
        assert_eq!((read().stage.as_str(), read().round), ("collecting", 2));
        file.enter("asking claude", 600);
        (0..MAX_WRITES * 5).for_each(|i| file.note(&format!("Read {i}.rs")));
        let seen = read();
        assert_eq!((seen.stage.as_str(), seen.limit_secs), ("asking claude", 600));
        assert_eq!(seen.deeds.last().unwrap().what, "Read 19.rs", "a flood is not written");
        drop(file);
        assert!(!path.exists());
    }

    #[test]
    fn a_place_that_takes_no_file_changes_nothing() {
        let id = SessionId::new("s1").unwrap();
        let mut file = LiveFile::begin(Path::new("/dev/null/live"), &id, 1, "x", 5);
        file.note("Read a");
    }
}
