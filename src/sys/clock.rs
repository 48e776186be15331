//! The clock, and times for people and for the history.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Unix seconds.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}

/// Milliseconds since 1970.
pub fn now_millis() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis())
}

/// The present as RFC 3339 in UTC, to the millisecond.
pub fn now_rfc3339() -> String {
    let now = Timestamp::now();
    format!("{now:.3}")
}

/// Unix seconds as RFC 3339 in UTC.
pub fn rfc3339(unix: u64) -> String {
    timestamp(unix).to_string()
}

/// RFC 3339 as Unix seconds; `None` for anything else, and for a time before 1970.
pub fn from_rfc3339(text: &str) -> Option<u64> {
    let time: Timestamp = text.parse().ok()?;
    u64::try_from(time.as_second()).ok()
}

/// Unix seconds as a local time of day, `14:05`, with the zone.
pub fn local_time_of_day(unix: u64) -> String {
    timestamp(unix).to_zoned_datetime(TimeZone::system()).strftime("%H:%M %Z").to_string()
}

/// An age in seconds for people: `5 s`, `12 min`, `3 h`, `4 d`.
pub fn age(secs: u64) -> String {
    match secs {
        0..60 => format!("{secs} s"),
        60..3600 => format!("{} min", secs / 60),
        3600..172_800 => format!("{} h", secs / 3600),
        _ => format!("{} d", secs / 86_400),
    }
}

fn timestamp(unix: u64) -> Timestamp {
    i64::try_from(unix).ok().and_then(|s| Timestamp::from_second(s).ok()).unwrap_or(Timestamp::MAX)
}
