//! The documents: every command in them parses, every link leads somewhere, translations agree.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::sandbox::Sandbox;

const DOCUMENTS: [&str; 4] = ["README.md", "README.zh-CN.md", "ARCHITECTURE.md", "CHANGELOG.md"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The documents that there are, with their texts.
fn documents() -> Vec<(PathBuf, String)> {
    let paths = DOCUMENTS.into_iter().map(|name| root().join(name));
    let found: Vec<_> =
        paths.filter_map(|path| Some((path.clone(), fs::read_to_string(path).ok()?))).collect();
    assert!(found.len() >= 3);
    found
}

/// Every piece of code: what stands between backticks, and the lines of fenced blocks.
fn code(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut in_fence = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        } else if in_fence {
            // A comment is no part of a command.
            found.push(line.split(" #").next().unwrap_or_default().to_owned());
        } else {
            found.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    found
}

/// The words after `ccc` of every command of ours.
fn commands(text: &str) -> BTreeSet<Vec<String>> {
    let own = |piece: &String| {
        let words = piece.trim().trim_start_matches("$ ").strip_prefix("ccc ")?.to_owned();
        // What follows a pipe or a redirection is another program's.
        let words = words.split([';', '>', '&']).next()?.split(" | ").next()?.to_owned();
        Some(words.split_whitespace().map(|w| w.trim_matches(['[', ']', ',']).to_owned()).collect())
    };
    code(text).iter().filter_map(own).collect()
}

/// Whether a word may be a subcommand.
fn is_name(word: &str) -> bool {
    !word.is_empty()
        && word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
        && !word.starts_with('-')
}

/// What the program says of a subcommand, and the words that name it.
fn help(sandbox: &Sandbox, words: &[String]) -> Option<String> {
    let names: Vec<&str> = words.iter().map(String::as_str).take_while(|w| is_name(w)).collect();
    // `ccc ralph loop 5 FILE`: what is no subcommand is an argument.
    (0..=names.len()).rev().find_map(|n| {
        if n == 0 && !words[0].starts_with('-') {
            return None;
        }
        let output = sandbox.run(&[&names[..n], &["--help"]].concat());
        output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
    })
}

#[test]
fn every_command_in_the_documents_parses() {
    let sandbox = Sandbox::new();
    let mut count = 0;
    for (path, text) in documents() {
        for words in commands(&text) {
            // `on|off` and the like name several.
            for first in words[0].split('|') {
                let words = [&[first.to_owned()], &words[1..]].concat();
                let shown = format!("`ccc {}` in {}", words.join(" "), path.display());
                let Some(help) = help(&sandbox, &words) else { panic!("{shown}: no such command") };
                let options = words
                    .iter()
                    .flat_map(|w| w.split(['|', '=']))
                    .filter(|w| w.starts_with("--") && w.len() > 2);
                for option in options {
                    let is_known = help
                        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
                        .any(|w| w == option);
                    assert!(is_known, "{shown}: no option {option}");
                }
                count += 1;
            }
        }
    }
    assert!(count > 15, "only {count} commands were found");
}

/// Targets of `[text](target)` outside of code.
fn links(text: &str) -> Vec<String> {
    let outside: Vec<&str> = text.split("```").step_by(2).collect();
    let outside = outside.join("\n");
    let pieces = outside.split("](").skip(1);
    pieces.filter_map(|piece| Some(piece.split_once(')')?.0.to_owned())).collect()
}

/// The anchors that a page gives to the headings of a text.
fn anchors(text: &str) -> Vec<String> {
    let slug = |title: &str| {
        let kept = title.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.collect::<String>().to_lowercase().replace(' ', "-")
    };
    headings(text).iter().map(|h| slug(h.trim_start_matches('#'))).collect()
}

#[test]
fn every_relative_link_leads_somewhere() {
    for (path, text) in documents() {
        for link in links(&text) {
            let shown = format!("({link}) in {}", path.display());
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { path.clone() } else { root().join(file) };
            assert!(target.exists(), "{shown}: there is no such file");
            if !anchor.is_empty() {
                let there = anchors(&fs::read_to_string(&target).unwrap());
                assert!(there.iter().any(|a| a == anchor), "{shown}: {there:?}");
            }
        }
    }
}

/// Lines of headings, outside of code.
fn headings(text: &str) -> Vec<String> {
    let mut in_fence = false;
    let mut is_heading = |line: &&str| {
        in_fence ^= line.starts_with("```");
        !in_fence && line.starts_with('#')
    };
    text.lines().filter(|line| is_heading(line)).map(str::to_owned).collect()
}

/// What must be equal in two languages: levels of headings, columns of table rows, links, and
/// the commands.
fn skeleton(text: &str) -> (Vec<usize>, Vec<usize>, Vec<String>, BTreeSet<Vec<String>>) {
    let levels =
        headings(text).iter().map(|h| h.chars().take_while(|c| *c == '#').count()).collect();
    let rows = text.lines().filter(|l| l.starts_with('|'));
    let columns = rows.map(|row| row.replace("\\|", "").matches('|').count()).collect();
    // Anchors, and the links of the two to each other, differ by nature.
    let links =
        links(text).into_iter().filter(|l| !l.contains("README") && !l.starts_with('#')).collect();
    (levels, columns, links, commands(text))
}

#[test]
fn the_translation_has_the_same_headings_tables_links_and_commands() {
    let Ok(translated) = fs::read_to_string(root().join("README.zh-CN.md")) else { return };
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    assert_eq!(skeleton(&text), skeleton(&translated));
}
