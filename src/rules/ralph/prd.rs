//! Reads `prd.json`: its two forms, and what is wrong with it, with line and column.
//!
//! The own form has `stories[]` with a `status`; the other one has `userStories[]` with `passes`
//! and no room for attempts and errors, which are kept elsewhere (see `state`).

use std::collections::{BTreeMap, BTreeSet};

use jsonc_parser::ast::Value as Ast;
use jsonc_parser::common::Ranged;
use serde_json::Value;

use crate::rules::ralph::edit;
use crate::rules::ralph::story::{DEFAULT_PRIORITY, Status, Story};

/// Which of the two forms a list has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Stories,
    UserStories,
}

impl Form {
    /// The key of the list.
    pub fn key(self) -> &'static str {
        match self {
            Self::Stories => "stories",
            Self::UserStories => "userStories",
        }
    }
}

/// A list that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Prd {
    pub form: Form,
    pub name: String,
    pub description: String,
    /// In the order of the file.
    pub stories: Vec<Story>,
    /// `metadata.total_iterations`.
    pub total_iterations: u64,
}

/// What is wrong with a list, and where. Line and column are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    pub line: usize,
    pub column: usize,
    pub problem: String,
}

impl Flaw {
    fn at(text: &str, offset: usize, problem: impl Into<String>) -> Self {
        let before = &text[..text.floor_char_boundary(offset)];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Self { line, column, problem: problem.into() }
    }
}

impl Prd {
    /// The story with this id, and its place in the list.
    pub fn find(&self, id: &str) -> Option<(usize, &Story)> {
        self.stories.iter().enumerate().find(|(_, s)| s.id == id)
    }

    /// How many stories have this status.
    pub fn count(&self, status: Status) -> usize {
        self.stories.iter().filter(|s| s.status == status).count()
    }

    /// Whether there is nothing left to do. An empty list is.
    pub fn is_done(&self) -> bool {
        self.stories.iter().all(|s| s.status == Status::Passed)
    }
}

/// Reads a list.
///
/// # Errors
/// It is not UTF-8 or not JSON, not a list of stories, an id stands twice or is missing, a status
/// is unknown, or stories depend on each other in a circle or on one that is not there.
pub fn read(bytes: &[u8]) -> Result<Prd, Flaw> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => edit::body(text),
        Err(e) => {
            let good = String::from_utf8_lossy(&bytes[..e.valid_up_to()]);
            return Err(Flaw::at(&good, good.len(), "it is not UTF-8"));
        }
    };
    let value: Value = serde_json::from_str(text).map_err(|e| {
        let said = e.to_string();
        let problem = said.split(" at line ").next().unwrap_or(&said).to_owned();
        Flaw { line: e.line().max(1), column: e.column().max(1), problem }
    })?;
    let Some(root) = value.as_object() else {
        return Err(Flaw::at(text, 0, "the list must be a JSON object"));
    };
    let form = match (root.get("stories"), root.get("userStories")) {
        (Some(_), _) => Form::Stories,
        (None, Some(_)) => Form::UserStories,
        (None, None) => {
            return Err(Flaw::at(text, 0, "there is neither `stories` nor `userStories`"));
        }
    };
    let starts = starts(text, form)?;
    let list = root.get(form.key()).and_then(Value::as_array).map(Vec::as_slice);
    let at = |i: usize| starts.get(i).copied().unwrap_or_default();
    let mut stories = Vec::new();
    for (i, value) in list.unwrap_or_default().iter().enumerate() {
        stories.push(story(value, form).map_err(|problem| Flaw::at(text, at(i), problem))?);
    }
    check(&stories).map_err(|(i, problem)| Flaw::at(text, at(i), problem))?;
    let word = |keys: &[&str]| {
        keys.iter().find_map(|k| root.get(*k)?.as_str()).unwrap_or_default().to_owned()
    };
    Ok(Prd {
        form,
        name: word(&["project_name", "project", "name"]),
        description: word(&["description"]),
        stories,
        total_iterations: root
            .get("metadata")
            .and_then(|m| m.get("total_iterations")?.as_u64())
            .unwrap_or_default(),
    })
}

/// Where each story begins.
fn starts(text: &str, form: Form) -> Result<Vec<usize>, Flaw> {
    edit::with_root(text, |root| match root.get(form.key()).map(|p| &p.value) {
        Some(Ast::Array(list)) => Ok(list.elements.iter().map(|e| e.range().start).collect()),
        Some(other) => {
            Err(Flaw::at(text, other.range().start, format!("`{}` is not a list", form.key())))
        }
        None => Ok(Vec::new()),
    })
    .unwrap_or_else(|| Err(Flaw::at(text, 0, "it cannot be edited: a key may stand twice")))
}

fn story(value: &Value, form: Form) -> Result<Story, String> {
    let Some(map) = value.as_object() else { return Err("a story must be an object".into()) };
    let text = |keys: &[&str]| keys.iter().find_map(|k| map.get(*k)?.as_str()).map(str::to_owned);
    let list = |keys: &[&str]| {
        let all = keys.iter().find_map(|k| map.get(*k)?.as_array()).into_iter().flatten();
        all.filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
    };
    let id = match map.get("id") {
        Some(Value::String(id)) if !id.trim().is_empty() => id.clone(),
        Some(Value::Number(id)) => id.to_string(),
        _ => return Err("a story has no `id`".into()),
    };
    let priority = map.get("priority").and_then(Value::as_f64);
    let filled = |text: Option<String>| text.filter(|t| !t.trim().is_empty());
    Ok(Story {
        title: text(&["title"]).unwrap_or_else(|| id.clone()),
        description: text(&["description"]).unwrap_or_default(),
        // Of a fraction the whole part is enough to sort by.
        priority: priority.map_or(DEFAULT_PRIORITY, |p| p.floor() as i64),
        status: status(map, form, &id)?,
        validation_command: filled(text(&["validation_command", "validationCommand"])),
        acceptance_criteria: list(&["acceptance_criteria", "acceptanceCriteria"]),
        depends_on: list(&["depends_on", "dependsOn"]),
        attempts: map
            .get("attempts")
            .and_then(Value::as_u64)
            .and_then(|n| n.try_into().ok())
            .unwrap_or_default(),
        last_error: filled(text(&["last_error"])),
        feedback: filled(text(&["feedback"])),
        notes: text(&["notes"]).unwrap_or_default(),
        files_touched: list(&["files_touched"]),
        id,
    })
}

fn status(map: &serde_json::Map<String, Value>, form: Form, id: &str) -> Result<Status, String> {
    // Only `true` has passed: the text "false" and the number 1 are somebody's slip.
    let passes = map.get("passes") == Some(&Value::Bool(true));
    let by_passes = if passes { Status::Passed } else { Status::Pending };
    match (form, map.get("status")) {
        (Form::UserStories, _) | (Form::Stories, None) => Ok(by_passes),
        (Form::Stories, Some(value)) => value.as_str().and_then(Status::named).ok_or_else(|| {
            let known = Status::ALL.map(Status::name).join(", ");
            format!("story `{id}` has the unknown status {value}; known are {known}")
        }),
    }
}

/// What is wrong with the stories together, with the place of the story to blame.
fn check(stories: &[Story]) -> Result<(), (usize, String)> {
    let mut seen = BTreeMap::new();
    for (i, story) in stories.iter().enumerate() {
        if seen.insert(story.id.as_str(), i).is_some() {
            return Err((i, format!("the id `{}` stands twice", story.id)));
        }
    }
    for (i, story) in stories.iter().enumerate() {
        if let Some(missing) = story.depends_on.iter().find(|d| !seen.contains_key(d.as_str())) {
            return Err((
                i,
                format!("story `{}` depends on `{missing}`, which is not there", story.id),
            ));
        }
    }
    let mut done = BTreeSet::new();
    for i in 0..stories.len() {
        if let Some(circle) = circle(stories, &seen, i, &mut Vec::new(), &mut done) {
            return Err((i, format!("stories depend on each other in a circle: {circle}")));
        }
    }
    Ok(())
}

/// The first circle that is met from a story on, in words.
fn circle<'a>(
    stories: &'a [Story],
    places: &BTreeMap<&'a str, usize>,
    at: usize,
    path: &mut Vec<&'a str>,
    done: &mut BTreeSet<usize>,
) -> Option<String> {
    let story = &stories[at];
    if let Some(from) = path.iter().position(|id| *id == story.id) {
        return Some(format!("{} -> {}", path[from..].join(" -> "), story.id));
    }
    if !done.insert(at) {
        return None;
    }
    path.push(&story.id);
    let next = story.depends_on.iter().filter_map(|d| places.get(d.as_str()).copied());
    let found =
        next.collect::<Vec<_>>().into_iter().find_map(|n| circle(stories, places, n, path, done));
    path.pop();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read() {
        let own = read(br#"{"project_name":"N","stories":[{"id":"a","status":"failed","attempts":2,"priority":1.5}]}"#).unwrap();
        assert_eq!(
            (own.form, own.stories[0].status, own.stories[0].attempts),
            (Form::Stories, Status::Failed, 2)
        );
        assert_eq!((own.stories[0].priority, own.stories[0].title.as_str()), (1, "a"));
        let other = read(
            "\u{feff}{\"project\":\"N\",\"userStories\":[{\"id\":1,\"passes\":\"false\",\"acceptanceCriteria\":[\"x\"]},{\"id\":\"b\",\"passes\":true}]}".as_bytes(),
        )
        .unwrap();
        assert_eq!(other.name, "N");
        assert_eq!(
            (other.stories[0].id.as_str(), other.stories[0].priority),
            ("1", DEFAULT_PRIORITY)
        );
        let status: Vec<_> = other.stories.iter().map(|s| s.status).collect();
        assert_eq!(status, [Status::Pending, Status::Passed]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let table: [(&str, usize, &str); 11] = [
            ("{\n\"stories\": [}", 2, "expected value"),
            ("", 1, "EOF"),
            ("[]", 1, "must be a JSON object"),
            ("{}", 1, "neither"),
            ("{\"stories\":\n 7}", 2, "not a list"),
            ("{\"stories\":[\n7]}", 2, "must be an object"),
            ("{\"stories\":[\n{}]}", 2, "no `id`"),
            ("{\"stories\":[{\"id\":\"a\"},\n\n{\"id\":\"a\"}]}", 3, "`a` stands twice"),
            ("{\"stories\":[{\"id\":\"a\",\"status\":\"done\"}]}", 1, "unknown status \"done\""),
            ("{\"stories\":[{\"id\":\"a\",\"depends_on\":[\"z\"]}]}", 1, "depends on `z`"),
            (
                "{\"stories\":[{\"id\":\"x\",\"depends_on\":[\"a\"]},{\"id\":\"a\",\"depends_on\":[\"b\"]},{\"id\":\"b\",\"depends_on\":[\"a\"]}]}",
                1,
                "circle: a -> b -> a",
            ),
        ];
        for (text, line, problem) in table {
            let flaw = read(text.as_bytes()).unwrap_err();
            assert_eq!(flaw.line, line, "{text}: {flaw:?}");
            assert!(flaw.problem.contains(problem), "{text}: {flaw:?}");
        }
        assert_eq!(read(b"{\n\xff").unwrap_err().line, 2);
    }
}
