//! Words by which an agent says that it is done, in English and Chinese.
//!
//! Only a heuristic: the first of the two conditions of the `status` judge. It errs on the side
//! of not hearing one.

use std::sync::LazyLock;

use regex_lite::Regex;

use super::status_block;
use super::text::{head_bytes, tail_bytes};

/// How much of a message's end is looked at, in bytes: what it comes to stands there.
const MAX_TEXT: usize = 16_000;
/// How far around an indicator a negation is looked for, in bytes.
const REACH: usize = 100;

/// English indicators as whole words.
static ENGLISH: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)\b(?:complete|completed|done|finished|ready|implemented|no (?:\w+ )?errors?|all (?:(?:of )?the )?(?:\d+ )?(?:\w+ )?tests (?:(?:are|have|now) )*(?:pass|passed|passing|green))\b",
    )
});

/// Words before an indicator, in its clause, that take it back; a modal verb only close to it.
static ENGLISH_NEGATION: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)\b(?:\w+n['’]t|not|cannot|never|nothing|none|no|without|until|unless|before|when|once|if|half",
        r"|partly|partially|almost|nearly|mostly|hardly|barely|only|yet)\b",
        r"|\b(?:will|would|should|must|may|might|needs?|needed)(?: \w+){0,3} *$",
        r"|\b(?:to|please)(?: be| have)? *$",
    ))
});

/// Words behind one, in its clause, that do the same.
static ENGLISH_LIMIT: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)\b(?:except|besides|apart from|other than|yet|once|when|to (?:start|begin|continue|proceed))\b",
    )
});

/// A share that is not the whole: `3/7`, `3 of 7`, `80%`.
static SHARE: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(\d+)(?: ?/ ?| (?:out )?of (?:the )?)(\d+)|(\d+)(?:\.\d+)? ?[%％]"));

static CHINESE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        "完成|完毕|完畢|做完|搞定|就绪|就緒|(?:做|改|写|弄)好了|已实现|已實現|已實作|(?:测试|測試|全部|一切|全|均|都|已经|已)+(?:通过|通過)|(?:没有|沒有|无|無)(?:任何)?(?:错误|錯誤|剩余|剩餘)",
    )
});

/// What takes a Chinese indicator back when it stands before it, in its clause.
static CHINESE_NEGATION: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        "未|没|沒|尚|还差|还没|不|无法|無法|待|需|要|将|將|部分|一半|如果|若|等到|直到|准备|準備|争取|計劃|计划|才能|即可|继续|繼續|正在|基本|几乎|差不多",
    )
});

/// And when it stands right behind it.
static CHINESE_LIMIT: LazyLock<Regex> = LazyLock::new(|| {
    regex("^(?:度|率|后|後|之后|之後|前|之前|时|時|了?一半|了?部分|的?条件|吗|嗎)")
});

/// Announcements of further work.
static PHASE_CHANGE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)\b(?:mov(?:e|ing) (?:on )?to (?:the )?next|now (?:working|starting|moving) on|(?:start|starting|begin|beginning|proceed|proceeding|continu(?:e|ing)) (?:on |with |to )?(?:the )?(?:next|task|step|phase|item)|next,? i(?:'ll|’ll| will| am going to))\b|(?:进入|開始|开始|转到|轉到|继续|繼續|着手)下一|接下来(?:我|将|会|開始|开始|继续)|接下來(?:我|將|會|開始|繼續)|现在开始|現在開始|正在(?:进行|处理|实现|編寫|编写)|(?:继续|繼續)(?:实现|處理|处理|进行|完成)",
    )
});

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern that the tests compile")
}

/// How often a message says that the work is done, announcements of further work taken off.
/// Negations, questions, shares ("3 of 7 done"), quotations, code and status blocks do not count.
pub fn indicators(message: &str) -> usize {
    let own = own_words(message);
    let own = last_lines(&own);
    let said: usize = own.lines().flat_map(clauses).map(in_clause).sum();
    said.saturating_sub(PHASE_CHANGE.find_iter(own).count())
}

/// The message without status blocks, code, quotations and open boxes of a list.
fn own_words(message: &str) -> String {
    let mut own = String::new();
    let mut is_code = false;
    for line in status_block::without_blocks(message).lines() {
        let text = line.trim_start();
        if text.starts_with("```") || text.starts_with("~~~") {
            is_code = !is_code;
        } else if !is_code && !text.starts_with('>') && !is_open_box(text) {
            let outside = line.split('`').enumerate().filter(|(i, _)| i % 2 == 0);
            own.extend(outside.map(|(_, piece)| piece));
            own.push('\n');
        }
    }
    own
}

/// The lines that end the text. One that would be cut is left out: its negation may be lost.
fn last_lines(text: &str) -> &str {
    let tail = tail_bytes(text, MAX_TEXT);
    match tail.len() < text.len() {
        true => tail.split_once('\n').map_or("", |(_, whole)| whole),
        false => tail,
    }
}

fn is_open_box(line: &str) -> bool {
    line.trim_start_matches(['-', '*', '+', ' ']).starts_with("[ ]")
}

/// The clauses of a line, each with the mark that ends it. A dot within a word ends nothing.
pub(super) fn clauses(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let ends = rest.char_indices().find_map(|(i, c)| {
            let end = i + c.len_utf8();
            let is_end = match c {
                '.' | ':' | ',' => rest[end..].chars().next().is_none_or(char::is_whitespace),
                ';' | '!' | '?' | '(' | ')' | '—' | '–' => true,
                '。' | '，' | '；' | '！' | '？' | '、' | '：' | '（' | '）' => true,
                ' ' => return conjunction(&rest[end..]).map(|length| end + length),
                _ => false,
            };
            is_end.then_some(end)
        });
        let (clause, after) = rest.split_at(ends.unwrap_or(rest.len()));
        rest = after;
        Some(clause)
    })
}

/// The length of a conjunction that a text begins with.
fn conjunction(text: &str) -> Option<usize> {
    let words = ["and ", "but ", "so ", "- "];
    words.iter().find(|word| text.starts_with(**word)).map(|word| word.len())
}

fn in_clause(clause: &str) -> usize {
    if clause.ends_with(['?', '？']) || is_share(clause) {
        return 0;
    }
    let around = |start: usize, end: usize| {
        (tail_bytes(&clause[..start], REACH), head_bytes(&clause[end..], REACH))
    };
    let english = ENGLISH.find_iter(clause).filter(|found| {
        let (before, after) = around(found.start(), found.end());
        is_whole_word(before, after)
            && !ENGLISH_NEGATION.is_match(before)
            && !ENGLISH_LIMIT.is_match(after)
    });
    let chinese = CHINESE.find_iter(clause).filter(|found| {
        let (before, after) = around(found.start(), found.end());
        !CHINESE_NEGATION.is_match(before) && !CHINESE_LIMIT.is_match(after)
    });
    english.count() + chinese.count()
}

/// No part of a longer one such as `is_done`, `done.rs`, `well-done` or `ready-made`.
fn is_whole_word(before: &str, after: &str) -> bool {
    let is_glue = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | '$');
    let mut next = after.chars();
    let is_glued_on = match next.next() {
        Some('.' | '-' | '/') => next.next().is_some_and(|c| c.is_ascii_alphanumeric()),
        Some(c) => is_glue(c),
        None => false,
    };
    !is_glued_on && !before.chars().next_back().is_some_and(is_glue)
}

fn is_share(clause: &str) -> bool {
    SHARE.captures_iter(clause).any(|found| {
        let number = |i: usize| found.get(i).and_then(|m| m.as_str().parse::<u64>().ok());
        match (number(1), number(2), number(3)) {
            (Some(part), Some(whole), _) => part < whole,
            (_, _, Some(percent)) => percent < 100,
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_claims_count_once_each() {
        for (text, count) in [
            ("Done.", 1),
            ("ALL TASKS ARE COMPLETE", 1),
            ("<promise>COMPLETE</promise>", 1),
            ("Step 2 of 2 finished; all 31 tests pass.", 2),
            ("The parser is implemented, all unit tests are passing and there are no errors.", 3),
            ("Everything is done, ready to merge", 2),
            ("**Done** - completed: the retry loop", 2),
            ("100% complete", 1),
            ("Nothing is open. The work is finished!", 1),
            ("All changes to the parser and the lexer are complete.", 1),
            ("As I will show, all of it is done", 1),
            ("任务已完成。", 1),
            ("全部完成，一切通过，没有剩余工作。", 3),
            ("都做好了，6 个测试全部通过。", 2),
            ("實作完畢，測試通過", 2),
            ("功能已实现，测试均已通过", 2),
        ] {
            assert_eq!(indicators(text), count, "{text}");
        }
    }

    #[test]
    fn parts_of_words_negations_and_shares_do_not_count() {
        for text in [
            "The branch was abandoned.",
            "incomplete, unfinished, undone, already, readiness",
            "see done.rs, is_done, `done` and ready-made/complete-list",
            "It is not done yet.",
            "This isn't finished and won't be complete today.",
            "Nothing is done, none of it implemented",
            "The step has never been completed",
            "Once it is done I will tell you",
            "It will be ready when the tests are done.",
            "I need to complete the migration",
            "The rest has to be done",
            "It should all be ready tomorrow",
            "The migration must be completed",
            "half done, almost finished, partially implemented",
            "Is it done?",
            "3 of 7 tasks are done",
            "3/7 complete",
            "80% complete",
            "all tests pass except two",
            "not all tests are passing",
            "Ready to start.",
            "- [ ] all done and complete",
            "> All done, complete, finished.",
            "```\nDone. Complete.\n```\n",
            "未完成",
            "任务没有完成，还没做完",
            "需要完成迁移",
            "完成后再说，完成度很高",
            "部分完成",
            "完成了一半",
            "测试没有全部通过",
            "完成了吗？",
            "---RALPH_STATUS---\nSTATUS: COMPLETE\nRECOMMENDATION: all done\n---END_RALPH_STATUS---",
        ] {
            assert_eq!(indicators(text), 0, "{text}");
        }
    }

    #[test]
    fn a_flood_of_words_takes_no_long_time() {
        let start = std::time::Instant::now();
        let flood = |words: &str| (words.repeat(200) + "\n").repeat(500);
        assert!(indicators(&flood("done ")) > MAX_TEXT / 6);
        assert_eq!(indicators(&flood("not done ")), 0);
        assert_eq!(indicators(&"not done ".repeat(100_000)), 0);
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }

    #[test]
    fn announcements_of_further_work_count_against() {
        for text in [
            "Step 1 is done. Moving to next step.",
            "Implemented. Now working on the lexer.",
            "Finished! Next, I'll write the docs",
            "步骤一已完成，接下来我处理步骤二。",
            "已完成。开始下一个任务",
        ] {
            assert_eq!(indicators(text), 0, "{text}");
        }
        assert_eq!(indicators("All done, complete, finished. Moving on to the next."), 2);
    }
}
