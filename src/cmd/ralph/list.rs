//! `prd.json` on disk: read with its errors, changed under a lock, replaced by rename.
//!
//! A copy of what ccc wrote last stays in ccc's own directory, so that what an executor does to
//! the list can be told and undone.

use std::time::Duration;

use serde_json::json;

use crate::cmd::ralph::project::Project;
use crate::error::{Error, PathContext, Result};
use crate::rules::ralph::edit::{self, Place};
use crate::rules::ralph::prd::{self, Form, Prd};
use crate::rules::ralph::story::{Change, Status, Story};
use crate::sys::lock::Lock;
use crate::sys::{clock, fs};

/// Largest list that is read, in bytes.
pub const MAX_LIST: u64 = 8 << 20;
/// Longest wait for another writer, who needs milliseconds.
const WRITER_WAIT: Duration = Duration::from_secs(5);

/// A list as it was read.
#[derive(Clone, Debug)]
pub struct List {
    pub text: String,
    /// Completed by what is remembered beside it.
    pub prd: Prd,
}

/// Reads the list.
///
/// # Errors
/// It is not there, or something is wrong with it; the message names the place.
pub fn read(project: &Project) -> Result<List> {
    let path = project.prd();
    let bytes = fs::read_optional(&path, MAX_LIST).at("read", &path)?.ok_or_else(|| {
        Error::problem(format!(
            "there is no `{}`; make one with `ccc ralph init`, or call ccc in the project's directory",
            path.display()
        ))
    })?;
    parse(project, &bytes)
}

/// Makes a list of its bytes.
///
/// # Errors
/// Something is wrong with it.
pub fn parse(project: &Project, bytes: &[u8]) -> Result<List> {
    let mut prd = prd::read(bytes).map_err(|flaw| Error::Syntax {
        path: project.prd(),
        line: flaw.line,
        column: flaw.column,
        problem: flaw.problem,
    })?;
    if let Some((_, state)) = project.state() {
        state.complete(&mut prd);
    }
    Ok(List { text: String::from_utf8_lossy(bytes).into_owned(), prd })
}

/// Changes the text of the list under its lock. `change` returns the new text.
///
/// # Errors
/// The list cannot be read or written, or the change does not leave a good one; the file is then
/// as it was.
pub fn change(project: &Project, change: impl FnOnce(&List) -> Result<String>) -> Result<List> {
    let _lock = lock(project)?;
    let old = read(project)?;
    let text = change(&old)?;
    if text == old.text {
        return Ok(old);
    }
    let new = parse(project, text.as_bytes())?;
    write(project, &text)?;
    Ok(new)
}

/// Replaces the list, and remembers what it is now. The caller holds the lock.
///
/// # Errors
/// It cannot be written; the file is then as it was.
pub fn write(project: &Project, text: &str) -> Result<()> {
    let path = project.prd();
    fs::write_atomic(&path, text.as_bytes()).at("write", &path)?;
    keep(project, text)
}

/// Remembers the list as it is now for [`kept`].
///
/// # Errors
/// The copy cannot be written.
pub fn keep(project: &Project, text: &str) -> Result<()> {
    let copy = project.own("prd.json");
    fs::write_atomic(&copy, text.as_bytes()).at("write", &copy)
}

/// The list as ccc left it.
///
/// # Errors
/// The copy cannot be read.
#[allow(dead_code, reason = "for the iteration")]
pub fn kept(project: &Project) -> Result<Option<String>> {
    let copy = project.own("prd.json");
    let bytes = fs::read_optional(&copy, MAX_LIST).at("read", &copy)?;
    Ok(bytes.map(|b| String::from_utf8_lossy(&b).into_owned()))
}

/// Takes the lock of those who write the list.
///
/// # Errors
/// Somebody keeps it.
pub fn lock(project: &Project) -> Result<Lock> {
    project.make_own_dir()?;
    let path = project.own("prd.lock");
    let lock = Lock::acquire(&path, WRITER_WAIT).at("lock", &path)?;
    lock.ok_or_else(|| {
        Error::problem(format!("`{}` is being written; try again", project.prd().display()))
    })
}

/// Changes one story, where its list has room for it, and beside the list else.
///
/// # Errors
/// The story is not there, or something cannot be written.
pub fn change_story(project: &Project, id: &str, what: &Change) -> Result<List> {
    let new = change(project, |list| {
        let (index, story) = find(list, id)?;
        if list.prd.form == Form::UserStories {
            project.remember(|_, state| state.note(story, what))?;
        }
        Ok(changed(&list.text, list.prd.form, index, story, what))
    })?;
    // What was noted beside the list belongs to it, too.
    parse(project, new.text.as_bytes())
}

/// The story with this id.
///
/// # Errors
/// There is none.
pub fn find<'a>(list: &'a List, id: &str) -> Result<(usize, &'a Story)> {
    list.prd.find(id).ok_or_else(|| {
        Error::problem(format!("there is no story `{id}`; `ccc ralph story list` shows them all"))
    })
}

fn changed(text: &str, form: Form, index: usize, story: &Story, what: &Change) -> String {
    let place = Place::Story(form, index);
    let set = |text: String, key: &str, value| edit::set(&text, place, key, &value);
    let mut text = text.to_owned();
    if form == Form::UserStories {
        // Written only when it turns: a form that is not ours gets no new fields.
        let passes = what.status.map(|s| s == Status::Passed);
        return match passes.filter(|p| *p != (story.status == Status::Passed)) {
            Some(passes) => set(text, "passes", json!(passes)),
            None => text,
        };
    }
    if let Some(status) = what.status {
        text = set(text, "status", json!(status.name()));
    }
    if let Some(attempts) = what.attempts {
        text = set(text, "attempts", json!(attempts));
    }
    for (key, value) in [("last_error", &what.last_error), ("feedback", &what.feedback)] {
        match value {
            Some(Some(value)) => text = set(text, key, json!(value)),
            Some(None) => text = edit::unset(&text, place, key),
            None => {}
        }
    }
    if let Some(files) = &what.files_touched {
        text = set(text, "files_touched", json!(files));
    }
    set(text, "updated_at", json!(clock::now_rfc3339()))
}
