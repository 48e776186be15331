//! Tables of diffs: what must be told, and what looks like it and must not be.

use super::*;
use crate::rules::activity;
use crate::rules::record::{Call, Record};

/// A diff of one hunk: lines begin with `+`, `-` or a blank.
fn file(path: &str, body: &[&str]) -> String {
    let old = body.iter().filter(|l| !l.starts_with('+')).count();
    let new = body.iter().filter(|l| !l.starts_with('-')).count();
    format!(
        "diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1,{old} +1,{new} @@\n{}\n",
        body.join("\n")
    )
}

fn of(patch: &str, checks: &[&str]) -> String {
    let paths: Vec<String> = diff::parse(patch).into_iter().map(|f| f.path).collect();
    let checks: Vec<String> = checks.iter().map(|c| (*c).to_owned()).collect();
    let activity = Activity::default();
    render(&Sources { patch, paths: &paths, checks: &checks, activity: &activity })
}

type Case<'a> = (&'a str, &'a [&'a str]);

#[test]
fn what_weakens_a_test_or_hides_a_failure_is_told_with_its_place() {
    let table: &[(Case, &str)] = &[
        (
            (
                "tests/a.rs",
                &["-#[test]", "-fn adds() {", "-    assert_eq!(add(1, 2), 3);", "-}", " x"],
            ),
            "- test removed: `fn adds() {` (tests/a.rs, line 2 before)",
        ),
        (
            ("src/a.rs", &[" mod tests {", "-#[test]", " fn adds() {", "     assert!(x);"]),
            "- test removed: the mark that makes it a test: `#[test]` (src/a.rs, line 2 before)",
        ),
        (
            (
                "src/a.rs",
                &[
                    " #[test]",
                    "-fn a() {",
                    "-    assert!(a());",
                    "-}",
                    "-",
                    "-#[test]",
                    " fn b() {",
                ],
            ),
            "- test removed: `fn a() {` (src/a.rs, line 2 before)",
        ),
        (
            (
                "t/test_a.py",
                &[
                    "-def test_a():",
                    "-    assert f(1) == 2",
                    "+# def test_a():",
                    "+#     assert f(1) == 2",
                ],
            ),
            "- test removed: commented out: `def test_a():` (t/test_a.py, line 1 before)",
        ),
        (
            (
                "a.test.ts",
                &["-  it('adds', () => {", "-    expect(add(1)).toBe(2);", "-  });", " y"],
            ),
            "- test removed: `it('adds', () => {` (a.test.ts, line 1 before)",
        ),
        (
            (
                "a_test.go",
                &[
                    "-func TestAdd(t *testing.T) {",
                    "-\tif add(1) != 2 {",
                    "-\t\tt.Fatal(1)",
                    "-\t}",
                    "-}",
                ],
            ),
            "- test removed: `func TestAdd(t *testing.T) {` (a_test.go, line 1 before)",
        ),
        (
            (
                "src/test/FooTest.java",
                &["-  @Test", "-  void adds() {", "-    assertEquals(3, add(1, 2));", "-  }"],
            ),
            "- test removed: `void adds() {` (src/test/FooTest.java, line 2 before)",
        ),
        (
            (
                "tests/t.bats",
                &["-@test \"rotates\" {", "-  run rotate", "-  [ \"$status\" -eq 0 ]", "-}"],
            ),
            "- test removed: `@test \"rotates\" {` (tests/t.bats, line 1 before)",
        ),
        (
            ("tests/a.rs", &[" #[test]", "+#[ignore]", " fn a() {"]),
            "test skipped, or others left out: `#[ignore]` (tests/a.rs:2)",
        ),
        (
            ("t/test_a.py", &["+    @pytest.mark.skip(reason='flaky')", " def test_a():"]),
            "(t/test_a.py:1)",
        ),
        (
            ("a.test.ts", &["-  it('adds', () => {", "+  it.skip('adds', () => {"]),
            "`it.skip('adds', () => {` (a.test.ts:1)",
        ),
        (
            ("a.test.ts", &["-  it('adds', () => {", "+  it.only('adds', () => {"]),
            "others left out",
        ),
        (("a_test.go", &[" func TestAdd(t *testing.T) {", "+\tt.Skip(\"later\")"]), "skipped"),
        (("src/test/FooTest.java", &["+  @Disabled(\"later\")", "   @Test"]), "skipped"),
        (("tests/a.c", &["-TEST(Add, Works) {", "+TEST(Add, DISABLED_Works) {"]), "skipped"),
        (
            ("tests/a.rs", &["-    assert_eq!(a(), 3);", "+    assert!(true);"]),
            "assertion that always holds: `assert!(true);`",
        ),
        (("t/test_a.py", &["-    assert f(1) == 2", "+    assert True"]), "always holds"),
        (
            (
                "tests/a.rs",
                &["-    assert_eq!(parse(x), Ok(3));", "+    assert!(parse(x).is_ok());"],
            ),
            "- assertion that demands less: `assert!(parse(x).is_ok());`, before `assert_eq!(parse(x), Ok(3));` (tests/a.rs:1)",
        ),
        (
            ("t/test_a.py", &["-    self.assertEqual(f(1), 2)", "+    self.assertIsNotNone(f(1))"]),
            "demands less",
        ),
        (
            ("a.test.ts", &["-    expect(add(1)).toBe(2);", "+    expect(add(1)).toBeDefined();"]),
            "demands less",
        ),
        (
            ("t/test_a.py", &["     x = f(1)", "-    assert x == 2", " "]),
            "- assertion removed: `assert x == 2` (t/test_a.py, line 2 before)",
        ),
        (
            (
                "src/a.rs",
                &[
                    "-    assert!(a());",
                    "-    assert!(b());",
                    "-    assert!(c());",
                    "+    assert!(a2());",
                ],
            ),
            "3 assertions became 1, the first was: `assert!(a());`",
        ),
        (
            ("tests/a.rs", &["-    assert_eq!(add(1, 2), 3);", "+    assert_eq!(add(1, 2), 4);"]),
            "- expected value changed: `assert_eq!(add(1, 2), 4);`, before `assert_eq!(add(1, 2), 3);` (tests/a.rs:1)",
        ),
        (
            ("tests/__snapshots__/a.snap", &["-a", "+b"]),
            "expected value changed: a file of expected output",
        ),
        (
            (
                "Makefile",
                &[" check:", "-\tbash tests/test_a.sh", "+\tbash tests/test_a.sh || true"],
            ),
            "- failure not let through: `bash tests/test_a.sh || true` (Makefile:2)",
        ),
        (("Makefile", &["-\tcargo test", "+\t-cargo test"]), "not let through"),
        (
            (
                ".github/workflows/ci.yml",
                &["       - run: npm test", "+        continue-on-error: true"],
            ),
            "not let through",
        ),
        (
            (
                ".github/workflows/ci.yml",
                &["-      - run: npm test", "+      - run: npm test || true"],
            ),
            "not let through",
        ),
        (
            ("package.json", &["-    \"test\": \"jest\",", "+    \"test\": \"jest || true\","]),
            "not let through",
        ),
        (("scripts/release.sh", &["+git commit --no-verify -m x"]), "hooks left out"),
        (("src/a.rs", &["+    todo!()"]), "- stub: `todo!()` (src/a.rs:1)"),
        (("src/a.rs", &["+    unimplemented!(\"later\")"]), "stub"),
        (
            ("app.py", &["+def total(rows):", "+    pass", "+", "+def b():"]),
            "- stub: `def total(rows):` (app.py:1)",
        ),
        (("app.py", &["+    raise NotImplementedError"]), "stub"),
        (("a.ts", &["+  throw new Error('Not implemented');"]), "stub"),
        (("a.go", &["+\tpanic(\"not implemented\")"]), "stub"),
        (
            ("A.java", &["+    throw new UnsupportedOperationException(\"Not implemented yet\");"]),
            "stub",
        ),
        (
            ("app.py", &["+    # TODO: escape labels"]),
            "- note of open work: `# TODO: escape labels` (app.py:1)",
        ),
        (("src/a.rs", &["+    x(); // FIXME(me) wrong for 0"]), "note of open work"),
        (
            ("src/a.rs", &["+    // In a real implementation this would ask the server."]),
            "note of open work",
        ),
        (
            ("app.py", &["+    try:", "+        f()", "+    except Exception:", "+        pass"]),
            "- handler that catches all and does nothing: `except Exception:` (app.py:3)",
        ),
        (("a.ts", &["+  try { f() } catch (e) {}"]), "catches all"),
        (("a.ts", &["+  } catch (e) {", "+    // ignore", "+  }"]), "catches all"),
        (("a.ts", &["+  await f().catch(() => {});"]), "catches all"),
        (("A.java", &["+    } catch (Exception e) {", "+    }"]), "catches all"),
        (("src/a.rs", &["+        Err(_) => {}"]), "catches all"),
        (
            ("SUPERVISOR.md", &["-Be strict.", "+Be kind."]),
            "- changed: it steers this review (SUPERVISOR.md)",
        ),
        ((".claude/ccc.json", &["+{}"]), "steers this review"),
        (
            (".github/workflows/ci.yml", &["-      - run: npm run lint"]),
            "- changed definition of a check: the build server reads it",
        ),
        (
            ("scripts/lint.sh", &["-run_all", "+run_some"]),
            "the check `bash scripts/lint.sh` runs it (scripts/lint.sh)",
        ),
        (
            ("package.json", &["-    \"test\": \"jest\",", "+    \"test\": \"echo ok\","]),
            "- changed definition of a check: `\"test\": \"echo ok\",` (package.json:1)",
        ),
    ];
    for ((path, body), expected) in table {
        let text = of(&file(path, body), &["bash scripts/lint.sh"]);
        assert!(text.contains(expected), "{path} {body:?}\nexpected {expected}\ngot {text}");
    }
}

#[test]
fn what_only_looks_like_it_is_not_told() {
    let table: &[&[Case]] = &[
        // Moved, re-indented, reworded, renamed.
        &[("docs/a.md", &["-TODO: write"]), ("docs/b.md", &["+TODO: write"])],
        &[("app.py", &["-    # TODO: escape"]), ("lib.py", &["+# TODO: escape"])],
        &[("app.py", &["-x = 1  # TODO: y", "+x = 2  # TODO: y"])],
        &[("app.py", &["-    # TODO: tables", "+    # TODO: tables and rows"])],
        &[("a.rs", &["-    todo!()"]), ("b.rs", &["+        todo!()"])],
        &[
            ("tests/a.rs", &["-#[test]", "-fn a() {", "-    assert!(x());", "-}"]),
            ("tests/b.rs", &["+#[test]", "+fn a() {", "+    assert!(x());", "+}"]),
        ],
        &[("tests/a.rs", &[" #[test]", "-fn a() {", "+fn a_is_so() {", "     assert!(x());"])],
        &[("t/test_a.py", &["-def test_a():", "+def test_a_with_two():", "     assert x == 2"])],
        &[(
            "t/test_a.py",
            &[
                "-def test_a():",
                "-    assert x == 2",
                "-    assert y == 3",
                "+def test_b():",
                "+    assert x == 2",
                "+    assert y == 3",
            ],
        )],
        &[("t/test_a.py", &["-def test_a(self):", "+def test_a(self, tmp_path):"])],
        &[("src/a.rs", &["-#[test]", "+#[tokio::test]", " fn a() {"])],
        &[("Makefile", &["-\tcargo test || true", "+\tcargo test --all || true"])],
        // Rewritten without loss.
        &[(
            "tests/a.rs",
            &[
                "-    assert_eq!(add(1, 2), 3);",
                "+    assert_eq!(",
                "+        add(1, 2),",
                "+        3",
                "+    );",
            ],
        )],
        &[(
            "tests/a.rs",
            &["-    assert!(parse(x).is_ok());", "+    assert_eq!(parse(x), Ok(3));"],
        )],
        &[("a.test.ts", &["-    expect(a).toBeTruthy();", "+    expect(a).toEqual([1]);"])],
        // New work.
        &[("tests/a.rs", &["+#[test]", "+fn a() {", "+    assert_eq!(a(), 3);", "+}"])],
        &[("t/test_a.py", &["+def test_a():", "+    assert f(1) == 2"])],
        // Words that mean something else.
        &[(
            "src/todo.js",
            &[
                "+const TODO = 'TODO: x';",
                "+// The list of TODO items.",
                "+// TODO list of the user",
            ],
        )],
        &[("docs/a.md", &["+TODO: later", "+`|| true`", "+pass"])],
        &[(
            "src/a.rs",
            &["+    let text = \"todo!() unimplemented!()\";", "+    // Never say `TODO`."],
        )],
        &[("app.py", &["+class Missing(Exception):", "+    pass"])],
        &[(
            "app.py",
            &[
                "+class Base(ABC):",
                "+    @abstractmethod",
                "+    def run(self):",
                "+        raise NotImplementedError",
            ],
        )],
        &[("app.py", &["+    @abstractmethod", "+    def run(self):", "+        pass"])],
        &[("app.py", &["     def run(self):", "         pass", "+    x = 1"])],
        &[("app.pyi", &["+def run() -> int: ..."])],
        &[("app.py", &["+    except KeyError:", "+        pass"])],
        &[("app.py", &["+    except Exception:", "+        log.exception('x')", "+        raise"])],
        &[("a.ts", &["+  } catch (e) {", "+    report(e);", "+  }"])],
        &[("a.ts", &["+  promise.catch(report);"])],
        &[("src/a.rs", &["+        Err(_) => return None,"])],
        &[(
            "scripts/clean.sh",
            &["+rm -f out || true", "+docker rm x || true", "+grep -q x y || true"],
        )],
        &[("Makefile", &[" \tcargo test || true", "+\tcargo clippy"])],
        &[("scripts/a.sh", &["+git log -n 3", "+git commit -m 'now'"])],
        &[("package.json", &["+    \"left-pad\": \"1.0.0\","])],
        &[("Cargo.toml", &["+serde = \"1\""])],
        &[("src/a.rs", &["+#[ignored_by_all]", "+fn skip() {}"])],
        &[("src/list.js", &["+  list.skip(3);", "+  it = test.only;"])],
        &[("a_test.go", &["+\titer.Skip(1)"])],
        &[("src/main.go", &["-\tif x {", "-\t\tt.Error(1)", "-\t}"])],
        &[("data/a.json", &["-{\"a\": 1}", "+{\"a\": 2}"])],
        &[("src/supervisor.md.rs", &["+x"])],
    ];
    for files in table {
        let patch: String = files.iter().map(|(path, body)| file(path, body)).collect();
        assert_eq!(of(&patch, &[]), "", "{files:?}");
    }
}

#[test]
fn a_deleted_test_file_is_one_fact_and_a_moved_one_is_none() {
    let body =
        ["-def test_a():", "-    assert a() == 1", "-", "-def test_b():", "-    assert b() == 1"];
    let head = "diff --git a/t/test_a.py b/t/test_a.py\ndeleted file mode 100644\n--- a/t/test_a.py\n+++ /dev/null\n";
    let deleted = format!("{head}@@ -1,5 +0,0 @@\n{}\n", body.join("\n"));
    assert_eq!(
        of(&deleted, &[]),
        "- test removed: the file is deleted, with `test_a`, `test_b` (t/test_a.py)"
    );
    let came: Vec<String> = body.iter().map(|l| l.replacen('-', "+", 1)).collect();
    let came: Vec<&str> = came.iter().map(String::as_str).collect();
    assert_eq!(of(&(deleted + &file("t/test_all.py", &came)), &[]), "");
}

#[test]
fn a_flood_is_bounded_and_the_most_telling_stands_first() {
    let todos: Vec<String> = (0..90).map(|i| format!("+# TODO: part {i}")).collect();
    let todos: Vec<&str> = todos.iter().map(String::as_str).collect();
    let text = of(&(file("a.py", &todos) + &file("tests/a.rs", &["+#[ignore]"])), &[]);
    assert!(text.starts_with("- test skipped"), "{text}");
    assert!(text.ends_with("- note of open work: 85 more"), "{text}");
    assert_eq!(text.lines().count(), 7);
}

#[test]
fn commands_that_keep_a_failure_from_showing_are_told() {
    let told = |commands: &[&str]| {
        let mut records = vec![Record::Request("do".into())];
        for (i, command) in commands.iter().enumerate() {
            let call = Call::Run { command: (*command).into(), in_background: false };
            records.push(Record::Called { id: i.to_string(), call });
            records.push(Record::Answered {
                id: i.to_string(),
                text: String::new(),
                is_error: false,
            });
        }
        let activity = activity::read(&records);
        render(&Sources { patch: "", paths: &[], checks: &[], activity: &activity })
    };
    let table: &[(&[&str], &str)] = &[
        (
            &["git commit --no-verify -m x"],
            "- hooks left out: `git commit --no-verify -m x` (run by the agent)",
        ),
        (&["git commit -anm x"], "- hooks left out: `git commit -anm x` (run by the agent)"),
        (
            &["cargo test || true"],
            "- failure not let through: `cargo test || true` (run by the agent)",
        ),
        (&["cargo test || true", "cargo test"], ""),
        (&["cargo test | tail -3", "rm x || true"], ""),
        (&["git commit -m 'never use --no-verify'", "git commit -mnow"], ""),
    ];
    for (commands, expected) in table {
        assert_eq!(told(commands), *expected, "{commands:?}");
    }
}

proptest::proptest! {
    #[test]
    fn any_diff_is_searched(text in "(diff --git a/t/test_a.py b/t/test_a.py\n@@ -1,9 \\+1,9 @@\n|[-+ ](#\\[test\\]|fn a\\(\\) \\{|it\\('|assert |TODO|é目|except:|pass|\\|\\| true)?\n){0,40}") {
        of(&text, &["make check"]);
    }
}
