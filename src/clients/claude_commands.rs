//! The texts of the slash commands that Claude Code gets: `/supervisor`, `/supervisor-off`.

use serde_json::Value;

/// Tells a file of ours from anybody else's of the same name.
const MARKER: &str = "<!-- Written by `ccc install`, removed by `ccc uninstall`.";

/// A slash command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlashCommand {
    /// File name under `commands/`.
    pub file: &'static str,
    description: &'static str,
    /// Subcommand of ccc.
    word: &'static str,
}

/// All of them.
pub const ALL: [SlashCommand; 2] = [
    SlashCommand {
        file: "supervisor.md",
        description: "Have ccc check the work of this session before it ends",
        word: "on",
    },
    SlashCommand {
        file: "supervisor-off.md",
        description: "Let this session end without a check by ccc",
        word: "off",
    },
];

/// Text of a command file. `program` is the quoted path of ccc.
///
/// `None` when the client (2.1.332) cannot run this path from a command file: its rule reader
/// fails on parentheses, and a `$` or a fence could be taken for something else. The agent may
/// not call the command: nobody switches off one's own supervisor.
pub fn text(command: SlashCommand, program: &str) -> Option<String> {
    if program.contains(['(', ')', '$']) || program.contains("```") || has_control(program) {
        return None;
    }
    let SlashCommand { description, word, .. } = command;
    let line = format!("{program} {word}");
    let rule = Value::from(format!("Bash({})", line.replace('\\', "\\\\")));
    Some(format!(
        "---\ndescription: {description}\nallowed-tools: {rule}\ndisable-model-invocation: true\n---\n\
         {MARKER} Without this line it stays as you edit it. -->\n\
         ```!\n{line}\n```\n\n\
         Tell the user in one short sentence what the line above says, and do nothing else.\n"
    ))
}

fn has_control(text: &str) -> bool {
    text.chars().any(char::is_control)
}

/// Whether `ccc install` wrote this file.
pub fn is_ours(bytes: &[u8]) -> bool {
    String::from_utf8_lossy(bytes).contains(MARKER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_file_may_run_exactly_its_own_line() {
        let text = text(ALL[1], "'/a b/c\\d/ccc'").unwrap();
        assert!(text.contains("\n```!\n'/a b/c\\d/ccc' off\n```\n"), "{text}");
        // Escaped once for the rule, once for the YAML text.
        assert!(text.contains(r#"allowed-tools: "Bash('/a b/c\\\\d/ccc' off)""#), "{text}");
        assert!(text.contains("disable-model-invocation: true"));
        assert!(is_ours(text.as_bytes()) && !is_ours(b"---\ndescription: mine\n---\n"));
    }

    #[test]
    fn a_path_that_the_client_cannot_run_gets_no_command_file() {
        for path in ["'/a (1)/ccc'", "'/$1/ccc'", "'/a\nb/ccc'", "'/```/ccc'"] {
            assert_eq!(text(ALL[0], path), None, "{path}");
        }
        assert!(text(ALL[0], "'/`é 目录/it'\\''s/ccc'").is_some());
    }
}
