//! The judge `status`: rules only, no model. It believes the agent, so it asks for two signals
//! that are given independently: the words of its messages and a valid status block.

use super::completion;
use super::status_block::{self, FORM, Status, StatusBlock};
use super::verdict::Verdict;

/// Completion indicators that a stop needs in the agent's last messages.
pub const MIN_INDICATORS: usize = 2;

/// Judges the agent's last messages of this chain, oldest first. Only the last one is asked for
/// the block: an older one may be stale. A blocked agent needs a human, with its recommendation
/// as the feedback.
pub fn judge(last_messages: &[&str]) -> Verdict {
    let last = last_messages.last().copied().unwrap_or_default();
    let Some(block) = status_block::find(last) else {
        return incomplete(format!(
            "Your last message has no RALPH_STATUS block. Finish what is open in the request, then \
             end your message with the block, every field filled in from the facts:\n\n{FORM}"
        ));
    };
    if let (Some(Status::Blocked), Some(why)) = (block.status(), block.recommendation())
        && block.exit_signal != Some(true)
    {
        return Verdict { completed: false, feedback: why.to_owned(), needs_human: true };
    }
    if block.exit_signal == Some(false) {
        return incomplete(unfinished(&block));
    }
    if !block.is_valid() {
        return incomplete(format!(
            "Your RALPH_STATUS block does not hold:\n- {}\n\nCheck the facts behind each field, \
             finish what is open, and end your message with the block in this form:\n\n{FORM}",
            block.problems.join("\n- ")
        ));
    }
    let indicators: usize = last_messages.iter().map(|text| completion::indicators(text)).sum();
    if indicators < MIN_INDICATORS {
        return incomplete(format!(
            "Your status block asks to exit, but your messages do not say that the work is done \
             ({indicators} of {MIN_INDICATORS} clear statements). Go through the request point by \
             point; finish what is open, or say for each point that it is complete and how you \
             verified it. Then repeat the block."
        ));
    }
    Verdict { completed: true, ..Verdict::default() }
}

fn incomplete(feedback: String) -> Verdict {
    Verdict { feedback, ..Verdict::default() }
}

fn unfinished(block: &StatusBlock) -> String {
    let next = match block.recommendation() {
        Some(next) => format!("Your own next step: {next}\n"),
        None => String::new(),
    };
    format!(
        "Your status block says EXIT_SIGNAL: false, so work is left. {next}Do it now. Set \
         EXIT_SIGNAL: true only when no task is left, all tests pass, and nothing is in error; if \
         only the user can take the next step, report STATUS: BLOCKED and what you need."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const DONE: &str = "All tasks are complete. All items in fix_plan.md are done, nothing is left \
        to do. The project is complete.\n<promise>COMPLETE</promise>\n\n";

    fn block(status: &str, signal: &str, recommendation: &str) -> String {
        format!(
            "---RALPH_STATUS---\nSTATUS: {status}\nTASKS_COMPLETED_THIS_LOOP: 2\nFILES_MODIFIED: 3\n\
             TESTS_STATUS: PASSING\nWORK_TYPE: IMPLEMENTATION\nEXIT_SIGNAL: {signal}\n\
             RECOMMENDATION: {recommendation}\n---END_RALPH_STATUS---\n"
        )
    }

    fn feedback(messages: &[&str]) -> String {
        let verdict = judge(messages);
        assert!(!verdict.completed && !verdict.needs_human, "{verdict:?}");
        verdict.feedback
    }

    #[test]
    fn a_stop_needs_the_words_and_a_valid_block_in_the_last_message() {
        let exit = block("COMPLETE", "true", "none");
        assert!(judge(&[&(DONE.to_owned() + &exit)]).completed);
        assert!(judge(&["Parser done. Lexer finished.", &exit]).completed);
        assert!(feedback(&[&exit]).contains("0 of 2"));
        assert!(feedback(&[&format!("It is done.\n{exit}")]).contains("1 of 2"));
        for messages in
            [&[][..], &[""], &[DONE], &[&(DONE.to_owned() + &exit), "Started with item one."]]
        {
            assert!(feedback(messages).contains("no RALPH_STATUS block"), "{messages:?}");
        }
        let fenced = format!("{DONE}The form is\n```\n{exit}```\nas you know.");
        assert!(feedback(&[&fenced]).contains("no RALPH_STATUS block"));
    }

    #[test]
    fn an_explicit_false_and_a_broken_block_send_the_agent_back_with_the_reason() {
        let open = block("COMPLETE", "false", "start task 5");
        assert!(feedback(&[&(DONE.to_owned() + &open)]).contains("start task 5"));
        let open = block("IN_PROGRESS", "false", "do step 2");
        assert!(feedback(&[&(DONE.to_owned() + &open)]).contains("do step 2"));
        for (from, to, reason) in [
            ("PASSING", "FAILING", "contradicts TESTS_STATUS FAILING"),
            ("STATUS: COMPLETE", "STATUS: BLOCKED", "contradicts STATUS BLOCKED"),
            ("FILES_MODIFIED: 3\n", "", "FILES_MODIFIED is missing"),
            ("EXIT_SIGNAL: true\n", "", "EXIT_SIGNAL is missing"),
        ] {
            let broken = block("COMPLETE", "true", "none").replace(from, to);
            assert!(feedback(&[&(DONE.to_owned() + &broken)]).contains(reason), "{reason}");
        }
    }

    #[test]
    fn blocked_allows_with_its_recommendation() {
        let blocked = block("BLOCKED", "false", "ask for the access token");
        let verdict = judge(&[&format!("I cannot go on.\n\n{blocked}")]);
        assert!(verdict.needs_human && !verdict.completed);
        assert_eq!(verdict.feedback, "ask for the access token");
        let silent = blocked.replace("ask for the access token", "");
        assert!(feedback(&[&silent]).contains("BLOCKED"));
    }
}
