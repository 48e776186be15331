//! Which entries are ccc's own.

use serde_json::Value;

/// Whether a shell command runs `ccc hook`: its first word is a program of that name, its second
/// is `hook`.
pub fn is_ours(command: &str) -> bool {
    let mut words = words(command).into_iter();
    let program = words.next().unwrap_or_default();
    let name = program.rsplit('/').next().unwrap_or_default();
    name == "ccc" && words.next().as_deref() == Some("hook")
}

/// The words of a simple command as a shell splits them. Expansions stay as they are.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(q), c) if q == c => quote = None,
            (None | Some('"'), '\\') => {
                word.get_or_insert_default().extend(chars.next());
            }
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Takes our entries out of a settings value, with the containers that become or are empty.
pub fn strip(settings: &mut Value) {
    if let Some(settings) =
        settings.as_object_mut().filter(|s| s.get("hooks") == Some(&Value::Null))
    {
        settings.shift_remove("hooks");
    }
    let Some(hooks) = settings.get_mut("hooks").and_then(Value::as_object_mut) else { return };
    for groups in hooks.values_mut().filter_map(Value::as_array_mut) {
        groups.retain_mut(|group| {
            let Some(handlers) = group.get_mut("hooks").and_then(Value::as_array_mut) else {
                return true;
            };
            let before = handlers.len();
            handlers.retain(|h| !h.get("command").and_then(Value::as_str).is_some_and(is_ours));
            handlers.len() == before || !handlers.is_empty()
        });
    }
    hooks.retain(|_, groups| groups.as_array().is_none_or(|g| !g.is_empty()));
    if let (true, Some(settings)) = (hooks.is_empty(), settings.as_object_mut()) {
        settings.shift_remove("hooks");
    }
}
