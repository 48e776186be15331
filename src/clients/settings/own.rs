//! Which entries are ccc's own.

use jsonc_parser::ast::Value as Ast;
use serde_json::Value;

/// Characters that end a simple command when they stand unquoted.
const OPERATORS: &[char] = &[';', '|', '&', '(', ')', '<', '>', '\n', '`'];

/// Whether a shell command runs `ccc hook` and nothing else: its first word is a program of that
/// name, its second is `hook`. Assignments before it are skipped, as a shell does.
///
/// A list or pipeline is somebody's own composition: taking it out would take more than ccc's.
pub fn is_ours(command: &str) -> bool {
    runs(command, &["hook"])
}

/// Whether a simple shell command runs ccc with arguments that begin like these.
pub fn runs(command: &str, first: &[&str]) -> bool {
    let Some(words) = words(command) else { return false };
    let mut words = words.iter().map(String::as_str).skip_while(|w| is_assignment(w));
    words.next().is_some_and(is_program) && first.iter().all(|word| words.next() == Some(word))
}

fn is_program(word: &str) -> bool {
    word.rsplit('/').next() == Some("ccc")
}

fn is_assignment(word: &str) -> bool {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic())
            && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
    };
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

/// The words of a simple command as a shell splits them; expansions stay as they are. `None` for
/// a list, a pipeline, a redirection or an open quote.
fn words(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = command.trim().chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, c) if OPERATORS.contains(&c) => return None,
            (None, '#') if word.is_none() => break,
            (None, c) if c.is_ascii_whitespace() => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(q), c) if q == c => quote = None,
            (None, '\\') => word.get_or_insert_default().extend(chars.next()),
            // Between double quotes a backslash escapes these alone.
            (Some('"'), '\\') if chars.peek().is_some_and(|c| "\\\"$`".contains(*c)) => {
                word.get_or_insert_default().extend(chars.next());
            }
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// Whether a handler runs `ccc hook`, as a shell command or as a program with `args`.
fn is_own(command: Option<&str>, args: Option<Option<&str>>) -> bool {
    let Some(command) = command else { return false };
    match args {
        None => is_ours(command),
        Some(first) => is_program(command) && first == Some("hook"),
    }
}

/// Whether a handler of a settings value is ccc's.
pub fn is_own_value(handler: &Value) -> bool {
    let args = handler.get("args").and_then(Value::as_array);
    let first = args.map(|args| args.first().and_then(Value::as_str));
    is_own(handler.get("command").and_then(Value::as_str), first)
}

/// Whether a handler of a syntax tree is ccc's.
pub fn is_own_ast(handler: &Ast) -> bool {
    let Some(object) = handler.as_object() else { return false };
    // Of a key that stands twice the last one counts, as it does for the client.
    let get = |key: &str| object.properties.iter().rfind(|p| p.name.as_str() == key);
    let command = get("command").and_then(|p| p.value.as_string_lit());
    let args = get("args").and_then(|p| p.value.as_array());
    let first = args.map(|args| args.elements.first()?.as_string_lit().map(|s| s.value.as_ref()));
    is_own(command.map(|s| s.value.as_ref()), first)
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
            handlers.retain(|h| !is_own_value(h));
            handlers.len() == before || !handlers.is_empty()
        });
    }
    hooks.retain(|_, groups| groups.as_array().is_none_or(|g| !g.is_empty()));
    if let (true, Some(settings)) = (hooks.is_empty(), settings.as_object_mut()) {
        settings.shift_remove("hooks");
    }
}

/// Takes one variable out of the `env` of a settings value, and an `env` that is empty.
pub fn strip_env(settings: &mut Value, name: &str) {
    let Some(env) = settings.get_mut("env").and_then(Value::as_object_mut) else { return };
    env.shift_remove(name);
    if let (true, Some(settings)) = (env.is_empty(), settings.as_object_mut()) {
        settings.shift_remove("env");
    }
}
