//! The text that sends the agent back to work.
//!
//! Claude Code (2.1.332) tells its model to follow what a hook itself asks, and to take what a hook
//! merely relays for data. So the frame speaks as the hook, and the review is what it asks for.

use crate::rules::outcome::Block;
use crate::rules::text::printable;

/// Most characters of a feedback (contract, section 4).
pub const MAX_CHARS: usize = 48_000;

/// The whole feedback: which round it is, what to do, how to end.
pub fn compose(block: &Block, round: u32, max: u32) -> String {
    let opening = match block {
        Block::Incomplete(_) => "The work is not finished. Do the following now:",
        Block::Unchanged(_) => {
            "Nothing has changed since the last review, and what it asked for is still open. \
             Do it now, or say exactly what stops you:"
        }
        Block::Gate { .. } => "A required check fails. Find the cause and mend it:",
        Block::Doubt(_) => {
            "The reviewer did not clearly approve the work. Go through its answer and settle each \
             point:"
        }
        Block::ReviewFailed => "Check your work once more:",
    };
    let head = format!("[ccc review, round {round} of {max}] {opening}\n\n");
    let tail = "\n\nWhen that is done, verify it (run it, do not assume it), say what you verified, \
                and end your turn.";
    let room = MAX_CHARS - head.chars().count() - tail.chars().count();
    let text = printable(&block.message());
    let text = text.trim();
    let text = if text.is_empty() { NO_DETAIL } else { text };
    format!("{head}{}{tail}", cut_marked(text, room))
}

/// Stands in for a review that says "not finished" and nothing else.
const NO_DETAIL: &str = "The reviewer found the work unfinished but gave no detail. Compare the \
    request with what exists, point by point, and finish what is missing.";

fn cut_marked(text: &str, max: usize) -> String {
    let count = text.chars().count();
    if count <= max {
        return text.to_owned();
    }
    let kept: String = text.chars().take(max - 60).collect();
    format!("{kept}\n[... cut: {} more characters]", count - (max - 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_names_the_round_and_keeps_the_text() {
        let said = compose(&Block::Incomplete("mend\x1b[31m x\0".into()), 2, 10);
        assert!(said.starts_with("[ccc review, round 2 of 10]"), "{said}");
        assert!(said.contains("\n\nmend[31m x\n\n") && !said.contains("ontinue"), "{said}");
    }

    #[test]
    fn a_monstrous_feedback_is_cut_with_a_mark_and_an_empty_one_gets_a_sentence() {
        let said = compose(&Block::Incomplete("漢".repeat(90_000)), 1, 1);
        assert!(said.chars().count() <= MAX_CHARS && said.contains("more characters]"));
        assert!(compose(&Block::Incomplete(" \n".into()), 1, 1).contains("gave no detail"));
    }
}
