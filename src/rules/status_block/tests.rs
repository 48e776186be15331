use proptest::prelude::*;

use super::*;

const GOOD: &str = "---RALPH_STATUS---
STATUS: COMPLETE
TASKS_COMPLETED_THIS_LOOP: 2
FILES_MODIFIED: 3
TESTS_STATUS: PASSING
WORK_TYPE: IMPLEMENTATION
EXIT_SIGNAL: true
RECOMMENDATION: All tasks complete, see #12
---END_RALPH_STATUS---
";

fn read(text: &str) -> StatusBlock {
    find(text).unwrap_or_else(|| panic!("no block in {text}"))
}

/// Signal and recommendation of the block that counts.
fn gist(text: &str) -> Option<(Option<bool>, String)> {
    let block = find(text)?;
    Some((block.exit_signal, block.recommendation().unwrap_or_default().to_owned()))
}

#[test]
fn a_whole_block_gives_every_field() {
    let block = read(GOOD);
    assert!(block.is_valid(), "{block:?}");
    assert_eq!(block.exit_signal, Some(true));
    assert_eq!(block.status(), Some(Status::Complete));
    assert_eq!(block.tests_status(), Some(TestsStatus::Passing));
    assert_eq!(block.field("FILES_MODIFIED"), Some("3"));
    assert_eq!(block.recommendation(), Some("All tasks complete, see #12"));
    assert_eq!(block.fields.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), NAMES);
    let json = block.to_json();
    assert_eq!(json["valid"], true);
    assert_eq!(json["fields"]["FILES_MODIFIED"], "3");
}

#[test]
fn spellings_of_a_valid_block_are_read() {
    for text in [
        GOOD.replace('\n', "\r\n"),
        GOOD.replace('\n', "\n    "),
        format!("   {}", GOOD.trim_end()),
        GOOD.replace("EXIT_SIGNAL: true", "**EXIT_SIGNAL:** True"),
        GOOD.replace("EXIT_SIGNAL: true", "**EXIT_SIGNAL: TRUE**"),
        GOOD.replace("EXIT_SIGNAL: true", "- exit_signal: yes"),
        GOOD.replace("EXIT_SIGNAL: true", "EXIT_SIGNAL：1"),
        GOOD.replace("EXIT_SIGNAL: true", "EXIT_SIGNAL: `true`  # all boxes ticked"),
        GOOD.replace("PASSING", "passing // 14 of 14"),
        GOOD.replace("---RALPH", "**---RALPH").replace("STATUS---\nSTATUS", "STATUS---**\nSTATUS"),
        GOOD.replace("---END_RALPH_STATUS---\n", ""),
        GOOD.replace("---END_RALPH_STATUS---\n", "\n\n"),
        GOOD.replace("WORK_TYPE", "\nWORK_TYPE"),
        format!("Done.\n```text\n{GOOD}```"),
        format!("Done.\n~~~\n{GOOD}~~~\n\n"),
        format!("Done.\n```\n{}```\n", GOOD.replace("---END_RALPH_STATUS---\n", "")),
        format!("It is `---RALPH_STATUS---` that I owe you:\n{GOOD}And good bye."),
        serde_json::json!({"type": "result", "result": format!("Done.\n{GOOD}")}).to_string(),
        serde_json::json!([{"type": "system"}, {"type": "result", "result": GOOD}]).to_string(),
        format!("{{\"type\": \"system\"}}\n{}\n", serde_json::json!({"result": GOOD})),
    ] {
        let block = read(&text);
        assert!(block.is_valid(), "{text}: {:?}", block.problems);
        assert_eq!(block.exit_signal, Some(true), "{text}");
    }
}

#[test]
fn each_fault_is_named() {
    for (from, to, problem) in [
        (
            "STATUS: COMPLETE",
            "STATUS: DONE",
            "STATUS is DONE, not IN_PROGRESS, COMPLETE or BLOCKED",
        ),
        ("STATUS: COMPLETE", "STATUS: BLOCKED", "EXIT_SIGNAL true contradicts STATUS BLOCKED"),
        (
            "STATUS: COMPLETE",
            "STATUS: IN_PROGRESS",
            "EXIT_SIGNAL true contradicts STATUS IN_PROGRESS",
        ),
        ("PASSING", "FAILING", "EXIT_SIGNAL true contradicts TESTS_STATUS FAILING"),
        ("PASSING", "NOT_RUN", "EXIT_SIGNAL true contradicts TESTS_STATUS NOT_RUN"),
        ("MODIFIED: 3", "MODIFIED: -3", "FILES_MODIFIED is -3, not a number, 0 or more"),
        ("MODIFIED: 3", "MODIFIED: 3 files", "FILES_MODIFIED is 3 files, not a number, 0 or more"),
        ("MODIFIED: 3", "MODIFIED:", "FILES_MODIFIED is empty, not a number, 0 or more"),
        (
            "IMPLEMENTATION",
            "HACKING",
            "WORK_TYPE is HACKING, not IMPLEMENTATION, TESTING, DOCUMENTATION or REFACTORING",
        ),
        (
            "SIGNAL: true",
            "SIGNAL: [false | true]",
            "EXIT_SIGNAL is [false | true], not true or false",
        ),
        ("All tasks complete, see #12", "", "RECOMMENDATION is empty, not one line of text"),
        ("FILES_MODIFIED: 3\n", "", "FILES_MODIFIED is missing"),
        ("---END", "NOTE: hi\n---END", "`NOTE` is not a field of the block"),
        ("---END", "and more text\n---END", "`and more text` is not a field"),
        ("---END", "STATUS: COMPLETE\n---END", "STATUS stands twice"),
        (
            "---END_RALPH_STATUS---\n",
            "\nSo much for today.",
            "the closing line ---END_RALPH_STATUS--- is missing",
        ),
    ] {
        let block = read(&GOOD.replace(from, to));
        assert_eq!(block.problems, [problem], "{to}");
    }
}

#[test]
fn the_signal_is_explicit_and_false_wins() {
    let signal = |text: &str| read(text).exit_signal;
    assert_eq!(signal(&GOOD.replace("EXIT_SIGNAL: true\n", "")), None);
    assert_eq!(signal(&GOOD.replace("SIGNAL: true", "SIGNAL: perhaps")), None);
    assert_eq!(
        signal(&GOOD.replace("SIGNAL: true", "SIGNAL: false # more tasks remain")),
        Some(false)
    );
    assert_eq!(signal(&GOOD.replace("---END", "EXIT_SIGNAL: false\n---END")), Some(false));
    assert_eq!(
        signal(&GOOD.replace("EXIT_SIGNAL", "\nEXIT_SIGNAL: false\nEXIT_SIGNAL")),
        Some(false)
    );
    let false_but_complete = GOOD.replace("SIGNAL: true", "SIGNAL: no");
    assert!(read(&false_but_complete).is_valid());
    // A field outside of the block is nobody's.
    let stray = format!("EXIT_SIGNAL: true\n{}EXIT_SIGNAL: true\n", GOOD.replace("true", "false"));
    assert_eq!(signal(&stray), Some(false));
}

#[test]
fn the_last_block_counts_and_examples_do_not() {
    let other = GOOD.replace("true", "false").replace("All tasks complete, see #12", "go on");
    let good = Some((Some(true), "All tasks complete, see #12".to_owned()));
    for text in [
        format!("{other}\nAnd now the rest.\n\n{GOOD}"),
        format!("{other}{}", GOOD.replace("---END_RALPH_STATUS---\n", "")),
        format!("---RALPH_STATUS---\nSTATUS: BLOCKED\n{GOOD}"),
        format!("{GOOD}\nThe form was\n```\n{other}```\nand that is all."),
        format!("{GOOD}\n> {}", other.trim_end().replace('\n', "\n> ")),
        format!("{GOOD}\nI wrote ---RALPH_STATUS--- and EXIT_SIGNAL: false there."),
        format!("{GOOD}\n````md\n```\n{other}```\n````\nis how it looks"),
        format!("{other}\n```\n{GOOD}```"),
        format!("{GOOD}\n<<COMPLETED>>\n"),
    ] {
        assert_eq!(gist(&text), good, "{text}");
    }
    for text in [
        String::new(),
        "Nothing here.".to_owned(),
        format!("The form is\n```\n{GOOD}```\nas you know."),
        format!("> {}", GOOD.trim_end().replace('\n', "\n> ")),
        "STATUS: COMPLETE\nEXIT_SIGNAL: true\n".to_owned(),
        "RALPH_STATUS: COMPLETE".to_owned(),
        "I end with RALPH_STATUS: {\"EXIT_SIGNAL\": true}".to_owned(),
        "I would say <<COMPLETED>> here".to_owned(),
        "```\n<<COMPLETED>>\n```\nis the mark".to_owned(),
        serde_json::json!({"type": "assistant", "thinking": GOOD}).to_string(),
    ] {
        assert_eq!(find(&text), None, "{text}");
    }
}

#[test]
fn the_older_forms_are_read_but_not_valid() {
    for (text, fields) in [
        (
            "All items closed.\n\n  RALPH_STATUS:\n    STATUS: COMPLETE\n    EXIT_SIGNAL: true\n    reason: \"none\"\nBye: bye",
            "STATUS=COMPLETE EXIT_SIGNAL=true reason=none",
        ),
        (
            "RALPH_STATUS:\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n",
            "STATUS=COMPLETE EXIT_SIGNAL=true",
        ),
        (
            "Closed.\n\nRALPH_STATUS: {\"STATUS\": \"COMPLETE\", \"EXIT_SIGNAL\": true, \"RECOMMENDATION\": \"none\"}\n",
            "STATUS=COMPLETE EXIT_SIGNAL=true RECOMMENDATION=none",
        ),
        (
            "**RALPH_STATUS:**\n{\n  \"status\": \"complete\",\n  \"exit_signal\": true\n}\nBye.",
            "STATUS=COMPLETE EXIT_SIGNAL=true",
        ),
        (
            "{\"RALPH_STATUS\": {\"STATUS\": \"COMPLETE\", \"EXIT_SIGNAL\": true}}",
            "STATUS=COMPLETE EXIT_SIGNAL=true",
        ),
        ("All done.\n\n<<COMPLETED>>\n", "STATUS=COMPLETE EXIT_SIGNAL=true"),
    ] {
        let block = read(text);
        let said: Vec<_> =
            block.fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(said.join(" "), fields, "{text}");
        assert_eq!(block.exit_signal, Some(true), "{text}");
        assert!(!block.is_valid(), "{text}");
    }
}

#[test]
fn what_is_left_without_blocks_is_the_agents_own_text() {
    let text = format!(
        "Before.\n{GOOD}Between.\n```\n{GOOD}```\nAfter.\nRALPH_STATUS: {{\"A\": 1}}\nEnd."
    );
    assert_eq!(without_blocks(&text), "Before.\nBetween.\n```\n```\nAfter.\n\nEnd.");
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(
        pieces in prop::collection::vec(
            prop_oneof![
                "(---RALPH_STATUS---|---END_RALPH_STATUS---|RALPH_STATUS: ?|\\{\"STATUS\": \"|<<COMPLETED>>|EXIT_SIGNAL: true|```|~~~|\n| |> |\r\n)",
                "\\PC{0,5}",
            ],
            0..30,
        ),
    ) {
        let text = pieces.concat();
        if let Some(block) = find(&text) {
            prop_assert_eq!(block.is_valid(), block.problems.is_empty());
        }
        prop_assert!(without_blocks(&text).len() <= text.len());
    }

    #[test]
    fn a_block_after_any_text_without_a_fence_counts(before in "[^`~]{0,80}") {
        let text = format!("{before}\n{GOOD}");
        prop_assert!(find(&text).is_some_and(|block| block.is_valid()), "{text}");
    }
}
