//! One variable under the `env` of a settings text.

use jsonc_parser::ast::{Object, Value as Ast};
use serde_json::{Value, json};

use super::{
    Kept, Refusal, Result, ends, get, own, parse_value, remove_if_empty, split_bom, with_root,
};
use crate::rules::json_splice::{self as splice, Style, append, remove_element};

/// The text with the variable set; an up-to-date text comes back as it was.
///
/// # Errors
/// The text does not parse, or has another shape.
pub fn set_variable(text: &str, name: &str, value: &str) -> Result<String> {
    let (bom, body) = split_bom(text);
    let body = if body.trim().is_empty() { "{}\n" } else { body };
    let new = with_root(body, |root| {
        let style = Style::of(body);
        let Some(env) = env(root)? else {
            let env = json!({ name: value });
            return Ok(append(body, &style, root.range, &ends(root), Some("env"), &env));
        };
        let Some(old) = get(env, name)? else {
            return Ok(append(body, &style, env.range, &ends(env), Some(name), &json!(value)));
        };
        if old.as_string_lit().is_some_and(|s| s.value == value) {
            return Ok(body.to_owned());
        }
        let range = splice::range(old);
        Ok(splice::spliced(body, range.start, range.end, &json!(value).to_string()))
    })?;
    verify(body, &new, name)?;
    Ok(format!("{bom}{new}"))
}

/// The text without the variable; an `env` that becomes empty goes, too, unless it is kept.
///
/// # Errors
/// The text does not parse.
pub fn remove_variable(text: &str, name: &str, kept: &Kept) -> Result<String> {
    let (bom, body) = split_bom(text);
    if body.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let shorter = with_root(body, |root| {
        let Some(env) = env(root)? else { return Ok(None) };
        let at = env.properties.iter().position(|p| p.name.as_str() == name);
        let ranges: Vec<_> = env.properties.iter().map(|p| p.range).collect();
        Ok(at.map(|at| remove_element(body, env.range, &ranges, at)))
    })?;
    let Some(shorter) = shorter else { return Ok(text.to_owned()) };
    let new = remove_if_empty(&shorter, &["env"], kept)?;
    let new = remove_if_empty(&new, &[], kept)?;
    verify(body, &new, name)?;
    Ok(format!("{bom}{new}"))
}

/// Value of a variable in the `env` of a settings value.
pub fn variable(settings: &Value, name: &str) -> Option<String> {
    match settings.get("env")?.get(name)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn env<'a, 'b>(root: &'b Object<'a>) -> Result<Option<&'b Object<'a>>> {
    match get(root, "env")? {
        None => Ok(None),
        Some(Ast::Object(env)) => Ok(Some(env)),
        Some(_) => Err(Refusal::Shape("\"env\" is not an object".into())),
    }
}

fn verify(old: &str, new: &str, name: &str) -> Result<()> {
    let (mut a, mut b) = (parse_value(old)?, parse_value(new)?);
    own::strip_env(&mut a, name);
    own::strip_env(&mut b, name);
    if a == b { Ok(()) } else { Err(Refusal::Shape("it cannot be edited safely by ccc".into())) }
}
