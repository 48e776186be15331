//! Session states: one JSON file a session, replaced by rename; reviews of the last hour.
//!
//! Readers need no lock. Writers hold the session's short state lock; the review lock is another
//! file, held for a whole review, so that `off`, `reset` and the prompt hook never wait for one.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::rules::policy;
use crate::rules::state::SessionState;
use crate::rules::stop::SessionId;
use crate::sys::fs;
use crate::sys::lock::{Lock, ReviewClaim, ReviewLock};

/// Largest state file that is read, in bytes.
const MAX_STATE: u64 = 8 << 20;
/// Longest wait for the lock of another writer, who needs milliseconds.
const WRITER_WAIT: Duration = Duration::from_secs(3);
/// Longest wait for a stranger who holds the review lock.
const STRANGER_WAIT: Duration = Duration::from_secs(4);

/// Seconds after which a session is removed: 30 days.
const MAX_AGE: u64 = 30 * 86_400;
/// Seconds after which files without a state are removed.
const LEFT_OVER: u64 = 86_400;

/// The directory of session states.
#[derive(Clone, Debug)]
pub struct Store {
    dir: PathBuf,
}

/// What a state file holds.
#[derive(Debug)]
pub enum Stored {
    Absent,
    State(Box<SessionState>),
    /// Unreadable, not JSON, or of another shape.
    Broken,
}

/// What is in the directory of session states.
#[derive(Debug, Default)]
pub struct Census {
    /// State files.
    pub states: usize,
    /// State files that cannot be read.
    pub broken: usize,
    /// Sessions that nothing touched for 30 days.
    pub old: Vec<String>,
    /// Sessions of which only locks or broken files are left, for over a day.
    pub leftovers: Vec<String>,
}

impl Store {
    /// A store in this directory (which need not exist yet).
    pub fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// Reads one state without any lock.
    pub fn load(&self, id: &SessionId) -> Stored {
        load(&self.path(id, "json"))
    }

    /// Reads, changes and writes one state under its lock. `change` gets `None` for an absent or
    /// broken one (a broken file is kept once as `<id>.json.broken`) and returns what to store
    /// with its own result.
    ///
    /// # Errors
    /// The lock or the write failed; the old state is then untouched.
    pub fn update<T>(
        &self,
        id: &SessionId,
        change: impl FnOnce(Option<SessionState>) -> (SessionState, T),
    ) -> io::Result<T> {
        fs::create_private_dir(&self.dir)?;
        let lock = Lock::acquire(&self.path(id, "state.lock"), WRITER_WAIT)?;
        if lock.is_none() {
            return Err(io::Error::new(io::ErrorKind::WouldBlock, "its lock is held"));
        }
        let path = self.path(id, "json");
        let old = match load(&path) {
            Stored::State(state) => Some(*state),
            Stored::Absent => None,
            Stored::Broken => {
                set_aside(&path);
                None
            }
        };
        let (state, result) = change(old);
        let mut text = serde_json::to_vec_pretty(&state)?;
        text.push(b'\n');
        fs::write_atomic(&path, &text)?;
        Ok(result)
    }

    /// Claims the review of one session.
    ///
    /// # Errors
    /// The lock file cannot be made.
    pub fn claim_review(&self, id: &SessionId) -> io::Result<ReviewClaim> {
        fs::create_private_dir(&self.dir)?;
        ReviewLock::claim(&self.path(id, "lock"), STRANGER_WAIT)
    }

    /// All readable states, newest first. Broken files are left out.
    pub fn list(&self) -> Vec<SessionState> {
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let files = entries.map(|e| e.path()).filter(|p| is_state(p));
        let mut states: Vec<SessionState> = files
            .filter_map(|p| match load(&p) {
                Stored::State(state) => Some(*state),
                Stored::Absent | Stored::Broken => None,
            })
            .collect();
        states.sort_by(|a, b| (b.updated_at, &a.session_id).cmp(&(a.updated_at, &b.session_id)));
        states
    }

    /// Counts what is in the directory.
    pub fn census(&self, now: u64) -> Census {
        let mut census = Census::default();
        for (id, files) in self.by_session() {
            let state = files.iter().find(|f| is_state(f));
            let newest = files.iter().filter_map(|f| fs::modified(f)).max().unwrap_or(now);
            let age = now.saturating_sub(newest);
            census.states += usize::from(state.is_some());
            census.broken += usize::from(state.is_some_and(|f| matches!(load(f), Stored::Broken)));
            match state {
                Some(_) if age > MAX_AGE => census.old.push(id),
                None if age > LEFT_OVER => census.leftovers.push(id),
                _ => {}
            }
        }
        census
    }

    /// Removes sessions that nothing touched for 30 days, and what is left of others, unless
    /// somebody uses them. Returns how many; what cannot be removed stays.
    pub fn prune(&self, now: u64) -> usize {
        let is_due = |files: &[PathBuf]| {
            let newest = files.iter().filter_map(|f| fs::modified(f)).max().unwrap_or(now);
            let has_state = files.iter().any(|f| is_state(f));
            now.saturating_sub(newest) > if has_state { MAX_AGE } else { LEFT_OVER }
        };
        let due = self.by_session().into_iter().filter(|(_, files)| is_due(files));
        due.filter(|(id, _)| self.remove(id).is_some()).count()
    }

    /// Removes one session under both of its locks; `None` when it is in use.
    fn remove(&self, id: &str) -> Option<()> {
        let path = |suffix: &str| self.dir.join(format!("{id}.{suffix}"));
        let _review = Lock::acquire(&path("lock"), Duration::ZERO).ok()??;
        let _state = Lock::acquire(&path("state.lock"), Duration::ZERO).ok()??;
        for suffix in ["json", "json.broken", "state.lock", "lock"] {
            let _ = std::fs::remove_file(path(suffix));
        }
        // What is kept for those who watch, beside the directory of states.
        for name in [format!("live/{id}.json"), format!("evidence/{id}.txt")] {
            let _ = std::fs::remove_file(self.dir.with_file_name(name));
        }
        Some(())
    }

    /// Keeps broken state files as `<id>.json.broken`, out of the way. Returns how many.
    ///
    /// # Errors
    /// One cannot be renamed.
    pub fn set_broken_aside(&self) -> io::Result<usize> {
        let mut count = 0;
        for (id, files) in self.by_session() {
            let state = files.iter().find(|f| is_state(f));
            let Some(state) = state.filter(|f| matches!(load(f), Stored::Broken)) else { continue };
            std::fs::rename(state, self.dir.join(format!("{id}.json.broken")))?;
            count += 1;
        }
        Ok(count)
    }

    /// The files of each session.
    fn by_session(&self) -> BTreeMap<String, Vec<PathBuf>> {
        let mut found = BTreeMap::<String, Vec<PathBuf>>::new();
        for entry in std::fs::read_dir(&self.dir).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let suffixes = [".json.broken", ".state.lock", ".json", ".lock"];
            if let Some(id) = suffixes.iter().find_map(|s| name.strip_suffix(s)) {
                found.entry(id.to_owned()).or_default().push(entry.path());
            }
        }
        found
    }

    fn path(&self, id: &SessionId, suffix: &str) -> PathBuf {
        self.dir.join(format!("{id}.{suffix}"))
    }
}

fn is_state(file: &Path) -> bool {
    file.extension().is_some_and(|e| e == "json")
}

fn load(path: &Path) -> Stored {
    match fs::read_optional(path, MAX_STATE) {
        Ok(None) => Stored::Absent,
        Ok(Some(bytes)) => match serde_json::from_slice(&bytes) {
            Ok(state) => Stored::State(Box::new(state)),
            Err(_) => Stored::Broken,
        },
        Err(_) => Stored::Broken,
    }
}

/// Keeps one copy of a broken file beside it; a copy that cannot be made is given up.
fn set_aside(path: &Path) {
    let mut copy = path.as_os_str().to_owned();
    copy.push(".broken");
    let _ = std::fs::rename(path, copy);
}

/// Runs `prune` when nobody did so for a day. The lock file's own time tells; a second process
/// meanwhile goes on without waiting.
pub fn daily(lock: &Path, now: u64, prune: impl FnOnce()) {
    if fs::modified(lock).is_some_and(|at| at <= now && now - at < LEFT_OVER) {
        return;
    }
    if let Ok(Some(_lock)) = Lock::acquire(lock, Duration::ZERO) {
        // Marked first: what fails today fails at the next stop, too.
        if fs::touch(lock).is_ok() {
            prune();
        }
    }
}

/// Books one review in the sliding hour of all sessions.
///
/// Returns the Unix second at which a review is free again when the limit is reached; nothing is
/// booked then.
///
/// # Errors
/// The file cannot be locked or written.
pub fn book_review(path: &Path, limit: u32, now: u64) -> io::Result<Result<(), u64>> {
    if let Some(dir) = path.parent() {
        fs::create_private_dir(dir)?;
    }
    let lock = Lock::acquire(&path.with_extension("lock"), WRITER_WAIT)?;
    if lock.is_none() {
        return Err(io::Error::new(io::ErrorKind::WouldBlock, "the lock of `rate.json` is held"));
    }
    let mut starts = rate_starts(path, now);
    if let Some(free_at) = policy::rate_free_at(&starts, limit, now) {
        return Ok(Err(free_at));
    }
    starts.push(now);
    fs::write_atomic(path, &serde_json::to_vec(&starts)?)?;
    Ok(Ok(()))
}

/// When the next review is free, if not now. Reads only.
pub fn rate_free_at(path: &Path, limit: u32, now: u64) -> Option<u64> {
    policy::rate_free_at(&rate_starts(path, now), limit, now)
}

fn rate_starts(path: &Path, now: u64) -> Vec<u64> {
    let bytes = fs::read_optional(path, MAX_STATE).ok().flatten().unwrap_or_default();
    policy::rate_window(&serde_json::from_slice::<Vec<u64>>(&bytes).unwrap_or_default(), now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::stop::Client;

    fn id() -> SessionId {
        SessionId::new("s1").unwrap()
    }

    fn fresh(old: Option<SessionState>) -> SessionState {
        old.unwrap_or_else(|| SessionState::new("s1", Client::Claude, "/p".into(), 5))
    }

    #[test]
    fn an_update_is_stored_and_a_broken_file_kept_once() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::new(dir.path().join("sessions"));
        for content in [None, Some("{"), Some("[]"), Some("7")] {
            if let Some(content) = content {
                std::fs::write(store.path(&id(), "json"), content).unwrap();
                assert!(matches!(store.load(&id()), Stored::Broken));
            }
            store.update(&id(), |old| (fresh(old), ())).unwrap();
            assert!(matches!(store.load(&id()), Stored::State(_)));
        }
        assert_eq!(std::fs::read_dir(dir.path().join("sessions")).unwrap().count(), 3);
        assert_eq!(store.list().len(), 1);
    }

    #[test]
    fn old_sessions_are_removed_unless_they_are_in_use() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::new(dir.path().to_path_buf());
        store.update(&id(), |old| (fresh(old), ())).unwrap();
        let review = store.claim_review(&id()).unwrap();
        let later = crate::sys::clock::now() + MAX_AGE + 60;
        assert_eq!(store.prune(later - 3600), 0, "not old enough");
        assert_eq!(store.prune(later), 0, "under review");
        drop(review);
        assert_eq!(store.prune(later), 1);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_is_done_daily_is_not_done_twice_a_day() {
        let dir = tempfile::tempdir().unwrap();
        let lock = dir.path().join("prune.lock");
        let now = crate::sys::clock::now();
        let mut count = 0;
        for at in [now, now + 60, now + LEFT_OVER + 60] {
            daily(&lock, at, || count += 1);
        }
        assert_eq!(count, 2);
    }

    #[test]
    fn updates_of_many_threads_are_all_counted() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::new(dir.path().to_path_buf());
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..5 {
                        let count = |old| {
                            let mut state = fresh(old);
                            state.chain.iteration += 1;
                            (state, ())
                        };
                        store.update(&id(), count).unwrap();
                    }
                });
            }
        });
        assert_eq!(store.list()[0].chain.iteration, 40);
    }

    #[test]
    fn reviews_are_booked_up_to_the_limit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("rate.json");
        assert_eq!(book_review(&path, 2, 1000).unwrap(), Ok(()));
        assert_eq!(book_review(&path, 2, 1001).unwrap(), Ok(()));
        assert_eq!(book_review(&path, 2, 1002).unwrap(), Err(4600));
        assert_eq!(book_review(&path, 2, 4600).unwrap(), Ok(()));
    }
}
