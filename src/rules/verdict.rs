//! Reads a judge's answer. Doubt never allows: only an explicit `completed: true` that cannot be a
//! quotation, a guess or half of a contradiction is a complete verdict.
//!
//! How the judge was run, and whether it failed, is not looked at here.

mod candidate;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::json_tree::Node;
use super::loose_json;
use candidate::{Candidate, Says};

/// How many layers of fences, wrappers and JSON inside of strings are peeled off.
const MAX_LAYERS: usize = 8;

/// The feedback of an incomplete verdict that gives none.
pub const NO_FEEDBACK: &str = "The review found the work incomplete but did not say where: go \
    through the user's request point by point, run the project's checks, and finish or mend what \
    is missing.";

const CONTRADICTS: &str = "contradicts another one in the same answer";

/// What a judge decided.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The work is complete, the agent may stop.
    pub completed: bool,
    /// What is missing and what to do next. Never blank when the verdict is incomplete.
    #[serde(default)]
    pub feedback: String,
    /// Only the user can decide what comes next.
    #[serde(default)]
    pub needs_human: bool,
}

/// What an answer says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// It decides.
    Verdict(Verdict),
    /// It says something, but not clearly whether the work is complete.
    Doubt {
        /// The feedback, or the whole answer where there is none. Never blank.
        text: String,
        /// Why it does not count, as the end of a sentence ("the verdict .. ").
        why: &'static str,
    },
    /// It says nothing at all.
    Nothing,
}

/// Reads the text that a judge answered with. `token` is the one that this review's prompt asked
/// for; an empty one means that none was.
///
/// An object that carries the token is the verdict, whatever stands around it. Without a token a
/// complete verdict must be the whole answer, and an incomplete one counts wherever it stands.
pub fn read(text: &str, token: &str) -> Reading {
    let text = trim(text);
    let mut search = Search { token, found: Vec::new() };
    search.text(text, true, MAX_LAYERS);
    search.decide(text)
}

/// Reads a verdict that the client parsed already (`structured_output`).
pub fn read_value(value: &serde_json::Value, token: &str) -> Reading {
    let text = match value {
        serde_json::Value::Null => return Reading::Nothing,
        serde_json::Value::String(text) => return read(text, token),
        _ => value.to_string(),
    };
    read(&text, token)
}

/// The text without blanks and invisible marks around it.
fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}' | '\0'))
}

/// Collects everything in an answer that looks like a verdict.
struct Search<'a> {
    token: &'a str,
    found: Vec<Candidate>,
}

impl Search<'_> {
    /// `is_whole`: the text is all there is in the answer.
    fn text(&mut self, text: &str, is_whole: bool, layers: usize) {
        if layers == 0 {
            return;
        }
        let text = trim(text);
        if let Ok(node) = serde_json::from_str::<Node>(text) {
            self.node(&node, false, is_whole, layers);
        } else if let Some(inside) = inside_a_fence(text) {
            self.text(inside, is_whole, layers - 1);
        } else {
            self.loose_text(text, is_whole, layers);
        }
    }

    fn loose_text(&mut self, text: &str, is_whole: bool, layers: usize) {
        let whole = loose_json::whole(text);
        if let Some(loose) = &whole {
            self.node(&loose.node, loose.guessed, is_whole, layers);
        }
        if whole.is_none_or(|loose| loose.guessed) {
            for loose in loose_json::objects(text) {
                self.node(&loose.node, loose.guessed, false, layers);
            }
        }
    }

    fn node(&mut self, node: &Node, guessed: bool, is_whole: bool, layers: usize) {
        match node {
            // Not into a string whose end was guessed: the same text would be read over and over.
            Node::Text(_) if guessed => {}
            Node::Text(text) => self.text(text, is_whole, layers - 1),
            Node::List(items) => {
                let is_whole = is_whole && items.len() == 1;
                for item in items.iter().filter(|item| is_whole || !matches!(item, Node::Text(_))) {
                    self.node(item, guessed, is_whole, layers);
                }
            }
            Node::Object(members) => self.object(members, guessed, is_whole, layers),
            Node::Null | Node::Bool(_) | Node::Number(_) => {}
        }
    }

    fn object(&mut self, members: &[(String, Node)], guessed: bool, is_whole: bool, layers: usize) {
        let own = self.found.len();
        self.found.extend(Candidate::of(members, guessed, is_whole, self.token));
        let has_own = self.found.len() > own;
        for (key, value) in members {
            let is_wrapper = !has_own && is_wrapper(key);
            if is_wrapper || !matches!(value, Node::Text(_)) {
                let is_whole = is_whole && is_wrapper && members.len() == 1;
                self.node(value, guessed, is_whole, layers);
            }
        }
        if has_own {
            self.contradict(own);
        }
    }

    /// An object that calls itself complete but holds a verdict that does not, or the other way
    /// round, is unclear. What it holds counts no further, unless it carries the token.
    fn contradict(&mut self, own: usize) {
        let mut family = self.found.split_off(own);
        if let Some((own, inner)) = family.split_first_mut() {
            let is_complete = own.says == Says::Complete;
            if is_complete && inner.iter().any(|c| c.says != Says::Complete) {
                own.says = Says::Unclear(CONTRADICTS);
            }
            for inner in inner.iter_mut().filter(|c| c.says == Says::Complete && !is_complete) {
                inner.says = Says::Unclear(CONTRADICTS);
            }
        }
        let mut is_first = true;
        family.retain(|c| std::mem::take(&mut is_first) || c.has_token);
        self.found.append(&mut family);
    }

    fn decide(&self, text: &str) -> Reading {
        if says_nothing(text) {
            return Reading::Nothing;
        }
        let with_token: Vec<_> = self.found.iter().filter(|c| c.has_token).collect();
        if !with_token.is_empty() {
            return agreed(&with_token, text);
        }
        if let Some(whole) = self.found.iter().find(|c| c.is_whole) {
            return agreed(&[whole], text);
        }
        let is_incomplete = |c: &&Candidate| c.says == Says::Incomplete;
        let incomplete: Vec<_> = self.found.iter().filter(is_incomplete).collect();
        if !incomplete.is_empty() {
            return agreed(&incomplete, text);
        }
        let why = match self.found.is_empty() {
            true => "is not in the form that was asked for",
            false => "is not marked as the answer, so it may be a quotation",
        };
        Reading::Doubt { text: text.to_owned(), why }
    }
}

/// The verdict that all of them are, or doubt.
fn agreed(candidates: &[&Candidate], text: &str) -> Reading {
    let said = |c: &&&Candidate| !c.feedback.is_empty();
    let last = candidates.iter().rev().find(said).or(candidates.last());
    let feedback = last.map_or("", |c| &c.feedback);
    let all = |says: Says| candidates.iter().all(|c| c.says == says);
    let completed = all(Says::Complete);
    if !completed && !all(Says::Incomplete) {
        let text = if feedback.is_empty() { text } else { feedback };
        let unclear = candidates.iter().find_map(|c| match c.says {
            Says::Unclear(why) => Some(why),
            Says::Complete | Says::Incomplete => None,
        });
        let why = unclear.unwrap_or(CONTRADICTS);
        return Reading::Doubt { text: text.to_owned(), why };
    }
    let stands_alone = candidates.iter().any(|c| c.has_token || c.is_whole);
    let feedback = match feedback {
        "" if completed => "",
        "" if stands_alone => NO_FEEDBACK,
        // The prose around it is all that was said.
        "" => text,
        feedback => feedback,
    };
    // It allows a stop too, so it must not come from a quotation either.
    let needs_human = stands_alone && candidates.iter().all(|c| c.needs_human);
    Reading::Verdict(Verdict { completed, feedback: feedback.to_owned(), needs_human })
}

/// Keys that models and clients wrap a verdict in.
fn is_wrapper(key: &str) -> bool {
    let names = ["verdict", "result", "answer", "output", "response", "structuredoutput"];
    names.contains(&candidate::folded(key).as_str())
}

/// Only brackets, quotes and blanks, or `null`.
fn says_nothing(text: &str) -> bool {
    let is_empty = |c: char| c.is_whitespace() || matches!(c, '{' | '}' | '[' | ']' | '"');
    text == "null" || text.chars().all(is_empty)
}

/// What stands in a fence that is the whole text. A tag of one word is dropped, and the closing
/// fence may be missing.
fn inside_a_fence(text: &str) -> Option<&str> {
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let inside = text.trim_start_matches(mark);
    if text.len() - inside.len() < 3 {
        return None;
    }
    let inside = inside.trim_start_matches(' ');
    let tag_end = inside.find(|c: char| c.is_whitespace() || matches!(c, '{' | '[' | '"'))?;
    let inside = inside[tag_end..].trim();
    let content = inside.trim_end_matches(mark);
    Some(if inside.len() - content.len() < 3 { inside } else { content })
}
