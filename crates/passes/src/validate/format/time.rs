//! Formats of time: dates, date-times, durations.

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
    is_go_duration(text) || is_worded_duration(text)
}

fn is_go_duration(text: &str) -> bool {
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    if rest.is_empty() {
        return false;
    }
    let mut total = 0_u64;
    while !rest.is_empty() {
        let Some((nanos, after)) = go_duration_part(rest) else {
            return false;
        };
        total = match total.checked_add(nanos) {
            Some(total) if total <= 1 << 63 => total,
            _ => return false,
        };
        rest = after;
    }
    text.starts_with('-') || total < 1 << 63
}

/// One number with its unit, in nanoseconds, and what follows.
fn go_duration_part(text: &str) -> Option<(u64, &str)> {
    let whole_len = text.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, mut rest) = text.split_at(whole_len);
    let mut fraction = "";
    if let Some(after) = rest.strip_prefix('.') {
        let len = after.bytes().take_while(u8::is_ascii_digit).count();
        (fraction, rest) = after.split_at(len);
    }
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let unit_len = rest.bytes().take_while(|b| *b != b'.' && !b.is_ascii_digit()).count();
    let (unit, rest) = rest.split_at(unit_len);
    let scale: u64 = match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    };
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let mut nanos = whole.checked_mul(scale).filter(|it| *it <= 1 << 63)?;
    let (mut digits, mut divisor) = (0_u64, 1.0_f64);
    for digit in fraction.bytes() {
        match digits.checked_mul(10).and_then(|it| it.checked_add(u64::from(digit - b'0'))) {
            Some(next) if next <= i64::MAX as u64 => digits = next,
            _ => break,
        }
        divisor *= 10.0;
    }
    if digits > 0 {
        nanos = nanos.checked_add((digits as f64 * (scale as f64 / divisor)) as u64)?;
    }
    (nanos <= 1 << 63).then_some((nanos, rest))
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
