//! `ccc ralph status`: the stories, what runs, what is next.

use serde_json::{Value, json};

use crate::cli::RalphStatusArgs;
use crate::cmd::ralph::list::{self, List};
use crate::cmd::ralph::project::Project;
use crate::cmd::ralph::story;
use crate::error::{Exit, Result};
use crate::rules::ralph::pick::{self, Next};
use crate::rules::ralph::story::Status;
use crate::rules::redact::redact;
use crate::rules::text::{cut, one_line};

/// Prints where the list stands.
pub fn run(project: &Project, args: &RalphStatusArgs) -> Result<Exit> {
    let list = list::read(project)?;
    let out = match args.json {
        true => {
            let mut value = as_json(project, &list);
            project.context.env.secrets.hide_in(&mut value);
            format!("{value:#}")
        }
        false => redact(&as_text(project, &list), &project.context.env.secrets).into_owned(),
    };
    project.context.print(&out)?;
    Ok(Exit::Ok)
}

fn as_text(project: &Project, list: &List) -> String {
    let prd = &list.prd;
    let passed = prd.count(Status::Passed);
    let mut out =
        format!("{}: {passed} of {} stories passed\n", one_line(&prd.name), prd.stories.len());
    out.push_str(&story::table(list));
    let running = project.holder().map(rustix::process::Pid::as_raw_nonzero);
    let current = prd.stories.iter().find(|s| s.status == Status::InProgress);
    match (running, current) {
        (Some(pid), Some(s)) => out.push_str(&format!("running: `{}` (process {pid})\n", s.id)),
        (Some(pid), None) => out.push_str(&format!("running: process {pid}\n")),
        (None, Some(s)) => {
            out.push_str(&format!("`{}` was interrupted; the next iteration takes it up\n", s.id));
        }
        (None, None) => {}
    }
    out.push_str(&match pick::next(prd, project.config().max_attempts) {
        Next::Story(i) => {
            format!("next: `{}` {}\n", prd.stories[i].id, cut(&one_line(&prd.stories[i].title), 70))
        }
        Next::AllPassed => "next: nothing, all stories passed\n".to_owned(),
        Next::Stuck(why) => format!("next: nothing can be taken ({why})\n"),
    });
    if let Some((state, _)) = project.state().filter(|(s, _)| s.breaker.is_open()) {
        out.push_str(&format!("breaker open: {}\n", state.breaker.why));
    }
    out
}

/// The status as data.
pub fn as_json(project: &Project, list: &List) -> Value {
    let prd = &list.prd;
    let counts: serde_json::Map<String, Value> =
        Status::ALL.iter().map(|s| (s.name().to_owned(), json!(prd.count(*s)))).collect();
    let (next, why) = match pick::next(prd, project.config().max_attempts) {
        Next::Story(i) => (json!(prd.stories[i].id), Value::Null),
        Next::AllPassed => (Value::Null, json!("all stories passed")),
        Next::Stuck(why) => (Value::Null, json!(why)),
    };
    let state = project.state();
    json!({
        "project": project.root.to_string_lossy(),
        "session_id": project.id.as_str(),
        "name": prd.name,
        "stories": prd.stories.iter().map(story::to_json).collect::<Vec<_>>(),
        "counts": counts,
        "all_passed": prd.is_done(),
        "running": project.holder().map(rustix::process::Pid::as_raw_nonzero),
        "current": prd.stories.iter().find(|s| s.status == Status::InProgress).map(|s| &s.id),
        "next": next,
        "why_nothing_is_next": why,
        "total_iterations": prd.total_iterations,
        "breaker": state.as_ref().map_or("closed", |(s, _)| s.breaker.state.name()),
        "cost_usd": state.as_ref().map_or(0.0, |(s, _)| s.cost.usd),
        "unified": state.map(|(_, l)| l.unified),
    })
}
