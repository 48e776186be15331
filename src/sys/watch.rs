//! Watches the files of the sessions for those who only look: reads what changed, takes no lock,
//! writes nothing.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use rustix::process::Pid;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::rules::board::Review;
use crate::rules::live::Live;
use crate::rules::redact::Secrets;
use crate::rules::state::SessionState;
use crate::sys::{fs, history, signals};

/// Largest file of a session that is read, in bytes.
const MAX_FILE: u64 = 8 << 20;
/// Bytes of the history that are read.
const MAX_HISTORY: u64 = 512 << 10;
/// A directory tells when a file in it was replaced, but not when one was edited in place.
const FULL_SCAN: Duration = Duration::from_secs(10);
/// A change within the same tick of the clock leaves no trace in a time this young.
const YOUNG: Duration = Duration::from_secs(2);

/// Where the files are.
#[derive(Clone, Debug)]
pub struct Places {
    pub sessions: PathBuf,
    pub live: PathBuf,
    pub events: PathBuf,
}

/// The files as they were at the last look.
#[derive(Debug)]
pub struct Watch {
    sessions: Dir<SessionState>,
    live: Dir<Live>,
    events: (PathBuf, Option<Stamp>, Vec<Value>),
    alive: HashMap<OsString, bool>,
    secrets: Secrets,
}

impl Watch {
    /// Nothing is read yet. What an older version stored may hold one of these secrets.
    pub fn new(places: Places, secrets: Secrets) -> Self {
        Self {
            sessions: Dir::new(places.sessions),
            live: Dir::new(places.live),
            events: (places.events, None, Vec::new()),
            alive: HashMap::new(),
            secrets,
        }
    }

    /// Looks again; whether anything is different now.
    pub fn refresh(&mut self) -> bool {
        let sessions = self.sessions.refresh(&self.secrets);
        let live = self.live.refresh(&self.secrets);
        let alive = self.live.values().map(|(name, live)| (name.clone(), is_alive(live))).collect();
        let died = alive != self.alive;
        self.alive = alive;
        sessions | live | died | self.refresh_events()
    }

    fn refresh_events(&mut self) -> bool {
        let (path, seen, events) = &mut self.events;
        let now = Stamp::of(path);
        if now == *seen {
            return false;
        }
        *seen = now;
        *events = history::read_events(path, MAX_HISTORY);
        events.iter_mut().for_each(|event| self.secrets.hide_in(event));
        true
    }

    /// Every session with its running review, newest first.
    pub fn sessions(&self) -> Vec<(&SessionState, Option<Review>)> {
        let mut all: Vec<_> =
            self.sessions.values().map(|(name, s)| (s, self.review(name))).collect();
        all.sort_by(|(a, _), (b, _)| {
            (b.updated_at, &a.session_id).cmp(&(a.updated_at, &b.session_id))
        });
        all
    }

    fn review(&self, name: &OsString) -> Option<Review> {
        let live = self.live.get(name)?.clone();
        Some(Review { live, is_alive: self.alive.get(name).copied().unwrap_or(true) })
    }

    /// State files that cannot be read.
    pub fn broken(&self) -> usize {
        self.sessions.files.values().filter(|(_, value)| value.is_none()).count()
    }

    /// The newest events of the history, oldest first.
    pub fn events(&self) -> &[Value] {
        &self.events.2
    }
}

fn is_alive(live: &Live) -> bool {
    Pid::from_raw(live.pid).is_none_or(signals::is_alive)
}

/// What tells one state of a file from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    inode: u64,
    size: u64,
    secs: i64,
    nanos: i64,
}

impl Stamp {
    /// The file as it is now; `None` when there is none.
    pub fn of(path: &Path) -> Option<Self> {
        let m = std::fs::metadata(path).ok()?;
        let (inode, size) = (m.ino(), m.size());
        Some(Self { inode, size, secs: m.mtime(), nanos: m.mtime_nsec() })
    }

    fn is_young(self) -> bool {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let then = Duration::from_secs(u64::try_from(self.secs).unwrap_or_default());
        now.saturating_sub(then) < YOUNG
    }
}

/// A directory of JSON files, each read again only when it changed. A file that cannot be read is
/// `None`.
#[derive(Debug)]
struct Dir<T> {
    path: PathBuf,
    seen: Option<Stamp>,
    scanned: Option<Instant>,
    files: BTreeMap<OsString, (Option<Stamp>, Option<T>)>,
}

impl<T: DeserializeOwned> Dir<T> {
    fn new(path: PathBuf) -> Self {
        Self { path, seen: None, scanned: None, files: BTreeMap::new() }
    }

    fn refresh(&mut self, secrets: &Secrets) -> bool {
        let now = Stamp::of(&self.path);
        let is_quiet = now == self.seen && !now.is_some_and(Stamp::is_young);
        if is_quiet && self.scanned.is_some_and(|at| at.elapsed() < FULL_SCAN) {
            return false;
        }
        self.seen = now;
        self.scanned = Some(Instant::now());
        self.scan(secrets)
    }

    fn scan(&mut self, secrets: &Secrets) -> bool {
        let mut found = BTreeMap::new();
        let mut changed = false;
        for entry in std::fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.extension().is_none_or(|e| e != "json") {
                continue;
            }
            let (name, stamp) = (entry.file_name(), Stamp::of(&path));
            let file = match self.files.remove(&name) {
                Some(old) if old.0 == stamp => old,
                _ => {
                    changed = true;
                    (stamp, read(&path, secrets))
                }
            };
            found.insert(name, file);
        }
        changed |= !self.files.is_empty();
        self.files = found;
        changed
    }

    fn get(&self, name: &OsString) -> Option<&T> {
        self.files.get(name)?.1.as_ref()
    }

    fn values(&self) -> impl Iterator<Item = (&OsString, &T)> {
        self.files.iter().filter_map(|(name, (_, value))| Some((name, value.as_ref()?)))
    }
}

fn read<T: DeserializeOwned>(path: &Path, secrets: &Secrets) -> Option<T> {
    // Opening a pipe would wait for somebody to write into it.
    if !std::fs::metadata(path).is_ok_and(|m| m.is_file()) {
        return None;
    }
    let bytes = fs::read_optional(path, MAX_FILE).ok()??;
    let mut value: Value = serde_json::from_slice(&bytes).ok()?;
    secrets.hide_in(&mut value);
    serde_json::from_value(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::stop::Client;

    fn watch(dir: &Path) -> Watch {
        let places = Places {
            sessions: dir.join("sessions"),
            live: dir.join("live"),
            events: dir.join("events.jsonl"),
        };
        for made in [&places.sessions, &places.live] {
            std::fs::create_dir_all(made).unwrap();
        }
        Watch::new(places, Secrets::default())
    }

    fn state(dir: &Path, id: &str, updated_at: u64) {
        let state = SessionState::new(id, Client::Claude, "/p".into(), updated_at);
        let text = serde_json::to_vec(&state).unwrap();
        fs::write_atomic(&dir.join(format!("sessions/{id}.json")), &text).unwrap();
    }

    #[test]
    fn a_change_is_seen_once_and_what_is_broken_is_counted() {
        let dir = tempfile::tempdir().unwrap();
        let mut watch = watch(dir.path());
        state(dir.path(), "a", 5);
        state(dir.path(), "b", 9);
        std::fs::write(dir.path().join("sessions/c.json"), "{").unwrap();
        std::fs::create_dir(dir.path().join("sessions/d.json")).unwrap();
        std::fs::write(dir.path().join("sessions/a.lock"), "").unwrap();
        assert!(watch.refresh() && !watch.refresh());
        let ids =
            |w: &Watch| w.sessions().iter().map(|(s, _)| s.session_id.clone()).collect::<Vec<_>>();
        assert_eq!((ids(&watch), watch.broken()), (vec!["b".into(), "a".into()], 2));
        state(dir.path(), "a", 10);
        assert!(watch.refresh() && !watch.refresh());
        assert_eq!(ids(&watch), ["a", "b"]);
        std::fs::remove_file(dir.path().join("sessions/a.json")).unwrap();
        assert!(watch.refresh());
        assert_eq!(ids(&watch), ["b"]);
        history::append_event(&dir.path().join("events.jsonl"), &serde_json::json!({"x": 1}))
            .unwrap();
        assert!(watch.refresh() && !watch.refresh());
        assert_eq!(watch.events().len(), 1);
    }

    #[test]
    fn a_review_is_alive_as_long_as_its_process() {
        let dir = tempfile::tempdir().unwrap();
        let mut watch = watch(dir.path());
        state(dir.path(), "a", 5);
        let mut child = std::process::Command::new("sleep").arg("100").spawn().unwrap();
        let live = Live {
            pid: i32::try_from(child.id()).unwrap(),
            round: 1,
            stage: "asking claude".into(),
            started_at: 5,
            limit_secs: 9,
            deeds: Vec::new(),
        };
        std::fs::write(dir.path().join("live/a.json"), serde_json::to_vec(&live).unwrap()).unwrap();
        watch.refresh();
        assert!(watch.sessions()[0].1.as_ref().unwrap().is_alive);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(watch.refresh(), "a death is a change");
        assert!(!watch.sessions()[0].1.as_ref().unwrap().is_alive);
    }
}
