//! `ccc monitor`: the supervised sessions, once or live. Reads state, never writes it.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use crossterm::event::{self, Event, KeyCode, KeyModifiers};
use crossterm::{cursor, execute, queue, style, terminal};

use crate::cli::MonitorArgs;
use crate::cmd::Context;
use crate::config;
use crate::error::{Error, Exit, Result};
use crate::rules::state::SessionState;
use crate::rules::text::{cut, one_line};
use crate::sys::signals::Cancel;
use crate::sys::store::Store;
use crate::sys::{clock, trust};

/// Pause between two frames.
const REFRESH: Duration = Duration::from_secs(1);
/// Width of a frame that nobody's terminal limits, in characters.
const PLAIN_WIDTH: usize = 120;
/// Sessions of a plain frame.
const MAX_SESSIONS: usize = 50;

/// Prints one frame, or goes on until `q` or Ctrl-C.
pub fn run(context: &Context, args: &MonitorArgs) -> Result<Exit> {
    if args.once {
        context.print(&frame(context, PLAIN_WIDTH, MAX_SESSIONS * 3)?.join("\n"))?;
        return Ok(Exit::Ok);
    }
    let cancel = Cancel::on_signals();
    if io::stdout().is_terminal() {
        let screen = Screen::enter().map_err(Error::Stdout)?;
        let result = live(context, &cancel);
        drop(screen);
        return result;
    }
    let mut last = Vec::new();
    while !cancel.is_cancelled() {
        let now = frame(context, PLAIN_WIDTH, MAX_SESSIONS * 3)?;
        if now != last {
            context.print(&now.join("\n"))?;
            last = now;
        }
        std::thread::sleep(REFRESH);
    }
    Ok(Exit::Interrupted)
}

fn live(context: &Context, cancel: &Cancel) -> Result<Exit> {
    loop {
        let (width, height) = terminal::size().unwrap_or((80, 24));
        let lines = frame(context, width.into(), height.into())?;
        draw(&lines, height).map_err(Error::Stdout)?;
        if event::poll(REFRESH).map_err(Error::Stdout)? {
            match event::read().map_err(Error::Stdout)? {
                Event::Key(key) if key.code == KeyCode::Char('q') => return Ok(Exit::Ok),
                Event::Key(key)
                    if key.code == KeyCode::Char('c')
                        && key.modifiers.contains(KeyModifiers::CONTROL) =>
                {
                    return Ok(Exit::Interrupted);
                }
                _ => {}
            }
        }
        if cancel.is_cancelled() {
            return Ok(Exit::Interrupted);
        }
    }
}

fn draw(lines: &[String], height: u16) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for (row, line) in (0..height).zip(lines.iter().map(Some).chain(std::iter::repeat(None))) {
        let clear = terminal::Clear(terminal::ClearType::CurrentLine);
        queue!(out, cursor::MoveTo(0, row), clear)?;
        if let Some(line) = line {
            queue!(out, style::Print(line))?;
        }
    }
    out.flush()
}

/// The alternate screen in raw mode; given back when dropped.
struct Screen;

impl Screen {
    fn enter() -> io::Result<Self> {
        terminal::enable_raw_mode()?;
        execute!(io::stdout(), terminal::EnterAlternateScreen, cursor::Hide)?;
        Ok(Self)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = execute!(io::stdout(), cursor::Show, terminal::LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

/// The lines of a frame, cut to its size.
fn frame(context: &Context, width: usize, height: usize) -> Result<Vec<String>> {
    let paths = context.paths()?;
    let is_trusted = |bytes: &[u8]| trust::is_trusted(&paths.trust(), &context.project, bytes);
    let config = config::load(&paths, &context.project, is_trusted).config;
    let states = Store::new(paths.sessions()).list();
    let now = clock::now();
    let mut lines = vec![format!("ccc monitor: {} session(s)", states.len())];
    if states.is_empty() {
        lines = vec!["ccc monitor: no supervised sessions yet".to_owned()];
    }
    for state in &states {
        lines.extend(session(state, config.enabled, config.max_iterations, now));
    }
    lines.truncate(height);
    Ok(lines.iter().map(|line| fit(line, width)).collect())
}

fn session(s: &SessionState, enabled: bool, max: u32, now: u64) -> Vec<String> {
    let phase = if s.enabled.unwrap_or(enabled) { s.phase.name() } else { "off" };
    let mut lines = vec![format!(
        "{}  {phase}  round {}/{max}  breaker {}  ${:.4}  {} ago  {} {}",
        cut(&one_line(&s.session_id), 9),
        s.chain.iteration,
        s.breaker.state.name(),
        s.cost.usd,
        clock::age(now.saturating_sub(s.updated_at)),
        s.client.name(),
        one_line(&s.project),
    )];
    if let Some(v) = s.last_verdict.as_ref().filter(|v| !v.completed) {
        lines.push(format!("    {}", one_line(&v.feedback)));
    }
    lines
}

/// A line of at most `width` columns.
fn fit(line: &str, width: usize) -> String {
    use unicode_width::UnicodeWidthChar;
    let mut used = 0;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= width
    };
    line.chars().take_while(fits).collect()
}
