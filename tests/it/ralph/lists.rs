//! The list of stories: made, imported, changed, refused.

use std::fs;

use serde_json::{Value, json};

use crate::support::sandbox::Sandbox;

fn list(sandbox: &Sandbox) -> Value {
    serde_json::from_str(&fs::read_to_string(sandbox.path("proj/prd.json")).unwrap()).unwrap()
}

#[test]
fn a_list_is_made_filled_and_shown() {
    let sandbox = Sandbox::new();
    sandbox.ok(&["ralph", "init", "--name", "Notes"]);
    let again = sandbox.run(&["ralph", "init"]);
    assert_eq!(again.status.code(), Some(1), "{again:?}");
    let add = [
        "ralph",
        "story",
        "add",
        "--priority",
        "2",
        "--validation",
        "test -f a",
        "--",
        "--version",
    ];
    let added = sandbox.ok(&add);
    let id = added.trim().strip_prefix("added ").unwrap().to_owned();
    sandbox.ok(&["ralph", "story", "add", "Second", "--depends-on", &id, "--criterion", "c"]);
    let prd = list(&sandbox);
    assert_eq!(prd["stories"][0]["title"], "--version");
    assert_eq!(prd["stories"][1]["depends_on"], json!([id]));
    let status: Value = serde_json::from_str(&sandbox.ok(&["ralph", "status", "--json"])).unwrap();
    assert_eq!((&status["next"], &status["counts"]["pending"]), (&json!(id), &json!(2)));
    let needed = sandbox.run(&["ralph", "story", "remove", &id]);
    assert!(String::from_utf8_lossy(&needed.stderr).contains("depends on"), "{needed:?}");
    sandbox.ok(&["ralph", "story", "edit", &id, "--status", "passed", "--title", "First"]);
    let shown = sandbox.ok(&["ralph", "status"]);
    assert!(shown.contains("1 of 2 stories passed") && shown.contains("Second"), "{shown}");
    let types: Vec<Value> = sandbox.events().iter().map(|e| e["type"].clone()).collect();
    assert_eq!(types, ["ralph:init", "ralph:story:added", "ralph:story:added"]);
}

#[test]
fn an_edit_of_a_foreign_list_touches_its_own_lines_alone() {
    let sandbox = Sandbox::new();
    let text = "{\n    \"x\": 1.0,\n    \"userStories\": [\n        {\"id\": \"a\", \"passes\": false, \"k\": [1,2]}\n    ]\n}\n";
    fs::write(sandbox.path("proj/prd.json"), text).unwrap();
    sandbox.ok(&["ralph", "story", "edit", "a", "--status", "blocked"]);
    assert_eq!(fs::read_to_string(sandbox.path("proj/prd.json")).unwrap(), text);
    assert!(sandbox.ok(&["ralph", "story", "list"]).contains("■ blocked"));
    sandbox.ok(&["ralph", "story", "edit", "a", "--status", "passed"]);
    let now = fs::read_to_string(sandbox.path("proj/prd.json")).unwrap();
    assert_eq!(now, text.replace("false", "true"));
}

#[test]
fn a_checklist_becomes_stories() {
    let sandbox = Sandbox::new();
    let plan = "# Plan\n## High\n- [ ] Parse\n- [x] Setup\n## Optional\n- [ ] Colors\n";
    fs::write(sandbox.path("proj/fix_plan.md"), plan).unwrap();
    let said = sandbox.ok(&["ralph", "init", "--from", "fix_plan.md"]);
    assert!(said.contains("2 stories, 1 of them passed") && said.contains("left out: 1"), "{said}");
    let prd = list(&sandbox);
    assert_eq!((&prd["project_name"], &prd["stories"][0]["priority"]), (&json!("Plan"), &json!(1)));
}

#[test]
fn a_bad_list_is_told_with_its_place_and_left_alone() {
    let sandbox = Sandbox::new();
    let missing = sandbox.run(&["ralph", "status"]);
    assert!(String::from_utf8_lossy(&missing.stderr).contains("prd.json"), "{missing:?}");
    let text = "{\"stories\": [\n  {\"id\": \"a\", \"depends_on\": [\"b\"]},\n  {\"id\": \"b\", \"depends_on\": [\"a\"]}\n]}";
    fs::write(sandbox.path("proj/prd.json"), text).unwrap();
    let refused = sandbox.run(&["ralph", "story", "add", "x"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("line 2, column 3") && said.contains("a -> b -> a"), "{said}");
    assert_eq!(fs::read_to_string(sandbox.path("proj/prd.json")).unwrap(), text);
    let hidden = sandbox.run(&["ralph", "story", "add", "x", "--validation", "npm test || true"]);
    assert_eq!(hidden.status.code(), Some(64), "{hidden:?}");
}

#[test]
fn an_executor_may_not_change_the_list() {
    let sandbox = Sandbox::new();
    sandbox.ok(&["ralph", "init"]);
    let inside =
        sandbox.ccc(&["ralph", "story", "add", "x"]).env("CCC_SUPERVISING", "1").output().unwrap();
    assert_eq!(inside.status.code(), Some(1), "{inside:?}");
}
