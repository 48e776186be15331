//! A place with no way out: real clients run only where nothing but loopback exists.

use std::io::Write;
use std::path::Path;
use std::process::Command;

/// Set where the namespace is in force.
const INSIDE: &str = "CCC_TEST_IN_NAMESPACE";
/// Longest run of one test, in seconds.
const LIMIT: &str = "240";

/// Runs this test again in a network namespace that has loopback alone and a process namespace that
/// leaves nothing behind, where `test` is called. Without the client or the namespace the test is
/// skipped, and says so; with `CI=true` it fails.
pub fn closed(needs: &[&Path], test: fn()) {
    if std::env::var_os(INSIDE).is_some() {
        return test();
    }
    let missing = needs.iter().find(|path| !path.exists());
    if let Some(path) = missing {
        return skip(&format!("{} is missing (tests/run installs it)", path.display()));
    }
    if !unshare(&["true"]).output().is_ok_and(|o| o.status.success()) {
        return skip("no network namespace can be made here");
    }
    let me = std::env::current_exe().unwrap();
    let name = std::thread::current().name().unwrap().to_owned();
    let up = "ip link set lo up && exec \"$@\"";
    let inner = ["sh", "-c", up, "sh", "timeout", "-k", "5", LIMIT, me.to_str().unwrap()];
    let exact = ["--exact", &name, "--nocapture"];
    let mut command = unshare(&[&inner[..], &exact[..]].concat());
    let output = command.env(INSIDE, "1").output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

fn unshare(args: &[&str]) -> Command {
    let mut command = Command::new("unshare");
    command.args(["-n", "-p", "-f", "--kill-child", "--mount-proc"]);
    if !rustix::process::getuid().is_root() {
        command.arg("--map-root-user");
    }
    command.args(args);
    command
}

/// Says that a test is not run, where the test program does not hide it; with `CI=true` that is a
/// failure.
pub fn skip(why: &str) {
    assert!(std::env::var("CI").as_deref() != Ok("true"), "cannot run: {why}");
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    let _ = writeln!(std::io::stderr(), "skipped: {name}: {why}");
}
