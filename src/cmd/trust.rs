//! `ccc trust`, `ccc untrust`: whether this project's config may run commands.

use crate::cmd::Context;
use crate::config;
use crate::error::{Error, Exit, PathContext, Result};
use crate::paths;
use crate::sys::trust;

/// Allows the present content of the project's config.
pub fn allow(context: &Context) -> Result<Exit> {
    let list = context.paths()?.trust();
    let file = paths::project_config(&context.project);
    match config::read_project_file(&context.project) {
        None => {
            context
                .print(&format!("nothing to trust: there is no readable `{}`", file.display()))?;
        }
        Some((bytes, asks)) => {
            trust::allow(&list, &context.project, &bytes).at("write", &list)?;
            let what = if asks { "its commands run now" } else { "it asks for no commands" };
            context.print(&format!(
                "trusted `{}` as it is now ({what}); any change to it needs `ccc trust` again",
                file.display()
            ))?;
        }
    }
    Ok(Exit::Ok)
}

/// Takes the permission back.
pub fn revoke(context: &Context) -> Result<Exit> {
    let list = context.paths()?.trust();
    let was_there = trust::revoke(&list, &context.project).at("write", &list)?;
    if !was_there {
        let project = context.project.display();
        return Err(Error::problem(format!("the config of `{project}` was not trusted")));
    }
    context.print("its commands do not run any more")?;
    Ok(Exit::Ok)
}
