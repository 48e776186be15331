//! Turns another list of work into stories: a list in one of the two forms, a Markdown checklist,
//! or a `fix_plan.md`.

use serde_json::{Value, json};

use crate::rules::ralph::prd::{self, Flaw};
use crate::rules::ralph::story::{DEFAULT_PRIORITY, Status, Story};
use crate::rules::text::{cut, one_line};

/// Headings whose items are not required.
const OPTIONAL: [&str; 5] = ["optional", "future", "nice to have", "nice-to-have", "later"];
/// Longest title, in characters; the whole line becomes the description.
const MAX_TITLE: usize = 100;

/// What was found in another list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    pub name: String,
    pub description: String,
    pub stories: Vec<Story>,
    /// Items under a heading that says they are not required.
    pub left_out: usize,
}

/// Reads a list: JSON by its first character, else Markdown.
///
/// # Errors
/// JSON that is no list of stories.
pub fn read(text: &str) -> Result<Imported, Flaw> {
    if text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[']) {
        let prd = prd::read(text.as_bytes())?;
        return Ok(Imported {
            name: prd.name,
            description: prd.description,
            stories: prd.stories,
            left_out: 0,
        });
    }
    Ok(markdown(text))
}

/// Items of a checklist; `[x]` has passed. A heading `High Priority` (`Medium`, `Low`) gives the
/// priority 1 (3, 7). Deeper items are the acceptance criteria of the one above.
fn markdown(text: &str) -> Imported {
    let mut found = Imported::default();
    let mut section = (DEFAULT_PRIORITY, true);
    // A heading below an optional one is optional, too.
    let mut optional_level = None;
    let mut indent = 0;
    for line in text.lines() {
        if let Some((level, title)) = heading(line) {
            if level == 1 && found.name.is_empty() {
                found.name = one_line(title);
            }
            if optional_level.is_some_and(|l| level <= l) {
                optional_level = None;
            }
            if optional_level.is_none() && is_optional(title) {
                optional_level = Some(level);
            }
            section = (priority(title), optional_level.is_none());
            continue;
        }
        let Some((depth, is_done, item)) = item(line) else { continue };
        if !section.1 {
            found.left_out += 1;
            continue;
        }
        match found.stories.last_mut() {
            Some(above) if depth > indent => above.acceptance_criteria.push(one_line(item)),
            _ => {
                indent = depth;
                found.stories.push(story(item, is_done, section.0));
            }
        }
    }
    number(&mut found.stories);
    found
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|&b| b == b'#').count();
    let rest = line.get(level..).filter(|r| level > 0 && r.starts_with([' ', '\t']))?;
    Some((level, rest.trim().trim_end_matches('#').trim()))
}

fn is_optional(title: &str) -> bool {
    let title = title.to_lowercase();
    OPTIONAL.iter().any(|word| title.contains(word))
}

fn priority(title: &str) -> i64 {
    let title = title.to_lowercase();
    let has = |word: &str| title.split(|c: char| !c.is_alphanumeric()).any(|w| w == word);
    match () {
        () if has("high") || has("critical") || has("urgent") => 1,
        () if has("medium") => 3,
        () if has("low") => 7,
        () => DEFAULT_PRIORITY,
    }
}

/// A line `- [ ] text`: its indentation, whether it is ticked, its text.
fn item(line: &str) -> Option<(usize, bool, &str)> {
    let bare = line.trim_start();
    let indent = line.len() - bare.len();
    let rest = bare.strip_prefix(['-', '*', '+']).or_else(|| {
        let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
        bare.get(digits..)?.strip_prefix(['.', ')']).filter(|_| digits > 0)
    })?;
    let rest = rest.trim_start().strip_prefix('[')?;
    let mark = rest.chars().next()?;
    let text = rest[mark.len_utf8()..].strip_prefix(']')?.trim();
    (!text.is_empty()).then_some((indent, matches!(mark, 'x' | 'X'), text))
}

fn story(item: &str, is_done: bool, priority: i64) -> Story {
    let title = one_line(&item.replace("**", ""));
    Story {
        title: cut(&title, MAX_TITLE).into_owned(),
        description: if title.chars().count() > MAX_TITLE { title } else { String::new() },
        priority,
        status: if is_done { Status::Passed } else { Status::Pending },
        ..Story::default()
    }
}

fn number(stories: &mut [Story]) {
    for (i, story) in stories.iter_mut().enumerate() {
        story.id = format!("story-{}", i + 1);
    }
}

/// A story as it is written into a list of the own form.
pub fn as_json(story: &Story, now: &str) -> Value {
    let mut value = json!({
        "id": story.id,
        "title": story.title,
        "description": story.description,
        "priority": story.priority,
        "status": story.status.name(),
        "validation_command": story.validation_command,
        "acceptance_criteria": story.acceptance_criteria,
    });
    if !story.depends_on.is_empty() {
        value["depends_on"] = json!(story.depends_on);
    }
    if !story.notes.is_empty() {
        value["notes"] = json!(story.notes);
    }
    value["attempts"] = json!(story.attempts);
    value["files_touched"] = json!(story.files_touched);
    value["created_at"] = json!(now);
    value["updated_at"] = json!(now);
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fix_plan_keeps_what_is_required() {
        let plan = "# Ralph Fix Plan\n## High Priority\n- [ ] **Parse** the file\n  - [ ] keeps order\n- [x] Set up\n\
            ## Low\n1. [ ] Colors\n## Nice to Have\n- [ ] Music\n### More\n- [ ] Video\n## Notes\n- plain\n* [X] Old\n";
        let found = read(plan).unwrap();
        let all: Vec<_> = found
            .stories
            .iter()
            .map(|s| (s.id.as_str(), s.title.as_str(), s.priority, s.status))
            .collect();
        assert_eq!(
            all,
            [
                ("story-1", "Parse the file", 1, Status::Pending),
                ("story-2", "Set up", 1, Status::Passed),
                ("story-3", "Colors", 7, Status::Pending),
                ("story-4", "Old", DEFAULT_PRIORITY, Status::Passed),
            ]
        );
        assert_eq!(found.stories[0].acceptance_criteria, ["keeps order"]);
        assert_eq!((found.left_out, found.name.as_str()), (2, "Ralph Fix Plan"));
    }

    #[test]
    fn a_list_of_the_other_form_is_read() {
        let found = read(r#"{"project":"P","userStories":[{"id":"US-1","title":"T","passes":true,"notes":"n"}]}"#).unwrap();
        assert_eq!((found.stories[0].status, found.name.as_str()), (Status::Passed, "P"));
        assert_eq!(as_json(&found.stories[0], "t")["notes"], "n");
        assert!(read("{").is_err() && read("no items").unwrap().stories.is_empty());
    }
}
