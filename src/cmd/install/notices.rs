//! What a user should know about an installation that may not do what it says.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::has_hook;
use crate::cli::Scope;
use crate::clients::settings;
use crate::cmd::Context;
use crate::cmd::wiring::{self, CAP_VARIABLE, SCOPES, settings_path};
use crate::error::Result;
use crate::rules::policy::CLAUDE_BLOCK_CAP;
use crate::sys::fs;

/// Settings that switch all hooks off, whosever they are (Claude Code 2.1.332).
pub fn disabled(context: &Context) -> Vec<String> {
    let is_off = |value: &Value| value.get("disableAllHooks") == Some(&Value::Bool(true));
    let files = all(context).into_iter().filter(|(_, value)| is_off(value));
    let tell = |(path, _): (PathBuf, Value)| {
        format!(
            "`disableAllHooks` in `{}` switches all hooks off, so ccc will not run",
            path.display()
        )
    };
    files.map(tell).collect()
}

/// Another registration besides `path`: the user's settings, or the plugin.
pub fn second(context: &Context, path: &Path) -> Result<Vec<String>> {
    let mut notices = Vec::new();
    let user = settings_path(context, Scope::User)?;
    if !fs::is_same(&user, path) && has_hook(&user) {
        notices.push(format!(
            "the hook is registered in `{}`, too; one of them is enough, `ccc uninstall` takes \
             that one out",
            user.display()
        ));
    }
    let plugins = |value: &Value| value.get("enabledPlugins").and_then(Value::as_object).cloned();
    for (file, value) in all(context) {
        let mut on =
            plugins(&value).into_iter().flatten().filter(|(_, on)| on == &Value::Bool(true));
        if let Some((name, _)) = on.find(|(name, _)| name.starts_with("ccc@")) {
            notices.push(format!(
                "the plugin `{name}` is enabled in `{}`, too; one registration is enough",
                file.display()
            ));
        }
    }
    Ok(notices)
}

/// The client's cap, when it is below what ccc may ask for.
pub fn cap(context: &Context, max: u32) -> Option<String> {
    if is_enough(context, max) {
        return None;
    }
    let cap = client_cap(context);
    Some(format!(
        "Claude Code overrides a hook after {cap} consecutive blocks without a tool call \
         ({CAP_VARIABLE}), below max_iterations ({max}); `ccc install --raise-cap` raises it"
    ))
}

/// Whether the client honors that many blocks in a row.
pub fn is_enough(context: &Context, max: u32) -> bool {
    let cap = client_cap(context);
    cap == 0 || cap >= max
}

/// The last settings file that names the cap, else the environment, else the client's default; 0
/// is no cap.
fn client_cap(context: &Context) -> u32 {
    let files = all(context).into_iter().rev();
    let mut named = files.filter_map(|(_, v)| settings::variable(&v, CAP_VARIABLE)?.parse().ok());
    named.next().or(context.env.claude_block_cap).unwrap_or(CLAUDE_BLOCK_CAP)
}

/// All settings files that can be read.
fn all(context: &Context) -> Vec<(PathBuf, Value)> {
    let read = |scope| {
        let path = settings_path(context, scope).ok()?;
        let text = wiring::read(&path).ok()??;
        Some((path, settings::parse_value(&text).ok()?))
    };
    SCOPES.into_iter().filter_map(read).collect()
}
