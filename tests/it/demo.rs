//! `ccc demo` through the real program: the play, how it is shown, and what it leaves behind.

use std::fs;
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// What the scripts of the play call.
const TOOLS: [&str; 6] = ["cat", "git", "sed", "sh", "tail", "tr"];

/// A home, a directory for temporary files, and the only programs there are.
struct Scratch {
    dir: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for name in ["home", "tmp", "bin"] {
            fs::create_dir(dir.path().join(name)).unwrap();
        }
        let scratch = Self { dir };
        for tool in TOOLS {
            let places = ["/usr/local/bin", "/usr/bin", "/bin"];
            let found = places.iter().map(|p| Path::new(p).join(tool)).find(|p| p.exists());
            symlink(found.unwrap(), scratch.path("bin").join(tool)).unwrap();
        }
        scratch
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Another program in the place of a tool.
    fn replace(&self, tool: &str, script: &str) {
        let path = self.path("bin").join(tool);
        fs::remove_file(&path).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn demo(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ccc"));
        command
            .arg("demo")
            .env_clear()
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .env("PATH", self.path("bin"))
            .current_dir(self.path("home"))
            .stdin(Stdio::null());
        command
    }

    fn assert_clean(&self) {
        for name in ["home", "tmp"] {
            assert_eq!(fs::read_dir(self.path(name)).unwrap().count(), 0, "left in {name}");
        }
    }
}

/// What a run that must succeed prints.
#[track_caller]
fn shown(output: &Output) -> String {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), stderr.as_ref()), (Some(0), ""), "{text}");
    text
}

/// The same without its line ends.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_play_is_shown_from_the_false_claim_to_the_approval() {
    let scratch = Scratch::new();
    let text = shown(&scratch.demo().output().unwrap());
    let one_line = flat(&text);
    let mut rest = one_line.as_str();
    for part in [
        "scripted: no model, no account, no network",
        "git repository",
        "All tests pass.",
        "| - slug.sh: modified (unstaged, +1 -1)",
        "| +sed",
        "| Tests: the agent ran no test",
        "| FAIL:",
        "blocked (exit 2)",
        "> [ccc review, round 1 of 10]",
        "| ok: 2 titles",
        "| +tr -s",
        "| Tests: the last test command was `sh test.sh` (exit 0)",
        "allowed (exit 0)",
        "./install.sh",
    ] {
        let (_, after) = rest.split_once(part).unwrap_or_else(|| panic!("{part:?} in {text}"));
        rest = after;
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(!text.contains('\x1b'), "{text}");
    scratch.assert_clean();
}

#[test]
fn nothing_of_the_users_environment_reaches_the_play() {
    let scratch = Scratch::new();
    let mut demo = scratch.demo();
    for (name, value) in [
        ("CCC_DISABLE", "1"),
        ("CCC_SUPERVISING", "1"),
        ("CCC_HOME", "/nowhere/ccc"),
        ("CLAUDE_CONFIG_DIR", "/nowhere/claude"),
        ("CLAUDE_PROJECT_DIR", "/"),
        ("CLAUDE_PID", "1"),
        ("GIT_DIR", "/nowhere/git"),
        ("ENV", "/nowhere/rc"),
    ] {
        demo.env(name, value);
    }
    assert!(shown(&demo.output().unwrap()).contains("git repository"));
    scratch.assert_clean();
}

#[test]
fn the_play_needs_no_git() {
    let scratch = Scratch::new();
    fs::remove_file(scratch.path("bin/git")).unwrap();
    let text = shown(&scratch.demo().output().unwrap());
    assert!(text.contains("in a scratch directory") && text.contains("allowed (exit 0)"), "{text}");
}

#[test]
fn who_has_ccc_installed_is_told_so() {
    let scratch = Scratch::new();
    symlink(env!("CARGO_BIN_EXE_ccc"), scratch.path("bin/ccc")).unwrap();
    let text = shown(&scratch.demo().output().unwrap());
    assert!(text.contains("ccc install") && !text.contains("./install.sh"), "{text}");
}

#[test]
fn the_scratch_directory_is_kept_on_request() {
    let scratch = Scratch::new();
    let text = shown(&scratch.demo().arg("--keep").output().unwrap());
    let dir = fs::read_dir(scratch.path("tmp")).unwrap().next().unwrap().unwrap().path();
    assert!(flat(&text).contains(&format!("left in {}", dir.display())), "{text}");
    let events = fs::read_to_string(dir.join("home/.claude/ccc/events.jsonl")).unwrap();
    assert_eq!(events.lines().count(), 2, "{events}");
}

#[test]
fn a_play_that_goes_wrong_is_one_sentence_and_an_error() {
    let scratch = Scratch::new();
    scratch.replace("tr", "exec cat");
    let output = scratch.demo().output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), stderr.lines().count()), (Some(1), 1), "{stderr}");
    assert!(stderr.contains("answered the finished work with exit 2 instead of 0"), "{stderr}");
    scratch.assert_clean();
}

#[test]
fn an_interrupted_play_leaves_nothing_behind() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let scratch = Scratch::new();
        let started = scratch.path("bin/started");
        scratch.replace("tail", &format!(": >'{}'; exec /bin/sleep 60", started.display()));
        let child = scratch.demo().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_until(|| started.exists());
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130), "{signal:?}");
        scratch.assert_clean();
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let scratch = Scratch::new();
    let mut child = scratch.demo().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
    scratch.assert_clean();
}

#[test]
fn a_terminal_gets_color_and_lines_of_its_width() {
    for (columns, (name, value), has_color) in [
        (40, ("NO_COLOR", ""), true),
        (200, ("TERM", "xterm"), true),
        (60, ("NO_COLOR", "1"), false),
        (60, ("TERM", "dumb"), false),
    ] {
        let scratch = Scratch::new();
        let mut demo = scratch.demo();
        demo.env("TERM", "xterm").env(name, value);
        let (text, code) = on_terminal(&mut demo, columns);
        assert_eq!(code, Some(0), "{text}");
        assert_eq!(text.contains("\x1b["), has_color, "{columns} {name}={value}");
        let width = usize::from(columns).min(80);
        let lines = text.lines().map(without_color);
        let wide: Vec<String> = lines.filter(|line| line.chars().count() > width).collect();
        assert!(wide.is_empty(), "wider than {width}: {wide:#?}");
        scratch.assert_clean();
    }
}

#[track_caller]
fn wait_until(is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < until, "it never happens");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Runs a command on a terminal of its own; returns what it shows, and its exit code.
fn on_terminal(command: &mut Command, columns: u16) -> (String, Option<i32>) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let size = rustix::termios::Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    rustix::termios::tcsetwinsize(&master, size).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let terminal = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    let terminal = OwnedFd::from(terminal);
    let mut child: Child =
        command.stdout(terminal.try_clone().unwrap()).stderr(terminal).spawn().unwrap();
    // Only the child holds the terminal now, so that its end is the end of the text.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut bytes = Vec::new();
    // Linux ends a terminal with EIO.
    let _ = File::from(master).read_to_end(&mut bytes);
    (String::from_utf8(bytes).unwrap(), child.wait().unwrap().code())
}

/// A line without its color sequences.
fn without_color(line: &str) -> String {
    let mut pieces = line.split("\x1b[");
    let first = pieces.next().unwrap_or_default().to_owned();
    first + &pieces.map(|p| p.split_once('m').map_or("", |(_, rest)| rest)).collect::<String>()
}
