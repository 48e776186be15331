//! The `statusLine` of a settings text: wired where the user has none, and taken out again.

use jsonc_parser::ast::Value as Ast;
use serde_json::{Value, json};

use super::{
    Kept, Refusal, Result, ends, get, own, parse_value, remove_if_empty, split_bom, with_root,
};
use crate::rules::json_splice::{self as splice, Style, append, remove_element};

const KEY: &str = "statusLine";
/// Seconds after which the client (2.1.332) runs the command anew. By itself it only does so when
/// a message comes, and would show the review long after its end.
const REFRESH_SECS: u64 = 2;

/// Whose the status line of a settings text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    Nobody,
    Ccc,
    User,
}

/// Whose the status line in a settings value is.
pub fn owner(settings: &Value) -> Owner {
    match settings.get(KEY) {
        None => Owner::Nobody,
        Some(line) if is_ours(line) => Owner::Ccc,
        Some(_) => Owner::User,
    }
}

fn is_ours(line: &Value) -> bool {
    let command = line.get("command").and_then(Value::as_str);
    command.is_some_and(|command| own::runs(command, &["status", "--line"]))
}

/// The text with a status line that runs this command; one that is the user's stays as it is.
///
/// # Errors
/// The text does not parse, or has another shape.
pub fn set_status_line(text: &str, command: &str) -> Result<String> {
    let (bom, body) = split_bom(text);
    let body = if body.trim().is_empty() { "{}\n" } else { body };
    let line = json!({ "type": "command", "command": command, "refreshInterval": REFRESH_SECS });
    let old = parse_value(body)?;
    if owner(&old) == Owner::User || old.get(KEY) == Some(&line) {
        return Ok(text.to_owned());
    }
    let new = with_root(body, |root| {
        let style = Style::of(body);
        Ok(match get(root, KEY)? {
            None => append(body, &style, root.range, &ends(root), Some(KEY), &line),
            Some(old) => replaced(body, old, &line),
        })
    })?;
    verify(body, &new)?;
    Ok(format!("{bom}{new}"))
}

fn replaced(body: &str, old: &Ast, line: &Value) -> String {
    let range = splice::range(old);
    splice::spliced(body, range.start, range.end, &line.to_string())
}

/// The text without a status line of ccc's.
///
/// # Errors
/// The text does not parse.
pub fn remove_status_line(text: &str, kept: &Kept) -> Result<String> {
    let (bom, body) = split_bom(text);
    if owner(&parse_value(body)?) != Owner::Ccc {
        return Ok(text.to_owned());
    }
    let new = with_root(body, |root| {
        let at = root.properties.iter().position(|p| p.name.as_str() == KEY);
        let ranges: Vec<_> = root.properties.iter().map(|p| p.range).collect();
        let at = at.ok_or_else(|| Refusal::Shape("it cannot be edited safely by ccc".into()))?;
        Ok(remove_element(body, root.range, &ranges, at))
    })?;
    let new = remove_if_empty(&new, &[], kept)?;
    verify(body, &new)?;
    Ok(format!("{bom}{new}"))
}

/// Old and new text must be equal but for a status line of ccc's.
fn verify(old: &str, new: &str) -> Result<()> {
    let stripped = |text: &str| {
        let mut value = parse_value(text)?;
        if let (Owner::Ccc, Some(settings)) = (owner(&value), value.as_object_mut()) {
            settings.shift_remove(KEY);
        }
        Ok(value)
    };
    if stripped(old)? == stripped(new)? {
        return Ok(());
    }
    Err(Refusal::Shape("it cannot be edited safely by ccc".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_line_comes_and_goes_without_a_trace() {
        let texts = [
            "",
            "{}",
            "{\n  \"model\": \"opus\"\n}\n",
            "{\n\t// mine\n\t\"env\": {},\n}",
            "\u{feff}{\"a\":1}",
        ];
        for text in texts {
            let kept = crate::clients::settings::containers(text, &[""]);
            let with = set_status_line(text, "/x/ccc status --line").unwrap();
            assert_eq!(owner(&parse_value(&with).unwrap()), Owner::Ccc, "{with}");
            assert_eq!(set_status_line(&with, "/x/ccc status --line").unwrap(), with);
            let moved = set_status_line(&with, "'/y y/ccc' status --line").unwrap();
            assert!(moved.contains("/y y/") && !moved.contains("/x/"), "{moved}");
            let without = remove_status_line(&moved, &kept).unwrap();
            assert!(without == text || (text.is_empty() && without.trim() == "{}"), "{without:?}");
        }
    }

    #[test]
    fn the_users_own_status_line_is_left_alone() {
        let theirs = [
            r#"{"statusLine":{"type":"command","command":"~/line.sh"}}"#,
            r#"{"statusLine":{"type":"command","command":"ccc status --line | tr a b"}}"#,
            r#"{"statusLine":null}"#,
        ];
        for text in theirs {
            assert_eq!(set_status_line(text, "ccc status --line").unwrap(), text);
            assert_eq!(remove_status_line(text, &Kept::new()).unwrap(), text);
        }
    }
}
