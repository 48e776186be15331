//! What a running review says of itself to those who watch. It decides nothing and is lost without
//! loss: a hook that cannot write it reviews all the same.

use serde::{Deserialize, Serialize};

use crate::rules::text::{cut, one_line};

/// Remembered deeds of the reviewer.
const MAX_DEEDS: usize = 20;
/// Longest of them, in characters.
const MAX_DEED: usize = 300;

/// One running review, as stored in `live/<session id>.json`. Times are Unix seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Live {
    /// The hook's process: gone without having removed its file, it was killed.
    pub pid: i32,
    /// Round of the chain.
    pub round: u32,
    /// What is done now, for people.
    pub stage: String,
    /// When this stage began.
    pub started_at: u64,
    /// Longest time that this stage may take, in seconds.
    pub limit_secs: u64,
    /// What the reviewer read and ran in this stage, oldest first.
    #[serde(default)]
    pub deeds: Vec<Deed>,
}

/// One thing that a reviewer did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Deed {
    pub at: u64,
    /// A tool and what it was used on.
    pub what: String,
}

impl Live {
    /// Enters another stage.
    pub fn enter(&mut self, stage: &str, limit_secs: u64, now: u64) {
        (self.stage, self.started_at, self.limit_secs) = (stage.to_owned(), now, limit_secs);
        self.deeds.clear();
    }

    /// Remembers what the reviewer does.
    pub fn note(&mut self, what: &str, now: u64) {
        let what = cut(&one_line(what), MAX_DEED).into_owned();
        self.deeds.push(Deed { at: now, what });
        let excess = self.deeds.len().saturating_sub(MAX_DEEDS);
        self.deeds.drain(..excess);
    }

    /// Seconds since the stage began; a time in the future is none.
    pub fn elapsed(&self, now: u64) -> u64 {
        now.saturating_sub(self.started_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_newest_deeds_are_kept_each_on_a_short_line() {
        let mut live = Live {
            pid: 1,
            round: 1,
            stage: String::new(),
            started_at: 0,
            limit_secs: 0,
            deeds: Vec::new(),
        };
        live.enter("asking claude", 600, 100);
        for i in 0..50 {
            live.note(&format!("Bash {i}\n\x1b[31m{}", "x".repeat(500)), 100 + i);
        }
        assert_eq!(live.deeds.len(), MAX_DEEDS);
        assert_eq!((live.deeds[0].at, live.elapsed(130), live.elapsed(5)), (130, 30, 0));
        assert!(live.deeds.iter().all(|d| d.what.chars().count() <= MAX_DEED));
        assert!(live.deeds.iter().all(|d| !d.what.contains(['\n', '\x1b'])));
    }
}
