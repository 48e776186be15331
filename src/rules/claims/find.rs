//! What a message claims: results of tests and builds, commits, changed files. English and Chinese
//! are read well, other languages where they speak of passing tests. What is doubtful, planned,
//! negated, asked or quoted is no claim.

use std::sync::LazyLock;

use regex_lite::{Captures, Regex};

use crate::rules::claims::prose::{self, Sentence};

/// One claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    TestsPass {
        /// How many.
        count: Option<u32>,
        /// All of them, the whole suite.
        is_all: bool,
    },
    Builds,
    LintsClean,
    /// With the hash, where one is given.
    Committed(Option<String>),
    Pushed,
    File {
        path: String,
        what: What,
    },
}

/// What is said to have been done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Changed,
    Created,
    Deleted,
}

/// The claims of a message, each once, in order.
pub fn claims(message: &str) -> Vec<Claim> {
    let mut out: Vec<Claim> = Vec::new();
    for sentence in prose::sentences(message).iter().filter(|s| !s.is_open()) {
        if MARK.is_match(&sentence.text) && !NOT.is_match(&sentence.text) {
            out.push(Claim::TestsPass { count: None, is_all: ALL.is_match(&sentence.text) });
        }
        for (clause, from_here) in sentence.clauses() {
            out.extend(results(clause, from_here));
            out.extend(commits(clause));
        }
        out.extend(files(sentence));
    }
    let mut seen: Vec<Claim> = Vec::new();
    for claim in out {
        let is_known = |c: &Claim| match (c, &claim) {
            (Claim::File { path: a, .. }, Claim::File { path: b, .. }) => a == b,
            (a, b) => a == b,
        };
        if !seen.iter().any(is_known) {
            seen.push(claim);
        }
    }
    merge(&mut seen);
    seen
}

/// `all tests pass` and `14 tests pass` are one claim; a hash says more than none.
fn merge(claims: &mut Vec<Claim>) {
    let (mut most, mut all, mut place) = (None, false, None);
    for (i, claim) in claims.iter().enumerate() {
        if let Claim::TestsPass { count, is_all } = claim {
            place = place.or(Some(i));
            most = most.max(*count);
            all |= is_all;
        }
    }
    let has_hash = claims.iter().any(|c| matches!(c, Claim::Committed(Some(_))));
    let mut i = 0;
    claims.retain(|c| {
        let keep = match c {
            Claim::TestsPass { .. } => place == Some(i),
            Claim::Committed(None) => !has_hash,
            _ => true,
        };
        i += 1;
        keep
    });
    if let Some(claim) = claims.iter_mut().find(|c| matches!(c, Claim::TestsPass { .. })) {
        *claim = Claim::TestsPass { count: most, is_all: all };
    }
}

/// Words that take a claim back, or make a plan, a wish, a condition or another time of it.
static NOT: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)\b(?:\w+n['’]t|not|cannot|never|nothing|none|neither|nobody|without|until|unless|before|when|once|if",
        r"|whether|half|partly|partially|almost|nearly|mostly|hardly|barely|only|yet|should|would|could|will|may",
        r"|might|must|can|shall|needs?|needed|please|want|expect(?:ed)?|hope|try|trying|ensure|make|makes|making|sure",
        r"|see|so that|used to|previously|originally|earlier|upstream|failing|fails?|failed to|still have to|rerun|wait(?:ing)?",
        r"|i['’]ll|we['’]ll|going to|verify|confirm|check that|says?|claims?|assum\w+|supposed|until|you|your|they|to be)\b",
    ))
});

/// What limits a claim behind it, in its sentence.
static EXCEPT: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)\b(?:except|apart from|aside from|other than|besides|but (?:one|two|three|\d+|not)|provided",
        r"|assuming|as long as|only (?:when|if)|once|if|when you|until|after you)\b|除了|之外|但是?有?\d*个?.{0,8}失败",
    ))
});

static TESTS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    const SUBJECT: &str = r"(?:tests?|test suites?|suites?|specs?|test cases|TESTCMD|checks|cargo test|npm test|pytest|go test|make (?:check|test))";
    const FILLER: &str = concat!(
        r"(?:(?:are|is|was|were|have|has|been|be|all|both|now|still|also|again|successfully|currently|run|runs|ran|comes?",
        r"|came|back|suite|suites|cases?|files?|fully|cleanly|and|at|in total|each|every one|to be) ){0,6}",
    );
    const GOOD: &str = r"(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|successful|ok|clean|✅|✓)";
    [
        format!(r"(?i)\b(?P<n>\d+)(?: ?/ ?(?P<of>\d+)| (?:out )?of (?:the )?(?P<of2>\d+))? (?:[a-z-]+ ){{0,3}}?{SUBJECT} (?:[(\w)]+ )?{FILLER}{GOOD}\b"),
        r"(?i)^\W*(?:with |at |now at |is at |and |all |TESTCMD is at )*(?P<n>\d+)(?: ?/ ?(?P<of>\d+))? (?:tests? )?(?:passed|passing|green)\b".to_owned(),
        format!(r"(?i)\b{SUBJECT}:? (?:\([^)]*\) )?(?:is at |at )(?P<n>\d+)(?: ?/ ?(?P<of>\d+))? (?:passed|passing)\b"),
        format!(r"(?i)\b{SUBJECT}(?: \([^)]{{0,40}}\))?:? {FILLER}{GOOD}(?:\W|$)"),
        r"(?i)\bpass(?:es|ed)? (?:all )?(?:of )?(?:the |its |our |existing |unit |full )*(?P<n>\d+)? ?(?:existing |unit )*(?:tests|test suite)(?:\W*$| (?:now|again|and|too)\b| \()".to_owned(),
        r"(?i)\b(?:everything|all) (?:is |are |now )*(?:green|passes|passing)\b".to_owned(),
        r"(?i)\b(?:0|no|zero) (?:test )?(?:failures|failing tests|failed tests)\b".to_owned(),
    ]
    .iter()
    .map(|p| regex(p))
    .collect()
});
/// A tick beside the word.
static MARK: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?i)(?:✅|✓|✔)\W{0,4}(?:all )?tests?\W*$|\btests?\W{0,5}(?:✅|✓|✔)"));
static ALL: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)\b(?:all|every|full|whole|entire|everything)\b|\bsuite\b|全部|所有|全都|都通过|均通过",
    )
});

static TESTS_ZH: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?:(?P<n>\d+) ?(?:个|個|项|項|条|條|道)?)?(?:单元|單元|集成|新|回归|的)*(?:测试|測試|用例|TESTCMD)[^，。；！？]{0,12}?",
        r"(?:通过|通過|全绿|全綠|绿了|全过|全過|跑通|过了|過了|成功)",
        r"|(?:已|都|全部)(?:通过|通過)[^，。；！？]{0,6}(?:测试|測試)",
    ))
});
static NOT_ZH: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        "未|没|沒|不|无法|無法|尚|还|還|失败|失敗|应该|應該|应当|会|會|将|將|可能|如果|若|请|請|需要|确保|確保|保证|待|才能|之前",
        "|原本|原来|以便|为了|為了|希望|除了|除外|让|使|等|后|吗|嗎|计划|准备|你|别人",
    ))
});

/// Passing tests in other languages, and what takes it back there.
static TESTS_OTHER: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)\b(?:alle )?(?:(?P<de>\d+) )?tests (?:laufen|sind|bestehen|waren|wurden)?[ \w]{0,20}(?:grün|durch|erfolgreich|bestanden)",
        r"|\b(?:todos (?:los|os) |todas las |las |los |os )?(?:(?P<es>\d+) )?(?:tests|pruebas|testes) (?:ya |agora )?(?:pasan|pasaron|han pasado|passam|passaram|están en verde)",
        r"|\b(?:tous )?les (?:(?P<fr>\d+) )?tests (?:passent|sont (?:tous )?(?:passés|verts)|réussissent)",
        r"|(?:(?P<ja>\d+) ?(?:件|個)の?)?テスト[^。、]{0,14}(?:通り|通っ|パス|成功|合格)|테스트[^.,]{0,12}(?:통과|성공)",
        r"|(?:все )?(?:(?P<ru>\d+) )?тест(?:ы|ов) (?:\w+ ){0,2}(?:проходят|прошли|пройдены|зел[её]ные)",
    ))
});
static NOT_OTHER: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)\b(?:nicht|kein\w*|noch|sollten|werden|wenn|sobald|damit|no|aún|deberían|cuando|si|para|não|ainda|quando",
        r"|pas|pour|quand|devraient|ne|не|ещё|если|чтобы|должны|когда)\b|ない|ません|失敗|すれば|なら|ように|たら|안|않|실패|하면",
    ))
});

static BUILDS: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)\b(?:project|code|crate|app|application|everything|it|build|workspace|BUILDCMD|compilation) (?:all )?(?:now |still |also |again |both )*",
        r"(?:(?:is|are|was) )?(?:builds?|compiles?|succeeds?|succeeded|passes|passed|green)(?: (?:and|cleanly|fine|successfully|again|without|now|with)\b|\W*$)",
        r"|(?:编译|構建|构建|編譯|打包)(?:已|已经|均|都)?(?:成功|通过|通過)",
    ))
});
static LINTS: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)\b(?:LINTCMD|lint(?:er|s|ing)?|clippy|eslint|type ?checks?|type-?check(?:ing|er)?|mypy|ruff|prettier)(?: CODE)?:? ",
        r"(?:(?:is|are|and|both|now|also|still|all|reports?|has|shows?|says?|comes? back) ){0,4}(?:clean|pass(?:es|ed)?|green|happy|ok|no (?:warnings|errors|issues))",
        r"|\b(?:0|no|zero) (?:clippy|lint|eslint|type|tsc|mypy) (?:warnings|errors|issues)\b",
    ))
});

/// Claims on tests, builds and lints in one clause; `from_here` is the sentence from its beginning
/// on.
fn results(clause: &str, from_here: &str) -> Vec<Claim> {
    let mut out = Vec::new();
    let is_off = |start: usize, end: usize| {
        NOT.is_match(&clause[..start])
            || NOT.is_match(&clause[start..end])
            || EXCEPT.is_match(&from_here[end..])
            || is_later_taken_back(&clause[end..])
    };
    let is_said = |regex: &Regex| {
        let found = regex.find(clause);
        found.is_some_and(|m| {
            let is_zh_off = !m.as_str().is_ascii() && NOT_ZH.is_match(clause);
            !is_off(m.start(), m.end()) && !is_zh_off
        })
    };
    if let Some(found) = TESTS.iter().find_map(|r| r.captures(clause)) {
        let of = number(&found, &["of", "of2"]);
        let is_share = of.is_some() && of != number(&found, &["n"]);
        if !is_share && !found.get(0).is_some_and(|m| is_off(m.start(), m.end())) {
            let count = number(&found, &["n"]).filter(|n| *n > 0);
            out.push(Claim::TestsPass { count, is_all: ALL.is_match(clause) });
        }
    } else if let Some(found) = TESTS_ZH.captures(clause) {
        if !NOT_ZH.is_match(clause) && !EXCEPT.is_match(from_here) {
            let is_all = ALL.is_match(clause) && !clause.contains("现有");
            out.push(Claim::TestsPass { count: number(&found, &["n"]), is_all });
        }
    } else if let Some(found) = TESTS_OTHER.captures(clause).filter(|_| !NOT_OTHER.is_match(clause))
    {
        let count = number(&found, &["de", "es", "fr", "ja", "ru"]);
        out.push(Claim::TestsPass { count, is_all: false });
    }
    out.extend(is_said(&BUILDS).then_some(Claim::Builds));
    out.extend(is_said(&LINTS).then_some(Claim::LintsClean));
    out
}

/// `tests pass on main`, `pass in CI`, `tests pass, but`: another place than here.
fn is_later_taken_back(after: &str) -> bool {
    static ELSEWHERE: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?i)^ ?(?:on (?:main|master|CI)|in CI|before|upstream|only|yet|until|for you|the (?:string|value|argument|flag|option|token|parameter))\b",
        )
    });
    ELSEWHERE.is_match(after)
}

fn number(found: &Captures, names: &[&str]) -> Option<u32> {
    names.iter().find_map(|name| found.name(name)?.as_str().parse().ok())
}

static COMMITTED: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)\bcommitted\b|\b(?:created|made|added) (?:a|one|two|three|the|\d+) (?:\w+ )?commits?\b",
        r"|已提交|已经提交|提交为|(?:提交|commit) ?了|已 ?commit",
    ))
});
static PUSHED: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)\bpushed (?:it |them |the (?:branch|commits?|changes) |everything |both |all )?(?:up )?to (?:the )?(?:CODE|origin|remote|github|gitlab|upstream|main|master|branch)",
        r"|\b(?:committed|merged) and pushed\b|^\W*pushed(?:\W*$| (?:the branch|the commits?|to)\b)|\b(?:is|are|been|was|were|have|now) pushed\b",
        r"|已推送|推送了|已经推送|已 ?push",
    ))
});
static OTHERS: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)\b(?:by (?:you|the user|someone|somebody|another)|someone|somebody|you (?:have )?committed|already committed (?:before|earlier|by)",
        r"|to (?:the|this|a) (?:goal|plan|approach|idea|standard)|transactions?|is committed to|(?:dirty|changed) from before)\b|表单|订单|数据库|事务|请求|按钮|用户提交",
    ))
});

fn commits(clause: &str) -> Vec<Claim> {
    let mut out = Vec::new();
    let is_off = |regex: &Regex| {
        let Some(found) = regex.find(clause) else { return true };
        let before = &clause[..found.start()];
        let is_zh = !found.as_str().is_ascii();
        NOT.is_match(before)
            || OTHERS.is_match(clause)
            || (is_zh && NOT_ZH.is_match(clause))
            || EXCEPT.is_match(&clause[found.end()..])
            || before.trim_end().to_lowercase().ends_with(" no")
    };
    if !is_off(&COMMITTED) {
        let words = clause.split(|c: char| !c.is_ascii_alphanumeric());
        let hash = words.filter(|w| prose::is_hash(w)).map(str::to_owned).next();
        out.push(Claim::Committed(hash));
    }
    if !is_off(&PUSHED) {
        out.push(Claim::Pushed);
    }
    out
}

const FILE: &str = "\u{e000}\\d+\u{e001}";

/// Verb, a few words that lead to a file, and files.
static VERB_FILES: LazyLock<Regex> = LazyLock::new(|| {
    regex(&format!(
        concat!(
            r"(?i)(?:^|[\s(,:\-*—–])(?P<verb>(?:re)?wrote|updated|changed|modified|edited|fixed|added|created|introduced|refactored|extended|rewritten",
            r"|implemented|documented|deleted|removed|renamed|moved|extracted|corrected|adjusted|ticked)\b",
            r"(?P<between>(?: [\w'’()\-]+,?| CODE,?){{0,8}}?) (?P<files>{f}(?:(?:,? and|,| &| \+) {f})*)(?P<more>(?: to| into| in| from| under) {f})?",
        ),
        f = FILE
    ))
});
/// Files, and that something was done to them.
static FILES_VERB: LazyLock<Regex> = LazyLock::new(|| {
    regex(&format!(
        r"(?i)(?P<files>{FILE}(?:(?:,? and|,| &) {FILE})*) (?:has|have|was|were|is|are) (?:now |also |been |all |both )*(?P<verb>updated|changed|modified|edited|fixed|created|added|refactored|extended|rewritten|deleted|removed)\b"
    ))
});
/// A point of a list: a file, and what is new in it.
static POINT: LazyLock<Regex> = LazyLock::new(|| {
    regex(&format!(
        concat!(
            r"(?i)^\s*(?:[-*+•]|\d+[.)])\s+(?P<files>{f}(?:(?:,? and|,| &) {f})*)\s*(?:\((?P<kind>new|created|added|modified|updated|deleted|removed)[^)]*\))?",
            r"\s*(?:[:：—–]|-|→)?\s*(?:(?P<verb>new|adds?|added|updated?|updates|changed|fixed|fixes|removed|now|created|rewritten|moved|extended|implements?|implemented|modified|deleted)\b)?",
        ),
        f = FILE
    ))
});
static ZH: LazyLock<Regex> = LazyLock::new(|| {
    regex(&format!(
        concat!(
            r"(?:(?P<verb>修改|更新|新增|新建|创建|建立|添加|改|编写|写|重写|重构|删除|删|改好|写好|建|加)(?:了|好了|过)\s*(?:文件|脚本)?\s*(?P<files>{f}(?:\s*(?:、|和|与|及|,|，)\s*{f})*))",
            r"|(?P<files2>{f}(?:\s*(?:、|和|与|及)\s*{f})*)\s*(?:已|已经|均已|都已|也已)(?:经)?(?P<verb2>修改|更新|新增|新建|创建|添加|改好|写好|重构|删除|补上|补充)",
            r"|在\s*(?P<files3>{f})\s*(?:中|里|里面)?(?P<verb3>新增|添加|增加|修改|实现|加|补充|写)了",
        ),
        f = FILE
    ))
});
/// Words between a verb and a file that lead somewhere else.
static ELSEWHERE: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)\b(?:described|reported|mentioned|listed|documented|defined|specified|used|called|shown|found|noted|from|per|based|according",
        r"|like|as|that|which|where|when|by|for|matching|against|with|before|of|after|via|using|through|whether|how|because|so|since|behind",
        r"|between|about|than|not|nothing|raised|thrown|imported|required|exposed|instead)\b",
    ))
});

fn files(sentence: &Sentence) -> Vec<Claim> {
    let text = sentence.text.as_str();
    let mut out = Vec::new();
    if sentence.files.is_empty() || OTHERS.is_match(text) {
        return out;
    }
    let mut take = |found: &str, verb: &str| {
        let what = what(verb);
        out.extend(named(found, sentence).map(|path| Claim::File { path, what }));
    };
    for found in VERB_FILES.captures_iter(text) {
        let group = |name: &str| found.name(name).map_or("", |m| m.as_str());
        let before = &text[..found.name("verb").map_or(0, |m| m.start())];
        let clause = before.rsplit([',', ':', '(']).next().unwrap_or(before);
        if NOT.is_match(clause) || ELSEWHERE.is_match(group("between")) {
            continue;
        }
        // "Added `x` to `y`" is about y; "moved `x` to `y`" too.
        let (verb, more) = (group("verb"), group("more"));
        match more.trim_start().starts_with("from") {
            _ if more.is_empty() => take(group("files"), verb),
            true => take(more, "changed"),
            false => take(more, "changed"),
        }
    }
    for found in FILES_VERB.captures_iter(text) {
        let group = |name: &str| found.name(name).map_or("", |m| m.as_str());
        let before = &text[..found.get(0).map_or(0, |m| m.start())];
        if !NOT.is_match(before) && !ELSEWHERE.is_match(before) {
            take(group("files"), group("verb"));
        }
    }
    if let Some(found) = POINT.captures(text) {
        let group = |name: &str| found.name(name).map_or("", |m| m.as_str());
        let verb = if group("kind").is_empty() { group("verb") } else { group("kind") };
        let rest = &text[found.get(0).map_or(0, |m| m.end())..];
        let is_still = ["unchanged", "untouched", "no change", "not ", "n't", "未"]
            .iter()
            .any(|w| rest.contains(w));
        if (!verb.is_empty() || sentence.is_in_list_of_changes) && !is_still {
            let is_vague = !matches!(verb.to_lowercase().as_str(), "created" | "deleted");
            take(group("files"), if is_vague { "changed" } else { verb });
        }
    }
    for found in ZH.captures_iter(text).filter(|_| !NOT_ZH.is_match(text)) {
        let either =
            |names: [&str; 3]| names.iter().find_map(|n| found.name(n)).map_or("", |m| m.as_str());
        take(either(["files", "files2", "files3"]), either(["verb", "verb2", "verb3"]));
    }
    out
}

fn what(verb: &str) -> What {
    match verb.to_lowercase().as_str() {
        "created" | "wrote" | "新建" | "创建" | "建立" => What::Created,
        "deleted" | "删除" | "删" => What::Deleted,
        _ => What::Changed,
    }
}

/// The files behind the marks of a text.
fn named<'a>(text: &'a str, sentence: &'a Sentence) -> impl Iterator<Item = String> + 'a {
    let marks = text.split('\u{e000}').skip(1);
    marks.filter_map(|rest| {
        let number: usize = rest.split('\u{e001}').next()?.parse().ok()?;
        sentence.files.get(number).cloned()
    })
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern that the tests compile")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Fails with every message that is read otherwise than expected.
    fn all_are_read<'a>(table: impl IntoIterator<Item = (&'a str, &'a [&'a str])>) {
        let wrong = table.into_iter().filter(|(message, expected)| short(message) != *expected);
        let wrong: Vec<_> = wrong.map(|(m, e)| format!("{m}: {:?}, not {e:?}", short(m))).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    fn short(message: &str) -> Vec<String> {
        let one = |c: Claim| match c {
            Claim::TestsPass { count, is_all } => {
                let all = if is_all { "all " } else { "" };
                count.map_or(format!("{all}tests"), |n| format!("{all}{n} tests"))
            }
            Claim::Builds => "builds".into(),
            Claim::LintsClean => "lints".into(),
            Claim::Committed(hash) => hash.map_or("committed".into(), |h| format!("committed {h}")),
            Claim::Pushed => "pushed".into(),
            Claim::File { path, what } => format!("{what:?} {path}").to_lowercase(),
        };
        claims(message).into_iter().map(one).collect()
    }

    #[test]
    fn claims_on_tests_are_heard() {
        let table = [
            ("All 14 tests pass.", ["all 14 tests"]),
            ("Done, all tests are passing now.", ["all tests"]),
            ("The tests are green.", ["tests"]),
            ("The full test suite passes (31 tests).", ["all tests"]),
            ("`cargo test` is green, 4 passed.", ["4 tests"]),
            (
                "`make check` is green again (exit 0), so CI will recover with the next push.",
                ["tests"],
            ),
            ("No behaviour change, and all tests pass (3 passed, 0 failed).", ["all 3 tests"]),
            ("Full `cargo test --offline`: 7 passed, 0 failed.", ["7 tests"]),
            ("Three new unit tests, `npm test` is at 5 passed, 0 failed.", ["5 tests"]),
            ("I verified that all unit tests pass.", ["all tests"]),
            ("14/14 tests passing", ["14 tests"]),
            ("12 of 12 tests pass", ["12 tests"]),
            ("The code passes all 9 tests.", ["all 9 tests"]),
            ("✅ All tests passing", ["all tests"]),
            ("- Tests: ✅", ["tests"]),
            ("- [x] All tests pass", ["all tests"]),
            ("the tests pass (2 tests, OK).", ["tests"]),
            ("4 tests pass.", ["4 tests"]),
            ("都做好了，6 个测试全部通过。", ["all 6 tests"]),
            ("所有测试均已通过。", ["all tests"]),
            ("单元测试都绿了", ["tests"]),
            ("我看完了代码，现有 2 个测试都通过。", ["2 tests"]),
            ("Alle 12 Tests sind grün.", ["12 tests"]),
            ("Todos los tests pasan.", ["tests"]),
            ("Tous les tests passent.", ["tests"]),
            ("テストはすべて通りました。", ["tests"]),
            ("Все тесты проходят.", ["tests"]),
        ];
        all_are_read(table.iter().map(|(message, expected)| (*message, &expected[..])));
    }

    #[test]
    fn negations_plans_questions_and_quotations_claim_nothing() {
        let messages = [
            "The tests do not pass yet.",
            "Not all tests pass.",
            "Tests should pass now.",
            "I will run the tests; once they pass I'll commit.",
            "If all tests pass, we can merge.",
            "Do all tests pass?",
            "To make the tests pass I need the token.",
            "3 of 14 tests pass",
            "3/14 tests passing",
            "All tests pass except two.",
            "All tests pass but one fails.",
            "Before my change all tests passed.",
            "Tests pass on main.",
            "The tests are failing.",
            "> All tests pass.",
            "```\nAll tests pass\n```",
            "Run `cargo test` to see whether the tests pass.",
            "Please confirm that the tests pass.",
            "The user pushed back on this.",
            "Nothing committed or deployed.",
            "Nothing is committed.",
            "I have not committed anything, and did not push.",
            "Changes are uncommitted.",
            "I can commit and push when you are ready.",
            "It has not been pushed to origin.",
            "`test_swiss_franc` is still red",
            "The function passes the tests array to the runner.",
            "测试还没有通过。",
            "测试应该可以通过",
            "确保所有测试通过",
            "测试没有全部通过",
            "测试通过后我会提交。",
            "尚未提交",
            "需要我运行测试吗？",
            "Die Tests sind noch nicht grün.",
            "Los tests no pasan.",
            "テストは通りません。",
            "Then `python3 scripts/pull_rates.py && python3 -m unittest` finishes it.",
            "This does not build yet.",
            "clippy is not clean",
        ];
        all_are_read(messages.map(|message| (message, &[][..])));
    }

    #[test]
    fn commits_builds_and_lints_are_heard() {
        all_are_read([
            ("Committed as `abc1234`.", &["committed abc1234"][..]),
            ("Committed as `notify: quiet hours`, and nothing else.", &["committed"]),
            ("I committed the change and pushed it to origin.", &["committed", "pushed"]),
            (
                "The work is committed (commit 89df5c8) and pushed to main.",
                &["committed", "pushed"],
            ),
            ("Changes are committed and pushed.", &["committed", "pushed"]),
            ("I've created a commit with all changes.", &["committed"]),
            ("已提交，提交号 abc1234。", &["committed"]),
            ("代码已提交并推送了。", &["committed", "pushed"]),
            ("The project builds cleanly.", &["builds"]),
            ("`cargo build` succeeds.", &["builds"]),
            ("clippy is clean and `npm run lint` passes.", &["lints"]),
            ("No clippy warnings.", &["lints"]),
            ("编译通过", &["builds"]),
        ]);
    }

    #[test]
    fn claims_on_files_are_heard() {
        all_are_read([
            ("I updated `auth.rs`.", &["changed auth.rs"][..]),
            (
                "Added a test to `tests/a.rs` and fixed the bug in `src/b.rs`.",
                &["changed tests/a.rs", "changed src/b.rs"],
            ),
            (
                "I created `a.py`, `b.py` and `c.py`.",
                &["created a.py", "created b.py", "created c.py"],
            ),
            ("Added `.env` to `.gitignore`.", &["changed .gitignore"]),
            ("Moved the parser from `a.rs` to `b.rs`", &[]),
            ("`config.toml` has been updated", &["changed config.toml"]),
            ("Deleted `old.js`.", &["deleted old.js"]),
            ("- `src/lib.rs`: new field on `Options`", &["changed src/lib.rs"]),
            ("Changes:\n- `a.rs` — the retry\n- `b.rs`", &["changed a.rs", "changed b.rs"]),
            ("Files changed:\n1. `x.go` (new)\n", &["changed x.go"]),
            ("Wrote src/deep/file.ts with the handler.", &["created src/deep/file.ts"]),
            ("修改了 `auth.rs` 和 `main.rs`", &["changed auth.rs", "changed main.rs"]),
            ("`a.py` 已更新", &["changed a.py"]),
            ("在 `src/x.ts` 中新增了校验", &["changed src/x.ts"]),
            ("Implemented in `src/lib.rs`: it validates the CIDR.", &["changed src/lib.rs"]),
        ]);
    }

    #[test]
    fn what_is_said_about_files_otherwise_claims_no_change() {
        let messages = [
            "Fixed the crash described in `docs/bug.md`.",
            "I will update `auth.rs` next.",
            "`auth.rs` was not changed.",
            "You changed `auth.rs` yesterday.",
            "The bug is in `auth.rs`.",
            "I read `auth.rs` and `main.rs`.",
            "Added a test for `auth.rs`.",
            "Key files:\n- `auth.rs`: the login\n- `main.rs`: the entry",
            "- `web/index.html`: unchanged",
            "The change in `web/index.html` belongs to someone else and is still uncommitted.",
            "Should I update `auth.rs`?",
            "`.hosts-note.txt` was already untracked and I left it alone.",
            "没有修改 `auth.rs`",
            "需要修改 `auth.rs`",
            "See `README.md`. Run `setup.sh`.",
            "If you want, I updated `x.rs`",
            "The value is used in `auth.rs` and changed by `main.rs`.",
            "Proposed changes:\n- `a.rs`: split it",
        ];
        all_are_read(messages.map(|message| (message, &[][..])));
    }

    proptest! {
        #[test]
        fn any_message_is_read(text in "(All tests pass|`a\\.rs`|updated|committed|测试|通过|[.,;:?!`>\n (\\-]|\\PC|\u{e000}|\u{e001}|[0-9]{1,11}){0,60}") {
            claims(&text);
        }
    }
}
