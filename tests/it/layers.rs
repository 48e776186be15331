//! Imports only go down, and what decides never touches the world.

use std::fs;
use std::path::{Path, PathBuf};

/// A layer (a directory or file under `src/`) and the modules of the crate that it may name.
const MAY_NAME: [(&str, &[&str]); 6] = [
    ("rules", &["rules"]),
    ("clients", &["clients", "rules", "env"]),
    ("sys", &["sys", "rules", "env"]),
    ("config.rs", &["paths", "sys", "rules"]),
    ("paths.rs", &["env", "error"]),
    ("cmd", &["cmd", "clients", "sys", "rules", "config", "paths", "env", "error", "cli"]),
];

/// What has no place under `rules/` and `clients/`.
const WORLD: [&str; 15] = [
    "std::fs",
    "std::env",
    "std::process",
    "std::net",
    "std::thread",
    "std::io",
    "std::os",
    "Instant",
    "SystemTime",
    "println!",
    "eprintln!",
    "rustix::",
    "tempfile::",
    "dirs::",
    "getrandom::",
];

/// Facilities with one owner.
const OWNED: [(&str, &str); 2] = [("fs2", "sys/lock.rs"), ("env::var", "env.rs")];

/// The project's own sources with their paths below `src/`, without tests and comments.
fn sources() -> Vec<(String, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&src, &mut files);
    let is_test = |path: &Path| path.ends_with("tests.rs") || path.ends_with("properties.rs");
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        let name = path.strip_prefix(&src).unwrap().to_str().unwrap().to_owned();
        (name, code.collect::<Vec<_>>().join("\n"))
    };
    files.into_iter().filter(|path| !is_test(path)).map(read).collect()
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) {
    for path in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
        match path.is_dir() {
            true => collect(&path, files),
            false if path.extension().is_some_and(|e| e == "rs") => files.push(path),
            false => {}
        }
    }
}

/// The modules of the crate that a text names, in `crate::a::b` and in `use crate::{a, b}`.
fn named(code: &str) -> Vec<String> {
    let word = |text: &str| {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let mut found = Vec::new();
    for rest in code.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            Some(group) => {
                let group = group.split('}').next().unwrap_or_default();
                found.extend(group.split(',').map(word));
            }
            None => found.push(word(rest)),
        }
    }
    found.retain(|name: &String| !name.is_empty());
    found
}

/// What a file names that its layer may not.
fn upward(path: &str, code: &str) -> Vec<String> {
    let layer = path.split('/').next().unwrap_or_default();
    let Some((_, allowed)) = MAY_NAME.iter().find(|(name, _)| *name == layer) else {
        return Vec::new();
    };
    named(code).into_iter().filter(|name| !allowed.contains(&name.as_str())).collect()
}

/// What a pure file touches of the world, and what belongs to another file.
fn foreign(path: &str, code: &str) -> Vec<&'static str> {
    let is_pure = path.starts_with("rules/") || path.starts_with("clients/");
    let world = WORLD.into_iter().filter(|name| is_pure && code.contains(name));
    let owned = OWNED.into_iter().filter(|(name, owner)| path != *owner && code.contains(name));
    world.chain(owned.map(|(name, _)| name)).collect()
}

#[test]
fn imports_only_go_down_and_the_world_has_its_owners() {
    let sources = sources();
    assert!(sources.len() > 50, "the sources were not found");
    for (path, code) in sources {
        assert_eq!(upward(&path, &code), Vec::<String>::new(), "src/{path} names a higher layer");
        assert_eq!(foreign(&path, &code), Vec::<&str>::new(), "src/{path} touches what is not its");
    }
}

#[test]
fn the_guard_sees_what_it_guards_against() {
    let upward_edges = [
        ("rules/a.rs", "use crate::sys::fs;"),
        ("rules/a.rs", "fn f() { crate::config::load() }"),
        ("clients/a.rs", "use crate::{rules::stop, sys::fs};"),
        ("sys/a.rs", "use crate::clients::claude;"),
        ("sys/a/b.rs", "use crate::config::Check;"),
    ];
    for (path, code) in upward_edges {
        assert_eq!(upward(path, code).len(), 1, "{path}: {code}");
    }
    assert!(upward("cmd/a.rs", "use crate::{clients, sys::fs};").is_empty());
    assert_eq!(foreign("rules/a.rs", "use std::fs;"), ["std::fs"]);
    assert_eq!(foreign("sys/a.rs", "std::env::var(\"A\")"), ["env::var"]);
    assert_eq!(foreign("sys/store.rs", "use fs2::FileExt;"), ["fs2"]);
    assert!(foreign("sys/fs.rs", "use std::fs;").is_empty());
}
