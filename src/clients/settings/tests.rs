use proptest::prelude::*;

use super::own::is_ours;
use super::*;

const EVENTS: &[&str] = &["Stop", "UserPromptSubmit"];
const CONTAINERS: &[&str] = &["", "hooks", "hooks.Stop", "hooks.UserPromptSubmit", "env"];
const CAP: &str = "BLOCK_CAP";

fn entries(path: &str) -> Vec<Entry> {
    let entry = |event, timeout| Entry {
        event,
        command: format!("'{path}' hook"),
        timeout,
        status_message: (event == "Stop").then_some("ccc is reviewing"),
    };
    vec![entry("Stop", 630), entry("UserPromptSubmit", 10)]
}

fn is_subsequence(old: &str, new: &str) -> bool {
    let mut new = new.bytes();
    old.bytes().all(|b| new.any(|n| n == b))
}

/// Adds, checks what must hold, and takes out again.
fn round_trip(text: &str) -> String {
    let new = install(text, &entries("/bin/ccc")).unwrap();
    assert!(is_subsequence(text, &new), "{text:?}\n{new}");
    assert_eq!(install(&new, &entries("/bin/ccc")).unwrap(), new, "not repeatable");
    for event in EVENTS {
        assert_eq!(own_commands(&new, event).unwrap(), ["'/bin/ccc' hook"]);
    }
    let kept = containers(text, CONTAINERS);
    let raised = set_variable(&new, CAP, "10").unwrap();
    assert!(is_subsequence(&new, &raised), "{new:?}\n{raised}");
    assert_eq!(set_variable(&raised, CAP, "10").unwrap(), raised, "not repeatable");
    assert_eq!(remove_variable(&raised, CAP, &kept).unwrap(), new);
    let bare = uninstall(&raised, EVENTS, &kept).unwrap();
    assert_eq!(
        remove_variable(&bare, CAP, &kept).unwrap(),
        uninstall(&new, EVENTS, &kept).unwrap()
    );
    uninstall(&new, EVENTS, &kept).unwrap()
}

#[test]
fn adding_and_removing_gives_back_every_byte() {
    let base = "{\n  \"model\": \"opus\",\n  \"permissions\": {\n    \"deny\": [\"Read(./.env)\"]\n  }\n}\n";
    for text in [
        base.to_owned(),
        base.replace('\n', "\r\n"),
        base.replace("  ", "\t"),
        base.trim_end().to_owned(),
        format!("\u{feff}{base}"),
        "{\"model\":\"opus\"}".to_owned(),
        "{ \"model\": \"opus\", }".to_owned(),
        "{\n  // keep\n  \"a\": 1.50e3, // why\n  \"hooks\": {},\n}\n".to_owned(),
        "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [{\"command\": \"x\"}] }\n    ]\n  }\n}".to_owned(),
        "{\n  \"a\": [1] /* c */ ,\n  /* end */\n}\n".to_owned(),
        "{\n  \"a\": 1,\n  \"hooks\": { },\n  \"env\": {\n  }\n}".to_owned(),
        "{\n  \"hooks\": { /* none yet */ \"Stop\": [ // mine\n  ] }\n}".to_owned(),
        "{}".to_owned(),
        "{ }\n".to_owned(),
        "{\n}\n".to_owned(),
    ] {
        assert_eq!(round_trip(&text), text);
    }
}

#[test]
fn old_entries_are_replaced_and_lookalikes_kept() {
    let text = r#"{"hooks":{"Stop":[{"matcher":"","hooks":[{"type":"command","command":"/opt/old/bin/ccc hook stop"}]},
        {"hooks":[{"type":"command","command":"say-done.sh"},{"type":"command","command":"/opt/old/bin/ccc hook stop"}]},
        {"hooks":[{"type":"command","command":"mycccheck.sh hook"}]}]}}"#;
    let new = install(text, &entries("/n/ccc")).unwrap();
    assert_eq!(own_commands(&new, "Stop").unwrap(), ["'/n/ccc' hook"]);
    let left = parse_value(&uninstall(&new, EVENTS, &Kept::new()).unwrap()).unwrap();
    let groups = left["hooks"]["Stop"].as_array().unwrap();
    assert_eq!(groups.len(), 2);
    assert_eq!(groups[0]["hooks"][0]["command"], "say-done.sh");
}

#[test]
fn odd_shapes_are_refused_and_odd_members_kept() {
    for text in [
        "[]",
        "\"x\"",
        r#"{"hooks":[]}"#,
        r#"{"hooks":{"Stop":{}}}"#,
        r#"{"hooks":{},"hooks":{}}"#,
        "{} {}",
        "{\"a\":",
    ] {
        assert!(install(text, &entries("/bin/ccc")).is_err(), "{text}");
    }
    let odd = r#"{"hooks":{"Stop":[null,{"hooks":"x"},{"matcher":""}]}}"#;
    assert_eq!(round_trip(odd), odd);
    let broken = install("{\n  \"a\": 1,\n  ]\n}", &entries("/bin/ccc"));
    assert!(matches!(broken, Err(Refusal::Syntax { line: 3, .. })), "{broken:?}");
}

#[test]
fn our_own_command_is_told_as_a_shell_would() {
    for ours in [
        "ccc hook",
        "'/a b/ccc' hook",
        "\"/x/ccc\" hook stop",
        "/a\\ b/ccc hook",
        "'/it'\\''s/ccc' hook",
        "CCC_HOME=/x ccc hook",
        "~/bin/ccc hook # mine",
        "\"/a\\$b/ccc\" hook",
    ] {
        assert!(is_ours(ours), "{ours}");
    }
    for foreign in [
        "mycccheck.sh hook",
        "ccc-wrapper hook",
        "echo ccc hook",
        "ccc status",
        "'ccc hook'",
        "ccc hook; say-done.sh",
        "ccc hook | tee log",
        "'/a/ccc hook",
        "",
    ] {
        assert!(!is_ours(foreign), "{foreign}");
    }
}

#[test]
fn an_entry_with_args_is_ours_too() {
    let text = r#"{"hooks":{"Stop":[{"hooks":[{"command":"/o/ccc","args":["hook"]}]},
        {"hooks":[{"command":"/o/ccc","args":["status"]}]}]}}"#;
    let left = parse_value(&uninstall(text, EVENTS, &Kept::new()).unwrap()).unwrap();
    assert_eq!(left["hooks"]["Stop"].as_array().unwrap().len(), 1, "{left}");
}

#[test]
fn a_single_entry_is_brought_up_to_date_where_it_stands() {
    let text = install("{\n  \"a\": 1\n}\n", &entries("/old/ccc")).unwrap();
    let text = text.replace("\"a\": 1", "\"a\": 1 /* one */").replace("630", "5 /* short */");
    let new = install(&text, &entries("/new/ccc")).unwrap();
    assert_eq!(new, text.replace("/old/", "/new/").replace("5 /* short */", "630"));
}

#[test]
fn comments_that_were_written_beside_our_entries_stay() {
    let text = "{\"hooks\": {\"Stop\": [ // before\n  {\"hooks\": [{\"command\": \"ccc hook\"}]} /* behind */, // after\n  {\"hooks\": [{\"command\": \"x\"}]}\n]}}";
    let new = uninstall(text, EVENTS, &Kept::new()).unwrap();
    for comment in ["// before\n", "/* behind */", "// after\n"] {
        assert!(new.contains(comment), "{comment} {new}");
    }
    let alone = "{\"hooks\": {\"Stop\": [ // mine\n {\"hooks\": [{\"command\": \"ccc hook\"}]}]}}";
    assert!(uninstall(alone, EVENTS, &Kept::new()).unwrap().contains("// mine\n"));
}

/// Settings texts of many styles.
fn settings() -> impl Strategy<Value = String> {
    let value = prop_oneof!["[a-z]{0,5}".prop_map(Value::from), any::<i32>().prop_map(Value::from)];
    let map = proptest::collection::btree_map("[a-z]{1,4}", value, 0..4);
    let foreign = prop_oneof![
        Just(None),
        Just(Some(json!({}))),
        Just(Some(json!({"Stop": []}))),
        Just(Some(json!({"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}))),
    ];
    let env = prop_oneof![Just(None), Just(Some(json!({}))), Just(Some(json!({"X": "1"})))];
    let noise = proptest::collection::vec((any::<prop::sample::Index>(), 0..4usize), 0..4);
    (map, foreign, env, 0..5, noise).prop_map(|(map, foreign, env, style, noise)| {
        let mut value = json!(map);
        value["zz"] = json!(1);
        if let Some(foreign) = foreign {
            value["hooks"] = foreign;
        }
        if let Some(env) = env {
            value["env"] = env;
        }
        let text = match style {
            0 => value.to_string(),
            1 => format!("{value:#}\n"),
            2 => format!("{value:#}").replace('\n', "\r\n"),
            3 => format!("{value:#}").replace("  ", "\t"),
            _ => format!("\u{feff}{value:#}").replace("  ", "    "),
        };
        sprinkled(text, &noise)
    })
}

/// Puts comments and blanks behind some of the brackets and commas.
fn sprinkled(mut text: String, noise: &[(prop::sample::Index, usize)]) -> String {
    const BITS: &[&str] = &[" ", " // one\n", " /* two */ ", "\n\t"];
    for (place, bit) in noise {
        let places: Vec<_> =
            text.match_indices(['{', '[', ',', '}', ']']).map(|(i, _)| i).collect();
        text.insert_str(places[place.index(places.len())] + 1, BITS[*bit]);
    }
    text
}

proptest! {
    #[test]
    fn any_settings_come_back_byte_for_byte(text in settings()) {
        prop_assert_eq!(round_trip(&text), text);
    }

    #[test]
    fn no_text_makes_it_panic(text in "[\\[\\]{}\",:a/*\n ]{0,40}") {
        let _ = install(&text, &entries("/bin/ccc"));
        let _ = uninstall(&text, EVENTS, &Kept::new());
    }
}
