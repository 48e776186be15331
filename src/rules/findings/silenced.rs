//! Checks whose failure is not let through, and hooks that are left out.

use crate::rules::findings::Topic;
use crate::rules::findings::changed::{File, folded};
use crate::rules::findings::source::{Lang, Line};
use crate::rules::{shell, tool};

/// A check whose failure is not let through. The answer's text is the command.
pub fn silenced(file: &File, line: &Line, text: &str) -> Option<(Topic, String)> {
    let is_ci = is_ci(file.path);
    let code = line.code.as_str();
    if is_ci {
        let quiet = ["continue-on-error: true", "allow_failure: true"];
        if quiet.iter().any(|key| code.trim_start_matches("- ").starts_with(key)) {
            return Some((Topic::Silenced, folded(text)));
        }
    }
    let holds_commands = is_ci
        || matches!(file.lang, Lang::Shell | Lang::Make)
        || (file.lang == Lang::Json && file.path.ends_with("package.json"));
    if !holds_commands || (code.is_empty() && line.literals.is_empty()) {
        return None;
    }
    let command = command_of(file.lang, text);
    let is_ignored =
        file.lang == Lang::Make && text.trim().trim_start_matches('@').starts_with('-');
    let ignored = || is_ignored.then(|| check_of(command)).flatten();
    let hidden = hides_failure(command).or_else(ignored).map(|key| (Topic::Silenced, key));
    hidden.or_else(|| Some((Topic::HooksSkipped, skips_hooks(command)?)))
}

/// The command in a line of a file that holds commands.
fn command_of(lang: Lang, text: &str) -> &str {
    let text = text.trim();
    match lang {
        Lang::Make => text.trim_start_matches(['@', '-', '+']),
        Lang::Json => {
            let value = text.split_once("\": \"").map_or("", |(_, value)| value);
            value.trim_end_matches(',').trim_end_matches('"')
        }
        Lang::Config => text
            .trim_start_matches("- ")
            .trim_start_matches("run:")
            .trim_start_matches("script:")
            .trim(),
        _ => text.trim_start_matches("RUN "),
    }
}

/// A test, lint or build of a command line that is followed by `|| true` or the like.
pub fn hides_failure(command: &str) -> Option<String> {
    if !["||", ";", "set +e"].iter().any(|part| command.contains(part)) {
        return None;
    }
    let steps = shell::steps(command);
    let pair = steps.windows(2).find(|pair| {
        let is_check = tool::kind(&pair[0].words).is_some_and(|kind| kind != tool::Kind::Push);
        let then: Vec<&str> = pair[1].words.iter().map(String::as_str).collect();
        is_check && !pair[0].decides && matches!(then[..], ["true" | ":"] | ["exit", "0"])
    })?;
    Some(pair[0].words.join(" "))
}

/// The first test, lint or build of a command line.
fn check_of(command: &str) -> Option<String> {
    let steps = shell::steps(command);
    let check = steps.iter().find(|step| tool::kind(&step.words).is_some())?;
    Some(check.words.join(" "))
}

/// A commit or push that leaves the hooks out.
pub fn skips_hooks(command: &str) -> Option<String> {
    let steps = shell::steps(command);
    let step = steps.iter().find(|step| {
        let Some((name, args)) = step.words.split_first() else { return false };
        let has = |word: &str| args.iter().any(|arg| arg == word);
        let is_short = |arg: &String| {
            let letters = arg.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            // Behind these letters stands a value.
            let flags = letters.and_then(|letters| letters.split(['m', 'F', 'C', 'c', 't']).next());
            flags.is_some_and(|flags| flags.contains('n'))
        };
        shell::base_name(name) == "git"
            && ((has("--no-verify") && (has("commit") || has("push") || has("merge")))
                || (has("commit") && args.iter().any(is_short))
                || args.iter().any(|arg| arg.starts_with("core.hooksPath=")))
    })?;
    Some(step.words.join(" "))
}

/// Whether a file tells a build server what to do.
pub fn is_ci(path: &str) -> bool {
    const NAMES: [&str; 7] = [
        ".gitlab-ci.yml",
        ".travis.yml",
        "azure-pipelines.yml",
        "Jenkinsfile",
        "bitbucket-pipelines.yml",
        ".drone.yml",
        ".woodpecker.yml",
    ];
    path.contains(".github/workflows/")
        || path.contains(".github/actions/")
        || path.contains(".circleci/")
        || path.contains(".buildkite/")
        || NAMES.contains(&path.rsplit('/').next().unwrap_or(path))
}
