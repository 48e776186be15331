//! A writer for terminals that know sixteen colors and no more: crossterm 0.29 names even those in
//! the form of 256 (`38;5;1`), in which an old terminal reads *blink*.

use std::io::{self, Write};

/// Holds what is written back until it is flushed, then writes it with the older names.
#[derive(Debug)]
pub struct Sixteen<W> {
    out: W,
    held: Vec<u8>,
}

impl<W: Write> Sixteen<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> Self {
        Self { out, held: Vec::new() }
    }
}

impl<W: Write> Write for Sixteen<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&renamed(&std::mem::take(&mut self.held)))?;
        self.out.flush()
    }
}

/// The same with every sequence that sets colors in the older form.
fn renamed(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest.windows(2).position(|two| two == b"\x1b[") {
        let (before, sequence) = rest.split_at(at + 2);
        out.extend_from_slice(before);
        let end = sequence.iter().position(|b| (0x40..=0x7e).contains(b)).unwrap_or(sequence.len());
        let (numbers, after) = sequence.split_at(end);
        match (after.first(), std::str::from_utf8(numbers)) {
            (Some(b'm'), Ok(numbers)) => out.extend_from_slice(older(numbers).as_bytes()),
            _ => out.extend_from_slice(numbers),
        }
        rest = after;
    }
    out.extend_from_slice(rest);
    out
}

fn older(numbers: &str) -> String {
    let mut out = Vec::new();
    let mut rest: Vec<&str> = numbers.split(';').collect();
    while !rest.is_empty() {
        let color = match rest.as_slice() {
            ["38", "5", n, ..] => n.parse().ok().and_then(|n| code(n, 30, 90)),
            ["48", "5", n, ..] => n.parse().ok().and_then(|n| code(n, 40, 100)),
            _ => None,
        };
        match color {
            Some(code) => {
                out.push(code.to_string());
                rest.drain(..3);
            }
            None => out.push(rest.remove(0).to_owned()),
        }
    }
    out.join(";")
}

fn code(color: u8, dark: u8, bright: u8) -> Option<u8> {
    match color {
        0..8 => Some(dark + color),
        8..16 => Some(bright + color - 8),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sixteen_colors_get_their_old_names_and_nothing_else_changes() {
        let table = [
            ("\x1b[38;5;5;49mred\x1b[39;49m", "\x1b[35;49mred\x1b[39;49m"),
            ("\x1b[38;5;9mx\x1b[48;5;15my\x1b[48;5;0mz", "\x1b[91mx\x1b[107my\x1b[40mz"),
            ("\x1b[38;5;200m\x1b[38;2;5;5;5m", "\x1b[38;5;200m\x1b[38;2;5;5;5m"),
            ("38;5;5m 目录 \x1b[2;5H\x1b[0m\x1b[", "38;5;5m 目录 \x1b[2;5H\x1b[0m\x1b["),
            ("\x1b[?25l\x1b[m\x1b[1;38;5;1;4m", "\x1b[?25l\x1b[m\x1b[1;31;4m"),
        ];
        for (text, want) in table {
            let mut out = Vec::new();
            let mut writer = Sixteen::new(&mut out);
            // However it is cut.
            text.as_bytes().chunks(3).for_each(|part| writer.write_all(part).unwrap());
            writer.flush().unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), want);
        }
    }
}
