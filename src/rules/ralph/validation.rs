//! Which command validates a story, and whether it can fail at all.

use crate::rules::shell;

/// How far a validation command may be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// A failing step makes the whole command fail.
    CanFail,
    /// It does nothing but succeed (`true`), as somebody wrote it on purpose.
    Nothing,
    /// It runs something and hides how that ended (`npm test || true`).
    CannotFail,
}

/// Judges a command by its text.
pub fn strength(command: &str) -> Strength {
    let steps = shell::steps(command);
    let name = |s: &shell::Step| {
        s.words.first().map(|w| shell::base_name(w).to_owned()).unwrap_or_default()
    };
    let is_harmless = |s: &shell::Step| {
        matches!(name(s).as_str(), "true" | ":" | "echo" | "printf")
            || name(s) == "exit" && s.words.get(1).is_none_or(|code| code == "0")
    };
    // Commands in parentheses and compound ones are not taken apart, so their code may count.
    let has_compound = ["if", "while", "for", "case", "until", "{", "!"]
        .iter()
        .any(|w| command.split([';', '\n', ' ', '\t']).any(|word| word == *w));
    if steps.iter().all(is_harmless) {
        return Strength::Nothing;
    }
    if has_compound || steps.iter().any(|s| s.decides && !is_harmless(s)) {
        return Strength::CanFail;
    }
    Strength::CannotFail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hidden_failure_is_found() {
        let table = [
            ("cargo test", Strength::CanFail),
            ("npm test && npm run typecheck", Strength::CanFail),
            ("npm run typecheck; npm test", Strength::CanFail),
            ("make check || exit 1", Strength::CanFail),
            ("! grep -q TODO src", Strength::CanFail),
            ("if test -f x; then cargo test; else exit 1; fi", Strength::CanFail),
            ("test -f done-1", Strength::CanFail),
            ("echo x >>log; false", Strength::CanFail),
            ("false", Strength::CanFail),
            ("npm test || true", Strength::CannotFail),
            ("npm test || :", Strength::CannotFail),
            ("npm test; true", Strength::CannotFail),
            ("npm test || echo failed", Strength::CannotFail),
            ("npm test; exit 0", Strength::CannotFail),
            ("npm run typecheck 2>/dev/null || npm test || true", Strength::CannotFail),
            ("true", Strength::Nothing),
            (":", Strength::Nothing),
            ("echo ok", Strength::Nothing),
            ("exit 0", Strength::Nothing),
            ("", Strength::Nothing),
        ];
        for (command, want) in table {
            assert_eq!(strength(command), want, "{command}");
        }
    }
}
