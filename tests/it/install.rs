//! `ccc install`, `ccc uninstall` and `install.sh` through the real programs, in a scratch home.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::support::sandbox::{Sandbox, success};

const BASE: &str = "{\n  \"model\": \"opus\"\n}\n";
const CAP: &str = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";

fn script(sandbox: &Sandbox, args: &[&str]) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("install.sh");
    sandbox.command(&script, args).output().unwrap()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn uninstall_leaves_no_trace() {
    for text in [None, Some(BASE), Some("{\"hooks\":{ },\"env\":{}}"), Some("{ }")] {
        let scratch = text.map_or_else(Sandbox::new, Sandbox::with_settings);
        let before = scratch.tree("home");
        scratch.ok(&["install", "--raise-cap"]);
        assert!(scratch.path("home/.claude/commands/supervisor-off.md").is_file());
        scratch.ok(&["uninstall"]);
        assert_eq!(scratch.tree("home"), before);
    }
}

#[test]
fn what_is_put_where_the_user_has_things_stays() {
    let scratch = Sandbox::with_settings(BASE);
    scratch.ok(&["install"]);
    let mine = scratch.path("home/.claude/commands/mine.md");
    fs::write(&mine, "mine").unwrap();
    scratch.ok(&["uninstall"]);
    assert_eq!(fs::read_to_string(mine).unwrap(), "mine");
    assert!(!scratch.path("home/.claude/commands/supervisor.md").exists());
}

#[test]
fn a_foreign_command_file_is_left_alone_and_named() {
    let scratch = Sandbox::with_settings(BASE);
    let commands = scratch.path("home/.claude/commands");
    fs::create_dir(&commands).unwrap();
    fs::write(commands.join("supervisor.md"), "mine").unwrap();
    symlink("supervisor.md", commands.join("supervisor-off.md")).unwrap();
    let before = scratch.tree("home");
    let said = scratch.ok(&["install"]);
    assert!(said.contains("commands/supervisor.md` is not ccc's"), "{said}");
    assert!(said.contains("commands/supervisor-off.md` is not ccc's"), "{said}");
    scratch.ok(&["uninstall"]);
    assert_eq!(scratch.tree("home"), before);
}

#[test]
fn a_repeat_changes_nothing_and_a_new_limit_the_timeout_alone() {
    let scratch = Sandbox::with_settings(BASE);
    scratch.ok(&["install"]);
    let (before, meta) = (scratch.tree("home"), fs::metadata(scratch.settings()).unwrap());
    let said = scratch.ok(&["install"]);
    assert!(said.contains("up to date"), "{said}");
    assert_eq!(scratch.tree("home"), before);
    let now = fs::metadata(scratch.settings()).unwrap();
    assert_eq!((now.ino(), now.mtime_nsec()), (meta.ino(), meta.mtime_nsec()));
    let config = r#"{"review": {"timeout_secs": 900}, "evidence": {"checks": [{"run": "true", "timeout_secs": 40}]}}"#;
    fs::write(scratch.path("home/.claude/ccc/config.json"), config).unwrap();
    let old = fs::read_to_string(scratch.settings()).unwrap();
    scratch.ok(&["install"]);
    let new = fs::read_to_string(scratch.settings()).unwrap();
    assert_eq!(new, old.replace("\"timeout\": 630", "\"timeout\": 970"));
}

#[test]
fn a_dry_run_shows_the_change_and_makes_none() {
    let scratch = Sandbox::with_settings(BASE);
    let before = scratch.tree("home");
    let said = scratch.ok(&["install", "--dry-run"]);
    assert!(said.contains("+  \"hooks\": {") && said.contains("supervisor.md"), "{said}");
    assert_eq!(scratch.tree("home"), before);
    scratch.ok(&["install"]);
    let before = scratch.tree("home");
    let said = scratch.ok(&["uninstall", "--purge", "--dry-run"]);
    assert!(said.contains("-  \"hooks\": {") && said.contains("ccc/installed.json"), "{said}");
    assert_eq!(scratch.tree("home"), before);
}

#[test]
fn the_cap_is_raised_on_request_and_only_where_it_is_too_low() {
    let scratch = Sandbox::with_settings(BASE);
    let said = scratch.ok(&["install"]);
    assert!(said.contains("after 8 consecutive blocks") && said.contains("--raise-cap"), "{said}");
    let said = scratch.ok(&["install", "--raise-cap"]);
    assert_eq!(json(&scratch.settings())["env"][CAP], "10");
    assert!(!said.contains("notice"), "{said}");
    scratch.ok(&["uninstall"]);
    assert_eq!(fs::read_to_string(scratch.settings()).unwrap(), BASE);

    let own = format!("{{\n  \"env\": {{ \"{CAP}\": \"3\" }}\n}}\n");
    let scratch = Sandbox::with_settings(&own);
    let said = scratch.ok(&["install", "--raise-cap"]);
    assert!(said.contains("is not ccc's"), "{said}");
    assert_eq!(json(&scratch.settings())["env"][CAP], "3");
    scratch.ok(&["uninstall"]);
    assert_eq!(fs::read_to_string(scratch.settings()).unwrap(), own);
}

#[test]
fn a_purge_takes_ccc_s_own_files_and_nothing_else() {
    let scratch = Sandbox::new();
    scratch.ok(&["install"]);
    scratch.ok(&["on", "--session", "s1"]);
    scratch.ok(&["uninstall", "--purge"]);
    assert!(!scratch.path("home/.claude/ccc").exists());
    let shared = scratch.path("home/shared");
    fs::create_dir_all(shared.join("sessions/2026")).unwrap();
    fs::write(shared.join("notes.txt"), "mine").unwrap();
    fs::write(shared.join("config.json"), "{}").unwrap();
    let mut purge = scratch.ccc(&["uninstall", "--purge"]);
    success(&purge.env("CCC_HOME", &shared).output().unwrap());
    assert!(shared.join("notes.txt").exists() && shared.join("sessions/2026").exists());
    assert!(!shared.join("config.json").exists());
}

#[test]
fn a_protected_file_is_refused_before_anything_is_written() {
    let scratch = Sandbox::with_settings(BASE);
    fs::set_permissions(scratch.settings(), fs::Permissions::from_mode(0o444)).unwrap();
    let before = scratch.tree("home");
    let output = scratch.run(&["install"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("read-only") && said.contains("settings.json"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert_eq!(scratch.tree("home"), before);
}

#[test]
fn the_project_scope_edits_the_project_and_a_second_registration_is_told() {
    let scratch = Sandbox::with_settings(BASE);
    scratch.ok(&["install"]);
    let said = scratch.ok(&["install", "--scope", "project"]);
    assert!(said.contains("registered in") && said.contains("too"), "{said}");
    assert!(scratch.path("proj/.claude/commands/supervisor.md").is_file());
    let said = scratch.ok(&["install", "--scope", "local"]);
    assert!(said.contains("nothing to do") && said.contains(".claude/settings.json"), "{said}");
    scratch.ok(&["uninstall", "--scope", "project"]);
    assert!(!scratch.path("proj/.claude").exists());
}

#[test]
fn a_home_that_is_the_project_is_one_file_and_not_two() {
    let scratch = Sandbox::with_settings(BASE);
    symlink(scratch.path("home"), scratch.path("link")).unwrap();
    for word in ["installed", "up to date"] {
        let mut install = scratch.ccc(&["install"]);
        install.env("HOME", scratch.path("link")).current_dir(scratch.path("home"));
        let said = success(&install.output().unwrap());
        assert!(said.contains(word) && !said.contains("nothing to do"), "{said}");
    }
}

#[test]
fn a_link_is_named_instead_of_its_target_and_another_name_refused() {
    let scratch = Sandbox::with_settings(BASE);
    symlink(env!("CARGO_BIN_EXE_ccc"), scratch.path("ccc")).unwrap();
    success(&scratch.command(&scratch.path("ccc"), &["install"]).output().unwrap());
    let command = format!("'{}' hook", scratch.path("ccc").display());
    assert_eq!(json(&scratch.settings())["hooks"]["Stop"][0]["hooks"][0]["command"], command);
    fs::copy(env!("CARGO_BIN_EXE_ccc"), scratch.path("other")).unwrap();
    let output = scratch.command(&scratch.path("other"), &["install"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

#[test]
fn another_client_is_refused_in_one_sentence() {
    let output = Sandbox::new().run(&["install", "--client", "codex"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("only `claude` is supported"));
}

#[test]
fn the_script_installs_twice_and_undoes_it_all() {
    let scratch = Sandbox::with_settings(BASE);
    let before = scratch.tree("home");
    let bin = ["--bin", env!("CARGO_BIN_EXE_ccc")];
    let said = success(&script(&scratch, &bin));
    let program = scratch.path("home/.local/bin/ccc");
    assert!(said.contains("is not on your PATH") && said.contains("--uninstall"), "{said}");
    assert_eq!(fs::metadata(&program).unwrap().mode() & 0o777, 0o755);
    let installed = scratch.tree("home");
    let said = success(&script(&scratch, &bin));
    assert!(said.contains("up to date"), "{said}");
    assert_eq!(scratch.tree("home"), installed);
    success(&script(&scratch, &["--uninstall", "--purge"]));
    let rest: Vec<_> = scratch.tree("home").into_iter().filter(|(p, _)| !p.is_dir()).collect();
    let before: Vec<_> = before.into_iter().filter(|(p, _)| !p.is_dir()).collect();
    assert_eq!(rest, before);
}

#[test]
fn the_script_keeps_an_odd_directory_and_wires_nothing_unasked() {
    let scratch = Sandbox::with_settings(BASE);
    let dir = scratch.path("it's a $dir");
    let args = ["--bin", env!("CARGO_BIN_EXE_ccc"), "--no-wire", "--bin-dir"];
    let said = success(&script(&scratch, &[&args[..], &[dir.to_str().unwrap()]].concat()));
    assert!(said.contains("left alone"), "{said}");
    assert!(dir.join("ccc").is_file());
    assert_eq!(fs::read_to_string(scratch.settings()).unwrap(), BASE);
    fs::write(scratch.path("broken"), "#!/bin/sh\nexit 1\n").unwrap();
    let output = script(&scratch, &["--bin", scratch.path("broken").to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(!scratch.path("home/.local/bin/ccc").exists());
    assert_eq!(fs::read_dir(scratch.path("home/.local/bin")).unwrap().count(), 0);
    assert_eq!(script(&scratch, &["--wat"]).status.code(), Some(64));
}
