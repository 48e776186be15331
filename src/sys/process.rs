//! Child processes: own group, a deadline, escalation from SIGTERM to SIGKILL over the whole tree,
//! output drained by threads and capped. The only file that starts programs.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, test_kill_process_group,
    waitid,
};

use crate::sys::signals::Cancel;

/// Between SIGTERM and SIGKILL when a child ran out of time.
const GRACE_TIMEOUT: Duration = Duration::from_millis(1500);
/// The same when we are told to end ourselves: Claude Code follows with SIGKILL 1.5 s later.
const GRACE_CANCEL: Duration = Duration::from_millis(700);
/// How long output is still read after the child itself has ended.
const DRAIN: Duration = Duration::from_millis(500);
/// Longest wait between two looks at cancel and deadline.
const TICK: Duration = Duration::from_millis(100);
/// Most bytes that are left out on each side of a cut because they belong to the line that is cut.
const MAX_TORN: usize = 4 << 10;
/// A line of output longer than this is not given to the line reader.
const MAX_LINE: usize = 8 << 20;

/// A program to run.
#[derive(Debug)]
pub struct Job<'a> {
    /// Name (looked up on `PATH`) or path.
    pub program: &'a OsStr,
    pub args: Vec<OsString>,
    /// Variables to set, or (`None`) to remove; the rest is inherited.
    pub env: Vec<(OsString, Option<OsString>)>,
    pub cwd: &'a Path,
    /// Written to standard input, which is then closed.
    pub stdin: &'a [u8],
    /// Time until the tree is ended.
    pub limit: Duration,
    pub stdout: Keep,
    pub stderr: Keep,
}

/// How much of an output is kept: its beginning and its end, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Keep {
    pub head: usize,
    pub tail: usize,
}

/// An output, cut in the middle where it was longer than its [`Keep`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    pub head: Vec<u8>,
    pub tail: Vec<u8>,
    /// Bytes left out between head and tail.
    pub skipped: u64,
}

impl Output {
    /// The output as text; what is not UTF-8 is replaced, and a cut is marked. The rest of the line
    /// that is cut is left out, too: half a secret would not be known as one.
    pub fn text(&self) -> String {
        if self.skipped == 0 {
            let all = [self.head.as_slice(), &self.tail].concat();
            return String::from_utf8_lossy(&all).into_owned();
        }
        let head = &self.head[..self.head.len() - torn(self.head.iter().rev())];
        let tail = &self.tail[torn(self.tail.iter())..];
        let skipped =
            self.skipped as usize + self.head.len() - head.len() + self.tail.len() - tail.len();
        let (head, tail) = (String::from_utf8_lossy(head), String::from_utf8_lossy(tail));
        format!("{head}\n[... {skipped} bytes left out ...]\n{tail}")
    }
}

/// How many bytes, counted from a cut, belong to the line that is cut; of a long line, to its word.
fn torn<'a>(bytes: impl Iterator<Item = &'a u8> + Clone) -> usize {
    let near = bytes.take(MAX_TORN);
    let line_end = near.clone().position(|&b| b == b'\n');
    let end = line_end.or_else(|| near.clone().position(u8::is_ascii_whitespace));
    end.unwrap_or_else(|| near.count())
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Code(i32),
    Signal(i32),
    /// Its time was over, and its tree was ended.
    TimedOut,
    /// We were told to end, and its tree was ended.
    Cancelled,
}

/// A child that ran.
#[derive(Debug)]
pub struct Finished {
    pub end: End,
    pub stdout: Output,
    pub stderr: Output,
    pub took: Duration,
}

/// Runs a program to its end.
///
/// # Errors
/// It could not be started.
pub fn run(job: &Job, cancel: &Cancel) -> io::Result<Finished> {
    run_with_lines(job, cancel, &mut |_| {})
}

/// Runs a program to its end and shows every complete line of its standard output as it comes,
/// without its line end. Lines over 8 MiB are left out.
///
/// # Errors
/// It could not be started.
pub fn run_with_lines(
    job: &Job,
    cancel: &Cancel,
    on_line: &mut dyn FnMut(&[u8]),
) -> io::Result<Finished> {
    let started = Instant::now();
    adopt_orphans();
    let mut running = Running::start(job)?;
    let end = running.wait(started + job.limit, cancel, on_line);
    let (stdout, stderr) = running.finish(end, on_line);
    Ok(Finished { end, stdout, stderr, took: started.elapsed() })
}

/// What the drain threads report.
enum Event {
    Line(Vec<u8>),
    Stdout(Output),
    Stderr(Output),
}

/// A started child and its drain threads.
struct Running {
    child: Child,
    pid: Pid,
    events: Receiver<Event>,
    stdout: Option<Output>,
    stderr: Option<Output>,
}

impl Running {
    fn start(job: &Job) -> io::Result<Self> {
        let mut command = Command::new(job.program);
        command
            .args(&job.args)
            .current_dir(job.cwd)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        for (name, value) in &job.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        // Known before anybody can look: a child that is not on the list passes for an orphan.
        let mut live = live_children();
        let mut child = command.spawn()?;
        let pid = Pid::from_child(&child);
        live.push(pid);
        drop(live);
        let (sender, events) = sync_channel(64);
        if let Some(mut stdin) = child.stdin.take() {
            let bytes = job.stdin.to_vec();
            // A child that never reads must not hold us up; a closed pipe is its own affair.
            thread::spawn(move || drop(stdin.write_all(&bytes)));
        }
        if let Some(stdout) = child.stdout.take() {
            let (sender, keep) = (sender.clone(), job.stdout);
            thread::spawn(move || {
                let kept = drain(stdout, keep, &mut Lines::to(&sender));
                drop(sender.send(Event::Stdout(kept)));
            });
        }
        if let Some(stderr) = child.stderr.take() {
            let keep = job.stderr;
            thread::spawn(move || {
                let kept = drain(stderr, keep, &mut Lines::nowhere());
                drop(sender.send(Event::Stderr(kept)));
            });
        }
        Ok(Self { child, pid, events, stdout: None, stderr: None })
    }

    /// Waits until the child ended, its time is over, or we are told to end.
    fn wait(&mut self, deadline: Instant, cancel: &Cancel, on_line: &mut dyn FnMut(&[u8])) -> End {
        let mut tick = Duration::from_millis(1);
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return status.code().map_or(End::Signal(status.signal().unwrap_or(0)), End::Code);
            }
            if cancel.is_cancelled() {
                return End::Cancelled;
            }
            let now = Instant::now();
            if now >= deadline {
                return End::TimedOut;
            }
            // While output comes, each piece wakes us; with both pipes closed the end is near.
            let wait = if self.is_drained() { tick } else { TICK };
            tick = (tick * 2).min(TICK);
            self.take_event(wait.min(deadline - now), on_line);
        }
    }

    /// Ends what is left of the tree, and collects the output.
    fn finish(mut self, end: End, on_line: &mut dyn FnMut(&[u8])) -> (Output, Output) {
        match end {
            End::TimedOut => self.kill_tree(GRACE_TIMEOUT),
            End::Cancelled => self.kill_tree(GRACE_CANCEL),
            End::Code(_) | End::Signal(_) => {}
        }
        let until = Instant::now() + DRAIN;
        while !self.is_drained() && Instant::now() < until {
            self.take_event(until.saturating_duration_since(Instant::now()), on_line);
        }
        // Whatever the child left in the background ends with the job.
        self.kill_tree(Duration::ZERO);
        if !self.is_drained() {
            self.take_event(DRAIN, on_line);
            self.take_event(DRAIN, on_line);
        }
        live_children().retain(|&pid| pid != self.pid);
        (self.stdout.unwrap_or_default(), self.stderr.unwrap_or_default())
    }

    fn is_drained(&self) -> bool {
        self.stdout.is_some() && self.stderr.is_some()
    }

    fn take_event(&mut self, wait: Duration, on_line: &mut dyn FnMut(&[u8])) {
        match self.events.recv_timeout(wait) {
            Ok(Event::Line(line)) => on_line(&line),
            Ok(Event::Stdout(kept)) => self.stdout = Some(kept),
            Ok(Event::Stderr(kept)) => self.stderr = Some(kept),
            Err(RecvTimeoutError::Timeout) => {}
            // Both threads are gone: nothing will come, so only the time passes.
            Err(RecvTimeoutError::Disconnected) => thread::sleep(wait),
        }
    }

    /// SIGTERM to the whole tree, a grace, then SIGKILL, until nothing is left (or 1 s passed).
    fn kill_tree(&mut self, grace: Duration) {
        let until = Instant::now() + grace;
        if !grace.is_zero() {
            signal_tree(self.pid, Signal::TERM);
            while self.is_tree_alive() && Instant::now() < until {
                thread::sleep(Duration::from_millis(20));
            }
        }
        let until = Instant::now() + Duration::from_secs(1);
        while self.is_tree_alive() && Instant::now() < until {
            signal_tree(self.pid, Signal::KILL);
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn is_tree_alive(&mut self) -> bool {
        let child_runs = matches!(self.child.try_wait(), Ok(None));
        child_runs || (may_have_rest(self.pid) && !tree(self.pid).is_empty())
    }
}

/// Whether something of an ended child's tree may still live: a member of its group, or an orphan
/// that became our child. Spares most jobs the look at all processes.
fn may_have_rest(root: Pid) -> bool {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let has_child = || !matches!(waitid(WaitId::All, look), Err(Errno::CHILD));
    !matches!(test_kill_process_group(root), Err(Errno::SRCH)) || has_child()
}

/// Reads to the end, keeps head and tail, and passes complete lines on.
fn drain(mut from: impl Read, keep: Keep, lines: &mut Lines) -> Output {
    let mut kept = Output::default();
    let mut tail = VecDeque::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let n = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let bytes = &buffer[..n];
        lines.push(bytes);
        let (head, rest) = bytes.split_at(n.min(keep.head - kept.head.len()));
        kept.head.extend_from_slice(head);
        let last = &rest[rest.len().saturating_sub(keep.tail)..];
        kept.skipped += (rest.len() - last.len()) as u64;
        tail.extend(last);
        let excess = tail.len().saturating_sub(keep.tail);
        kept.skipped += excess as u64;
        tail.drain(..excess);
    }
    lines.end();
    kept.tail = tail.into();
    kept
}

/// Cuts a stream into lines.
struct Lines {
    to: Option<SyncSender<Event>>,
    line: Vec<u8>,
    too_long: bool,
}

impl Lines {
    fn to(sender: &SyncSender<Event>) -> Self {
        Self { to: Some(sender.clone()), line: Vec::new(), too_long: false }
    }

    fn nowhere() -> Self {
        Self { to: None, line: Vec::new(), too_long: false }
    }

    fn push(&mut self, mut bytes: &[u8]) {
        if self.to.is_none() {
            return;
        }
        while let Some(end) = bytes.iter().position(|&b| b == b'\n') {
            self.extend(&bytes[..end]);
            self.end();
            bytes = &bytes[end + 1..];
        }
        self.extend(bytes);
    }

    fn extend(&mut self, bytes: &[u8]) {
        if self.too_long || self.line.len() + bytes.len() > MAX_LINE {
            self.too_long = true;
            self.line = Vec::new();
        } else {
            self.line.extend_from_slice(bytes);
        }
    }

    fn end(&mut self) {
        let line = std::mem::take(&mut self.line);
        let is_whole = !std::mem::take(&mut self.too_long) && !line.is_empty();
        if let Some(to) = self.to.as_ref().filter(|_| is_whole) {
            drop(to.send(Event::Line(line)));
        }
    }
}

/// The children that run now. Their trees are told apart from orphans by this list.
fn live_children() -> std::sync::MutexGuard<'static, Vec<Pid>> {
    static LIVE: Mutex<Vec<Pid>> = Mutex::new(Vec::new());
    LIVE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// From now on a grandchild whose parent ended becomes our child, so that a tree that detached
/// itself (double fork, `setsid`) can still be found and ended.
fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

fn signal_tree(root: Pid, signal: Signal) {
    // Found first, signalled then: a dead parent no longer leads to its children.
    let members = tree(root);
    let _ = kill_process_group(root, signal);
    for pid in members {
        let _ = kill_process(pid, signal);
    }
}

/// Living members of the tree of `root`: its descendants, its group, and our adopted orphans.
/// Empty where there is no `/proc`.
fn tree(root: Pid) -> Vec<Pid> {
    let ours = rustix::process::getpid();
    let live = live_children();
    let all = processes();
    let is_orphan = |p: &Process| p.parent == Some(ours) && !live.contains(&p.pid);
    let mut found: Vec<Pid> = all
        .iter()
        .filter(|p| p.pid == root || p.group == Some(root) || is_orphan(p))
        .map(|p| p.pid)
        .collect();
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        next += 1;
        let children = all.iter().filter(|p| p.parent == Some(parent));
        let new: Vec<Pid> = children.map(|p| p.pid).filter(|pid| !found.contains(pid)).collect();
        found.extend(new);
    }
    found
}

/// One line of the process table.
struct Process {
    pid: Pid,
    parent: Option<Pid>,
    group: Option<Pid>,
}

/// All processes but zombies, from `/proc`.
fn processes() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.flatten().filter_map(|entry| read_process(&entry.path())).collect()
}

fn read_process(dir: &Path) -> Option<Process> {
    let pid = dir.file_name()?.to_str()?.parse().ok()?;
    let stat = fs::read(dir.join("stat")).ok()?;
    // The name in parentheses may hold anything, so the fields are counted from its end.
    let close = stat.iter().rposition(|&b| b == b')')?;
    let fields = String::from_utf8_lossy(&stat[close + 1..]).into_owned();
    let mut fields = fields.split_ascii_whitespace();
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    let mut number = || fields.next().and_then(|f| f.parse().ok()).and_then(Pid::from_raw);
    Some(Process { pid: Pid::from_raw(pid)?, parent: number(), group: number() })
}

/// Finds a program as the system would: a name on `path`, or a path as it is.
///
/// # Errors
/// A sentence that says what is wrong with it: not found, a directory, not executable.
pub fn find_program(program: &OsStr, path: Option<&OsStr>) -> Result<PathBuf, String> {
    let shown = program.to_string_lossy();
    if Path::new(program).components().count() > 1 {
        return check_program(Path::new(program)).map(|()| PathBuf::from(program));
    }
    let mut near_miss = None;
    for dir in path.map(std::env::split_paths).into_iter().flatten() {
        let candidate = dir.join(program);
        match check_program(&candidate) {
            Ok(()) => return Ok(candidate),
            Err(why) if candidate.symlink_metadata().is_ok() => near_miss = near_miss.or(Some(why)),
            Err(_) => {}
        }
    }
    Err(near_miss.unwrap_or_else(|| format!("`{shown}` was not found on PATH")))
}

fn check_program(path: &Path) -> Result<(), String> {
    let shown = path.display();
    match fs::metadata(path) {
        Ok(m) if m.is_dir() => Err(format!("`{shown}` is a directory")),
        Ok(_) => rustix::fs::access(path, rustix::fs::Access::EXEC_OK)
            .map_err(|_| format!("`{shown}` is not executable")),
        Err(e) => Err(format!("`{shown}` cannot be used: {e}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh<'a>(script: &str, limit_ms: u64) -> Job<'a> {
        Job {
            program: OsStr::new("/bin/sh"),
            args: vec!["-c".into(), script.into()],
            env: vec![],
            cwd: Path::new("/"),
            stdin: b"fed",
            limit: Duration::from_millis(limit_ms),
            stdout: Keep { head: 8, tail: 8 },
            stderr: Keep { head: 100, tail: 0 },
        }
    }

    #[test]
    fn output_is_kept_head_and_tail_and_counted() {
        let job = sh("seq 1 1000; cat >&2; exit 3", 9000);
        let done = run(&job, &Cancel::never()).unwrap();
        assert_eq!(done.end, End::Code(3));
        assert_eq!(done.stdout.head, b"1\n2\n3\n4\n");
        assert_eq!(done.stdout.tail, b"99\n1000\n");
        assert_eq!(done.stdout.skipped, 3893 - 16);
        assert_eq!(done.stderr.text(), "fed");
    }

    #[test]
    fn lines_come_one_by_one_and_the_last_needs_no_newline() {
        let mut lines = vec![];
        let job = sh("printf 'a\n\nb\nc'", 9000);
        run_with_lines(&job, &Cancel::never(), &mut |l| lines.push(l.to_vec())).unwrap();
        assert_eq!(lines, [b"a", b"b", b"c"]);
    }

    #[test]
    fn a_stubborn_tree_that_detached_itself_ends_with_the_time_limit() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let beat = file.path().display();
        let job = sh(
            &format!(
                "trap '' TERM; (setsid sh -c \"trap '' TERM; while :; do echo x >>{beat}; sleep 0.05; \
                 done\" &) ; sleep 100"
            ),
            300,
        );
        let done = run(&job, &Cancel::never()).unwrap();
        assert_eq!(done.end, End::TimedOut);
        let size = || fs::metadata(file.path()).unwrap().len();
        let before = size();
        thread::sleep(Duration::from_millis(300));
        assert_eq!(size(), before, "the detached writer still runs");
    }

    #[test]
    fn a_child_that_leaves_a_background_process_does_not_hold_us_up() {
        let job = sh("sleep 100 & echo done", 9000);
        let done = run(&job, &Cancel::never()).unwrap();
        assert_eq!(done.end, End::Code(0));
        assert!(done.took < Duration::from_secs(4));
    }
}
