//! The evidence text: sections put together within a limit, the most telling first.

use crate::rules::text::head_and_tail;

/// One section.
#[derive(Clone, Debug)]
pub struct Part {
    pub title: &'static str,
    pub body: String,
    /// Shrinks only when the others have shrunk already.
    is_must: bool,
}

impl Part {
    /// A section that decides.
    pub fn must(title: &'static str, body: String) -> Self {
        Self { title, body, is_must: true }
    }

    /// A section that helps; an empty one is left out.
    pub fn may(title: &'static str, body: String) -> Self {
        Self { title, body, is_must: false }
    }

    fn len(&self) -> usize {
        self.title.len() + self.body.len() + 8
    }
}

/// Puts the sections together in at most `max_bytes`. What does not fit is cut with a mark, the
/// helping sections first.
pub fn compose(mut parts: Vec<Part>, max_bytes: usize) -> String {
    parts.retain(|p| !p.body.trim().is_empty());
    for is_must in [false, true] {
        shrink(&mut parts, is_must, max_bytes);
    }
    let texts = parts.iter().map(|p| format!("## {}\n\n{}\n", p.title, p.body.trim_end()));
    let text = texts.collect::<Vec<_>>().join("\n");
    head_and_tail(&text, max_bytes).into_owned()
}

/// Shrinks the sections of one kind, each by the same share, until all fit.
fn shrink(parts: &mut [Part], is_must: bool, max_bytes: usize) {
    let total: usize = parts.iter().map(Part::len).sum();
    let of_kind: usize = parts.iter().filter(|p| p.is_must == is_must).map(|p| p.body.len()).sum();
    let excess = total.saturating_sub(max_bytes);
    if excess == 0 || of_kind == 0 {
        return;
    }
    let room = of_kind.saturating_sub(excess);
    for part in parts.iter_mut().filter(|p| p.is_must == is_must) {
        // The mark of a cut needs some room of its own.
        let share = (part.body.len() * room / of_kind).saturating_sub(48);
        if share < part.body.len() {
            part.body = head_and_tail(&part.body, share).into_owned();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helping_sections_shrink_first_and_the_limit_holds() {
        let parts =
            vec![Part::must("A", "must\n".repeat(20)), Part::may("B", "may\n".repeat(2000))];
        let text = compose(parts.clone(), 1000);
        assert!(text.len() <= 1000, "{}", text.len());
        assert!(text.contains(parts[0].body.trim_end()) && text.contains("left out"));
        for max in [0, 10, 100, 300] {
            assert!(compose(parts.clone(), max).len() <= max + 64, "{max}");
        }
    }

    #[test]
    fn empty_sections_are_left_out() {
        assert_eq!(compose(vec![Part::may("A", " ".into())], 100), "");
    }
}
