//! The live view on a terminal: takes the screen, draws, reads keys, gives the screen back.

use std::io::{self, Stdout};
use std::mem::ManuallyDrop;
use std::time::{Duration, Instant};

use crossterm::event::{self, Event, KeyEventKind};
use crossterm::{cursor, execute, terminal};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use crate::cmd::monitor::look::Look;
use crate::cmd::monitor::sixteen::Sixteen;
use crate::cmd::monitor::source::Source;
use crate::cmd::monitor::view::{Order, View};
use crate::cmd::monitor::{REFRESH, clipboard, frame};
use crate::cmd::{Context, reset, switch};
use crate::error::{Exit, Result};
use crate::rules::stop::SessionId;
use crate::sys::signals::Cancel;
use crate::sys::{clock, stdin};

/// Ages and bars move at least this often.
const TICK: Duration = Duration::from_secs(1);

/// Shows the sessions until a key or a signal ends it, or the terminal is gone.
///
/// # Errors
/// The terminal cannot be taken.
pub fn run(context: &Context, source: &mut Source) -> Result<Exit> {
    let cancel = Cancel::on_signals();
    let Ok(mut screen) = Screen::enter() else { return Ok(Exit::Ok) };
    let look = Look { has_color: !context.env.no_color };
    let mut live =
        Live { context, source, view: View::default(), look, read_of: None, drawn: None };
    // What fails from here on is the terminal, and then nobody is left to be told.
    Ok(live.watch(&mut screen, &cancel).unwrap_or(Exit::Interrupted))
}

/// The view with what feeds it.
struct Live<'a> {
    context: &'a Context,
    source: &'a mut Source,
    view: View,
    look: Look,
    /// The session whose evidence and events are in the view.
    read_of: Option<String>,
    drawn: Option<Instant>,
}

impl Live<'_> {
    fn watch(&mut self, screen: &mut Screen, cancel: &Cancel) -> io::Result<Exit> {
        loop {
            if cancel.is_cancelled() {
                return Ok(Exit::Interrupted);
            }
            if self.source.refresh() {
                (self.read_of, self.drawn) = (None, None);
            }
            if self.drawn.is_none_or(|at| at.elapsed() >= TICK) {
                self.draw(screen)?;
            }
            if let Some(exit) = self.read_keys()? {
                return Ok(exit);
            }
        }
    }

    fn draw(&mut self, screen: &mut Screen) -> io::Result<()> {
        self.take_rows();
        let (view, look) = (&mut self.view, self.look);
        screen.terminal.draw(|f| frame::draw(f, view, look, clock::now()))?;
        self.drawn = Some(Instant::now());
        Ok(())
    }

    fn take_rows(&mut self) {
        let rows = self.source.rows(clock::now());
        let broken = self.source.broken();
        self.view.set_rows(rows, broken);
        let id = self.view.id();
        if id == self.read_of {
            return;
        }
        self.view.evidence = id.as_deref().and_then(|id| self.source.evidence(id));
        self.view.happened = id.as_deref().map_or_else(Vec::new, |id| self.source.happened(id));
        self.read_of = id;
    }

    /// Waits for keys, and does what those say that are there.
    fn read_keys(&mut self) -> io::Result<Option<Exit>> {
        stdin::wait_for_key(REFRESH)?;
        while event::poll(Duration::ZERO)? {
            self.drawn = None;
            let Event::Key(key) = event::read()? else { continue };
            if key.kind == KeyEventKind::Release {
                continue;
            }
            match self.view.press(key) {
                Order::Nothing => {}
                Order::Quit => return Ok(Some(Exit::Ok)),
                Order::Interrupt => return Ok(Some(Exit::Interrupted)),
                order => self.view.message = Some(self.obey(&order)),
            }
        }
        Ok(None)
    }

    /// Does what the user asked for; says what came of it.
    fn obey(&self, order: &Order) -> String {
        let id = |id: &str| SessionId::new(id);
        let done = match order {
            Order::Switch { id: name, on } => id(name).map(|id| {
                let word = if *on { "on" } else { "off" };
                let said = format!("supervision is {word} for session {id}");
                switch::session(self.context, &id, *on).map(|()| said)
            }),
            Order::Reset(name) => id(name).map(|id| {
                let said = format!("session {id} is reset");
                reset::session(self.context, &id).map(|()| said)
            }),
            Order::Copy(name) => Some(Ok(clipboard::copy(self.context, name))),
            Order::Nothing | Order::Quit | Order::Interrupt => None,
        };
        match done {
            Some(Ok(said)) => said,
            Some(Err(e)) => e.to_string(),
            None => "this session's id is not one that ccc could have stored".to_owned(),
        }
    }
}

/// The alternate screen in raw mode; given back when dropped.
struct Screen {
    /// Never dropped: ratatui 0.30 would then complain on standard error, and panic where that is
    /// a vanished terminal, too. It holds nothing but memory.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<Sixteen<Stdout>>>>,
}

impl Screen {
    fn enter() -> io::Result<Self> {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            leave();
            before(info);
        }));
        terminal::enable_raw_mode()?;
        let entered = execute!(io::stdout(), terminal::EnterAlternateScreen, cursor::Hide);
        let terminal =
            entered.and_then(|()| Terminal::new(CrosstermBackend::new(Sixteen::new(io::stdout()))));
        terminal.map(|t| Self { terminal: ManuallyDrop::new(t) }).inspect_err(|_| leave())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
    }
}

fn leave() {
    let _ = execute!(io::stdout(), cursor::Show, terminal::LeaveAlternateScreen);
    let _ = terminal::disable_raw_mode();
}
