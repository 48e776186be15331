//! How the demo looks: numbered steps, quotations and output marked at the edge, wrapped to the
//! terminal, in color only where a person looks at one.

use std::fmt::Write;
use std::io::{self, IsTerminal};

use crossterm::style::{ContentStyle, Stylize};
use crossterm::terminal;
use unicode_width::UnicodeWidthStr;

use crate::cmd::Context;
use crate::error::Result;

/// Columns of a text that no terminal limits; a wider one would be tiring to read.
const MAX_WIDTH: usize = 80;
/// In less than this nothing can be read anyway.
const MIN_WIDTH: usize = 24;

/// Collects a piece of text and shows it.
#[derive(Debug)]
pub struct Screen<'a> {
    context: &'a Context,
    width: usize,
    has_color: bool,
    text: String,
    steps: u32,
}

impl<'a> Screen<'a> {
    /// A screen on standard output.
    pub fn new(context: &'a Context) -> Self {
        let is_terminal = io::stdout().is_terminal();
        let columns = terminal::size().ok().filter(|_| is_terminal).map(|(columns, _)| columns);
        let width = columns.map_or(MAX_WIDTH, |c| usize::from(c).clamp(MIN_WIDTH, MAX_WIDTH));
        let has_color = is_terminal && !context.env.is_plain;
        Self { context, width, has_color, text: String::new(), steps: 0 }
    }

    /// The first line.
    pub fn title(&mut self, text: &str) {
        self.lines("", ContentStyle::new().bold(), text);
    }

    /// A paragraph at the left edge.
    pub fn paragraph(&mut self, text: &str) {
        self.text.push('\n');
        self.lines("", ContentStyle::new(), text);
    }

    /// Begins the next step.
    pub fn step(&mut self, title: &str) {
        self.steps += 1;
        self.text.push('\n');
        self.lines("", ContentStyle::new().bold(), &format!("{}  {title}", self.steps));
    }

    /// Words of somebody.
    pub fn quote(&mut self, text: &str) {
        self.lines("   > ", ContentStyle::new(), text);
    }

    /// A command.
    pub fn command(&mut self, text: &str) {
        self.lines("   $ ", ContentStyle::new(), text);
    }

    /// What a program printed.
    pub fn output(&mut self, text: &str) {
        self.lines("   | ", ContentStyle::new().dim(), text);
    }

    /// How a stop was decided.
    pub fn decision(&mut self, is_allowed: bool, text: &str) {
        let style = ContentStyle::new().bold();
        self.lines("   ", if is_allowed { style.green() } else { style.red() }, text);
    }

    /// A command and what it is for.
    pub fn entry(&mut self, command: &str, text: &str) {
        let first = format!("   {command:15} ");
        let rest = " ".repeat(first.len());
        let width = self.width.saturating_sub(first.len()).max(MIN_WIDTH / 2);
        let mut edge = self.styled(ContentStyle::new().bold(), &first);
        for line in wrap(text, width) {
            let _ = writeln!(self.text, "{edge}{line}");
            edge.clone_from(&rest);
        }
    }

    /// Shows what was collected.
    pub fn show(&mut self) -> Result<()> {
        let text = std::mem::take(&mut self.text);
        self.context.print(&text)
    }

    fn lines(&mut self, edge: &str, style: ContentStyle, text: &str) {
        let edge_shown = self.styled(ContentStyle::new().dim(), edge);
        for line in text.lines().flat_map(|line| wrap(line, self.width - edge.len())) {
            let line = format!("{edge_shown}{}", self.styled(style, &line));
            let _ = writeln!(self.text, "{}", line.trim_end());
        }
    }

    fn styled(&self, style: ContentStyle, text: &str) -> String {
        if self.has_color { style.apply(text).to_string() } else { text.to_owned() }
    }
}

/// Breaks a line at blanks; a word that is wider than `width` stays whole. Blanks at the beginning
/// and between words are kept.
fn wrap(line: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in line.split_inclusive(' ') {
        let last = lines.len() - 1;
        let is_full = lines[last].width() + word.trim_end().width() > width;
        if is_full && !lines[last].trim().is_empty() {
            lines.push(word.to_owned());
        } else {
            lines[last].push_str(word);
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_blanks_and_a_long_word_stays_whole() {
        let table: [(&str, usize, &[&str]); 6] = [
            ("", 9, &[""]),
            ("one two three", 13, &["one two three"]),
            ("one two three", 7, &["one two", "three"]),
            ("a /very/long/path b", 6, &["a", "/very/long/path", "b"]),
            ("  'The  Old'", 20, &["  'The  Old'"]),
            ("漢字 漢字", 5, &["漢字", "漢字"]),
        ];
        for (line, width, expected) in table {
            assert_eq!(wrap(line, width), expected, "{line:?} in {width}");
        }
    }
}
