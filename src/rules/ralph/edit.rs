//! Edits of the text of a `prd.json` that keep every byte they do not mean: unknown fields, order,
//! indentation, line ends, numbers.

use jsonc_parser::ast::{Array, Object, Value as Ast};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value;

use crate::rules::json_splice::{Style, append, line_indent, pretty, remove_element, spliced};
use crate::rules::ralph::prd::Form;

/// An object of the list whose members are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The `metadata` of the list; it is made when absent.
    #[allow(dead_code, reason = "for the iteration")]
    Metadata,
    /// The story at this index.
    Story(Form, usize),
}

/// The text without a byte-order mark.
pub fn body(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Sets a member; a text that has this value already comes back as it was, and so does one that
/// does not have the place.
pub fn set(text: &str, place: Place, key: &str, value: &Value) -> String {
    changed(text, |text| {
        with_root(text, |root| {
            let style = Style::of(text);
            let object = match place {
                Place::Metadata => match object_at(root, "metadata") {
                    Some(object) => object,
                    None => {
                        let value = serde_json::json!({ key: value });
                        return Some(append_member(text, &style, root, "metadata", &value));
                    }
                },
                Place::Story(form, index) => match &list(root, form)?.elements.get(index)? {
                    Ast::Object(object) => object,
                    _ => return None,
                },
            };
            match object.get(key) {
                Some(old) => {
                    let range = old.value.range();
                    if serde_json::from_str::<Value>(&text[range.start..range.end]).ok().as_ref()
                        == Some(value)
                    {
                        return None;
                    }
                    let new = pretty(None, value, &style, line_indent(text, range.start));
                    Some(spliced(text, range.start, range.end, &new))
                }
                None => Some(append_member(text, &style, object, key, value)),
            }
        })?
    })
}

/// Takes a member out; a text without it comes back as it was.
pub fn unset(text: &str, place: Place, key: &str) -> String {
    changed(text, |text| {
        with_root(text, |root| {
            let object = match place {
                Place::Metadata => object_at(root, "metadata")?,
                Place::Story(form, index) => match list(root, form)?.elements.get(index)? {
                    Ast::Object(object) => object,
                    _ => return None,
                },
            };
            let at = object.properties.iter().position(|p| p.name.as_str() == key)?;
            let ranges: Vec<_> = object.properties.iter().map(|p| p.range).collect();
            Some(remove_element(text, object.range, &ranges, at))
        })?
    })
}

/// Appends a story.
pub fn add_story(text: &str, form: Form, story: &Value) -> String {
    changed(text, |text| {
        with_root(text, |root| {
            let list = list(root, form)?;
            let ends: Vec<_> = list.elements.iter().map(|e| e.range().end).collect();
            Some(append(text, &Style::of(text), list.range, &ends, None, story))
        })?
    })
}

/// Takes the story at this index out.
pub fn remove_story(text: &str, form: Form, index: usize) -> String {
    changed(text, |text| {
        with_root(text, |root| {
            let list = list(root, form)?;
            let ranges: Vec<_> = list.elements.iter().map(Ranged::range).collect();
            (index < ranges.len()).then(|| remove_element(text, list.range, &ranges, index))
        })?
    })
}

/// Looks at the root object; `None` for a text that is not one strict JSON object.
pub fn with_root<T>(text: &str, then: impl FnOnce(&Object) -> T) -> Option<T> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &strict()).ok()?;
    match &parsed.value {
        Some(Ast::Object(root)) => Some(then(root)),
        _ => None,
    }
}

fn strict() -> ParseOptions {
    ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// Applies an edit to what follows the byte-order mark.
fn changed(text: &str, edit: impl FnOnce(&str) -> Option<String>) -> String {
    let plain = body(text);
    let mark = &text[..text.len() - plain.len()];
    edit(plain).map_or_else(|| text.to_owned(), |new| format!("{mark}{new}"))
}

fn list<'a, 'b>(root: &'b Object<'a>, form: Form) -> Option<&'b Array<'a>> {
    match &root.get(form.key())?.value {
        Ast::Array(list) => Some(list),
        _ => None,
    }
}

fn object_at<'a, 'b>(root: &'b Object<'a>, key: &str) -> Option<&'b Object<'a>> {
    match &root.get(key)?.value {
        Ast::Object(object) => Some(object),
        _ => None,
    }
}

fn append_member(text: &str, style: &Style, object: &Object, key: &str, value: &Value) -> String {
    let ends: Vec<_> = object.properties.iter().map(|p| p.range.end).collect();
    append(text, style, object.range, &ends, Some(key), value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const TEXT: &str = "\u{feff}{\r\n\t\"x\": 1.50,\r\n\t\"stories\": [\r\n\t\t{\"id\": \"a\", \"status\": \"pending\", \"z\": 1e3},\r\n\t\t{\r\n\t\t\t\"id\": \"b\"\r\n\t\t}\r\n\t]\r\n}\r\n";

    #[test]
    fn only_what_is_meant_changes() {
        let set = |text: &str, i, key: &str, value: Value| {
            set(text, Place::Story(Form::Stories, i), key, &value)
        };
        let new = set(TEXT, 0, "status", json!("passed"));
        assert_eq!(new, TEXT.replace("pending", "passed"));
        let new = set(&new, 1, "files_touched", json!(["é"]));
        let member = "\"id\": \"b\",\r\n\t\t\t\"files_touched\": [\r\n\t\t\t\t\"é\"\r\n\t\t\t]\r\n";
        assert!(new.contains(member), "{new}");
        assert_eq!(set(&new, 0, "status", json!("passed")), new);
        let back = unset(&new, Place::Story(Form::Stories, 1), "files_touched");
        assert_eq!(back, TEXT.replace("pending", "passed"));
        assert_eq!(set(&new, 9, "status", json!(1)), new);
    }

    #[test]
    fn stories_come_and_go_and_metadata_is_made() {
        let added = add_story(TEXT, Form::Stories, &json!({"id": "c"}));
        assert!(
            added.contains("\t\t},\r\n\t\t{\r\n\t\t\t\"id\": \"c\"\r\n\t\t}\r\n\t]"),
            "{added}"
        );
        assert_eq!(remove_story(&added, Form::Stories, 2), TEXT);
        let empty = remove_story(&remove_story(TEXT, Form::Stories, 0), Form::Stories, 0);
        assert!(serde_json::from_str::<Value>(body(&empty)).is_ok(), "{empty}");
        let meta = set(TEXT, Place::Metadata, "total_iterations", &json!(1));
        let meta = set(&meta, Place::Metadata, "last_iteration", &json!("t"));
        let value: Value = serde_json::from_str(body(&meta)).unwrap();
        assert_eq!(value["metadata"], json!({"total_iterations": 1, "last_iteration": "t"}));
    }

    proptest! {
        #[test]
        fn an_edit_changes_one_value_alone(
            ids in prop::collection::vec("[a-z\"\\\\é]{1,4}", 1..5), at in 0_usize..5, new in ".{0,12}", wide in any::<bool>(),
        ) {
            let stories: Vec<Value> = ids.iter().map(|id| json!({"id": id, "n": 1, "deep": {"k": [1, {"s": id}]}})).collect();
            let mut value = json!({"a": 1, "stories": stories, "z": [[]]});
            let text = if wide { format!("{value:#}\n") } else { value.to_string() };
            let at = at % ids.len();
            let done = set(&text, Place::Story(Form::Stories, at), "status", &json!(new));
            value["stories"][at]["status"] = json!(new);
            prop_assert_eq!(serde_json::from_str::<Value>(&done).unwrap(), value);
        }
    }
}
