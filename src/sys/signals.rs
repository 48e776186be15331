//! Being told to end: SIGTERM, SIGINT, SIGHUP, and the death of the client that called us.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::process::{Pid, getppid, test_kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// Whether the process shall end. Cheap to clone and to ask.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    signal: Arc<AtomicUsize>,
    watched: Option<Watched>,
}

/// Processes whose death ends us, too.
#[derive(Clone, Copy, Debug)]
struct Watched {
    parent: Option<Pid>,
    client: Option<Pid>,
}

impl Cancel {
    /// A cancel that never happens.
    #[cfg(test)]
    pub fn never() -> Self {
        Self::default()
    }

    /// Listens to SIGTERM, SIGINT and SIGHUP from now on.
    ///
    /// A signal that cannot be listened to keeps its default action, which ends the process.
    pub fn on_signals() -> Self {
        let signal = Arc::new(AtomicUsize::new(0));
        for number in [SIGTERM, SIGINT, SIGHUP] {
            let value = usize::try_from(number).unwrap_or_default();
            let _ = signal_hook::flag::register_usize(number, Arc::clone(&signal), value);
        }
        Self { signal, watched: None }
    }

    /// Also counts the death of the parent process, and of the client with this pid, as a cancel.
    ///
    /// A killed Claude Code (2.1.332) sends its hooks nothing, and the shell between may live on.
    #[must_use]
    pub fn watching(mut self, client: Option<i32>) -> Self {
        let client = client.and_then(Pid::from_raw).filter(|&pid| is_alive(pid));
        self.watched = Some(Watched { parent: getppid(), client });
        self
    }

    /// The signal that told us to end: its number, or SIGHUP for a vanished client.
    pub fn signal(&self) -> Option<i32> {
        match self.signal.load(Ordering::Relaxed) {
            0 => self.watched.is_some_and(Watched::is_gone).then_some(SIGHUP),
            number => i32::try_from(number).ok(),
        }
    }

    /// Whether it is time to end.
    pub fn is_cancelled(&self) -> bool {
        self.signal().is_some()
    }
}

impl Watched {
    fn is_gone(self) -> bool {
        getppid() != self.parent || self.client.is_some_and(|pid| !is_alive(pid))
    }
}

/// Whether a process with this pid exists (also one that belongs to somebody else).
pub fn is_alive(pid: Pid) -> bool {
    !matches!(test_kill_process(pid), Err(rustix::io::Errno::SRCH))
}
