//! Handlers that catch every error and do nothing with it.

use crate::rules::findings::changed::Changed;
use crate::rules::findings::marks::has_word;
use crate::rules::findings::source::Lang;

/// Python's heads that catch all, without blanks.
const ALL: [&str; 3] = ["except:", "exceptException", "exceptBaseException"];
/// Promises whose failure nobody hears.
const EMPTY: [&str; 5] = [
    ".catch(()=>{})",
    ".catch(()=>null)",
    ".catch(()=>undefined)",
    ".catch(_=>{})",
    ".catch(noop)",
];

/// A handler that catches all and does nothing.
pub fn swallows(lang: Lang, lines: &[Changed], at: usize) -> bool {
    let code = lines[at].line.code.as_str();
    let tight: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    let body = || next(lines, at).unwrap_or_default();
    match lang {
        Lang::Python => {
            let is_all = ALL.iter().any(|start| {
                tight.strip_prefix(start).is_some_and(|rest| {
                    rest.is_empty()
                        || start.ends_with(':')
                        || rest.starts_with(':')
                        || rest.starts_with("as")
                })
            });
            let own = code.rsplit_once(':').map_or("", |(_, body)| body.trim());
            let body = if own.is_empty() { body() } else { own };
            (is_all && ["pass", "...", "continue", "return", "return None"].contains(&body))
                || has_word(code, "suppress(Exception)")
        }
        Lang::Js => {
            EMPTY.iter().any(|empty| tight.contains(empty)) || has_empty_catch(&tight, body)
        }
        Lang::Java => {
            let is_all = ["(Exception", "(Throwable", "(RuntimeException", "(finalException"];
            is_all.iter().any(|all| tight.contains(&format!("catch{all}")))
                && has_empty_catch(&tight, body)
        }
        Lang::C => tight.contains("catch(...)") && has_empty_catch(&tight, body),
        Lang::Rust => {
            let arm = ["Err(_)=>{}", "Err(_)=>()", "Err(_e)=>{}", "Err(_e)=>()"];
            arm.iter().any(|arm| tight.starts_with(arm))
        }
        Lang::Ruby => {
            (code == "rescue" || code.starts_with("rescue =>") || code == "rescue StandardError")
                && ["nil", "end"].contains(&body())
        }
        Lang::Go => tight.contains("deferfunc(){recover()}()") || tight == "_=recover()",
        Lang::Shell | Lang::Make | Lang::Config | Lang::Json | Lang::Other => false,
    }
}

fn has_empty_catch<'a>(tight: &str, body: impl Fn() -> &'a str) -> bool {
    let Some(at) = tight.find("catch").filter(|&at| {
        tight[..at].chars().next_back().is_none_or(|c| c == '}' || c == ';' || c == '{')
    }) else {
        return false;
    };
    let rest = &tight[at + "catch".len()..];
    let Some(open) = rest.find('{') else { return false };
    let is_head = rest[..open].is_empty() || (rest.starts_with('(') && rest[..open].ends_with(')'));
    let inside = &rest[open + 1..];
    is_head && (inside.starts_with('}') || (inside.is_empty() && body().starts_with('}')))
}

/// The line that follows directly, comments between left out.
fn next<'a>(lines: &'a [Changed], at: usize) -> Option<&'a str> {
    let mut number = lines[at].number;
    for line in lines.get(at + 1..)? {
        number += 1;
        if line.number != number {
            return None;
        }
        if !line.line.code.is_empty() {
            return Some(&line.line.code);
        }
    }
    None
}
