//! Foreign text made fit for a terminal, a log line, a prompt or a reply.

use std::borrow::Cow;

/// Drops control characters (escape sequences become visible text) but newline and tab; a carriage
/// return before a newline goes, a lone one becomes a newline.
pub fn printable(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.chars().filter(|&c| !c.is_control() || c == '\n' || c == '\t').collect()
}

/// The same on one line: every run of blanks and line ends becomes one space.
pub fn one_line(text: &str) -> String {
    printable(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// At most `max` characters; where something was cut, the last one is `…`.
pub fn cut(text: &str, max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max) {
        None => Cow::Borrowed(text),
        Some(_) => {
            let kept: String = text.chars().take(max.saturating_sub(1)).collect();
            Cow::Owned(kept + "…")
        }
    }
}

/// The longest beginning of at most `max` bytes that ends on a character boundary.
pub fn head_bytes(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

/// The longest end of at most `max` bytes that begins on a character boundary.
pub fn tail_bytes(text: &str, max: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(max))..]
}

/// Head and tail within about `max` bytes, cut at line ends where possible, with a mark between
/// that counts the lines left out.
pub fn head_and_tail(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    let head = head_bytes(text, max / 3);
    let head = head.rfind('\n').map_or(head, |i| &head[..i]);
    let tail = tail_bytes(text, max - head.len());
    let tail = tail.find('\n').map_or(tail, |i| &tail[i + 1..]);
    let lines = text[head.len()..text.len() - tail.len()].lines().count();
    Cow::Owned(format!("{head}\n[... {lines} lines left out ...]\n{tail}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_go_and_line_ends_are_newlines() {
        assert_eq!(printable("a\x1b[31mred\x1b[0m\r\nb\0\tc\rd\u{9b}e"), "a[31mred[0m\nb\tc\nde");
        assert_eq!(one_line(" a\n\n b\tc "), "a b c");
    }

    #[test]
    fn cuts_fall_on_character_boundaries() {
        assert_eq!(cut("目录abc", 3), "目录…");
        assert_eq!(cut("目录", 2), "目录");
        assert_eq!(head_bytes("目录", 4), "目");
        assert_eq!(tail_bytes("目录", 4), "录");
        let text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let kept = head_and_tail(text, 9);
        assert!(kept.starts_with("1\n[... ") && kept.ends_with("9\n"), "{kept:?}");
    }
}
