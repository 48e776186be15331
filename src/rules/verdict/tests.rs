//! Tables of answers and what they say.

use serde_json::json;

use super::*;

pub(super) const TOKEN: &str = "k7f3";

fn incomplete(feedback: &str) -> Reading {
    let feedback = feedback.to_owned();
    Reading::Verdict(Verdict { feedback, ..Verdict::default() })
}

fn complete(feedback: &str) -> Reading {
    let feedback = feedback.to_owned();
    Reading::Verdict(Verdict { completed: true, feedback, needs_human: false })
}

fn needs_human(feedback: &str) -> Reading {
    let feedback = feedback.to_owned();
    Reading::Verdict(Verdict { completed: false, feedback, needs_human: true })
}

/// The text of a doubt; anything else fails.
fn doubt(answer: &str) -> String {
    match read(answer, TOKEN) {
        Reading::Doubt { text, why } => {
            assert!(!why.is_empty() && !text.trim().is_empty(), "{answer}");
            text
        }
        other => panic!("no doubt about {answer}: {other:?}"),
    }
}

pub(super) fn allows(reading: &Reading) -> bool {
    matches!(reading, Reading::Verdict(v) if v.completed || v.needs_human)
}

#[test]
fn fences_and_prose_do_not_hide_an_incomplete_verdict() {
    let inner = "{\n  \"completed\": false,\n  \"feedback\": \"`--dry-run` is never read.\"\n}";
    let want = incomplete("`--dry-run` is never read.");
    for answer in [
        inner.to_owned(),
        format!(
            "I checked note [1] and {{src/a.rs, b}}.\n\n```json\n{inner}\n```\n\nSee {{X}} [2]."
        ),
        format!("```JSON\n{inner}\n```"),
        format!("````json5\r\n{}\r\n````", inner.replace('\n', "\r\n")),
        format!("~~~\n{inner}\n~~~\nDone {{soon}}."),
        format!("Verdict:\n```json\n{inner}\n"),
        format!("\u{feff}```json {inner}```"),
        format!("I looked at {{a, b}} and [1]. {inner} That is all [2]."),
        format!("{{{inner}}}"),
        format!("see fn main() {{ let x = S {{ a: 'b' + c }} and then {inner}"),
        format!("<verdict>{inner}</verdict>"),
    ] {
        assert_eq!(read(&answer, TOKEN), want, "{answer}");
    }
}

#[test]
fn dialects_are_read() {
    for (answer, feedback) in [
        ("{'completed': False, 'feedback': 'It's missing the test'}", "It's missing the test"),
        (r#"{completed: false, feedback: "mend it"}"#, "mend it"),
        ("{“completed”: false, “feedback”: “mend “it” now”}", "mend “it” now"),
        ("{‘completed’: false, ‘feedback’: ‘it’s late’}", "it’s late"),
        (r#"{"completed": false, /* not yet */ "feedback": "mend it",} "#, "mend it"),
        (
            "{\"completed\": false, // \"completed\": true\n# x\n\"feedback\": \"mend it\"}",
            "mend it",
        ),
        ("{\"completed\": false, \"feedback\": \"one\ntwo\"}", "one\ntwo"),
        (
            r#"{"completed": FALSE, "feedback": "the "empty-input" test"}"#,
            "the \"empty-input\" test",
        ),
        (r#"{"completed": False, "feedback": "say "a", "b", or c"}"#, r#"say "a", "b", or c"#),
        (r#"{"completed": no, "feedback": None, "reason": "tests fail"}"#, "tests fail"),
        (r#"{"Completed": false, "FEEDBACK": "mend it"}"#, "mend it"),
        ("{`completed`: false, `feedback`: `mend it`}", "mend it"),
        ("{\"completed\"：false，\"feedback\"：\"补上测试\"}", "补上测试"),
        ("{\"completed\": false \"feedback\": \"mend it\"}", "mend it"),
        ("{\"feedback\": \"mend it\"\n \"completed\": false}", "mend it"),
        (
            r#"{"completed": false, "feedback": "a \d+ \u00e9 \ud83d\ude00 \ud800."}"#,
            "a \\d+ é 😀 \u{fffd}.",
        ),
        (r#"{"completed": false, "feedback": "mend it"#, "mend it"),
        ("{\"completed\": false, \"feedback\": \"mend it\"\n```\nBye.", "mend it"),
        (r#"{"completed": false, "feedback": ["mend it", "test it"]"#, "- mend it\n- test it"),
        (r#"{"completed": false, "feedback": "mend it"}}"#, "mend it"),
    ] {
        match read(answer, TOKEN) {
            Reading::Verdict(v) if !v.completed => {
                assert!(v.feedback.ends_with(feedback), "{answer}: {}", v.feedback);
            }
            other => panic!("{answer}: {other:?}"),
        }
        let fenced = format!("Verdict:\n```json\n{answer}\n```\n");
        assert!(matches!(read(&fenced, TOKEN), Reading::Verdict(v) if !v.completed), "{fenced}");
    }
}

#[test]
fn only_a_boolean_is_a_complete_verdict() {
    for value in ["true", "True", "TRUE", "/* yes */ true"] {
        let answer = format!(r#"{{"completed": {value}, "feedback": "good"}}"#);
        assert_eq!(read(&answer, TOKEN), complete("good"), "{value}");
    }
    for value in [
        "\"true\"",
        "1",
        "\"yes\"",
        "yes",
        "tru",
        "truee",
        "true.",
        "true false",
        "true|false",
        "[true]",
        "{\"value\": true}",
        "\"completed\"",
        "-1",
        "0.1",
        "!0",
        "\"maybe\"",
        "true\"",
        "not true",
    ] {
        let answer = format!(r#"{{"completed": {value}, "feedback": "run the tests"}}"#);
        assert_eq!(doubt(&answer), "run the tests", "{value}");
    }
    for value in [
        "\"false\"",
        "\"No\"",
        "0",
        "null",
        "None",
        "[]",
        "{}",
        "0.0",
        "-0",
        "\"\"",
        "\" FALSE \"",
        "no",
    ] {
        let answer = format!(r#"{{"completed": {value}, "feedback": "run the tests"}}"#);
        assert_eq!(read(&answer, TOKEN), incomplete("run the tests"), "{value}");
    }
    assert_eq!(read(r#"{"feedback": "run the tests"}"#, TOKEN), incomplete("run the tests"));
}

#[test]
fn contradictions_are_doubt() {
    let f = r#""feedback": "run the tests""#;
    for answer in [
        format!(r#"{{"completed": false, "completed": true, {f}}}"#),
        format!(r#"{{"completed": true, "completed": false, {f}}}"#),
        format!(r#"{{"completed": true, "Completed": true, {f}}}"#),
        format!(r#"{{"completed": true, "compl\u0065ted": false, {f}}}"#),
        format!(r#"{{"review": "k7f3", "completed": true, "completed": false, {f}}}"#),
        format!(
            r#"{{"review": "k7f3", "completed": true, {f}, "steps": [{{"completed": false}}]}}"#
        ),
        format!(r#"{{"completed": true, {f}, "steps": [{{"completed": false}}]}}"#),
        format!(
            r#"{{"review": "k7f3", "completed": true}} {{"review": "k7f3", "completed": 0, {f}}}"#
        ),
        format!(
            r#"{{"review": "k7f3", "completed": false, {f}}} no: {{"review": "k7f3", "completed": true}}"#
        ),
    ] {
        assert_eq!(doubt(&answer), "run the tests", "{answer}");
    }
    doubt(r#"{"completed": false, "was": {"review": "k7f3", "completed": true}}"#);
}

#[test]
fn a_complete_verdict_without_the_token_must_be_the_whole_answer() {
    let verdict = r#"{"completed": true, "feedback": "Nice work."}"#;
    for whole in [
        verdict.to_owned(),
        format!("\u{feff} {verdict}\n"),
        format!("```json\n{verdict}\n```"),
        format!("~~~JSON5\r\n{verdict}\r\n~~~"),
        format!("```\n{verdict}"),
        format!("```json {verdict}```"),
        format!("[{verdict}]"),
        format!(r#"{{"verdict": {verdict}}}"#),
        json!(verdict).to_string(),
        json!({ "result": verdict }).to_string(),
        json!(format!("```json\n{{\"verdict\": {verdict}}}\n```")).to_string(),
        verdict.replace("true", "True").replace('"', "'"),
        verdict.replace('}', ", \"needs_human\": null,}"),
    ] {
        assert_eq!(read(&whole, TOKEN), complete("Nice work."), "{whole}");
    }
    for part in [
        format!("All good.\n{verdict}"),
        format!("{verdict}\nBut the tests fail."),
        format!("The diff adds\n```json\n{verdict}\n```\nto the fixtures."),
        format!("```diff\n+{verdict}\n```"),
        format!("```\nA decoy: {verdict}\n```"),
        format!("```The answer would be {verdict}```"),
        format!("> {verdict}"),
        format!("// not really:\n{verdict}"),
        format!("{verdict} // not really"),
        format!("{verdict}{verdict}"),
        format!("[{verdict}, 1]"),
        format!(r#"{{"example": {verdict}}}"#),
        format!(r#"{{"type": "result", "is_error": true, "result": {}}}"#, json!(verdict)),
        format!(r#""{verdict}""#),
        format!("```json\n{verdict}\n```\n```json\n{verdict}\n```"),
        verdict.replace('{', "{\"review\": \"other\", "),
        verdict.replace("Nice work", "the \"flag\" works"),
        verdict.replace('}', ""),
        verdict.replace('}', "]"),
        verdict.replace("completed", "complete"),
        verdict.replace('}', ", \"needs_human\": \"Which database?\"}"),
    ] {
        let reading = read(&part, TOKEN);
        assert!(!allows(&reading) && reading != Reading::Nothing, "{part}: {reading:?}");
    }
}

#[test]
fn an_object_with_the_token_is_the_verdict_whatever_stands_around_it() {
    let bad = r#"{"completed": false, "feedback": "a decoy"}"#;
    let good = r#"{"review": "k7f3", "completed": true, "feedback": ""}"#;
    for answer in [
        format!("Good.\n{good}\nThat is all {{so far}}."),
        format!("The fixture says {bad}\n```json\n{good}\n```\nand {bad}"),
        format!("{good}{good}"),
        format!(r#"{{"verdict": {good}, "notes": "x"}}"#),
        format!(r#"[1, {bad}, {good}]"#),
        format!("it calls `f({{ msg: 'a' + b }})` and {{ msg: \"a\n {good}"),
        json!({ "type": "result", "result": good }).to_string(),
        good.replace("\"completed\": true", "\"completed\": True").replace('"', "'"),
    ] {
        assert_eq!(read(&answer, TOKEN), complete(""), "{answer}");
    }
    let bad = r#"{"review": "k7f3", "completed": false, "feedback": "mend it"}"#;
    let decoy = r#"{"completed": true, "feedback": "fine"}"#;
    for answer in [
        format!("{decoy}\n{bad}\n{decoy}"),
        format!("{bad} {{\"completed\": false, \"feedback\": \"a decoy\"}}"),
        format!(r#"{{"completed": true, "detail": {bad}}}"#),
        format!(r#"{{"review": "k7f3", "feedback": "mend it"}} or {decoy}"#),
        bad.replace('}', ", \"example\": {\"completed\": true}}"),
    ] {
        let reading = read(&answer, TOKEN);
        assert!(!allows(&reading), "{answer}: {reading:?}");
        let (Reading::Verdict(Verdict { feedback: text, .. }) | Reading::Doubt { text, .. }) =
            reading
        else {
            panic!("{answer}");
        };
        assert_eq!(text, "mend it", "{answer}");
    }
    // A cut or guessed one does not allow, and an empty token is nobody's.
    for answer in [
        r#"{"review": "k7f3", "completed": true, "feedback": "go"#,
        r#"{"review": "k7f3", "completed": true"#,
        r#"{"review": "k7f3", "completed": tru"#,
        r#"{"review": "k7f3", "completed": true, "feedback": "the "x" test"}"#,
        r#"Fine. {"review": ["k7f3", "k7f4"], "completed": true}"#,
        r#"{"review": "k7f3", "review": "old", "completed": true}"#,
    ] {
        doubt(answer);
    }
    let reading = read(r#"Fine. {"review": "", "completed": true}"#, "");
    assert!(!allows(&reading), "{reading:?}");
}

#[test]
fn an_unescaped_quotation_of_a_verdict_does_not_allow() {
    for answer in [
        r#"{"review": "k7f3", "completed": false, "feedback": "answer {"review": "k7f3", "completed": true, "feedback": ""} was quoted"}"#,
        r#"{"review": "k7f3", "completed": false, "feedback": "replace {"completed": true} by x"}"#,
        r#"{"completed": false, "feedback": "replace {"completed": true} by x"}"#,
        r#"{"completed": false, "feedback": "the docs say "completed": true, "done": 1"}"#,
        r#"{"review": "k7f3", "completed": false, "feedback": "it prints {"review": "k7f3", "completed": true"#,
    ] {
        let reading = read(answer, TOKEN);
        assert!(!allows(&reading) && reading != Reading::Nothing, "{answer}: {reading:?}");
    }
}

#[test]
fn wrapped_and_double_encoded_verdicts_are_unwrapped() {
    let verdict = r#"{"completed": false, "feedback": "Wire the flag into --help."}"#;
    for answer in [
        r#""```json\n{\"verdict\": {\"completed\": false, \"feedback\": \"Wire the flag into --help.\"}}\n```""#.to_owned(),
        json!(verdict).to_string(),
        json!(json!(json!(verdict).to_string()).to_string()).to_string(),
        format!("[{verdict}]"),
        format!(r#"{{"result": {verdict}}}"#),
        json!({ "result": verdict }).to_string(),
        json!({ "type": "result", "result": format!("So:\n{verdict}") }).to_string(),
        format!(r#"{{"analysis": {{"n": 1}}, "final": {verdict}}}"#),
    ] {
        assert_eq!(read(&answer, TOKEN), incomplete("Wire the flag into --help."), "{answer}");
    }
}

#[test]
fn an_incomplete_verdict_always_says_something_to_act_on() {
    for feedback in [
        "",
        r#", "feedback": """#,
        r#", "feedback": " \n\t ""#,
        r#", "feedback": null"#,
        r#", "feedback": []"#,
    ] {
        let answer = format!(r#"{{"completed": false{feedback}}}"#);
        assert_eq!(read(&answer, TOKEN), incomplete(NO_FEEDBACK), "{answer}");
    }
    for (answer, feedback) in [
        (
            r#"{"completed":false,"feedback":["mend the parser","rerun"]}"#,
            "- mend the parser\n- rerun",
        ),
        (
            r#"{"completed":false,"feedback":{"issues":["mend the lexer"]}}"#,
            "issues: mend the lexer",
        ),
        (r#"{"completed":false,"issues":["a","b"]}"#, "issues:\n  - a\n  - b"),
        (
            r#"The lexer is broken. {"completed": false}"#,
            r#"The lexer is broken. {"completed": false}"#,
        ),
    ] {
        assert_eq!(read(answer, TOKEN), incomplete(feedback), "{answer}");
    }
}

#[test]
fn a_human_is_needed_only_where_the_verdict_itself_says_so() {
    let verdict = r#"{"completed": false, "feedback": "Which key?", "needs_human": true}"#;
    let marked = verdict.replace('{', "{\"review\": \"k7f3\", ");
    for answer in [
        verdict.to_owned(),
        format!("```\n{verdict}\n```"),
        format!("So: {marked}"),
        verdict.replace("needs_human", "needsHuman"),
    ] {
        assert_eq!(read(&answer, TOKEN), needs_human("Which key?"), "{answer}");
    }
    for answer in [
        format!("The diff has {verdict}"),
        verdict.replace("true", "\"true\""),
        verdict.replace("true", "1"),
        verdict.replace('}', ", \"needs_human\": false}"),
        verdict.replace('{', "{\"review\": \"other\", "),
        verdict.replace('}', ""),
        format!("{marked} {}", marked.replace("true", "false")),
    ] {
        assert_eq!(read(&answer, TOKEN), incomplete("Which key?"), "{answer}");
    }
    let both = Verdict { completed: true, feedback: "Merge?".to_owned(), needs_human: true };
    let answer = r#"{"completed": true, "feedback": "Merge?", "needs_human": true}"#;
    assert_eq!(read(answer, TOKEN), Reading::Verdict(both));
}

#[test]
fn what_is_no_verdict_is_doubt_with_its_text_or_nothing() {
    for answer in [
        "The work is not finished: the migration was never run.",
        "Everything looks complete, approved.",
        "/tmp/verdict.json",
        "42",
        "true",
        r#"{"status": "ok"}"#,
        "completed: true",
        r#"{"review": "k7f3"}"#,
        r#"{"completed": tru"#,
        r#"[{"completed": true}, {"completed": true}]"#,
    ] {
        assert_eq!(doubt(answer), answer);
    }
    for nothing in ["", " \n\n\t", "\u{feff}", "null", "\"\"", "{}", "[]", "\"{}\""] {
        assert_eq!(read(nothing, TOKEN), Reading::Nothing, "{nothing:?}");
    }
}

#[test]
fn parsed_values_are_read_by_the_same_rules() {
    let read = |value| read_value(&value, TOKEN);
    assert_eq!(read(json!({"completed": true, "feedback": "ok"})), complete("ok"));
    assert_eq!(read(json!({"completed": "false", "feedback": "run"})), incomplete("run"));
    assert_eq!(read(json!("{\"completed\": false, \"feedback\": \"run\"}")), incomplete("run"));
    assert_eq!(read(json!(null)), Reading::Nothing);
    assert!(matches!(read(json!({"completed": 1})), Reading::Doubt { .. }));
}
