//! Which story is next.

use crate::rules::ralph::prd::Prd;
use crate::rules::ralph::story::{Status, Story};

/// What there is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// The story at this index.
    Story(usize),
    /// Every story has passed.
    AllPassed,
    /// Stories are left, but none can be taken; the sentence says why.
    Stuck(String),
}

/// The open story whose dependencies have passed, with the lowest priority number, then the first
/// in the file. One with `max_attempts` failures is not taken.
pub fn next(prd: &Prd, max_attempts: u32) -> Next {
    if prd.is_done() {
        return Next::AllPassed;
    }
    let is_free =
        |s: &Story| s.status.is_open() && s.attempts < max_attempts && waits_for(prd, s).is_none();
    let free = prd.stories.iter().enumerate().filter(|(_, s)| is_free(s));
    match free.min_by_key(|(i, s)| (s.priority, *i)) {
        Some((index, _)) => Next::Story(index),
        None => Next::Stuck(stuck(prd, max_attempts)),
    }
}

/// The first dependency that has not passed.
pub fn waits_for<'a>(prd: &'a Prd, story: &'a Story) -> Option<&'a str> {
    let is_open = |id: &&String| prd.find(id).is_none_or(|(_, s)| s.status != Status::Passed);
    story.depends_on.iter().find(is_open).map(String::as_str)
}

/// Why no story can be taken.
fn stuck(prd: &Prd, max_attempts: u32) -> String {
    let why = |s: &Story| match s.status {
        Status::ReadyForReview => format!("`{}` waits for a review", s.id),
        Status::Blocked => format!("`{}` is blocked", s.id),
        _ if s.attempts >= max_attempts => format!("`{}` failed {} times", s.id, s.attempts),
        _ => match waits_for(prd, s) {
            Some(on) => format!("`{}` waits for `{on}`", s.id),
            None => format!("`{}` is {}", s.id, s.status.name()),
        },
    };
    let left = prd.stories.iter().filter(|s| s.status != Status::Passed);
    left.map(why).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::ralph::prd;

    fn pick(stories: &str) -> Next {
        next(&prd::read(format!("{{\"stories\":[{stories}]}}").as_bytes()).unwrap(), 5)
    }

    #[test]
    fn the_lowest_number_comes_first_then_the_order_of_the_file() {
        let table = [
            (r#"{"id":"a","priority":2},{"id":"b","priority":1},{"id":"c","priority":1}"#, 1),
            (r#"{"id":"a"},{"id":"b","priority":6}"#, 0),
            (r#"{"id":"a","status":"passed"},{"id":"b","status":"in_progress"}"#, 1),
            (r#"{"id":"a","priority":1,"depends_on":["b"]},{"id":"b","priority":9}"#, 1),
            (
                r#"{"id":"a","attempts":5,"status":"failed"},{"id":"b","status":"failed","attempts":4}"#,
                1,
            ),
        ];
        for (stories, want) in table {
            assert_eq!(pick(stories), Next::Story(want), "{stories}");
        }
    }

    #[test]
    fn the_end_is_told_from_being_stuck() {
        assert_eq!(pick(""), Next::AllPassed);
        assert_eq!(pick(r#"{"id":"a","status":"passed"}"#), Next::AllPassed);
        let Next::Stuck(why) = pick(
            r#"{"id":"a","status":"blocked"},{"id":"b","depends_on":["a"]},{"id":"c","status":"ready_for_review"},{"id":"d","attempts":7}"#,
        ) else {
            panic!("not stuck")
        };
        assert_eq!(
            why,
            "`a` is blocked, `b` waits for `a`, `c` waits for a review, `d` failed 7 times"
        );
    }
}
