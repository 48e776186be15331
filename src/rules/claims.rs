//! What the agent says it did, each claim beside the fact that bears it out or contradicts it.
//! What is not known is said to be unknown: an honest agent must never be accused.

mod block;
mod find;
mod prose;
#[cfg(test)]
mod tests;

use crate::rules::activity::Activity;
use crate::rules::git::{Change, ChangeKind, Commit, Git, Since, Work};
use crate::rules::runs::{self, End, Run};
use crate::rules::shell;
use crate::rules::text::{cut, head_bytes, one_line};
use crate::rules::tool::{self, Kind};
use find::{Claim, What};

/// Most claims that are listed.
const MAX_LINES: usize = 14;
/// Most files named in one line.
const MAX_FILES: usize = 6;

/// What is known when the message is read.
#[derive(Clone, Copy)]
pub struct Facts<'a> {
    pub activity: &'a Activity,
    /// `None` when git was not asked.
    pub git: Option<&'a Git>,
    /// The checks that ccc ran.
    pub checks: &'a [CheckFact],
    /// Folders of the project, without a slash at the end. Other files are not its work.
    pub roots: &'a [String],
    /// Whether there is a file of this name.
    pub exists: &'a dyn Fn(&str) -> bool,
    /// Whether git ignores it.
    pub is_ignored: &'a dyn Fn(&str) -> bool,
}

/// A check that ccc ran.
#[derive(Clone, Debug)]
pub struct CheckFact {
    pub run: String,
    pub passed: bool,
    /// `failed (exit 1)`.
    pub ended: String,
}

/// One claim with its fact.
struct Line {
    says: String,
    fact: String,
    rank: Rank,
}

/// How a fact stands to its claim, the most telling first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Against,
    Unknown,
    For,
}

/// The claims of a message beside the facts, one a line, contradictions first; empty when the
/// message claims nothing that can be told.
pub fn render(message: &str, facts: &Facts) -> String {
    let mut lines = block::lines(message, facts);
    let mut confirmed = Vec::new();
    for claim in find::claims(message) {
        match claim {
            Claim::TestsPass { count, is_all } => lines.push(tests(count, is_all, facts)),
            Claim::Builds => lines.push(other_run("it builds", Kind::Build, facts)),
            Claim::LintsClean => lines.push(other_run("the lint is clean", Kind::Lint, facts)),
            Claim::Committed(hash) => lines.extend(committed(hash.as_deref(), facts)),
            Claim::Pushed => lines.extend(pushed(facts)),
            Claim::File { path, what } => match file(&path, what, facts) {
                Some(line) => lines.push(line),
                None => confirmed.push(format!("`{path}`")),
            },
        }
    }
    lines.sort_by_key(|line| line.rank);
    lines.truncate(MAX_LINES);
    let mut out: Vec<String> =
        lines.iter().map(|l| format!("- says {}; {}", l.says, l.fact)).collect();
    if !confirmed.is_empty() {
        let more = confirmed.len().saturating_sub(MAX_FILES);
        confirmed.truncate(MAX_FILES);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        out.push(format!("- says it changed {}{more}; that is so", confirmed.join(", ")));
    }
    out.join("\n")
}

fn tests(count: Option<u32>, is_all: bool, facts: &Facts) -> Line {
    let all = if is_all { "all " } else { "" };
    let says = match count {
        Some(n) => format!("{all}{n} tests pass"),
        None => format!("{all}tests pass"),
    };
    let runs = runs::of(facts.activity);
    let runs: Vec<&Run> = runs.iter().filter(|r| r.is_test()).collect();
    let (mut fact, mut rank) = match runs.iter().rev().find(|r| r.end != End::Refused) {
        None => no_run("test", !runs.is_empty(), facts.activity),
        Some(last) => after_run(last, &runs, count, is_all, facts),
    };
    let mut own = facts.checks.iter().filter(|c| is_test_command(&c.run));
    if let Some(check) = own.clone().find(|c| !c.passed) {
        fact = format!("ccc's own check `{}` {}; {fact}", one_line(&check.run), check.ended);
        rank = Rank::Against;
    } else if let Some(check) = own.next_back() {
        fact.push_str(&format!("; ccc's own check `{}` passed", one_line(&check.run)));
    }
    Line { says, fact, rank }
}

fn is_test_command(line: &str) -> bool {
    shell::steps(line).iter().any(|s| tool::kind(&s.words) == Some(Kind::Test))
}

/// What is known when nothing of a kind was run.
fn no_run(kind: &str, is_refused: bool, activity: &Activity) -> (String, Rank) {
    match activity {
        _ if is_refused => (format!("the {kind} command was not carried out"), Rank::Against),
        a if !a.is_recorded => {
            ("what was run is not known, there is no record of the session".into(), Rank::Unknown)
        }
        a if a.is_partial => {
            (format!("the part of the session that was read has no {kind} command"), Rank::Unknown)
        }
        a if a.delegated > 0 => {
            let what = format!("the agent itself ran no {kind} command");
            (format!("{what}; what its subagents ran is not known"), Rank::Unknown)
        }
        a if a.commands.is_empty() => (format!("no {kind} command was run"), Rank::Against),
        _ => (format!("no {kind} command was run that ccc recognizes"), Rank::Against),
    }
}

/// What the last test run says to the claim.
fn after_run(
    last: &Run,
    runs: &[&Run],
    count: Option<u32>,
    is_all: bool,
    facts: &Facts,
) -> (String, Rank) {
    let name = last.name();
    let later = code_after(last, facts);
    if last.is_bad() {
        let again = if later.is_empty() {
            "and was not run again".to_owned()
        } else {
            format!("and was not run again after {} changed", list(&later))
        };
        let ended = match last.end {
            End::Failed(_) => last.exit(),
            _ => format!("did not go well ({})", last.ended()),
        };
        return (format!("the last test command ({name}) {ended} {again}"), Rank::Against);
    }
    if !last.is_good() {
        let why = last.ended();
        return (
            format!("how the last test command ({name}) ended is not known: {why}"),
            Rank::Unknown,
        );
    }
    if !later.is_empty() {
        let what = format!("the last test command ({name}) went well, but before {}", list(&later));
        return (format!("{what} changed"), Rank::Against);
    }
    if let Some((n, seen)) = count.zip(most_passed(runs)).filter(|(n, seen)| n > seen) {
        let what = format!("the test commands that were run report {seen} passed");
        return (format!("{what}, not {n}"), Rank::Against);
    }
    if is_all && runs.iter().all(|r| r.is_selection) {
        let what = "only a selection of the tests was run, the last time with";
        return (format!("{what} {name} ({})", last.ended()), Rank::Against);
    }
    (format!("the last test command was {name}, {}", last.ended()), Rank::For)
}

/// Tests that passed in all, where every output tells it: the last run of each command counts.
fn most_passed(runs: &[&Run]) -> Option<u32> {
    let mut seen: Vec<&str> = Vec::new();
    let mut sum = 0_u32;
    for run in runs.iter().rev() {
        let output = &run.command.output;
        let is_whole = run.end == End::Passed && !output.contains("truncated");
        if seen.contains(&run.command.command.as_str()) {
            continue;
        }
        seen.push(&run.command.command);
        sum = sum.saturating_add(run.report.passed.filter(|_| is_whole)?);
    }
    Some(sum)
}

/// Files of the project that are no documents and changed after a run.
fn code_after(run: &Run, facts: &Facts) -> Vec<String> {
    let later = facts.activity.touched_after(run.command).into_iter();
    let is_ours = |path: &&str| is_in_project(path, facts) && !is_document(path);
    later.filter(is_ours).map(|path| short(path, facts)).collect()
}

fn is_in_project(path: &str, facts: &Facts) -> bool {
    !path.starts_with('/') || facts.roots.iter().any(|root| is_below(path, root))
}

fn is_below(path: &str, root: &str) -> bool {
    path.strip_prefix(root).is_some_and(|rest| rest.starts_with('/'))
}

/// The name from the project on.
fn short(path: &str, facts: &Facts) -> String {
    let rest = |root: &String| is_below(path, root).then(|| &path[root.len() + 1..]);
    facts.roots.iter().filter_map(rest).min_by_key(|rest| rest.len()).unwrap_or(path).to_owned()
}

/// Whether a change of it cannot break a test.
fn is_document(path: &str) -> bool {
    let name = shell::base_name(path);
    let endings = [".md", ".markdown", ".rst", ".adoc", ".txt", ".png", ".svg", ".pdf", ".log"];
    endings.iter().any(|end| name.ends_with(end))
        || ["LICENSE", "README", "CHANGELOG", "AUTHORS", ".gitignore"].contains(&name)
}

fn list(paths: &[String]) -> String {
    let shown: Vec<String> = paths.iter().take(3).map(|p| format!("`{p}`")).collect();
    let more = paths.len().saturating_sub(3);
    match more {
        0 => shown.join(", "),
        _ => format!("{} and {more} more", shown.join(", ")),
    }
}

fn other_run(says: &str, kind: Kind, facts: &Facts) -> Line {
    let runs = runs::of(facts.activity);
    // What runs tests builds first, and `tsc` compiles.
    let is_it = |r: &&Run| {
        r.kind == kind || (kind == Kind::Build && matches!(r.kind, Kind::Test | Kind::Lint))
    };
    let own: Vec<&Run> = runs.iter().filter(is_it).collect();
    let last_own = own.iter().rev().find(|r| r.kind == kind && r.end != End::Refused);
    let last = last_own.or_else(|| own.iter().rev().find(|r| r.end != End::Refused));
    let word = if kind == Kind::Build { "build" } else { "lint" };
    let (fact, rank) = match last {
        None => no_run(word, !own.is_empty(), facts.activity),
        Some(run) if run.is_bad() && run.kind == kind => {
            let again = format!("{} {} and was not run again", run.name(), run.ended());
            (format!("the last {word} command {again}"), Rank::Against)
        }
        Some(run) if run.is_good() => {
            (format!("{} was run, {}", run.name(), run.ended()), Rank::For)
        }
        Some(run) => {
            let what = format!("how {} ended is not known", run.name());
            (format!("{what}: {}", run.ended()), Rank::Unknown)
        }
    };
    Line { says: says.to_owned(), fact, rank }
}

fn committed(hash: Option<&str>, facts: &Facts) -> Option<Line> {
    let says = match hash {
        Some(hash) => format!("it was committed as {hash}"),
        None => "it was committed".to_owned(),
    };
    let line = |fact: String, rank: Rank| Some(Line { says: says.clone(), fact, rank });
    let work = match facts.git {
        None => return None,
        Some(Git::Unavailable(why)) => {
            return line(format!("git tells nothing of it ({})", one_line(why)), Rank::Unknown);
        }
        Some(Git::Work(work)) => work,
    };
    let own: Vec<&Commit> = work.commits.iter().filter(|c| !c.is_lost).collect();
    let cited = hash.and_then(|h| own.iter().find(|c| c.hash.starts_with(h)));
    match (work.since, hash, cited) {
        (Since::Moved, _, Some(commit)) => line(format!("so it is: {}", named(commit)), Rank::For),
        (Since::Moved, Some(_), None) if !own.is_empty() && !work.has_more_commits => line(
            format!("no commit since the prompt has this hash, {}", newest(&own)),
            Rank::Against,
        ),
        (Since::Moved, ..) if !own.is_empty() => {
            line(format!("since the prompt there is {}", named(own[0])), Rank::For)
        }
        (Since::Moved, ..) => line("no commit since the prompt is left".into(), Rank::Against),
        (Since::Unknown, _, Some(commit)) => line(format!("there is {}", named(commit)), Rank::For),
        _ => {
            let (fact, rank) = not_moved(work, &own, hash, facts.activity);
            line(fact, rank)
        }
    }
}

/// HEAD did not move, or it is not known whether it did.
fn not_moved(
    work: &Work,
    own: &[&Commit],
    hash: Option<&str>,
    activity: &Activity,
) -> (String, Rank) {
    let runs = runs::of(activity);
    let last = runs.iter().rev().find(|r| r.kind == Kind::Commit);
    let is_moved = work.since != Since::Unknown;
    let head = match work.since {
        Since::Unknown => newest(own),
        _ => "HEAD has not moved since the prompt".to_owned(),
    };
    match last {
        Some(run) if run.is_bad() => (
            format!("{head}; the last commit command ({}) {}", run.name(), run.ended()),
            Rank::Against,
        ),
        Some(run) if run.end == End::Refused => {
            (format!("{head}; {} was not carried out", run.name()), Rank::Against)
        }
        Some(run) if is_moved && run.command.request < activity.requests.len() => (
            format!("{head}; a commit was made earlier in the session ({})", run.name()),
            Rank::Unknown,
        ),
        Some(run) if is_moved => {
            (format!("{head}, though {} was run ({})", run.name(), run.ended()), Rank::Unknown)
        }
        Some(run) if hash.is_none() && run.is_good() => {
            (format!("{} was run, {}; {head}", run.name(), run.ended()), Rank::For)
        }
        Some(run) => (format!("{} was run, {}; {head}", run.name(), run.ended()), Rank::Unknown),
        None if is_moved => (head, Rank::Against),
        None => match no_run("commit", false, activity) {
            (what, Rank::Against) => {
                (format!("{}; {head}", what.replace(" that ccc recognizes", "")), Rank::Against)
            }
            (what, rank) => (format!("{what}; {head}"), rank),
        },
    }
}

fn newest(own: &[&Commit]) -> String {
    own.first().map_or("there is no commit".into(), |c| format!("the newest is {}", named(c)))
}

fn named(commit: &Commit) -> String {
    let subject = cut(&one_line(&commit.subject), 72).into_owned();
    format!("{} `{subject}` ({})", head_bytes(&commit.hash, 7), commit.age)
}

fn pushed(facts: &Facts) -> Option<Line> {
    let work = facts.git?.work()?;
    let runs = runs::of(facts.activity);
    let last = runs.iter().rev().find(|r| r.kind == Kind::Push);
    let ahead = work.upstream.as_ref().and_then(|u| Some((u.name.clone(), u.ahead?)));
    let (fact, rank) = match (last, ahead) {
        (Some(run), _) if run.is_bad() || run.end == End::Refused => {
            (format!("the last push ({}) {}", run.name(), run.ended()), Rank::Against)
        }
        (_, Some((name, ahead))) if ahead > 0 => {
            (format!("HEAD is {ahead} ahead of {name}"), Rank::Against)
        }
        (Some(run), _) if run.is_good() => {
            (format!("{} was run, {}", run.name(), run.ended()), Rank::For)
        }
        (Some(run), _) => (format!("how {} ended is not known", run.name()), Rank::Unknown),
        (None, Some((name, _))) => (format!("HEAD is the same as {name}"), Rank::For),
        (None, None) => no_run("push", false, facts.activity),
    };
    Some(Line { says: "it was pushed".into(), fact, rank })
}

/// `None` when the claim is true.
fn file(path: &str, what: What, facts: &Facts) -> Option<Line> {
    let done = match what {
        What::Changed => "changed",
        What::Created => "created",
        What::Deleted => "deleted",
    };
    let line = |fact: &str, rank: Rank| {
        Some(Line { says: format!("`{path}` was {done}"), fact: fact.to_owned(), rank })
    };
    let edited = facts.activity.edits.iter().any(|e| !e.failed && is_same(&e.path, path))
        || facts.activity.touched.iter().any(|p| is_same(p, path));
    let is_outside = path.starts_with('/') && !is_in_project(path, facts) || path.starts_with('~');
    let Some(work) = facts.git.and_then(Git::work).filter(|_| !is_outside) else {
        return file_without_git(path, what, edited, facts)
            .and_then(|(fact, rank)| line(fact, rank));
    };
    if what == What::Deleted {
        let is_gone = is_changed(work, path, |c| c.kind == ChangeKind::Deleted);
        let is_there = path.contains('/') && (facts.exists)(path);
        return match () {
            () if is_there && !is_gone => line("the file is still there", Rank::Against),
            () if is_gone || is_in_commits(work, path) => None,
            () => line("git shows no change there", Rank::Unknown),
        };
    }
    if is_changed(work, path, |_| true) || is_in_commits(work, path) {
        return None;
    }
    let is_unclear =
        work.changes.iter().any(|c| c.kind == ChangeKind::Nested || c.submodule.is_some());
    let has_committed =
        runs::of(facts.activity).iter().any(|r| r.kind == Kind::Commit && !r.is_bad());
    match () {
        () if has_committed && edited => None,
        () if (facts.is_ignored)(path) => {
            line("git ignores this file, so a change does not show", Rank::Unknown)
        }
        () if edited => line("a tool edited it, but git shows no change there now", Rank::Against),
        () if is_unclear || has_committed => {
            line("git shows no change there, but it does not see everything", Rank::Unknown)
        }
        () if path.contains('/') && !(facts.exists)(path) => {
            line("git shows no change there, and there is no such file", Rank::Against)
        }
        () => line("git shows no change there", Rank::Against),
    }
}

/// Two names of one file, of which one may be shorter.
fn is_same(a: &str, b: &str) -> bool {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

fn is_changed(work: &Work, path: &str, is: fn(&Change) -> bool) -> bool {
    work.changes.iter().filter(|c| is(c)).any(|c| {
        is_same(&c.path, path) || c.old_path.as_ref().is_some_and(|old| is_same(old, path))
    })
}

fn is_in_commits(work: &Work, path: &str) -> bool {
    work.commits.iter().flat_map(|c| &c.paths).any(|p| is_same(p, path))
}

fn file_without_git(
    path: &str,
    what: What,
    edited: bool,
    facts: &Facts,
) -> Option<(&'static str, Rank)> {
    let a = facts.activity;
    let name = shell::base_name(path);
    let is_named = a.commands.iter().any(|c| c.command.contains(name));
    let is_there = (facts.exists)(path);
    match what {
        What::Deleted if is_there => Some(("the file is still there", Rank::Against)),
        What::Deleted => None,
        What::Created | What::Changed if edited => None,
        What::Created if !is_there && path.contains('/') => {
            Some(("there is no such file", Rank::Against))
        }
        _ if is_named || !a.is_recorded || a.is_partial || a.delegated > 0 => None,
        _ => Some(("no tool edited it and no command names it", Rank::Against)),
    }
}
