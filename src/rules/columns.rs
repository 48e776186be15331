//! Text in terminal columns: a CJK character or an emoji takes two, a combining mark none.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::rules::text::{one_line, printable};

/// Foreign text on one line, without what would reorder or hide what stands beside it.
pub fn clean_line(text: &str) -> String {
    one_line(&visible(text))
}

/// The same with its lines kept.
pub fn clean(text: &str) -> String {
    printable(&visible(text)).replace('\t', "    ")
}

/// Without marks that switch the direction of writing.
fn visible(text: &str) -> String {
    let is_switch = |c: &char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().filter(|c| !is_switch(c)).collect()
}

/// Columns that a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// At most `max` columns; where something was cut, the last one is `…`.
pub fn fit(text: &str, max: usize) -> String {
    if text.width() <= max {
        return text.to_owned();
    }
    let mut kept = head(text, max.saturating_sub(1)).to_owned();
    if max > 0 {
        kept.push('…');
    }
    kept
}

/// The end of a text, in at most `max` columns; where something was cut, the first one is `…`.
pub fn fit_end(text: &str, max: usize) -> String {
    if text.width() <= max {
        return text.to_owned();
    }
    let mut kept = Vec::new();
    let mut used = usize::from(max > 0);
    for piece in text.graphemes(true).rev() {
        used += piece.width();
        if used > max {
            break;
        }
        kept.push(piece);
    }
    let mark = if max > 0 { "…" } else { "" };
    kept.iter().rev().fold(mark.to_owned(), |all, piece| all + piece)
}

/// Exactly `columns` wide: cut, or filled with blanks.
pub fn pad(text: &str, columns: usize) -> String {
    let text = fit(text, columns);
    let blanks = columns.saturating_sub(text.width());
    text + &" ".repeat(blanks)
}

/// Lines of at most `columns`, broken at blanks where there are any. Line ends are kept, and so is
/// the indent of each line, on its continuation too.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(2);
    text.lines().flat_map(|line| wrap_line(line, columns)).collect()
}

fn wrap_line(line: &str, columns: usize) -> Vec<String> {
    let indent: String =
        line.chars().take_while(|&c| c == ' ').take((columns / 2).min(columns - 2)).collect();
    let mut lines = Vec::new();
    let mut now = indent.clone();
    for word in line.trim_start_matches(' ').split_word_bounds() {
        if now.width() + word.width() <= columns {
            now.push_str(word);
            continue;
        }
        let blank = word.trim().is_empty();
        if now.len() > indent.len() {
            lines.push(now.trim_end().to_owned());
            now.clone_from(&indent);
        }
        if !blank {
            push_pieces(word, columns, &indent, &mut lines, &mut now);
        }
    }
    lines.push(now.trim_end().to_owned());
    lines
}

/// A word that may be longer than a line.
fn push_pieces(
    word: &str,
    columns: usize,
    indent: &str,
    lines: &mut Vec<String>,
    now: &mut String,
) {
    for piece in word.graphemes(true) {
        if now.width() + piece.width() > columns && now.len() > indent.len() {
            lines.push(std::mem::replace(now, indent.to_owned()));
        }
        now.push_str(piece);
    }
}

/// The longest beginning of at most `max` columns.
pub fn head(text: &str, max: usize) -> &str {
    let mut used = 0;
    for (at, piece) in text.grapheme_indices(true) {
        used += piece.width();
        if used > max {
            return &text[..at];
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn wide_characters_take_two_columns_and_families_are_not_torn() {
        assert_eq!((fit("目录目录", 5), fit("目录目录", 4)), ("目录…".into(), "目…".into()));
        assert_eq!((pad("目录", 5), pad("abc", 2)), ("目录 ".into(), "a…".into()));
        assert_eq!((fit_end("/home/目录", 6), fit_end("ab", 0)), ("…/目录".into(), String::new()));
        let family = "👨‍👩‍👧‍👦";
        assert_eq!(fit(&format!("{family}{family}"), 3), format!("{family}…"));
        assert_eq!(clean_line("a\u{202e}b\x1b[1m\n\u{2066}c"), "ab[1m c");
    }

    #[test]
    fn lines_break_at_blanks_and_keep_their_indent() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("  - one two", 8), ["  - one", "  two"]);
        assert_eq!(wrap("目录目录目", 4), ["目录", "目录", "目"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("a\n\nb", 5), ["a", "", "b"]);
        assert!(wrap("", 5).is_empty());
    }

    proptest! {
        #[test]
        fn nothing_is_wider_than_allowed_and_nothing_is_lost(
            text in "[a-z 目录👍\u{301}é]{0,60}", columns in 2usize..20,
        ) {
            prop_assert!(fit(&text, columns).width() <= columns);
            prop_assert!(fit_end(&text, columns).width() <= columns);
            prop_assert_eq!(pad(&text, columns).width(), columns);
            let lines = wrap(&text, columns);
            let letters = |t: &str| t.chars().filter(|c| *c != ' ').collect::<String>();
            prop_assert_eq!(letters(&lines.concat()), letters(&text));
            for line in lines {
                prop_assert!(line.width() <= columns, "{:?}", line);
            }
        }
    }
}
