//! One object that may be the verdict: what it says by itself.

use super::super::json_tree::{Node, readable_members};

/// What an object says about completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    Complete,
    Incomplete,
    /// Not clear; the text is the end of a sentence ("the verdict .. ").
    Unclear(&'static str),
}

/// An object that says something about completion, or carries the token and a feedback.
#[derive(Debug)]
pub(super) struct Candidate {
    pub says: Says,
    /// May be empty.
    pub feedback: String,
    /// It carries this review's token.
    pub has_token: bool,
    /// There is nothing else in the answer.
    pub is_whole: bool,
    /// True only when that is certain.
    pub needs_human: bool,
}

impl Candidate {
    /// `None` when the members are not about a verdict at all.
    pub(super) fn of(
        members: &[(String, Node)],
        guessed: bool,
        is_whole: bool,
        token: &str,
    ) -> Option<Self> {
        let mark = Mark::of(members, token);
        let has_token = mark == Mark::Own;
        let stands_alone = has_token || is_whole;
        let mut feedback = feedback(members);
        let completed: Vec<_> = values(members, "completed").collect();
        let says = match completed.as_slice() {
            [] if stands_alone && !feedback.is_empty() => Says::Incomplete,
            [] => return None,
            [one] => completion(one),
            many if many.iter().all(|v| completion(v) == Says::Incomplete) => Says::Incomplete,
            _ => Says::Unclear("says twice whether the work is completed"),
        };
        if feedback.is_empty() && stands_alone {
            feedback = other_members(members);
        }
        let needs_human: Vec<_> = values(members, "needshuman").collect();
        let is_asked = needs_human.iter().any(|v| !is_false(v));
        let is_clear = needs_human.iter().all(|v| matches!(v, Node::Bool(true)) == is_asked);
        let says = match says {
            Says::Complete if guessed => Says::Unclear("is cut off or not well-formed"),
            Says::Complete if mark == Mark::Foreign => {
                Says::Unclear("carries the mark of another review")
            }
            Says::Complete if !is_clear => {
                Says::Unclear("does not say clearly whether a human is needed")
            }
            says => says,
        };
        let needs_human = is_asked && is_clear && !guessed && mark != Mark::Foreign;
        Some(Self { says, feedback, has_token, is_whole, needs_human })
    }
}

/// Which review an object says it belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Mark {
    None,
    /// It carries this review's token, and no other.
    Own,
    Foreign,
}

impl Mark {
    fn of(members: &[(String, Node)], token: &str) -> Self {
        let mut marks =
            values(members, "review").map(Node::readable).filter(|mark| !mark.is_empty());
        match marks.next() {
            None => Self::None,
            Some(mark) if mark == token && marks.all(|mark| mark == token) => Self::Own,
            Some(_) => Self::Foreign,
        }
    }
}

/// The values of a key, in any spelling. `name` is folded.
fn values<'a>(members: &'a [(String, Node)], name: &str) -> impl Iterator<Item = &'a Node> {
    members.iter().filter(move |(key, _)| folded(key) == name).map(|(_, value)| value)
}

/// A key without case, blanks and separators: `needsHuman` is `needs_human`.
pub(super) fn folded(key: &str) -> String {
    let kept = key.chars().filter(|c| !c.is_whitespace() && !matches!(c, '_' | '-'));
    kept.flat_map(char::to_lowercase).collect()
}

fn feedback(members: &[(String, Node)]) -> String {
    let texts: Vec<_> = values(members, "feedback").map(Node::readable).collect();
    texts.join("\n").trim().to_owned()
}

/// What an object says under other names, such as `reason` or `issues`.
fn other_members(members: &[(String, Node)]) -> String {
    let known = ["completed", "feedback", "needshuman", "review"];
    let others = members.iter().filter(|(key, _)| !known.contains(&folded(key).as_str()));
    readable_members(others.map(|(key, value)| (key.as_str(), value)))
}

/// Only a boolean is clear about completion. What looks like false is taken for it, since that is
/// the safe side; what looks like true is not.
fn completion(value: &Node) -> Says {
    match value {
        Node::Bool(true) => Says::Complete,
        value if is_false(value) => Says::Incomplete,
        _ => Says::Unclear("does not say with a boolean whether the work is completed"),
    }
}

fn is_false(value: &Node) -> bool {
    match value {
        Node::Null | Node::Bool(false) => true,
        Node::Bool(true) => false,
        Node::Number(number) => number.parse::<f64>().is_ok_and(|n| n == 0.0),
        Node::Text(text) => {
            let words = ["", "false", "no", "n", "0", "none", "null", "incomplete", "not yet"];
            words.contains(&text.trim().to_lowercase().as_str())
        }
        Node::List(items) => items.is_empty(),
        Node::Object(members) => members.is_empty(),
    }
}
