//! Locks between processes. The only file that names `fs2`.
//!
//! A lock is a file of its own, never the file it protects: that one is replaced by rename, and a
//! lock on the old file would exclude nobody. The kernel frees a lock when its holder dies.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, getpid};

use crate::sys::{fs, signals};

/// Pause between two tries.
const RETRY: Duration = Duration::from_millis(10);

/// A held lock; dropping it releases it.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "the open file is the lock")] File);

impl Lock {
    /// Takes a lock within `wait`; `None` when somebody else kept it.
    ///
    /// # Errors
    /// The lock file cannot be made.
    pub fn acquire(path: &Path, wait: Duration) -> io::Result<Option<Self>> {
        let mut file = fs::open_lock_file(path)?;
        let until = Instant::now() + wait;
        loop {
            if try_lock(&file)? {
                // The file of an old session is removed under its lock: who waited has nothing.
                if fs::is_at(&file, path) {
                    return Ok(Some(Self(file)));
                }
                file = fs::open_lock_file(path)?;
                continue;
            }
            if Instant::now() >= until {
                return Ok(None);
            }
            thread::sleep(RETRY);
        }
    }
}

/// Who may review a session now.
#[derive(Debug)]
pub enum ReviewClaim {
    /// We may, until this is dropped.
    Mine(ReviewLock),
    /// Another hook process of ccc reviews this session at this moment.
    TakenByReview,
    /// Something else held the lock all the time.
    TakenByStranger,
}

/// Held for one whole review of one session. The file names its holder (pid and start time), so
/// that a second stop of the session can tell a review from a stranger.
#[derive(Debug)]
pub struct ReviewLock(File);

impl ReviewLock {
    /// Claims a session. Waits at most `wait`, and not at all for a review that really runs.
    ///
    /// # Errors
    /// The lock file cannot be made.
    pub fn claim(path: &Path, wait: Duration) -> io::Result<ReviewClaim> {
        let mut file = fs::open_lock_file(path)?;
        let until = Instant::now() + wait;
        loop {
            if try_lock(&file)? {
                if fs::is_at(&file, path) {
                    break;
                }
                file = fs::open_lock_file(path)?;
                continue;
            }
            if living_holder(&mut file).is_some() {
                return Ok(ReviewClaim::TakenByReview);
            }
            if Instant::now() >= until {
                return Ok(ReviewClaim::TakenByStranger);
            }
            thread::sleep(RETRY);
        }
        // A name that cannot be written only makes the next contender wait a little.
        let _ = write_holder(&mut file);
        Ok(ReviewClaim::Mine(Self(file)))
    }
}

impl Drop for ReviewLock {
    fn drop(&mut self) {
        let _ = self.0.set_len(0);
    }
}

fn try_lock(file: &File) -> io::Result<bool> {
    match fs2::FileExt::try_lock_exclusive(file) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == fs2::lock_contended_error().kind() => Ok(false),
        Err(e) => Err(e),
    }
}

fn write_holder(file: &mut File) -> io::Result<()> {
    let pid = getpid();
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "ccc {} {}", pid.as_raw_nonzero(), start_time(pid).unwrap_or_default())
}

/// The process that holds the lock of this file, as far as the file names it. Changes nothing.
pub fn holder(path: &Path) -> Option<Pid> {
    let mut file = File::open(path).ok()?;
    let pid = living_holder(&mut file)?;
    // A name that a killed holder left names nobody, even where the number is in use again.
    matches!(try_lock(&file), Ok(false)).then_some(pid)
}

fn living_holder(file: &mut File) -> Option<Pid> {
    let mut text = String::new();
    file.rewind().and_then(|()| file.take(200).read_to_string(&mut text)).ok()?;
    let mut words = text.split_whitespace();
    if words.next() != Some("ccc") {
        return None;
    }
    let pid = words.next().and_then(|w| w.parse().ok()).and_then(Pid::from_raw)?;
    // Where there is no /proc the start time is unknown on both sides, and the pid alone decides.
    let started = words.next().and_then(|w| w.parse::<u64>().ok()).unwrap_or_default();
    (signals::is_alive(pid) && start_time(pid).unwrap_or_default() == started).then_some(pid)
}

/// Start time of a process in clock ticks since boot, from `/proc`.
pub fn start_time(pid: Pid) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    // The name in parentheses may hold anything, so the fields are counted from its end.
    stat.rsplit(')').next()?.split_ascii_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_running_review_is_told_from_a_stranger() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.lock");
        let claim = || ReviewLock::claim(&path, Duration::from_millis(50)).unwrap();
        let mine = claim();
        assert!(matches!(mine, ReviewClaim::Mine(_)));
        assert!(matches!(claim(), ReviewClaim::TakenByReview));
        assert_eq!(holder(&path), Some(getpid()));
        drop(mine);
        assert_eq!(holder(&path), None);
        std::fs::write(&path, "ccc 4194304999 1\n").unwrap();
        let stranger = Lock::acquire(&path, Duration::ZERO).unwrap();
        assert!(stranger.is_some());
        assert!(matches!(claim(), ReviewClaim::TakenByStranger));
        drop(stranger);
        assert!(matches!(claim(), ReviewClaim::Mine(_)));
    }
}
