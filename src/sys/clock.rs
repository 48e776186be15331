//! The clock, and times for people and for the history.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ZonedDateTime};

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

/// A point in the past as people write it: how long ago (`90m`, `2 days`, `1w`), a local date
/// or time (`2026-12-01`, `2026-12-01T10:00`, `14:05` for today), or RFC 3339.
pub fn since(text: &str) -> Option<u64> {
    let text = text.trim();
    let now = ZonedDateTime::now();
    let local = |time: DateTime| time.to_zoned_datetime(TimeZone::system()).ok();
    let ago = |span: Span| now.checked_sub(span.abs()).ok();
    let time = if let Ok(time) = text.parse::<Timestamp>() {
        time
    } else if let Ok(span) = text.parse::<Span>() {
        ago(span)?.timestamp()
    } else if let Ok(time) = text.parse::<DateTime>() {
        local(time)?.timestamp()
    } else {
        local(now.date().to_datetime(text.parse::<Time>().ok()?))?.timestamp()
    };
    u64::try_from(time.as_second()).ok()
}

/// RFC 3339 as a local time, `2026-12-01 14:05:09`; anything else as it is.
pub fn local(rfc3339: &str) -> String {
    let Ok(time) = rfc3339.parse::<Timestamp>() else { return rfc3339.to_owned() };
    time.to_zoned_datetime(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_in_the_past_are_read_as_people_write_them() {
        let ago = |text: &str| now().abs_diff(since(text).unwrap());
        for (text, secs) in [("90m", 5400), ("2 hours", 7200), ("1h 30min", 5400), ("45s", 45)] {
            assert!(ago(text).abs_diff(secs) <= 2, "{text}");
        }
        // A day may be an hour longer or shorter.
        assert!(ago("2d").abs_diff(172_800) <= 3602 && ago("1w").abs_diff(604_800) <= 3602);
        assert_eq!(since("2026-12-01T10:00:00Z"), Some(1_796_119_200));
        assert!(since("2026-12-01").is_some() && since("00:00").is_some());
        for bad in ["", "yesterday", "5", "-", "25:00", "2026-13-01"] {
            assert_eq!(since(bad), None, "{bad:?}");
        }
    }
}
