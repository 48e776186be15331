//! Edits the text of a Claude Code settings file: adds and takes out ccc's own hook entries, and
//! keeps every byte that is not its own.
//!
//! Positions come from the parser, the change itself is a splice of text. Each result is parsed
//! again and must differ from the old text by our entries alone.

mod audit;
mod own;
mod status_line;
mod variable;

use std::collections::BTreeMap;

use jsonc_parser::ast::{Array, Object, Value as Ast};
use jsonc_parser::common::Range;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Value, json};

use crate::rules::json_splice::{self as splice, Style, append, remove_element};
pub use audit::audit;
pub use own::is_ours;
use own::{is_own_ast, is_own_value};
pub use status_line::{Owner, owner as status_line_owner, remove_status_line, set_status_line};
pub use variable::{remove_variable, set_variable, variable};

/// An entry under `hooks.<event>`.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub event: &'static str,
    /// The shell command.
    pub command: String,
    /// Seconds.
    pub timeout: u64,
    /// What the client shows while the hook runs.
    pub status_message: Option<&'static str>,
}

/// Why a text is not edited.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// It does not parse. Line and column are counted from 1.
    Syntax { line: usize, column: usize, problem: String },
    /// It parses, but is not of the shape of a settings file.
    Shape(String),
}

/// Containers that were there before ccc came, by their dotted path (`""`, `hooks`, `hooks.Stop`,
/// ..). For an empty one the text between its brackets.
pub type Kept = BTreeMap<String, Option<String>>;

type Result<T> = std::result::Result<T, Refusal>;

/// The text with exactly these entries of ours: new ones are added, old ones brought up to date,
/// piled-up ones taken out. An up-to-date text comes back as it was.
///
/// # Errors
/// The text does not parse, or has another shape.
pub fn install(text: &str, entries: &[Entry]) -> Result<String> {
    let (bom, body) = split_bom(text);
    let mut new = if body.trim().is_empty() { "{}\n".to_owned() } else { body.to_owned() };
    for entry in entries {
        check_shape(&new, entry.event)?;
        let ours = own_handlers(&new, entry.event)?;
        if ours.len() == 1 && ours[0] == handler(entry) {
            continue;
        }
        new = match ours.len() {
            0 => add(&new, entry)?,
            1 => refresh(&new, entry)?,
            _ => add(&remove_event(&new, entry.event)?, entry)?,
        };
    }
    verify(body, &new)?;
    Ok(format!("{bom}{new}"))
}

/// The text without any entry of ours. Containers that become empty go, too; those in `kept` stay
/// and are empty in the way they were.
///
/// # Errors
/// The text does not parse.
pub fn uninstall(text: &str, events: &[&str], kept: &Kept) -> Result<String> {
    let (bom, body) = split_bom(text);
    if body.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let mut new = body.to_owned();
    for event in events {
        let had = !own_handlers(&new, event)?.is_empty();
        new = remove_event(&new, event)?;
        if had {
            new = remove_if_empty(&new, &["hooks", event], kept)?;
        }
    }
    if new != body {
        new = remove_if_empty(&new, &["hooks"], kept)?;
        new = remove_if_empty(&new, &[], kept)?;
    }
    verify(body, &new)?;
    Ok(format!("{bom}{new}"))
}

/// Commands of ours under `hooks.<event>`.
///
/// # Errors
/// The text does not parse.
pub fn own_commands(text: &str, event: &str) -> Result<Vec<String>> {
    let (_, body) = split_bom(text);
    let handlers = own_handlers(body, event)?;
    let command = |h: &Value| h.get("command").and_then(Value::as_str).map(str::to_owned);
    Ok(handlers.iter().filter_map(command).collect())
}

/// Which of these containers are in the text, by their dotted path.
pub fn containers(text: &str, paths: &[&str]) -> Kept {
    let (_, body) = split_bom(text);
    let look = |path: &&str| {
        let keys: Vec<&str> = path.split('.').filter(|key| !key.is_empty()).collect();
        let found = with_root(body, |root| Ok(container(root, &keys)?.map(|c| inside(body, &c))));
        Some(((*path).to_owned(), found.ok()??))
    };
    paths.iter().filter_map(look).collect()
}

/// The text as a JSON value; an empty one is an empty object.
///
/// # Errors
/// The text does not parse.
pub fn parse_value(text: &str) -> Result<Value> {
    let (_, body) = split_bom(text);
    if body.trim().is_empty() {
        return Ok(json!({}));
    }
    with_root(body, |_| Ok(()))?;
    jsonc_parser::parse_to_serde_value(body, &options()).map_err(|e| syntax(&e))
}

fn split_bom(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 })
}

/// Comments and trailing commas are what Claude Code's users write; nothing looser.
fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn syntax(e: &jsonc_parser::errors::ParseError) -> Refusal {
    let (line, column) = (e.line_display(), e.column_display());
    Refusal::Syntax { line, column, problem: e.kind().to_string() }
}

fn with_root<T>(text: &str, then: impl FnOnce(&Object) -> Result<T>) -> Result<T> {
    let parsed =
        parse_to_ast(text, &CollectOptions::default(), &options()).map_err(|e| syntax(&e))?;
    match &parsed.value {
        Some(Ast::Object(root)) => then(root),
        _ => Err(Refusal::Shape("it is not a JSON object".into())),
    }
}

/// A property; a key that stands twice is refused, since readers differ on which one counts.
fn get<'a, 'b>(object: &'b Object<'a>, key: &str) -> Result<Option<&'b Ast<'a>>> {
    let mut found = object.properties.iter().filter(|p| p.name.as_str() == key);
    let first = found.next();
    match found.next() {
        None => Ok(first.map(|p| &p.value)),
        Some(_) => Err(Refusal::Shape(format!("the key \"{key}\" stands there twice"))),
    }
}

fn hooks<'a, 'b>(root: &'b Object<'a>) -> Result<Option<&'b Object<'a>>> {
    match get(root, "hooks")? {
        None | Some(Ast::NullKeyword(_)) => Ok(None),
        Some(Ast::Object(hooks)) => Ok(Some(hooks)),
        Some(_) => Err(Refusal::Shape("\"hooks\" is not an object".into())),
    }
}

fn groups<'a, 'b>(root: &'b Object<'a>, event: &str) -> Result<Option<&'b Array<'a>>> {
    let Some(hooks) = hooks(root)? else { return Ok(None) };
    match get(hooks, event)? {
        None => Ok(None),
        Some(Ast::Array(groups)) => Ok(Some(groups)),
        Some(_) => Err(Refusal::Shape(format!("\"hooks.{event}\" is not a list"))),
    }
}

fn check_shape(text: &str, event: &str) -> Result<()> {
    with_root(text, |root| groups(root, event).map(|_| ()))
}

fn handlers<'a, 'b>(group: &'b Ast<'a>) -> Option<&'b Array<'a>> {
    group.as_object()?.properties.iter().find(|p| p.name.as_str() == "hooks")?.value.as_array()
}

fn own_handlers(text: &str, event: &str) -> Result<Vec<Value>> {
    let value: Value =
        jsonc_parser::parse_to_serde_value(text, &options()).map_err(|e| syntax(&e))?;
    let groups = value.get("hooks").and_then(|h| h.get(event)).and_then(Value::as_array);
    let handlers =
        groups.into_iter().flatten().filter_map(|g| g.get("hooks")?.as_array()).flatten();
    Ok(handlers.filter(|h| is_own_value(h)).cloned().collect())
}

fn handler(entry: &Entry) -> Value {
    let mut handler =
        json!({ "type": "command", "command": entry.command, "timeout": entry.timeout });
    if let Some(message) = entry.status_message {
        handler["statusMessage"] = json!(message);
    }
    handler
}

/// Appends a group of our own, and the containers it needs.
fn add(text: &str, entry: &Entry) -> Result<String> {
    let style = Style::of(text);
    let mut group = json!({ "hooks": [handler(entry)] });
    if entry.event == "Stop" {
        // Claude Code ignores a matcher here; older versions want the key.
        group = json!({ "matcher": "", "hooks": [handler(entry)] });
    }
    with_root(text, |root| {
        let Some(hooks) = hooks(root)? else {
            let value = json!({ entry.event: [group] });
            // `"hooks": null` is as good as no hooks; the object takes its place.
            if let Some(Ast::NullKeyword(null)) = get(root, "hooks")? {
                return Ok(splice::spliced(
                    text,
                    null.range.start,
                    null.range.end,
                    &value.to_string(),
                ));
            }
            return Ok(append(text, &style, root.range, &ends(root), Some("hooks"), &value));
        };
        let Some(groups) = groups(root, entry.event)? else {
            let value = json!([group]);
            return Ok(append(text, &style, hooks.range, &ends(hooks), Some(entry.event), &value));
        };
        let ends: Vec<_> = groups.elements.iter().map(|e| splice::range(e).end).collect();
        Ok(append(text, &style, groups.range, &ends, None, &group))
    })
}

/// Brings the one entry of ours up to date where it stands.
fn refresh(text: &str, entry: &Entry) -> Result<String> {
    let style = Style::of(text);
    with_root(text, |root| {
        let groups = groups(root, entry.event)?.into_iter().flat_map(|g| &g.elements);
        let mut all = groups.filter_map(handlers).flat_map(|h| &h.elements);
        let Some(range) = all.find(|h| is_own_ast(h)).map(splice::range) else {
            return Ok(text.to_owned());
        };
        let value = handler(entry);
        let new = if text[range.start..range.end].contains('\n') {
            splice::pretty(None, &value, &style, splice::line_indent(text, range.start))
        } else {
            value.to_string()
        };
        Ok(splice::spliced(text, range.start, range.end, &new))
    })
}

fn ends(object: &Object) -> Vec<usize> {
    object.properties.iter().map(|p| p.range.end).collect()
}

/// Takes every handler of ours out of one event, one at a time, with groups that become empty.
fn remove_event(text: &str, event: &str) -> Result<String> {
    let mut text = text.to_owned();
    while let Some(shorter) = with_root(&text, |root| {
        let Some(groups) = groups(root, event)? else { return Ok(None) };
        Ok(remove_first(&text, groups))
    })? {
        text = shorter;
    }
    Ok(text)
}

fn remove_first(text: &str, groups: &Array) -> Option<String> {
    for (at, group) in groups.elements.iter().enumerate() {
        let Some(handlers) = handlers(group) else { continue };
        let Some(index) = handlers.elements.iter().position(is_own_ast) else { continue };
        if handlers.elements.len() == 1 {
            let ranges: Vec<_> = groups.elements.iter().map(splice::range).collect();
            return Some(remove_element(text, groups.range, &ranges, at));
        }
        let ranges: Vec<_> = handlers.elements.iter().map(splice::range).collect();
        return Some(remove_element(text, handlers.range, &ranges, index));
    }
    None
}

/// An object or a list, with its elements counted.
struct Container {
    range: Range,
    len: usize,
}

/// The container at a path.
fn container(root: &Object, path: &[&str]) -> Result<Option<Container>> {
    let Some((last, parents)) = path.split_last() else {
        return Ok(Some(Container { range: root.range, len: root.properties.len() }));
    };
    let Some(parent) = object_at(root, parents)? else { return Ok(None) };
    Ok(match get(parent, last)? {
        Some(Ast::Object(o)) => Some(Container { range: o.range, len: o.properties.len() }),
        Some(Ast::Array(a)) => Some(Container { range: a.range, len: a.elements.len() }),
        _ => None,
    })
}

fn object_at<'a, 'b>(root: &'b Object<'a>, path: &[&str]) -> Result<Option<&'b Object<'a>>> {
    let mut object = root;
    for key in path {
        match get(object, key)? {
            Some(Ast::Object(inner)) => object = inner,
            _ => return Ok(None),
        }
    }
    Ok(Some(object))
}

fn inside(text: &str, container: &Container) -> Option<String> {
    let inner = &text[container.range.start + 1..container.range.end - 1];
    (container.len == 0).then(|| inner.to_owned())
}

/// Removes the container at the path when it is empty. One that was there before is made to look
/// as it did; one that holds a comment stays.
fn remove_if_empty(text: &str, path: &[&str], kept: &Kept) -> Result<String> {
    let same = || Ok(text.to_owned());
    with_root(text, |root| {
        let Some(found) = container(root, path)? else { return same() };
        let Some(inner) = inside(text, &found) else { return same() };
        if let Some(old) = kept.get(&path.join(".")) {
            return Ok(match old {
                Some(old) if old.split_whitespace().eq(inner.split_whitespace()) => {
                    splice::spliced(text, found.range.start + 1, found.range.end - 1, old)
                }
                _ => text.to_owned(),
            });
        }
        let (Some((last, parents)), true) = (path.split_last(), inner.trim().is_empty()) else {
            return same();
        };
        let Some(parent) = object_at(root, parents)? else { return same() };
        let Some(at) = parent.properties.iter().position(|p| p.name.as_str() == *last) else {
            return same();
        };
        let ranges: Vec<_> = parent.properties.iter().map(|p| p.range).collect();
        Ok(remove_element(text, parent.range, &ranges, at))
    })
}

/// Old and new text must be equal but for our entries and the containers these need.
fn verify(old: &str, new: &str) -> Result<()> {
    let (mut a, mut b) = (parse_value(old)?, parse_value(new)?);
    own::strip(&mut a);
    own::strip(&mut b);
    if a == b { Ok(()) } else { Err(Refusal::Shape("it cannot be edited safely by ccc".into())) }
}

#[cfg(test)]
mod tests;
