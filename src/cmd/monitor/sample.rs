//! Rows for tests: one session in every state.

use crate::rules::board::{Doing, Row};
use crate::rules::breaker::State;
use crate::rules::live::{Deed, Live};
use crate::rules::state::LastVerdict;

/// The present of the samples, in Unix seconds.
pub const NOW: u64 = 1_000_000;

/// One session in every state, newest first.
pub fn rows() -> Vec<Row> {
    Doing::ALL.iter().zip(1..).map(|(&doing, n)| row(doing, n)).collect()
}

fn row(doing: Doing, n: u32) -> Row {
    let is_open = doing == Doing::Allowed;
    Row {
        id: format!("{n}b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed"),
        client: "claude",
        project: format!("/home/ann/项目/shop-{n}"),
        doing,
        is_on: doing != Doing::Off,
        round: n,
        max: 10,
        breaker: Some(if is_open { State::Open } else { State::Closed }),
        breaker_why: if is_open { "3 stops without progress".into() } else { String::new() },
        reviews: n,
        cost_usd: f64::from(n) * 0.0125,
        updated_at: NOW - u64::from(n) * 50,
        review: (doing == Doing::Reviewing).then(review),
        verdict: (doing != Doing::Working).then(|| LastVerdict {
            completed: doing == Doing::Done,
            feedback: "The tests were not run. 请运行 `cargo test` and show the result. 👩‍👩‍👧‍👦".into(),
            needs_human: doing == Doing::NeedsYou,
            at: NOW - 70,
        }),
        discarded: None,
    }
}

fn review() -> Live {
    let deed = |ago, what: &str| Deed { at: NOW - ago, what: what.into() };
    Live {
        pid: 7,
        round: 2,
        stage: "asking claude".into(),
        started_at: NOW - 150,
        limit_secs: 600,
        deeds: vec![deed(40, "Read src/cart.rs"), deed(12, "Bash cargo test 购物车")],
    }
}
