//! `ccc ralph story`: looks at stories, and changes them.

use serde_json::{Value, json};

use crate::cli::{StoryArgs, StoryCommand, StoryFields};
use crate::cmd::ralph::list::{self, List};
use crate::cmd::ralph::project::Project;
use crate::error::{Error, Exit, Result};
use crate::rules::ralph::edit::{self, Place};
use crate::rules::ralph::import;
use crate::rules::ralph::prd::Form;
use crate::rules::ralph::story::{Change, DEFAULT_PRIORITY, Status, Story};
use crate::rules::ralph::validation::{self, Strength};
use crate::rules::text::{cut, one_line, printable};
use crate::sys::clock;

/// Runs one subcommand.
pub fn run(project: &Project, args: &StoryArgs) -> Result<Exit> {
    match &args.command {
        StoryCommand::Add { title, fields } => add(project, title, fields),
        StoryCommand::List { json } => show_all(project, *json),
        StoryCommand::Show { id, json } => show(project, id, *json),
        StoryCommand::Edit { id, title, status, fields } => {
            edit(project, id, title.as_deref(), status.as_deref(), fields)
        }
        StoryCommand::Remove { id } => remove(project, id),
    }?;
    Ok(Exit::Ok)
}

fn add(project: &Project, title: &str, fields: &StoryFields) -> Result<()> {
    project.refuse_inside()?;
    if title.trim().is_empty() {
        return Err(Error::Usage("a story needs a title".into()));
    }
    check_validation(fields.validation.as_deref())?;
    let mut id = String::new();
    list::change(project, |list| {
        let mut millis = clock::now_millis();
        while list.prd.find(&format!("story-{millis}")).is_some() {
            millis += 1;
        }
        id = format!("story-{millis}");
        let story = Story {
            id: id.clone(),
            title: title.trim().to_owned(),
            description: fields.description.clone().unwrap_or_default(),
            priority: fields.priority.unwrap_or(DEFAULT_PRIORITY),
            validation_command: fields.validation.clone(),
            acceptance_criteria: fields.criterion.clone(),
            depends_on: fields.depends_on.clone(),
            ..Story::default()
        };
        let value = match list.prd.form {
            Form::Stories => import::as_json(&story, &clock::now_rfc3339()),
            Form::UserStories => as_user_story(&story),
        };
        Ok(edit::add_story(&list.text, list.prd.form, &value))
    })?;
    project.event("ralph:story:added", json!({ "story": id, "message": title.trim() }));
    project.context.print(&format!("added {id}"))
}

fn as_user_story(story: &Story) -> Value {
    let mut value = json!({
        "id": story.id,
        "title": story.title,
        "description": story.description,
        "acceptanceCriteria": story.acceptance_criteria,
        "priority": story.priority,
        "passes": false,
        "notes": "",
    });
    if let Some(command) = &story.validation_command {
        value["validation_command"] = json!(command);
    }
    if !story.depends_on.is_empty() {
        value["depends_on"] = json!(story.depends_on);
    }
    value
}

fn check_validation(command: Option<&str>) -> Result<()> {
    match command.map(validation::strength) {
        Some(Strength::CannotFail) => Err(Error::Usage(format!(
            "the validation `{}` cannot fail, so it proves nothing; take out what hides its exit code",
            command.unwrap_or_default()
        ))),
        _ => Ok(()),
    }
}

fn show_all(project: &Project, as_json: bool) -> Result<()> {
    let list = list::read(project)?;
    if as_json {
        let all: Vec<Value> = list.prd.stories.iter().map(to_json).collect();
        return project.context.print(&format!("{:#}", json!({ "stories": all })));
    }
    if list.prd.stories.is_empty() {
        return project.context.print("no stories yet: ccc ralph story add \"TITLE\"");
    }
    project.context.print(&table(&list))
}

/// One line a story.
pub fn table(list: &List) -> String {
    let stories = &list.prd.stories;
    let width = stories.iter().map(|s| s.id.chars().count()).max().unwrap_or_default().min(24);
    let line = |s: &Story| {
        let tries = match s.attempts {
            0 => String::new(),
            1 => " (1 failed attempt)".to_owned(),
            n => format!(" ({n} failed attempts)"),
        };
        let id = cut(&one_line(&s.id), 24).into_owned();
        let title = cut(&one_line(&s.title), 70).into_owned();
        format!("{} {id:width$}  p{}  {title}{tries}\n", mark(s.status), s.priority)
    };
    stories.iter().map(line).collect()
}

/// A sign and the word of a status, of one width.
fn mark(status: Status) -> String {
    let sign = match status {
        Status::Pending => "·",
        Status::InProgress => "▸",
        Status::ReadyForReview => "?",
        Status::Passed => "✓",
        Status::Failed => "✗",
        Status::Blocked => "■",
    };
    let word = if status == Status::ReadyForReview { "review" } else { status.name() };
    format!("{sign} {word:11}")
}

/// A story as data, the same for both forms.
pub fn to_json(story: &Story) -> Value {
    json!({
        "id": story.id,
        "title": story.title,
        "description": story.description,
        "priority": story.priority,
        "status": story.status.name(),
        "validation_command": story.validation_command,
        "acceptance_criteria": story.acceptance_criteria,
        "depends_on": story.depends_on,
        "attempts": story.attempts,
        "last_error": story.last_error,
        "feedback": story.feedback,
        "files_touched": story.files_touched,
    })
}

fn show(project: &Project, id: &str, as_json: bool) -> Result<()> {
    let list = list::read(project)?;
    let (_, s) = list::find(&list, id)?;
    if as_json {
        return project.context.print(&format!("{:#}", to_json(s)));
    }
    let mut out = format!("{}  {}\n", s.id, one_line(&s.title));
    let mut field = |name: &str, text: &str| {
        let text = printable(text);
        if !text.trim().is_empty() {
            out.push_str(&format!("  {name}: {}\n", text.trim().replace('\n', "\n    ")));
        }
    };
    field("status", s.status.name());
    field("priority", &s.priority.to_string());
    field("description", &s.description);
    let criteria: Vec<String> = s.acceptance_criteria.iter().map(|c| format!("\n- {c}")).collect();
    field("criteria", &criteria.concat());
    field("validation", s.validation_command.as_deref().unwrap_or("(the default)"));
    field("depends on", &s.depends_on.join(", "));
    field("failed attempts", &s.attempts.to_string());
    field("last error", s.last_error.as_deref().unwrap_or_default());
    field("feedback", s.feedback.as_deref().unwrap_or_default());
    field("files", &s.files_touched.join(", "));
    project.context.print(&out)
}

fn edit(
    project: &Project,
    id: &str,
    title: Option<&str>,
    status: Option<&str>,
    fields: &StoryFields,
) -> Result<()> {
    project.refuse_inside()?;
    check_validation(fields.validation.as_deref())?;
    let status = match status.map(|name| (name, Status::named(name))) {
        None => None,
        Some((_, Some(status))) if status != Status::InProgress => Some(status),
        Some((name, _)) => {
            return Err(Error::Usage(format!("`{name}` is no status that a story can be given")));
        }
    };
    list::change(project, |list| {
        let (index, story) = list::find(list, id)?;
        refuse_running(project, story)?;
        Ok(with_fields(list, index, title, fields))
    })?;
    if let Some(status) = status {
        let is_fresh = status == Status::Pending;
        let change = Change { attempts: is_fresh.then_some(0), ..Change::status(status) };
        list::change_story(project, id, &change)?;
    }
    project.context.print(&format!("changed {id}"))
}

/// The text with the fields that were given.
fn with_fields(list: &List, index: usize, title: Option<&str>, fields: &StoryFields) -> String {
    let form = list.prd.form;
    let criteria = match form {
        Form::Stories => "acceptance_criteria",
        Form::UserStories => "acceptanceCriteria",
    };
    let given = [
        ("title", title.map(|t| json!(t))),
        ("description", fields.description.as_ref().map(|t| json!(t))),
        ("priority", fields.priority.map(|p| json!(p))),
        ("validation_command", fields.validation.as_ref().map(|t| json!(t))),
        (criteria, (!fields.criterion.is_empty()).then(|| json!(fields.criterion))),
        ("depends_on", (!fields.depends_on.is_empty()).then(|| json!(fields.depends_on))),
    ];
    let given = given.into_iter().filter_map(|(key, value)| Some((key, value?)));
    given.fold(list.text.clone(), |text, (key, value)| {
        edit::set(&text, Place::Story(form, index), key, &value)
    })
}

/// A story that an executor works on is left alone.
fn refuse_running(project: &Project, story: &Story) -> Result<()> {
    match project.holder().filter(|_| story.status == Status::InProgress) {
        None => Ok(()),
        Some(pid) => Err(Error::problem(format!(
            "story `{}` is being worked on by process {}; wait, or `ccc ralph cancel` first",
            story.id,
            pid.as_raw_nonzero()
        ))),
    }
}

fn remove(project: &Project, id: &str) -> Result<()> {
    project.refuse_inside()?;
    list::change(project, |list| {
        let (index, story) = list::find(list, id)?;
        refuse_running(project, story)?;
        let needs = |s: &&Story| s.depends_on.iter().any(|d| d == id);
        if let Some(other) = list.prd.stories.iter().find(needs) {
            return Err(Error::problem(format!("story `{}` depends on `{id}`", other.id)));
        }
        Ok(edit::remove_story(&list.text, list.prd.form, index))
    })?;
    project.context.print(&format!("removed {id}"))
}
