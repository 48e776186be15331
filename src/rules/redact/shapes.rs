//! Secrets that are known by what they look like: the tokens of well-known services, JSON web
//! tokens, and the password in a URL.

use std::ops::Range;

use super::{MARK, is_random, run_end};

/// A kind of token.
#[derive(Clone, Copy)]
struct Shape {
    /// Stays readable. At least three bytes.
    prefix: &'static str,
    /// Bytes of the token beside letters and digits.
    more: &'static [u8],
    /// Fewest bytes behind the prefix.
    min: usize,
    surety: Surety,
}

/// What else must hold for a token, because there are words that look like it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Surety {
    /// Nothing: no word looks like it.
    Sure,
    /// It begins like a word and looks random.
    Random,
    /// It has a digit in it.
    Mixed,
}

const fn shape(prefix: &'static str, more: &'static [u8], min: usize) -> Shape {
    Shape { prefix, more, min, surety: Surety::Sure }
}

const fn vague(prefix: &'static str, more: &'static [u8], min: usize) -> Shape {
    Shape { prefix, more, min, surety: Surety::Random }
}

const fn said(prefix: &'static str) -> Shape {
    Shape { prefix, more: b"!@#$%^&*()_+-=[]{}:;,.<>?/|~", min: 6, surety: Surety::Mixed }
}

/// At most 128. Of two that fit the first one counts.
const SHAPES: [Shape; 81] = [
    shape("sk-ant-", b"_-", 16),
    shape("sk-proj-", b"_-", 16),
    shape("sk-svcacct-", b"_-", 16),
    shape("sk-admin-", b"_-", 16),
    shape("sk-or-v1-", b"_-", 16),
    vague("sk-", b"_-", 16),
    shape("ghp_", b"", 20),
    shape("gho_", b"", 20),
    shape("ghu_", b"", 20),
    shape("ghs_", b"_.-", 20),
    shape("ghr_", b"", 20),
    shape("github_pat_", b"_", 20),
    shape("glpat-", b"_.-", 16),
    shape("gldt-", b"_-", 16),
    shape("glrt-", b"_.-", 16),
    shape("glptt-", b"_-", 16),
    shape("glcbt-", b"_-", 16),
    shape("glsoat-", b"_-", 16),
    shape("gloas-", b"_-", 16),
    shape("xoxb-", b"-", 10),
    shape("xoxp-", b"-", 10),
    shape("xoxa-", b"-", 10),
    shape("xoxr-", b"-", 10),
    shape("xoxs-", b"-", 10),
    shape("xoxe-", b"-", 10),
    shape("xoxe.", b"-.", 10),
    shape("xoxo-", b"-", 10),
    shape("xapp-", b"-", 10),
    shape("AKIA", b"", 16),
    shape("ASIA", b"", 16),
    shape("ABIA", b"", 16),
    shape("ACCA", b"", 16),
    shape("AIza", b"_-", 30),
    vague("AQ.", b"_-", 30),
    shape("ya29.", b"_.-", 16),
    shape("GOCSPX-", b"_-", 16),
    vague("1//", b"_-", 30),
    shape("sk_live_", b"", 10),
    shape("sk_test_", b"", 10),
    shape("rk_live_", b"", 10),
    shape("rk_test_", b"", 10),
    shape("whsec_", b"+/=", 16),
    shape("npm_", b"", 30),
    shape("pypi-A", b"_-", 30),
    shape("hf_", b"", 30),
    shape("SG.", b"_.-", 40),
    shape("shpat_", b"", 24),
    shape("shpss_", b"", 24),
    shape("shpca_", b"", 24),
    shape("dop_v1_", b"", 24),
    shape("dckr_pat_", b"_-", 16),
    shape("ATATT3", b"_=-", 20),
    shape("lin_api_", b"", 20),
    shape("ntn_", b"", 30),
    shape("secret_", b"", 40),
    shape("hvs.", b"_-", 20),
    shape("glsa_", b"_", 20),
    shape("glc_", b"+/=", 30),
    shape("sntrys_", b"_+/=", 20),
    shape("figd_", b"_-", 20),
    shape("PMAK-", b"-", 20),
    shape("dapi", b"-", 32),
    shape("rubygems_", b"", 30),
    shape("AGE-SECRET-KEY-", b"", 30),
    shape("gsk_", b"", 30),
    shape("xai-", b"", 30),
    shape("nvapi-", b"_-", 30),
    shape("r8_", b"", 30),
    shape("hooks.slack.com/", b"/_-", 16),
    shape("discord.com/api/webhooks/", b"/_-", 16),
    shape("discordapp.com/api/webhooks/", b"/_-", 16),
    shape("webhook.office.com/webhookb2/", b"/_-@", 16),
    said("password is "),
    said("Password is "),
    said("password to "),
    said("PASSWORD '"),
    said("password '"),
    said("IDENTIFIED BY '"),
    vague("Bearer ", b"._~+/=-", 16),
    vague("bearer ", b"._~+/=-", 16),
    vague("Basic ", b"+/=", 12),
];

/// For each byte and each of the first three places, the shapes that have it there.
const BEGINNINGS: [[u128; 256]; 3] = {
    let mut table = [[0; 256]; 3];
    let mut i = 0;
    while i < SHAPES.len() {
        let prefix = SHAPES[i].prefix.as_bytes();
        let mut place = 0;
        while place < 3 {
            table[place][prefix[place] as usize] |= 1 << i;
            place += 1;
        }
        i += 1;
    }
    table
};

/// Bytes that a token may begin with.
pub const FIRST_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = BEGINNINGS[0][i] != 0;
        i += 1;
    }
    table
};

/// The secret part of a token that begins at `at`.
#[inline]
pub fn token(text: &str, at: usize) -> Option<Range<usize>> {
    let [first, second, third, ..] = text.as_bytes()[at..] else { return None };
    let mut fitting = BEGINNINGS[0][usize::from(first)] & BEGINNINGS[1][usize::from(second)];
    // Nearly always it is 0 here already.
    if fitting != 0 {
        fitting &= BEGINNINGS[2][usize::from(third)];
    }
    while fitting != 0 {
        let shape = &SHAPES[fitting.trailing_zeros() as usize];
        if let Some(found) = shape.find(text, at) {
            return Some(found);
        }
        fitting &= fitting - 1;
    }
    None
}

impl Shape {
    fn find(&self, text: &str, at: usize) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        let is_here = bytes[at..].starts_with(self.prefix.as_bytes());
        if !is_here || (self.surety == Surety::Random && !begins_word(bytes, at)) {
            return None;
        }
        let start = at + self.prefix.len();
        let end = run_end(bytes, start, |b| b.is_ascii_alphanumeric() || self.more.contains(&b));
        // A full stop or a dash at the end belongs to the sentence.
        let end =
            end - bytes[start..end].iter().rev().take_while(|b| b".-,;:?!)".contains(b)).count();
        let is_long = end - start >= self.min;
        let token = &text[start..end.min(start + 256)];
        let is_sure = match self.surety {
            Surety::Sure => true,
            Surety::Random => is_random(token),
            Surety::Mixed => token.bytes().any(|b| b.is_ascii_digit()),
        };
        (is_long && is_sure).then_some(start..end)
    }
}

/// Whether a word begins at `at`; one may also follow the escape of a line end or of a byte.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    let is_escape = match bytes[..at] {
        [.., b'\\', last] => b"nrt".contains(&last),
        [.., b'%', a, b] => a.is_ascii_hexdigit() && b.is_ascii_hexdigit(),
        _ => false,
    };
    is_escape || at.checked_sub(1).is_none_or(|i| !is_word(bytes[i]))
}

/// A JSON web token, whose second part begins behind the dot at `at`. Both parts are encoded
/// objects, and so begin with `eyJ`.
pub fn jwt(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_in = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    if !bytes[at + 1..].starts_with(b"eyJ") {
        return None;
    }
    let start = bytes[..at].iter().rposition(|&b| !is_in(b)).map_or(0, |i| i + 1);
    let start = start + text[start..at].find("eyJ")?;
    let end = run_end(bytes, at + 1, |b| is_in(b) || b == b'.');
    let end = end - text[at..end].bytes().rev().take_while(|&b| b == b'.').count();
    Some(start..end)
}

/// The password in `scheme://user:password@host`, where `at` is the colon of the scheme; or the
/// user's name, where it stands alone and looks like a token.
pub fn userinfo(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let start = at + 3;
    let ends = |b: u8| b.is_ascii_whitespace() || b"/?#\"'`<>\\".contains(&b);
    let host = &text[start..run_end(bytes, start, |b| !ends(b))];
    let user = &host[..host.rfind('@')?];
    if user.starts_with(['(', '[', '{', '<', '$']) {
        return None;
    }
    let (start, secret) = match user.split_once(':') {
        Some((name, password)) => (start + name.len() + 1, password),
        None if is_random(user) => (start, user),
        None => return None,
    };
    let is_reference =
        secret.is_empty() || secret == MARK || secret.starts_with(['$', '{', '<', '%']);
    // `%` may also begin an encoded byte.
    let is_encoded = secret.len() > 3
        && secret.as_bytes()[0] == b'%'
        && secret.as_bytes()[1].is_ascii_hexdigit();
    (!is_reference || is_encoded).then_some(start..start + secret.len())
}
