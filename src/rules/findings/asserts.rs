//! Assertions that went, that say less than before, or that expect something else.

use std::collections::BTreeMap;

use crate::rules::findings::changed::{Changed, File};
use crate::rules::findings::marks::has_word;
use crate::rules::findings::source::Lang;
use crate::rules::findings::{Finding, Topic};

/// How much an assertion demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    /// That something holds, or is there.
    Holds,
    /// A bound, a part, a kind.
    Bounds,
    /// One value.
    Equals,
}

/// One assertion among the changed lines.
struct Assertion<'a> {
    changed: &'a Changed<'a>,
    strength: Strength,
    is_paired: bool,
}

/// What became of the assertions of a file. `is_gone` tells the removed lines that belong to a
/// test that went as a whole.
pub fn find(file: &File, is_gone: impl Fn(u32) -> bool) -> Vec<Finding> {
    let mut groups: BTreeMap<u32, (Vec<Assertion>, Vec<Assertion>)> = BTreeMap::new();
    let is_open = |changed: &&Changed| !changed.is_moved;
    for changed in file.removed.iter().filter(is_open).filter(|c| !is_gone(c.number)) {
        if let Some(a) = assertion(file, changed) {
            groups.entry(changed.anchor).or_default().0.push(a);
        }
    }
    for changed in file.added.iter().filter(is_open) {
        if let Some(a) = assertion(file, changed) {
            groups.entry(changed.anchor).or_default().1.push(a);
        }
    }
    let mut elsewhere: Vec<String> = groups
        .values()
        .flat_map(|(old, new)| new.iter().skip(old.len()))
        .map(|a| a.changed.line.shape())
        .collect();
    let mut out = Vec::new();
    for (mut old, mut new) in groups.into_values() {
        out.extend(edited(file, &mut old, &mut new));
        out.extend(weaker(file, &old, &new));
        out.extend(fewer(file, &mut old, new.len(), &mut elsewhere));
    }
    out
}

/// Pairs that differ in literals alone: the expected value, or the case, was changed.
fn edited(file: &File, old: &mut [Assertion], new: &mut [Assertion]) -> Vec<Finding> {
    let mut out = Vec::new();
    for before in old {
        let shape = before.changed.line.shape();
        let twin = new.iter_mut().find(|a| !a.is_paired && a.changed.line.shape() == shape);
        let Some(after) = twin else { continue };
        (before.is_paired, after.is_paired) = (true, true);
        out.push(Finding::replaced(Topic::Expected, file.path, before.changed, after.changed));
    }
    out
}

/// Pairs on the same subject of which the new one demands less.
fn weaker(file: &File, old: &[Assertion], new: &[Assertion]) -> Vec<Finding> {
    let old = old.iter().filter(|a| !a.is_paired);
    let pairs = old.zip(new.iter().filter(|a| !a.is_paired));
    let is_weaker = |(before, after): &(&Assertion, &Assertion)| {
        after.strength < before.strength && shares_subject(before.changed, after.changed)
    };
    let found = pairs.filter(is_weaker);
    found
        .map(|(a, b)| Finding::replaced(Topic::Loosened, file.path, a.changed, b.changed))
        .collect()
}

/// More assertions went than came at the same place.
fn fewer(
    file: &File,
    old: &mut [Assertion],
    new: usize,
    elsewhere: &mut Vec<String>,
) -> Option<Finding> {
    let mut missing = old.len().saturating_sub(new);
    for a in old.iter().filter(|a| !a.is_paired) {
        let shape = a.changed.line.shape();
        if let Some(at) = elsewhere.iter().position(|other| *other == shape) {
            elsewhere.swap_remove(at);
            missing = missing.saturating_sub(1);
        }
    }
    let first = old.iter().find(|a| !a.is_paired).filter(|_| missing > 0)?;
    let what = match (old.len(), new) {
        (1, 0) => String::new(),
        (n, 0) => format!("{n} assertions, the first: "),
        (n, m) => format!("{n} assertions became {m}, the first was: "),
    };
    Some(Finding::removed(Topic::AssertionGone, file.path, first.changed, what))
}

fn assertion<'a>(file: &File, changed: &'a Changed<'a>) -> Option<Assertion<'a>> {
    let strength = strength(file, &changed.line.code)?;
    Some(Assertion { changed, strength, is_paired: false })
}

/// How much the assertion in a line of code demands; `None` where there is none.
fn strength(file: &File, code: &str) -> Option<Strength> {
    use Strength::{Bounds, Equals};
    let has = |list: &[&str]| list.iter().any(|word| has_word(code, word));
    // Rust has its tests in any file.
    if !file.is_test && file.lang != Lang::Rust {
        return None;
    }
    match file.lang {
        Lang::Rust if has(&["assert_eq!", "prop_assert_eq!", "assert_snapshot!"]) => Some(Equals),
        Lang::Rust if has(&["assert_ne!", "assert_matches!", "prop_assert_ne!"]) => Some(Bounds),
        Lang::Rust => has(&["assert!", "prop_assert!"]).then(|| comparison(code)),
        Lang::Python if code.starts_with("assert ") => Some(comparison(code)),
        Lang::Python if code.contains("self.assert") => Some(by_name(code)),
        Lang::Python => has(&["pytest.raises(", "self.fail("]).then_some(Bounds),
        Lang::Js if has(&["expect("]) => Some(expectation(code)),
        Lang::Js if has(&["assert.", "t.equal(", "t.deepEqual("]) => Some(by_name(code)),
        Lang::Js => has(&["assert("]).then(|| comparison(code)),
        Lang::Go if has(&["assert.", "require."]) => Some(by_name(code)),
        Lang::Go => {
            has(&["t.Error(", "t.Errorf(", "t.Fatal(", "t.Fatalf(", "t.Fail("]).then_some(Bounds)
        }
        Lang::Java if has(&["assertThat("]) => Some(Bounds),
        Lang::Java => has(&["assert", "Assert.", "XCTAssert"]).then(|| by_name(code)),
        Lang::C if has(&["ASSERT_", "EXPECT_"]) => Some(by_name(code)),
        Lang::C => has(&["assert(", "CHECK(", "REQUIRE("]).then(|| comparison(code)),
        Lang::Ruby => has(&["assert", "expect("]).then(|| by_name(code)),
        Lang::Shell => code.starts_with("assert").then_some(Bounds),
        Lang::Make | Lang::Config | Lang::Json | Lang::Other => None,
    }
}

/// By the comparison in the expression that is asserted.
fn comparison(code: &str) -> Strength {
    let bounds = [" < ", " > ", "<=", ">=", " in ", "!=", "contains(", "starts_with("];
    match () {
        () if code.contains("==") || code.contains(".equals(") => Strength::Equals,
        () if bounds.iter().any(|sign| code.contains(sign)) => Strength::Bounds,
        () => Strength::Holds,
    }
}

/// By the name of the function that asserts.
fn by_name(code: &str) -> Strength {
    let lower = code.to_lowercase();
    let has = |list: &[&str]| list.iter().any(|part| lower.contains(part));
    match () {
        () if has(&["notequal", "_ne("]) => Strength::Bounds,
        () if has(&["equal", "same(", "_eq", "_streq", "eql", "==", "eq("]) => Strength::Equals,
        () if has(&[
            "true(",
            "false(",
            "notnull(",
            "nonnull(",
            "notnil(",
            "isnotnone(",
            "noerror",
            "_true",
            "ok(",
            "not_nil",
            "instanceof",
        ]) =>
        {
            Strength::Holds
        }
        () => Strength::Bounds,
    }
}

/// `expect(x).toBe(y)` and the like.
fn expectation(code: &str) -> Strength {
    let has = |list: &[&str]| list.iter().any(|part| code.contains(part));
    match () {
        () if code.contains(".not.") && !has(&["toBeNull", "toBeUndefined", "toThrow"]) => {
            Strength::Bounds
        }
        () if has(&[
            ".toBe(",
            ".toEqual(",
            ".toStrictEqual(",
            "MatchSnapshot",
            ".to.equal(",
            ".to.eql(",
            "InlineSnapshot",
            ".toHaveLength(",
        ]) =>
        {
            Strength::Equals
        }
        () if has(&[
            "toBeTruthy",
            "toBeDefined",
            "toBeFalsy",
            "toBeNull",
            "toBeUndefined",
            "not.toThrow",
            ".to.exist",
            ".to.be.ok",
        ]) =>
        {
            Strength::Holds
        }
        () => Strength::Bounds,
    }
}

/// Whether two assertions speak of the same thing: a name that is not the assertion's own.
fn shares_subject(a: &Changed, b: &Changed) -> bool {
    let words = |c: &Changed| -> Vec<String> {
        let words = c.line.code.split(|c: char| !c.is_alphanumeric() && c != '_');
        let own = |w: &&str| {
            let lower = w.to_lowercase();
            let parts = ["assert", "expect", "tobe", "toequal", "self", "true", "false", "none"];
            w.starts_with(|c: char| c.is_alphabetic())
                && !parts.iter().any(|part| lower.starts_with(part))
        };
        words.filter(own).map(str::to_owned).collect()
    };
    let other = words(b);
    words(a).iter().any(|word| other.contains(word))
}
