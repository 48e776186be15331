//! A JSON value that keeps what the reader of a verdict must not lose: a key that stands twice,
//! and the order of the members.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// A JSON value. Unlike `serde_json::Value` an object keeps repeated keys.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    Null,
    Bool(bool),
    /// The number as it was written.
    Number(String),
    Text(String),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

impl Node {
    /// The value as lines for a reader: a list as `- item`, an object as `key: value`, nested
    /// ones indented. Null and empty ones are the empty text.
    pub fn readable(&self) -> String {
        match self {
            Self::Null => String::new(),
            Self::Bool(value) => value.to_string(),
            Self::Number(text) => text.clone(),
            Self::Text(text) => text.trim().to_owned(),
            Self::List(items) => {
                let items: Vec<_> = items.iter().map(Self::readable).filter(is_said).collect();
                match items.as_slice() {
                    [only] => only.clone(),
                    _ => join(items.iter().map(|item| format!("- {}", indent(item)))),
                }
            }
            Self::Object(members) => readable_members(members.iter().map(|(k, v)| (k.as_str(), v))),
        }
    }
}

/// Members as `key: value` lines; those that say nothing are left out.
pub fn readable_members<'a>(members: impl Iterator<Item = (&'a str, &'a Node)>) -> String {
    let said = members.map(|(key, value)| (key, value.readable())).filter(|(_, v)| is_said(v));
    join(said.map(|(key, value)| match value.contains('\n') {
        false => format!("{key}: {value}"),
        true => format!("{key}:\n  {}", indent(&value)),
    }))
}

#[expect(clippy::ptr_arg, reason = "the shape of a filter on strings")]
fn is_said(text: &String) -> bool {
    !text.trim().is_empty()
}

fn join(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}

fn indent(text: &str) -> String {
    text.replace('\n', "\n  ")
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Number(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Number(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Number(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Node::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(text: &str) -> Node {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_key_that_stands_twice_is_kept_twice() {
        let twice = vec![("a".to_owned(), Node::Bool(true)), ("a".to_owned(), Node::Null)];
        assert_eq!(node(r#"{"a": true, "a": null}"#), Node::Object(twice));
    }

    #[test]
    fn nested_values_read_as_lines() {
        for (json, text) in [
            (r#"" mend it ""#, "mend it"),
            ("null", ""),
            ("[]", ""),
            (r#"["mend", "", "test"]"#, "- mend\n- test"),
            (r#"["only one"]"#, "only one"),
            (r#"{"issues": ["mend the lexer"], "none": []}"#, "issues: mend the lexer"),
            (r#"{"a": ["x", "y"], "n": 3}"#, "a:\n  - x\n  - y\nn: 3"),
            (
                r#"[{"file": "a.rs", "fix": "b\nc"}, 2.5]"#,
                "- file: a.rs\n  fix:\n    b\n    c\n- 2.5",
            ),
        ] {
            assert_eq!(node(json).readable(), text, "{json}");
        }
    }
}
