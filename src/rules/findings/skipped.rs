//! Tests that will not run, and assertions that always hold.

use crate::rules::findings::changed::File;
use crate::rules::findings::marks::has_word;
use crate::rules::findings::source::{Lang, Line};

/// Decorators that keep a test from running.
const PYTHON_MARKS: [&str; 6] = [
    "@pytest.mark.skip",
    "@pytest.mark.xfail",
    "@unittest.skip",
    "@unittest.expectedFailure",
    "@skip",
    "@expectedFailure",
];
/// Calls that do so, or that leave the other tests out.
const JS_CALLS: [&str; 15] = [
    "it.skip(",
    "test.skip(",
    "describe.skip(",
    "suite.skip(",
    "it.todo(",
    "test.todo(",
    "test.fixme(",
    "it.only(",
    "test.only(",
    "describe.only(",
    "it.skip.each(",
    "test.skip.each(",
    "test.fails(",
    "it.fails(",
    "this.skip(",
];

/// A test that will not run, or a choice of tests that leaves the others out.
pub fn skips(file: &File, line: &Line) -> bool {
    let code = line.code.as_str();
    let starts = |list: &[&str]| list.iter().any(|start| code.starts_with(start));
    let calls = |list: &[&str]| list.iter().any(|call| has_word(code, call));
    match file.lang {
        Lang::Rust => {
            starts(&["#[ignore]", "#[ignore =", "#[cfg(any())]", "#[cfg(never)]"])
                || (code.starts_with("#[cfg_attr(") && has_word(code, "ignore"))
        }
        Lang::Python => {
            starts(&PYTHON_MARKS)
                || calls(&["pytest.skip(", "pytest.xfail(", "self.skipTest(", "unittest.SkipTest"])
                || (code.starts_with("pytestmark") && code.contains("mark.skip"))
        }
        Lang::Js => {
            let is_named = starts(&["xit(", "xtest(", "xdescribe(", "fit(", "fdescribe("]);
            file.is_test && (is_named || calls(&JS_CALLS) || code.contains("skip: true"))
        }
        Lang::Go => file.is_test && calls(&["t.Skip(", "t.Skipf(", "t.SkipNow("]),
        Lang::Java => {
            let mark = ["@Disabled", "@Ignore"].iter().find_map(|m| code.strip_prefix(m));
            mark.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
                || (file.is_test && calls(&["markTestSkipped(", "markTestIncomplete("]))
        }
        Lang::C => file.is_test && (calls(&["GTEST_SKIP("]) || code.contains(", DISABLED_")),
        Lang::Ruby => {
            file.is_test
                && (starts(&["xit ", "xdescribe ", "xcontext ", "pending "])
                    || code == "skip"
                    || code.starts_with("skip "))
        }
        Lang::Shell => file.is_test && (code == "skip" || code.starts_with("skip ")),
        Lang::Make | Lang::Config | Lang::Json | Lang::Other => false,
    }
}

/// An assertion that holds whatever the program does.
pub fn is_always_true(lang: Lang, line: &Line) -> bool {
    let code: String = line.code.chars().filter(|c| !c.is_whitespace()).collect();
    let starts = |list: &[&str]| list.iter().any(|start| code.starts_with(start));
    match lang {
        Lang::Rust => {
            starts(&["assert!(true)", "assert!(true,", "assert_eq!(1,1)", "assert_eq!(true,true)"])
        }
        Lang::Python => {
            let plain = ["assert True", "assert 1", "assert 1 == 1", "assert True == True"];
            let said = line.code.split(',').next().unwrap_or_default();
            plain.contains(&said) || starts(&["self.assertTrue(True)", "self.assertEqual(1,1)"])
        }
        Lang::Js => starts(&[
            "expect(true).toBe(true)",
            "expect(true).toBeTruthy(",
            "expect(true).toEqual(true)",
            "expect(1).toBe(1)",
            "expect(1).toEqual(1)",
            "assert(true)",
            "assert.ok(true)",
        ]),
        Lang::Go => starts(&["assert.True(t,true)", "require.True(t,true)", "assert.Equal(t,1,1)"]),
        Lang::Java => starts(&[
            "assertTrue(true)",
            "assertEquals(1,1)",
            "Assert.assertTrue(true)",
            "$this->assertTrue(true)",
            "Assert.True(true)",
        ]),
        Lang::C => starts(&[
            "assert(true)",
            "assert(1)",
            "ASSERT_TRUE(true)",
            "EXPECT_TRUE(true)",
            "ASSERT_TRUE(1)",
        ]),
        Lang::Ruby => starts(&["assert(true)", "expect(true).to"]) || line.code == "assert true",
        Lang::Shell | Lang::Make | Lang::Config | Lang::Json | Lang::Other => false,
    }
}
