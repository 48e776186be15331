//! The segment of `ccc status --line`: what one session is doing, in a few colored words.

use crate::rules::breaker;
use crate::rules::state::{Phase, SessionState};

/// What is known of the session.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// `None` before the first stop.
    pub state: Option<&'a SessionState>,
    pub is_enabled: bool,
    pub max_iterations: u32,
    pub color: bool,
}

/// One line without an end.
pub fn render(line: Line) -> String {
    let (color, text) = segment(line);
    let cost = line.state.map_or(0.0, |s| s.cost.usd);
    let cost =
        if line.is_enabled && cost >= 0.005 { format!(" ${cost:.2}") } else { String::new() };
    match line.color {
        true => format!("\x1b[{color}mccc {text}\x1b[0m\x1b[2m{cost}\x1b[0m"),
        false => format!("ccc {text}{cost}"),
    }
}

fn segment(line: Line) -> (&'static str, String) {
    let Some(state) = line.state.filter(|_| line.is_enabled) else {
        return ("2", if line.is_enabled { "on" } else { "off" }.to_owned());
    };
    if state.breaker.state == breaker::State::Open {
        return ("31", "breaker open".to_owned());
    }
    let round = format!("{}/{}", state.chain.iteration, line.max_iterations);
    match state.phase {
        Phase::Working if state.chain.iteration > 0 => ("33", format!("round {round}")),
        Phase::Working => ("2", "on".to_owned()),
        Phase::Reviewing => ("36", format!("reviewing {round}")),
        Phase::SentBack => ("33", format!("sent back {round}")),
        Phase::Done => ("32", "approved".to_owned()),
        Phase::NeedsYou => ("1;35", "needs you".to_owned()),
        Phase::Allowed => ("33", "not reviewed".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::stop::Client;

    #[test]
    fn each_phase_has_its_words() {
        let mut state = SessionState::new("s", Client::Claude, "/p".into(), 1);
        state.chain.iteration = 2;
        state.cost.usd = 0.128;
        let table = [
            (Phase::Working, "ccc round 2/10 $0.13"),
            (Phase::Reviewing, "ccc reviewing 2/10 $0.13"),
            (Phase::SentBack, "ccc sent back 2/10 $0.13"),
            (Phase::Done, "ccc approved $0.13"),
            (Phase::NeedsYou, "ccc needs you $0.13"),
            (Phase::Allowed, "ccc not reviewed $0.13"),
        ];
        for (phase, expected) in table {
            state.phase = phase;
            let line =
                Line { state: Some(&state), is_enabled: true, max_iterations: 10, color: false };
            assert_eq!(render(line), expected);
            assert_eq!(render(Line { is_enabled: false, ..line }), "ccc off");
            let colored = render(Line { color: true, ..line });
            assert!(colored.starts_with("\x1b[") && colored.ends_with("\x1b[0m"), "{colored:?}");
        }
        let line = Line { state: None, is_enabled: true, max_iterations: 10, color: false };
        assert_eq!(render(line), "ccc on");
    }
}
