//! `ccc demo`: a supervised session in a scratch directory. Agent and supervisor are scripted;
//! project, transcript, hook, evidence, verdict and state are real, and what is shown is what
//! happened. A play that goes otherwise is an error.

mod agent;
mod screen;
mod stage;

use std::ffi::OsStr;

use serde_json::Value;

use crate::cli::DemoArgs;
use crate::cmd::Context;
use crate::error::{Error, Exit, Result};
use crate::rules::text::{cut, one_line};
use crate::sys::history;
use crate::sys::process::{self, End, Finished};
use crate::sys::signals::Cancel;
use agent::Agent;
use screen::Screen;
use stage::Stage;

/// What the agent writes at first, and what it then claims.
const CLAIMED: &str = include_str!("files/slug-claimed.sh");
/// What it writes when it was sent back.
const DONE: &str = include_str!("files/slug-done.sh");
/// Most bytes of the history that are read.
const MAX_HISTORY: u64 = 1 << 20;

/// Plays the session and shows it.
///
/// # Errors
/// The scratch directory cannot be used, or the play went otherwise than it is told.
pub fn run(context: &Context, args: &DemoArgs) -> Result<Exit> {
    let cancel = Cancel::on_signals();
    let mut screen = Screen::new(context);
    let stage = Stage::build(context, &cancel)?;
    let played = play(&stage, &mut screen);
    if args.keep {
        let dir = stage.keep();
        screen.paragraph(&format!("The scratch directory is left in {}", dir.display()));
        screen.show()?;
    }
    played?;
    where_next(context, &mut screen)?;
    Ok(Exit::Ok)
}

fn play(stage: &Stage, screen: &mut Screen) -> Result<()> {
    let mut agent = Agent::new(stage);
    introduce(stage, screen)?;
    false_claim(stage, &mut agent, screen)?;
    real_work(stage, &mut agent, screen)?;
    check_history(stage)
}

fn introduce(stage: &Stage, screen: &mut Screen) -> Result<()> {
    let place = if stage.has_git { "a scratch git repository" } else { "a scratch directory" };
    screen.title("ccc demo: a coding agent says that it is done. Is it?");
    screen.paragraph(&format!(
        "The agent and the supervisor below are scripted: no model, no account, no network. The \
         rest is real: this program is called as the Stop hook of Claude Code would be, in {place} \
         with a transcript, and you see what it found and answered."
    ));
    screen.show()
}

fn false_claim(stage: &Stage, agent: &mut Agent, screen: &mut Screen) -> Result<()> {
    let request = "Titles with two or more spaces in a row make ugly links, like old---man. Make \
                   it a single dash in slug.sh, and see that test.sh passes.";
    expect("the prompt of the user", &agent.hear(request)?, 0, "")?;
    screen.step("You ask");
    screen.quote(request);
    screen.step("The agent edits one line, runs nothing, and says that it is done");
    let claim = "Fixed: spaces in a row now become a single dash. All tests pass.";
    agent.edit("slug.sh", CLAIMED)?;
    screen.quote(claim);
    screen.show()?;

    let answer = agent.stop(claim)?;
    let feedback = answer.stderr.text();
    expect("the false claim", &answer, 2, "`sh test.sh` fails")?;
    screen.step("ccc collects what really happened");
    screen.output(&facts(stage)?);
    screen.step("The supervisor looks for itself, and sends the agent back");
    screen.command("sh test.sh");
    screen.output(&stage.read("test-output")?);
    screen.decision(false, "Not complete: the stop is blocked (exit 2). The agent is told:");
    screen.quote(&feedback);
    screen.show()?;
    agent.is_sent_back(&feedback)
}

fn real_work(stage: &Stage, agent: &mut Agent, screen: &mut Screen) -> Result<()> {
    agent.edit("slug.sh", DONE)?;
    let output = agent.run("sh test.sh")?;
    let claim = "My first change caught one pair of spaces only. Now every run of spaces is \
                 squeezed; I ran sh test.sh, and it passes.";
    screen.step("The agent does the work, runs the test, and stops again");
    screen.command("sh test.sh");
    screen.output(&output);
    screen.quote(claim);
    screen.show()?;

    expect("the finished work", &agent.stop(claim)?, 0, "")?;
    screen.step("The supervisor looks again, and lets the agent stop");
    screen.output(&facts(stage)?);
    screen.command("sh test.sh");
    screen.output(&stage.read("test-output")?);
    screen.decision(true, "Complete: the stop is allowed (exit 0).");
    screen.show()
}

fn where_next(context: &Context, screen: &mut Screen) -> Result<()> {
    screen.paragraph(
        "Without ccc the turn would have ended at step 2. In a real session the supervisor is a \
         read-only fork of that session: it knows every word of it, opens files and runs checks.",
    );
    screen.paragraph("Next:");
    let path = context.env.path.as_deref();
    if process::find_program(OsStr::new("ccc"), path).is_ok() {
        screen.entry("ccc install", "adds the hook to Claude Code; `ccc uninstall` removes it");
    } else {
        let text = "puts ccc into ~/.local/bin and adds the hook to Claude Code; with \
                    --uninstall it removes both";
        screen.entry("./install.sh", text);
    }
    screen.entry("ccc monitor", "shows the supervised sessions");
    screen.entry("ccc off", "switches supervision off, `ccc on` on again");
    screen.show()
}

/// Some of the evidence that the supervisor was given: the changed file, its diff, the tests.
fn facts(stage: &Stage) -> Result<String> {
    let prompt = stage.read("prompt")?;
    let evidence = prompt.split_once("\n# Evidence").map_or("", |(_, rest)| rest);
    let is_shown = |line: &&str| {
        let is_header = ["+++", "---"].iter().any(|mark| line.starts_with(mark));
        let is_change = line.starts_with(['+', '-']) && !line.starts_with("- ") && !is_header;
        is_change || line.starts_with("- slug.sh") || line.starts_with("Tests:")
    };
    let facts: Vec<&str> = evidence.lines().filter(is_shown).collect();
    if facts.is_empty() {
        return Err(wrong("the supervisor was given no evidence"));
    }
    Ok(facts.join("\n"))
}

/// The hook's answer must be the one that the play tells of: feedback when it blocks, and not a
/// word when it lets go.
fn expect(to: &str, answer: &Finished, code: i32, feedback: &str) -> Result<()> {
    let (out, err) = (answer.stdout.text(), answer.stderr.text());
    let is_feedback = if code == 0 { err.is_empty() } else { err.contains(feedback) };
    if answer.end == End::Code(code) && out.is_empty() && is_feedback {
        return Ok(());
    }
    let end = match answer.end {
        End::Code(code) => format!("exit {code}"),
        other => format!("{other:?}"),
    };
    let said = one_line(&[out, err].concat());
    let said = cut(&said, 200);
    Err(wrong(&format!("the hook answered {to} with {end} instead of {code}, and said: {said}")))
}

/// The history must tell the same story.
fn check_history(stage: &Stage) -> Result<()> {
    let events = history::read_events(&stage.path("home/.claude/ccc/events.jsonl"), MAX_HISTORY);
    let reasons: Vec<&str> =
        events.iter().filter_map(|e| e.get("reason").and_then(Value::as_str)).collect();
    if reasons == ["incomplete", "approved"] {
        return Ok(());
    }
    Err(wrong(&format!("the history tells of {reasons:?}")))
}

fn wrong(what: &str) -> Error {
    Error::problem(format!("the demo did not go as it is meant to: {what}"))
}
