//! Payload bytes: when one JSON value is complete, and how to parse what strict JSON refuses.

use serde_json::Value;

/// Watches bytes go by until one JSON object or array is complete.
#[derive(Debug, Default)]
pub struct Completeness {
    depth: usize,
    in_string: bool,
    escaped: bool,
    done: bool,
}

impl Completeness {
    /// Takes the next bytes; true from the end of the first object or array on.
    pub fn push(&mut self, bytes: &[u8]) -> bool {
        for &b in bytes {
            if self.done {
                break;
            }
            match b {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_string => self.escaped = true,
                b'"' => self.in_string = !self.in_string,
                _ if self.in_string => {}
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.done = self.depth == 0;
                }
                _ => {}
            }
        }
        self.done
    }
}

/// Parses the first JSON value of a payload. A byte-order mark, bytes that are not UTF-8 and
/// lone surrogates are tolerated.
///
/// # Errors
/// One line that says what is wrong, without repeating the payload.
pub fn parse(bytes: &[u8]) -> Result<Value, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return Err("the hook got an empty payload on stdin".into());
    }
    let text = String::from_utf8_lossy(bytes);
    let text = if text.contains("\\u") { mend_surrogates(&text) } else { text.into_owned() };
    let mut values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
    match values.next() {
        Some(Ok(value)) => Ok(value),
        Some(Err(e)) if e.is_eof() => Err("the payload on stdin is cut off".into()),
        Some(Err(e)) => Err(format!(
            "the payload on stdin is not JSON (line {}, column {})",
            e.line(),
            e.column()
        )),
        None => Err("the hook got an empty payload on stdin".into()),
    }
}

/// Replaces surrogate escapes that have no partner by the replacement character.
fn mend_surrogates(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match surrogate(rest) {
            None => next_char_len(rest, 1) + 1,
            Some(high) if high < 0xDC00 && is_low(rest.get(6..)) => 12,
            Some(_) => {
                out.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
        };
        let taken = taken.min(rest.len());
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    out.push_str(rest);
    out
}

/// Bytes of the character at `at` (0 at the end).
fn next_char_len(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|t| t.chars().next()).map_or(0, char::len_utf8)
}

/// The code of a `\uD800`..`\uDFFF` escape at the beginning of `text`.
fn surrogate(text: &str) -> Option<u32> {
    let hex = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(hex, 16).ok().filter(|code| (0xD800..0xE000).contains(code))
}

fn is_low(text: Option<&str>) -> bool {
    text.and_then(surrogate).is_some_and(|code| code >= 0xDC00)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_value_is_complete_at_its_last_bracket() {
        let mut seen = Completeness::default();
        assert!(!seen.push(br#" {"a": "}\"", "b": [1"#));
        assert!(!seen.push(b"]"));
        assert!(seen.push(b"} trailing"));
    }

    #[test]
    fn lone_surrogates_are_replaced_and_pairs_kept() {
        let value = parse(br#"{"a":"\ud800 \udc00 \ud83d\ude00 \\ud800 x\ud83d"}"#).unwrap();
        assert_eq!(value["a"], "\u{fffd} \u{fffd} \u{1f600} \\ud800 x\u{fffd}");
    }

    #[test]
    fn what_is_wrong_is_said_without_the_payload() {
        for (bytes, word) in
            [(&b""[..], "empty"), (b"\xef\xbb\xbf \n", "empty"), (b"{\"a", "cut off")]
        {
            assert!(parse(bytes).unwrap_err().contains(word));
        }
        assert!(parse(b"{secret").unwrap_err().contains("line 1"));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes);
            Completeness::default().push(&bytes);
        }

        #[test]
        fn any_json_text_comes_back(text in ".*") {
            let json = serde_json::json!({ "a": text }).to_string();
            let value = parse(json.as_bytes()).unwrap();
            prop_assert_eq!(&value["a"], text.as_str());
            let all = json.as_bytes();
            let mut seen = Completeness::default();
            prop_assert!(!seen.push(&all[..all.len() - 1]) && seen.push(&all[all.len() - 1..]));
        }
    }
}
