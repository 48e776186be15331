//! Copies a text to the clipboard of whoever looks: by the terminal's own sequence (OSC 52), which
//! works over ssh too, and inside tmux by tmux's buffer.

use std::io::{self, Write};
use std::process::{Command, Stdio};

use crate::cmd::Context;

/// Copies; returns what can be said of it: a terminal does not answer.
pub fn copy(context: &Context, text: &str) -> String {
    if context.env.tmux && to_tmux(text).is_ok() {
        return format!("copied to tmux's buffer: {text}");
    }
    let sequence = format!("\x1b]52;c;{}\x07", base64(text.as_bytes()));
    let mut out = io::stdout().lock();
    match out.write_all(sequence.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => format!("sent to the terminal's clipboard: {text}"),
        Err(_) => text.to_owned(),
    }
}

/// `-w` also hands it to the terminal's clipboard, where tmux may (since tmux 3.2).
fn to_tmux(text: &str) -> io::Result<()> {
    for args in [&["set-buffer", "-w", "--", text][..], &["set-buffer", "--", text]] {
        let mut tmux = Command::new("tmux");
        tmux.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if tmux.status()?.success() {
            return Ok(());
        }
    }
    Err(io::Error::other("tmux refused"))
}

/// RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let byte = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = (bits >> (18 - 6 * i)) & 63;
            let digit = char::from(DIGITS[digit as usize]);
            out.push(if i <= three.len() { digit } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_in_the_rfc() {
        let table = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (text, want) in table {
            assert_eq!(base64(text.as_bytes()), want);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xbf]), "+/+/");
    }
}
