//! Formats of time: dates, date-times, durations.

use ordain_go::time::parse_duration;
use ordain_value::calendar;

/// `2006-01-02`, a day that exists.
pub(super) fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return false;
    }
    let [y1, y2, y3, y4, _, m1, m2, _, d1, d2] = *bytes else {
        return false;
    };
    if ![y1, y2, y3, y4, m1, m2, d1, d2].iter().all(u8::is_ascii_digit) {
        return false;
    }
    let two = |tens: u8, ones: u8| i64::from(tens - b'0') * 10 + i64::from(ones - b'0');
    calendar::is_date(two(y1, y2) * 100 + two(y3, y4), two(m1, m2), two(d1, d2))
}

/// A date, `T` in either case, a time and a zone. What stands after a second `T` is not looked at.
pub(super) fn is_date_time(text: &str) -> bool {
    if text.len() < 4 {
        return false;
    }
    if let (Some(b't' | b'T'), Some(date), Some(time)) =
        (text.as_bytes().get(10), text.get(..10), text.get(11..))
        && !time.bytes().any(|it| matches!(it, b't' | b'T'))
    {
        return is_date(date) && is_time_with_zone(time);
    }
    let mut parts = text.split(['t', 'T']);
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else {
        return false;
    };
    is_date(date) && is_time_with_zone(time)
}

/// `hh:mm:ss`, perhaps any character and digits, then `z` or an offset.
fn is_time_with_zone(text: &str) -> bool {
    let bytes = text.as_bytes();
    let two = |at: usize, max: &[u8; 2]| {
        bytes.get(at..at + 2).is_some_and(|it| it.iter().all(u8::is_ascii_digit) && it <= &max[..])
    };
    if bytes.get(2) != Some(&b':') || bytes.get(5) != Some(&b':') {
        return false;
    }
    if !(two(0, b"23") && two(3, b"59") && two(6, b"59")) {
        return false;
    }
    let Some(rest) = text.get(8..) else {
        return false;
    };
    if is_zone(rest) {
        return true;
    }
    // A fraction may be introduced by any one character except a line break.
    let mut chars = rest.chars();
    let Some(point) = chars.next() else {
        return false;
    };
    let digits = chars.as_str();
    let zone = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    point != '\n' && zone.len() < digits.len() && is_zone(zone)
}

fn is_zone(text: &str) -> bool {
    match text.as_bytes() {
        [b'z' | b'Z'] => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => [h1, h2, m1, m2].into_iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// A duration as Go writes it, or any text with numbers and units of time in it.
pub(super) fn is_duration(text: &str) -> bool {
    parse_duration(text).is_some() || is_worded_duration(text)
}

/// Numbers followed by a word of time anywhere in the text (`3 days`, `1w`); the rest is not looked at.
fn is_worded_duration(text: &str) -> bool {
    let mut found = false;
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let from = &rest[start..];
        let digits_len = from.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, after) = from.split_at(digits_len);
        let spaced = after.trim_start_matches(['\t', '\n', '\u{c}', '\r', ' ']);
        let unit_end =
            spaced.find(|c: char| !(c.is_ascii_alphabetic() || c == 'µ')).unwrap_or(spaced.len());
        let (unit, next) = spaced.split_at(unit_end);
        rest = next;
        if unit.is_empty() {
            continue;
        }
        if digits.parse::<i64>().is_err() {
            return false;
        }
        found |= is_time_unit(&unit.to_lowercase());
    }
    found
}

/// Each unit has short names that must match whole and a long one that may be continued (`minutes`).
fn is_time_unit(unit: &str) -> bool {
    const UNITS: [(&[&str], &str); 8] = [
        (&["ns"], "nano"),
        (&["us", "µs"], "micro"),
        (&["ms"], "milli"),
        (&["s"], "sec"),
        (&["m"], "min"),
        (&["h", "hr"], "hour"),
        (&["d"], "day"),
        (&["w", "wk"], "week"),
    ];
    UNITS.iter().any(|(exact, start)| exact.contains(&unit) || unit.starts_with(start))
}
