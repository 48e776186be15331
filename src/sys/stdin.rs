//! Standard input with a time limit: a client may keep it open, and a terminal may vanish.

use std::io::{self, Read};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Reads until `is_complete` says so after a piece, the end of input, `wait`, or `max` bytes.
pub fn read_until(
    mut is_complete: impl FnMut(&[u8]) -> bool,
    wait: Duration,
    max: usize,
) -> Vec<u8> {
    let stdin = io::stdin();
    let mut stdin = stdin.lock();
    let until = Instant::now() + wait;
    let mut all = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    while all.len() < max {
        let left = until.saturating_duration_since(Instant::now());
        let Ok(timeout) = Timespec::try_from(left) else { break };
        let fd = rustix::stdio::stdin();
        let mut fds = [PollFd::new(&fd, PollFlags::IN)];
        match poll(&mut fds, Some(&timeout)) {
            Ok(0) => break,
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => break,
        }
        match stdin.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(n) => {
                all.extend_from_slice(&buffer[..n]);
                if is_complete(&buffer[..n]) {
                    break;
                }
            }
        }
    }
    all
}

/// Waits for a key, a signal or the end of `wait`. Reads nothing.
///
/// # Errors
/// The terminal is gone: crossterm 0.29 would read its end over and over.
pub fn wait_for_key(wait: Duration) -> io::Result<()> {
    let timeout = Timespec::try_from(wait).map_err(io::Error::other)?;
    let fd = rustix::stdio::stdin();
    let mut fds = [PollFd::new(&fd, PollFlags::IN)];
    let ready = match poll(&mut fds, Some(&timeout)) {
        Err(rustix::io::Errno::INTR) => 0,
        ready => ready?,
    };
    let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    if ready > 0 && fds[0].revents().intersects(gone) {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(())
}
