//! The settings files that decide whether Claude Code runs the hook.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cli::Scope;
use crate::clients::claude::MANAGED_SETTINGS;
use crate::clients::settings;
use crate::cmd::Context;
use crate::cmd::wiring::{self, SCOPES, settings_path};
use crate::error::Result;
use crate::sys::fs;

/// One settings file.
#[derive(Debug)]
pub struct SettingsFile {
    /// `None` for the one of the administrator.
    pub scope: Option<Scope>,
    pub path: PathBuf,
    /// Its text; empty when there is no file.
    pub text: String,
    pub value: Value,
    /// Why it cannot be used, as a sentence.
    pub problem: Option<String>,
}

impl SettingsFile {
    fn read(scope: Option<Scope>, path: PathBuf) -> Self {
        let mut file = Self { scope, path, text: String::new(), value: Value::Null, problem: None };
        match wiring::read(&file.path) {
            Ok(text) => file.text = text.unwrap_or_default(),
            Err(e) => file.problem = Some(e.to_string()),
        }
        match settings::parse_value(&file.text) {
            Ok(value) => file.value = value,
            Err(refusal) => file.problem = Some(place_of(&file.path, &refusal)),
        }
        file
    }

    /// Whose settings these are.
    pub fn name(&self) -> &'static str {
        match self.scope {
            Some(Scope::User) => "user",
            Some(Scope::Project) => "project",
            Some(Scope::Local) => "local",
            None => "managed",
        }
    }
}

fn place_of(path: &Path, refusal: &settings::Refusal) -> String {
    match refusal {
        settings::Refusal::Syntax { line, column, problem } => {
            format!(
                "`{}` does not parse at line {line}, column {column}: {problem}",
                path.display()
            )
        }
        settings::Refusal::Shape(why) => format!("in `{}` {why}", path.display()),
    }
}

/// The user's, the project's and the local settings, then the administrator's; a file that two
/// scopes share counts once.
pub fn all(context: &Context) -> Result<Vec<SettingsFile>> {
    let mut files: Vec<SettingsFile> = Vec::new();
    for scope in SCOPES {
        let path = settings_path(context, scope)?;
        if !files.iter().any(|f| fs::is_same(&f.path, &path)) {
            files.push(SettingsFile::read(Some(scope), path));
        }
    }
    let managed = MANAGED_SETTINGS.iter().map(PathBuf::from).filter(|p| p.exists());
    files.extend(managed.map(|path| SettingsFile::read(None, path)));
    Ok(files)
}
