//! `ccc completions` and `ccc man`, loaded by the real shells and formatted by the real formatter.

use std::fs;
use std::path::Path;

use crate::support::namespace::skip;
use crate::support::sandbox::{Sandbox, success};

/// Every subcommand that is shown.
fn subcommands(sandbox: &Sandbox) -> Vec<String> {
    let help = sandbox.ok(&["--help"]);
    let lines = help.lines().skip_while(|l| *l != "Commands:").skip(1);
    let words = lines
        .take_while(|l| !l.is_empty())
        .filter(|l| l.starts_with("  ") && !l.starts_with("   "));
    words
        .filter_map(|l| l.split_whitespace().next())
        .filter(|w| *w != "help")
        .map(str::to_owned)
        .collect()
}

/// Runs a script in a shell that has the completions in the file `ccc.<shell>`; `None` without
/// that shell.
fn completed(shell: &str, script: &str) -> Option<String> {
    let program = Path::new("/usr/bin").join(shell);
    if !program.exists() {
        skip(&format!("{} is missing (tests/run installs it)", program.display()));
        return None;
    }
    let sandbox = Sandbox::new();
    fs::write(sandbox.project().join(format!("ccc.{shell}")), sandbox.ok(&["completions", shell]))
        .unwrap();
    let script = format!("{script}\n");
    let args = ["20", program.to_str().unwrap(), "-c", &script];
    let mut command = sandbox.command(Path::new("timeout"), &args);
    let output = command.env("TERM", "xterm").output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(success(&output))
}

#[test]
fn bash_completes_subcommands_and_options() {
    let script = "source ccc.bash; for words in 'ccc lo' 'ccc log --s' 'ccc install --scope '; do
        IFS=' ' read -ra COMP_WORDS <<<\"$words\"; [[ $words == *' ' ]] && COMP_WORDS+=('')
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _ccc ccc \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"
        echo \"${COMPREPLY[*]}\"; done; complete -p ccc";
    let Some(said) = completed("bash", script) else { return };
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[..3], ["log", "--session --since", "user project local"], "{said}");
    assert!(lines[3].contains("_ccc"), "{said}");
}

#[test]
fn fish_completes_subcommands_and_options() {
    let script = "source ccc.fish; complete -C 'ccc lo'; complete -C 'ccc log --s'; complete -C 'ccc install --scope '";
    let Some(said) = completed("fish", script) else { return };
    let words: Vec<&str> = said.lines().filter_map(|l| l.split('\t').next()).collect();
    for word in ["log", "--session", "--since", "user", "project", "local"] {
        assert!(words.contains(&word), "{word} in {said}");
    }
}

#[test]
fn zsh_completes_subcommands() {
    // A shell on a terminal of its own, which gets a word and a tab.
    let script = "zmodload zsh/zpty; zpty z zsh -f -i
        zpty -w z \"PS1= ; autoload -U compinit; compinit -u -d ./dump; source ./ccc.zsh; print loaded=\\$_comps[ccc]\"
        zpty -r -m z seen '*loaded=_ccc*' || exit 3
        zpty -n -w z $'ccc completi\\t'; zpty -r -m z seen '*ccc completions*' && print completed; zpty -d z";
    let Some(said) = completed("zsh", script) else { return };
    assert!(said.contains("completed"), "{said}");
}

#[test]
fn the_man_page_formats_cleanly_and_names_every_subcommand_and_option() {
    let groff = Path::new("/usr/bin/groff");
    if !groff.exists() {
        return skip("groff is missing (tests/run installs it)");
    }
    let sandbox = Sandbox::new();
    let page = sandbox.project().join("ccc.1");
    fs::write(&page, sandbox.ok(&["man"])).unwrap();
    let args = ["-man", "-ww", "-Tascii", "-P-c", "-P-b", "-P-u", page.to_str().unwrap()];
    let output = sandbox.command(groff, &args).output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = success(&output);
    let commands = subcommands(&sandbox);
    assert!(commands.len() > 15, "{commands:?}");
    for command in commands {
        assert!(text.contains(&format!("ccc {command}")), "{command}");
        let help = sandbox.ok(&[&command, "--help"]);
        let words = help.split(|c: char| c.is_whitespace() || ",[]".contains(c));
        for option in words.filter(|w| w.starts_with("--") && w.len() > 4) {
            assert!(text.contains(option), "{command} {option}");
        }
    }
}
