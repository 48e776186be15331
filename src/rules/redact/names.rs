//! Names that say that their value is a secret.

/// How sure a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A password: people choose them, so the value may be an ordinary word.
    Password,
    /// A key or token: made by a machine. The name stands in code for much else.
    Token,
    /// An HTTP header with credentials in it.
    Header,
    /// A header with cookies.
    Cookie,
}

impl Kind {
    /// Whether the value is a header's.
    pub fn is_header(self) -> bool {
        matches!(self, Self::Header | Self::Cookie)
    }
}

const PASSWORDS: [&str; 5] = ["password", "passwd", "passphrase", "passcode", "pwd"];
const TOKENS: [&str; 11] = [
    "secret",
    "token",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "accountkey",
    "authkey",
    "credential",
    "credentials",
    "auth",
];
/// What makes a `key` a secret one.
const KEYS: [&str; 14] = [
    "api",
    "access",
    "secret",
    "private",
    "account",
    "auth",
    "signing",
    "encryption",
    "master",
    "session",
    "shared",
    "storage",
    "service",
    "subscription",
];
/// Words behind the telling one that change nothing.
const TAILS: [&str; 17] = [
    "base",
    "base64",
    "b64",
    "dev",
    "file",
    "live",
    "new",
    "old",
    "plain",
    "prod",
    "production",
    "raw",
    "staging",
    "test",
    "text",
    "value",
    "default",
];

/// The kind of a name in any of the usual ways of writing; `None` for an ordinary name.
pub fn kind(name: &str) -> Option<Kind> {
    // What every shell calls its directories. Taken for passwords, they would hide every path.
    if !may_tell(name) || matches!(name, "PWD" | "OLDPWD") {
        return None;
    }
    let words = words(name);
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    while words.len() > 1 && words.last().is_some_and(|last| TAILS.contains(last)) {
        words.pop();
    }
    let before = words.len().checked_sub(2).map(|i| words[i]);
    let last = *words.last()?;
    match last {
        "authorization" => Some(Kind::Header),
        "cookie" => Some(Kind::Cookie),
        _ if PASSWORDS.iter().any(|word| last.ends_with(word)) => Some(Kind::Password),
        "pass" if before.is_some_and(|word| word != "by") => Some(Kind::Password),
        _ if TOKENS.contains(&last) => Some(Kind::Token),
        _ if ["secret", "token", "apikey", "secretkey"].iter().any(|w| last.ends_with(w)) => {
            Some(Kind::Token)
        }
        "key" if before.is_some_and(|word| KEYS.contains(&word)) => Some(Kind::Token),
        _ => None,
    }
}

/// Whether a name holds the beginning of any telling word: nearly no name does, and this is cheap.
fn may_tell(name: &str) -> bool {
    const BEGINNINGS: [&[u8; 3]; 8] =
        [b"pas", b"pwd", b"sec", b"tok", b"key", b"aut", b"cre", b"coo"];
    let is_one = |w: &[u8]| BEGINNINGS.iter().any(|b| w.eq_ignore_ascii_case(*b));
    name.as_bytes().windows(3).any(is_one)
}

/// Whether an environment variable of this name holds a secret. Nothing but variables is called
/// so, hence more names tell.
pub fn is_secret_variable(name: &str) -> bool {
    let words = words(name);
    let is_last = |word: &&str| words.last().is_some_and(|last| last == word);
    kind(name).is_some() || ["key", "pat", "pass", "cookie"].iter().any(is_last)
}

/// The words of a name, in lower case and without numbers at their end.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let chars: Vec<char> = name.chars().collect();
    for (i, &c) in chars.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| chars[i]);
        let after = chars.get(i + 1);
        let begins = c.is_ascii_uppercase()
            && (before.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
                || after.is_some_and(char::is_ascii_lowercase));
        if begins || !c.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_ascii_alphanumeric()) {
            word.push(c.to_ascii_lowercase());
        }
    }
    let base64 = |w: &str| w == "base64" || w == "b64";
    let trimmed = words.iter().map(|w| match w.as_str() {
        w if base64(w) => w,
        w => w.trim_end_matches(|c: char| c.is_ascii_digit()),
    });
    trimmed.filter(|w| !w.is_empty()).map(str::to_owned).collect()
}
