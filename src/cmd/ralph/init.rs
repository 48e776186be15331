//! `ccc ralph init`: a new list, empty or made from another one.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use serde_json::json;

use crate::cli::RalphInitArgs;
use crate::cmd::ralph::list::{self, MAX_LIST};
use crate::cmd::ralph::project::Project;
use crate::error::{Error, Exit, PathContext, Result};
use crate::rules::ralph::import::{self, Imported};
use crate::rules::ralph::story::Status;
use crate::sys::{clock, fs};

/// Makes `prd.json`; an existing one is left alone.
pub fn run(project: &Project, args: &RalphInitArgs) -> Result<Exit> {
    project.refuse_inside()?;
    let found = match &args.from {
        Some(file) => import(file)?,
        None => Imported::default(),
    };
    let now = clock::now_rfc3339();
    let dir = project.root.file_name().map(|n| n.to_string_lossy().into_owned());
    let names = [args.name.clone(), Some(found.name.clone()), dir];
    let name = names.into_iter().flatten().find(|n| !n.trim().is_empty()).unwrap_or_default();
    let description =
        if args.description.is_empty() { &found.description } else { &args.description };
    let stories: Vec<_> = found.stories.iter().map(|s| import::as_json(s, &now)).collect();
    let done = found.stories.iter().filter(|s| s.status == Status::Passed).count();
    let prd = json!({
        "version": "1.0",
        "project_name": name,
        "description": description,
        "stories": stories,
        "metadata": {
            "created_at": now,
            "total_iterations": 0,
            "total_stories_completed": done,
        },
    });
    let text = format!("{prd:#}\n");
    list::parse(project, text.as_bytes())?;
    let _lock = list::lock(project)?;
    create(&project.prd(), &text)?;
    list::keep(project, &text)?;
    let count = stories.len();
    let message = format!("{count} stories, {done} of them passed");
    project.event("ralph:init", json!({ "message": message, "stories": count }));
    let mut said = format!("wrote `{}` ({message})\n", project.prd().display());
    if found.left_out > 0 {
        said.push_str(&format!(
            "left out: {} under headings that are not required\n",
            found.left_out
        ));
    }
    said.push_str(match count {
        0 => "next: ccc ralph story add \"TITLE\" --validation \"COMMAND\"",
        _ => "next: ccc ralph story list, then ccc ralph loop",
    });
    project.context.print(&said)?;
    Ok(Exit::Ok)
}

fn import(file: &Path) -> Result<Imported> {
    let bytes = fs::read_optional(file, MAX_LIST).at("read", file)?;
    let bytes = bytes.ok_or_else(|| Error::problem(format!("there is no `{}`", file.display())))?;
    let found = import::read(&String::from_utf8_lossy(&bytes)).map_err(|flaw| Error::Syntax {
        path: file.to_path_buf(),
        line: flaw.line,
        column: flaw.column,
        problem: flaw.problem,
    })?;
    if found.stories.is_empty() {
        return Err(Error::problem(format!(
            "`{}` holds no stories: neither `stories`, nor `userStories`, nor items like `- [ ] text`",
            file.display()
        )));
    }
    Ok(found)
}

/// Makes a file that is not there yet, with the mode that the user's other files get.
fn create(path: &Path, text: &str) -> Result<()> {
    let mut file = match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
            return Err(Error::problem(format!(
                "`{}` is there already; change it with `ccc ralph story`, or move it away first",
                path.display()
            )));
        }
        Err(e) => return Err(e).at("write", path),
    };
    file.write_all(text.as_bytes()).and_then(|()| file.sync_data()).at("write", path).inspect_err(
        |_| {
            // Half a list is worse than none.
            let _ = std::fs::remove_file(path);
        },
    )
}
