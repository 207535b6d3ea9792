//! Points and spans of time as Go reads, computes and prints them.

use std::cmp::Ordering;

use jiff::tz::TimeZoneDatabase;
use ordain_value::calendar::{civil_from_days, days_from_civil, is_date};

/// Seconds of the first moment of year 1.
pub const UNIX_MIN: i64 = -62_135_596_800;
/// Seconds of the last second of year 9999.
pub const UNIX_MAX: i64 = 253_402_300_799;

const NANOS: i64 = 1_000_000_000;

/// A point in time with the offset it was written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamp {
    secs: i64,
    nanos: u32,
    offset: i32,
}

/// A date and time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
    /// The year.
    pub year: i64,
    /// From 1.
    pub month: i64,
    /// From 1.
    pub day: i64,
    /// From 1.
    pub day_of_year: i64,
    /// From 0, which is Sunday.
    pub weekday: i64,
    /// The hour.
    pub hour: i64,
    /// The minute.
    pub minute: i64,
    /// The second.
    pub second: i64,
    /// The nanoseconds.
    pub nanos: u32,
}

/// A computation left the range of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// A span of time.
    Duration,
    /// A point in time.
    Timestamp,
}

impl Overflow {
    /// The text of the error.
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            // Upstream's words for spans are those for numbers.
            Self::Duration => "integer overflow",
            Self::Timestamp => "timestamp overflow",
        }
    }
}

impl Timestamp {
    /// A point in time in UTC.
    #[must_use]
    pub fn from_unix(secs: i64, nanos: u32) -> Self {
        Self { secs, nanos, offset: 0 }
    }

    /// Midnight of a date in UTC, if it exists.
    #[must_use]
    pub fn from_date(year: i64, month: i64, day: i64) -> Option<Self> {
        is_date(year, month, day)
            .then(|| Self::from_unix(days_from_civil(year, month, day) * 86_400, 0))
    }

    /// Seconds since 1970.
    #[must_use]
    pub fn unix(&self) -> i64 {
        self.secs
    }

    /// Nanoseconds beyond the second.
    #[must_use]
    pub fn subsec_nanos(&self) -> u32 {
        self.nanos
    }

    /// What is compared: the offset does not matter.
    #[must_use]
    pub fn instant(&self) -> (i64, u32) {
        (self.secs, self.nanos)
    }

    /// Whether this is Go's zero time, the start of year 1.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.secs == UNIX_MIN && self.nanos == 0
    }

    /// Reads RFC 3339 as Go's `time.Parse` does: one-digit hours and a comma are fine.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = text.as_bytes();
        let year = digits(&mut rest, 4)?;
        skip(&mut rest, b'-')?;
        let month = digits(&mut rest, 2)?;
        skip(&mut rest, b'-')?;
        let day = digits(&mut rest, 2)?;
        skip(&mut rest, b'T')?;
        let two = rest.get(1).is_some_and(u8::is_ascii_digit);
        let hour = digits(&mut rest, if two { 2 } else { 1 })?;
        skip(&mut rest, b':')?;
        let minute = digits(&mut rest, 2)?;
        skip(&mut rest, b':')?;
        let second = digits(&mut rest, 2)?;
        let nanos = fraction(&mut rest);
        let offset = offset(&mut rest)?;
        let fits =
            is_date(year, month, day) && hour < 24 && minute < 60 && second < 60 && rest.is_empty();
        let local =
            days_from_civil(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
        let offset_secs = i32::try_from(offset).ok()?;
        fits.then_some(Self { secs: local - offset, nanos, offset: offset_secs })
    }

    /// RFC 3339 with as many fractional digits as there are, in the offset it was written with.
    #[must_use]
    pub fn text(&self) -> String {
        let civil = self.civil(i64::from(self.offset));
        let mut out = format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
            civil.year, civil.month, civil.day, civil.hour, civil.minute, civil.second
        );
        push_fraction(self.nanos, &mut out);
        if self.offset == 0 {
            out.push('Z');
        } else {
            let minutes = self.offset.abs() / 60;
            let sign = if self.offset < 0 { '-' } else { '+' };
            out.push_str(&format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60));
        }
        out
    }

    /// The same moment shown in UTC.
    #[must_use]
    pub fn utc(&self) -> Self {
        Self { offset: 0, ..*self }
    }

    /// As Go's `%v` prints a time.
    #[must_use]
    pub fn go_text(&self) -> String {
        let civil = self.civil(i64::from(self.offset));
        let mut out = format!(
            "{:04}-{:02}-{:02} {:02}:{:02}:{:02}",
            civil.year, civil.month, civil.day, civil.hour, civil.minute, civil.second
        );
        push_fraction(self.nanos, &mut out);
        let minutes = self.offset.abs() / 60;
        let sign = if self.offset < 0 { '-' } else { '+' };
        let zone = format!("{sign}{:02}{:02}", minutes / 60, minutes % 60);
        let name = if self.offset == 0 { "UTC" } else { &zone };
        out.push_str(&format!(" {zone} {name}"));
        out
    }

    /// Date and time of day at an offset in seconds.
    #[must_use]
    pub fn civil(&self, offset: i64) -> Civil {
        let local = self.secs.saturating_add(offset);
        let days = local.div_euclid(86_400);
        let secs = local.rem_euclid(86_400);
        let (year, month, day) = civil_from_days(days);
        Civil {
            year,
            month,
            day,
            day_of_year: days - days_from_civil(year, 1, 1) + 1,
            weekday: (days + 4).rem_euclid(7),
            hour: secs / 3_600,
            minute: secs / 60 % 60,
            second: secs % 60,
            nanos: self.nanos,
        }
    }

    /// Date and time of day in a zone given by name or offset.
    ///
    /// # Errors
    /// The text of Go's error when there is no such zone.
    pub fn in_zone(&self, zone: &str) -> Result<Civil, String> {
        Ok(self.civil(zone_offset(zone, self.secs)?))
    }

    /// `self + nanos`
    ///
    /// # Errors
    /// When the sum is before year 1 or after year 9999.
    pub fn add(&self, nanos: i64) -> Result<Self, Overflow> {
        let total =
            i128::from(self.secs) * i128::from(NANOS) + i128::from(self.nanos) + i128::from(nanos);
        let secs =
            i64::try_from(total.div_euclid(i128::from(NANOS))).map_err(|_| Overflow::Timestamp)?;
        if !(UNIX_MIN..=UNIX_MAX).contains(&secs) {
            return Err(Overflow::Timestamp);
        }
        let nanos =
            u32::try_from(total.rem_euclid(i128::from(NANOS))).map_err(|_| Overflow::Timestamp)?;
        Ok(Self { secs, nanos, offset: self.offset })
    }

    /// `self - other` in nanoseconds.
    ///
    /// # Errors
    /// When the difference is more than about 292 years.
    pub fn since(&self, other: &Self) -> Result<i64, Overflow> {
        let total = |it: &Self| i128::from(it.secs) * i128::from(NANOS) + i128::from(it.nanos);
        i64::try_from(total(self) - total(other)).map_err(|_| Overflow::Duration)
    }
}

impl PartialOrd for Timestamp {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.instant().cmp(&other.instant()))
    }
}

fn digits(rest: &mut &[u8], count: usize) -> Option<i64> {
    let (head, tail) = rest.split_at_checked(count)?;
    let mut number = 0;
    for byte in head {
        number = number * 10 + i64::from(byte.is_ascii_digit().then(|| byte - b'0')?);
    }
    *rest = tail;
    Some(number)
}

fn skip(rest: &mut &[u8], byte: u8) -> Option<()> {
    *rest = rest.strip_prefix(&[byte])?;
    Some(())
}

fn fraction(rest: &mut &[u8]) -> u32 {
    if !matches!(rest, [b'.' | b',', digit, ..] if digit.is_ascii_digit()) {
        return 0;
    }
    let len = rest[1..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut nanos = 0u32;
    for index in 0..9 {
        let digit = rest[1..=len].get(index).map_or(0, |b| u32::from(b - b'0'));
        nanos = nanos * 10 + digit;
    }
    *rest = &rest[1 + len..];
    nanos
}

fn offset(rest: &mut &[u8]) -> Option<i64> {
    let sign = match rest.first()? {
        b'Z' => {
            *rest = &rest[1..];
            return Some(0);
        }
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    *rest = &rest[1..];
    let hours = digits(rest, 2)?;
    skip(rest, b':')?;
    let minutes = digits(rest, 2)?;
    (hours <= 24 && minutes <= 60).then_some(sign * (hours * 3_600 + minutes * 60))
}

fn push_fraction(nanos: u32, out: &mut String) {
    if nanos > 0 {
        let digits = format!("{nanos:09}");
        out.push('.');
        out.push_str(digits.trim_end_matches('0'));
    }
}

/// Seconds east of UTC that a zone has at a moment.
fn zone_offset(zone: &str, unix: i64) -> Result<i64, String> {
    let Some((hours, minutes)) = zone.split_once(':') else {
        return named_offset(zone, unix);
    };
    let number = |text: &str| -> Result<i64, String> {
        text.parse().map_err(|_| {
            let out_of_range =
                text.trim_start_matches(['+', '-']).bytes().all(|b| b.is_ascii_digit())
                    && text.trim_start_matches(['+', '-']).len() > 18;
            let reason = if out_of_range { "value out of range" } else { "invalid syntax" };
            format!("strconv.Atoi: parsing {}: {reason}", ordain_value::go_quote(text))
        })
    };
    let hours = number(hours)?;
    let minutes = number(minutes)?;
    let minutes = if zone.starts_with('-') {
        hours.wrapping_mul(60).wrapping_sub(minutes)
    } else {
        hours.wrapping_mul(60).wrapping_add(minutes)
    };
    Ok(minutes.wrapping_mul(60).clamp(-1 << 40, 1 << 40))
}

fn named_offset(zone: &str, unix: i64) -> Result<i64, String> {
    if matches!(zone, "" | "UTC" | "Local") {
        return Ok(0);
    }
    if zone.contains("..") || zone.starts_with(['/', '\\']) {
        return Err("time: invalid location name".to_owned());
    }
    let unknown = || format!("unknown time zone {zone}");
    // The bundled data, so that no file is read.
    let tz = TimeZoneDatabase::bundled().get(zone).map_err(|_| unknown())?;
    if tz.iana_name().is_some_and(|name| name != zone) {
        return Err(unknown());
    }
    let at = jiff::Timestamp::from_second(unix).map_err(|_| unknown())?;
    Ok(i64::from(tz.to_offset(at).seconds()))
}

/// Reads a span of time as Go's `time.ParseDuration` does.
#[must_use]
pub fn parse_duration(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let number_len = rest.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
        let (number, tail) = rest.split_at(number_len);
        let unit_len = tail.bytes().take_while(|b| !b.is_ascii_digit() && *b != b'.').count();
        let (unit, tail) = tail.split_at_checked(unit_len)?;
        rest = tail;
        total = total.checked_add(span(number, unit_nanos(unit)?)?)?;
        if total > 1 << 63 {
            return None;
        }
    }
    if negative {
        return Some(0i64.wrapping_sub_unsigned(total));
    }
    i64::try_from(total).ok()
}

fn unit_nanos(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}

fn span(number: &str, unit: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if fraction.contains('.') || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let mut nanos = whole.checked_mul(unit).filter(|it| *it <= 1 << 63)?;
    let mut scaled: u64 = 0;
    let mut scale = 1.0f64;
    for digit in fraction.bytes() {
        // Digits that no longer fit are ignored.
        let Some(next) =
            scaled.checked_mul(10).and_then(|it| it.checked_add(u64::from(digit - b'0')))
        else {
            break;
        };
        if next > 1 << 63 {
            break;
        }
        scaled = next;
        scale *= 10.0;
    }
    if scaled > 0 {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "Go computes the fraction in floating point, too"
        )]
        let part = (scaled as f64 * (unit as f64 / scale)) as u64;
        nanos = nanos.checked_add(part).filter(|it| *it <= 1 << 63)?;
    }
    Some(nanos)
}

/// A span as Go's `Duration.String` prints it: `1h0m1.5s`.
#[must_use]
pub fn duration_text(nanos: i64) -> String {
    if nanos == 0 {
        return "0s".to_owned();
    }
    let sign = if nanos < 0 { "-" } else { "" };
    let abs = nanos.unsigned_abs();
    let unit = |divisor: u64, suffix: &str| {
        let digits = divisor.to_string().len() - 1;
        let mut text = (abs / divisor).to_string();
        if !abs.is_multiple_of(divisor) {
            let fraction = format!("{:0digits$}", abs % divisor);
            text.push('.');
            text.push_str(fraction.trim_end_matches('0'));
        }
        format!("{sign}{text}{suffix}")
    };
    if abs < 1_000 {
        return format!("{sign}{abs}ns");
    }
    if abs < 1_000_000 {
        return unit(1_000, "µs");
    }
    if abs < 1_000_000_000 {
        return unit(1_000_000, "ms");
    }
    let secs = abs / 1_000_000_000;
    let mut seconds = (secs % 60).to_string();
    push_fraction(u32::try_from(abs % 1_000_000_000).unwrap_or(0), &mut seconds);
    let (hours, minutes) = (secs / 3_600, secs / 60 % 60);
    if hours > 0 {
        format!("{sign}{hours}h{minutes}m{seconds}s")
    } else if minutes > 0 {
        format!("{sign}{minutes}m{seconds}s")
    } else {
        format!("{sign}{seconds}s")
    }
}

/// A span in seconds, as `string(duration)` shows it: `90.5s`.
#[must_use]
pub fn duration_seconds_text(nanos: i64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "Go prints the float")]
    let seconds = (nanos / NANOS) as f64 + (nanos % NANOS) as f64 / 1e9;
    format!("{seconds}s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_read_and_print_as_in_go() {
        for (text, nanos) in [
            ("1h30m", 5_400_000_000_000),
            ("-1.5h", -5_400_000_000_000),
            ("1.5s", 1_500_000_000),
            ("100us", 100_000),
            ("0", 0),
            (".5m", 30_000_000_000),
            ("9223372036854775807ns", i64::MAX),
            ("-9223372036854775808ns", i64::MIN),
        ] {
            assert_eq!(parse_duration(text), Some(nanos), "{text}");
        }
        for text in ["", "1", "s", "1x", "1d", "-", ".s", "1.2.3s", "9223372036854775808ns", "1 s"]
        {
            assert_eq!(parse_duration(text), None, "{text}");
        }
        assert_eq!(duration_text(3_600_000_000_000), "1h0m0s");
        assert_eq!(duration_text(1_500_000), "1.5ms");
        assert_eq!(duration_text(-90_500_000_000), "-1m30.5s");
        assert_eq!(duration_seconds_text(5_400_000_000_000), "5400s");
        assert_eq!(duration_seconds_text(1), "0.000000001s");
    }

    #[test]
    fn moments_read_and_print_as_in_go() {
        let show = |text: &str| Timestamp::parse(text).map(|it| it.text());
        assert_eq!(show("2020-01-02T03:04:05Z").as_deref(), Some("2020-01-02T03:04:05Z"));
        assert_eq!(
            show("2020-01-02T03:04:05.120+02:00").as_deref(),
            Some("2020-01-02T03:04:05.12+02:00")
        );
        assert_eq!(show("2020-01-02T3:04:05Z").as_deref(), Some("2020-01-02T03:04:05Z"));
        assert_eq!(show("2020-02-30T03:04:05Z"), None);
        assert_eq!(show("2020-01-02 03:04:05Z"), None);
        assert_eq!(show("2020-01-02T03:04:05"), None);
        let time = Timestamp::parse("2024-03-31T00:30:00Z").expect("valid");
        assert_eq!(time.in_zone("Europe/Berlin").map(|c| c.hour), Ok(1));
        assert_eq!(time.in_zone("-05:30").map(|c| (c.day, c.hour)), Ok((30, 19)));
        assert_eq!(time.in_zone("Nowhere/X"), Err("unknown time zone Nowhere/X".to_owned()));
        assert_eq!(time.civil(0).weekday, 0);
        assert_eq!(time.civil(0).day_of_year, 91);
    }
}
