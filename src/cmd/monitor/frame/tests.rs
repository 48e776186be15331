use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::{Color, Modifier};

use super::*;
use crate::cmd::monitor::sample::{self, NOW};
use crate::cmd::monitor::source::Happened;
use crate::rules::board::Doing;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

const COLOR: Look = Look { has_color: true };
const PLAIN: Look = Look { has_color: false };

fn view() -> View {
    let mut view = View::default();
    view.set_rows(sample::rows(), 0);
    view.happened = vec![Happened {
        at: Some(NOW - 70),
        what: "block: incomplete, round 2".into(),
        message: "The tests were not run.".into(),
    }];
    view.evidence = Some("## Checks run by ccc\n- tests: failed\n".to_owned() + &"x\n".repeat(80));
    view
}

fn press(view: &mut View, keys: &str) {
    for c in keys.chars() {
        let code = if c == '\n' { KeyCode::Enter } else { KeyCode::Char(c) };
        view.press(KeyEvent::new(code, KeyModifiers::NONE));
    }
}

fn terminal(view: &mut View, look: Look, columns: u16, lines: u16) -> Terminal<TestBackend> {
    let mut terminal = Terminal::new(TestBackend::new(columns, lines)).unwrap();
    terminal.draw(|frame| draw(frame, view, look, NOW)).unwrap();
    terminal
}

/// What a person reads, line by line.
fn text(view: &mut View, columns: u16, lines: u16) -> Vec<String> {
    let terminal = terminal(view, COLOR, columns, lines);
    let buffer = terminal.backend().buffer();
    let row = |y| {
        let (mut out, mut x) = (String::new(), 0);
        while x < columns {
            let symbol = buffer[(x, y)].symbol();
            out.push_str(symbol);
            x += u16::try_from(width(symbol)).unwrap().max(1);
        }
        assert!(width(&out) <= usize::from(columns), "{out:?}");
        out.trim_end().to_owned()
    };
    (0..lines).map(row).collect()
}

#[test]
fn every_state_is_told_in_words_at_every_width() {
    for columns in [40, 80, 200] {
        let shown = text(&mut view(), columns, 40).join("\n");
        for doing in Doing::ALL {
            assert!(shown.contains(doing.name()), "{doing:?} at {columns}:\n{shown}");
        }
        for round in 1..=8 {
            assert!(shown.contains(&format!("{round}/10")), "{round} at {columns}:\n{shown}");
        }
    }
}

#[test]
fn the_frame_of_80_columns() {
    let mut view = view();
    press(&mut view, "j");
    let want = "\
ccc monitor  8 sessions, 1 reviewing, 1 needs you, 1 stale
  STATE     ROUND  SESSION  CLIENT    BREAKER   COST    AGE    PROJECT
  working   1/10   1b9d6bcd claude    closed    $0.0125 50 s   …/ann/项目/shop-1
▸ reviewing 2/10   2b9d6bcd claude    closed    $0.0250 1 min  …/ann/项目/shop-2
  sent back 3/10   3b9d6bcd claude    closed    $0.0375 2 min  …/ann/项目/shop-3
  done      4/10   4b9d6bcd claude    closed    $0.0500 3 min  …/ann/项目/shop-4
  allowed   5/10   5b9d6bcd claude    open      $0.0625 4 min  …/ann/项目/shop-5
  needs you 6/10   6b9d6bcd claude    closed    $0.0750 5 min  …/ann/项目/shop-6
  off       7/10   7b9d6bcd claude    closed    $0.0875 5 min  …/ann/项目/shop-7
  stale     8/10   8b9d6bcd claude    closed    $0.1000 6 min  …/ann/项目/shop-8
────────────────────────────────────────────────────────────────────────────────
claude  2b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed
/home/ann/项目/shop-2
reviewing, round 2 of 10, 1 min ago
breaker closed, reviews 2, cost $0.0250

Review of round 2: asking claude
██████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 150 s of 600 s
  40 s ago  Read src/cart.rs
  12 s ago  Bash cargo test 购物车

Last verdict: not complete, 1 min ago
The tests were not run. 请运行 `cargo test` and show the result. 👩‍👩‍👧‍👦

Recent activity
 1 min ago  block: incomplete, round 2: The tests were not run.

Evidence that the last review was given
… 82 more lines (PgDn)
↑↓ select / filter o on/off r reset ⏎ feedback y copy ? help q quit";
    let shown = text(&mut view, 80, 30);
    assert_eq!(shown.join("\n"), want, "\n{}", shown.join("\n"));
}

#[test]
fn narrow_and_wide_screens_show_the_selected_session_too() {
    let mut view = view();
    press(&mut view, "j");
    let narrow = text(&mut view, 40, 30).join("\n");
    for part in ["▸ reviewing 2/10", "shop-2", "150 s of 600 s", "Bash cargo test 购物车", "q"]
    {
        assert!(narrow.contains(part), "{part}:\n{narrow}");
    }
    let wide = text(&mut view, 200, 24);
    assert!(wide[1].contains("PROJECT") && wide[1].contains("claude  2b9d6bcd-bbfd"), "{wide:#?}");
    assert!(wide[23].contains("e evidence  y copy id"), "{wide:#?}");
}

#[test]
fn no_size_is_too_small_and_no_key_too_much() {
    for columns in [1, 2, 3, 8, 20, 39, 60, 76, 139, 140, 300] {
        for lines in [1, 2, 3, 4, 5, 6, 10, 60] {
            let mut view = view();
            for keys in ["", "G", "\n", "Gjj kk", "q", "eGGjk", "q", "?", "x", "/zzz"] {
                press(&mut view, keys);
                text(&mut view, columns, lines);
            }
            let mut empty = View::default();
            for keys in ["", "\n", "e", "?", "x", "/a"] {
                press(&mut empty, keys);
                text(&mut empty, columns, lines);
            }
        }
    }
}

#[test]
fn without_color_there_is_none_and_the_selection_is_still_seen() {
    let mut view = view();
    let colors = |terminal: &Terminal<TestBackend>| {
        let cells = &terminal.backend().buffer().content;
        cells.iter().filter(|c| c.fg != Color::Reset || c.bg != Color::Reset).count()
    };
    assert_eq!(colors(&terminal(&mut view, PLAIN, 80, 30)), 0);
    let colored = terminal(&mut view, COLOR, 80, 30);
    assert!(colors(&colored) > 0);
    let is_named = |c: Color| !matches!(c, Color::Rgb(..) | Color::Indexed(_));
    assert!(colored.backend().buffer().content.iter().all(|c| is_named(c.fg) && is_named(c.bg)));
    let plain = terminal(&mut view, PLAIN, 80, 30);
    let reversed = |x, y| plain.backend().buffer()[(x, y)].modifier.contains(Modifier::REVERSED);
    assert!(reversed(10, 2) && !reversed(10, 3));
}

#[test]
fn long_texts_scroll_to_their_end_and_no_further() {
    let mut view = view();
    press(&mut view, "eG");
    let shown = text(&mut view, 80, 10);
    assert_eq!((shown[1].as_str(), shown[8].as_str()), ("x", "x"));
    assert!(shown[9].contains("q back"));
    press(&mut view, "k");
    assert!(text(&mut view, 80, 10)[8].contains("more lines"));
    press(&mut view, "g");
    assert_eq!(text(&mut view, 80, 10)[1], "## Checks run by ccc");
}

#[test]
fn the_selected_of_many_is_always_shown() {
    let mut view = View::default();
    let one = sample::rows().remove(0);
    let many = (0..500).map(|n| Row { id: format!("{n:08}"), ..one.clone() });
    view.set_rows(many.collect(), 3);
    press(&mut view, "G");
    let shown = text(&mut view, 80, 24).join("\n");
    assert!(shown.contains("500 sessions, 3 unreadable"), "{shown}");
    assert!(shown.contains("▸ working   1/10   00000499"), "{shown}");
    press(&mut view, "kkk");
    assert!(text(&mut view, 80, 24).join("\n").contains("▸ working   1/10   00000496"));
}

#[test]
fn foreign_text_cannot_reach_the_terminal_as_more_than_text() {
    let mut view = view();
    let mut row = sample::rows().remove(2);
    row.project = "/p\x1b[31m\u{202e}q\nr".into();
    row.verdict.as_mut().unwrap().feedback = "a\x1b]0;t\x07b\tc\u{9b}1m".into();
    view.set_rows(vec![row], 0);
    let shown = text(&mut view, 80, 30).join("\n");
    assert!(shown.contains("/p[31mq r") && shown.contains("a]0;tb    c1m"), "{shown}");
    assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{shown:?}");
}
