//! Points in time as the API writes them: RFC 3339 to the second, or to the microsecond.
//!
//! Reading follows Go's `time.Parse`, its leniencies and its error texts included: they reach
//! users in answers.

use std::fmt;

use ordain_value::calendar::{civil_from_days, days_from_civil, days_in_month};

const LAYOUT: &str = "2006-01-02T15:04:05Z07:00";
const LAYOUT_MICRO: &str = "2006-01-02T15:04:05.000000Z07:00";
const SECONDS_PER_DAY: i64 = 86_400;

/// Seconds and nanoseconds since 1970 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time {
    /// Whole seconds since the first of January 1970, UTC.
    pub seconds: i64,
    /// Nanoseconds after that second.
    pub nanos: u32,
}

impl Time {
    /// A point in time by seconds and nanoseconds since 1970.
    pub fn from_unix(seconds: i64, nanos: u32) -> Self {
        Self { seconds, nanos }
    }

    /// Reads what `metav1.Time` reads: RFC 3339, fractions of a second allowed.
    pub fn decode(text: &str) -> Result<Self, ParseError> {
        Parser { layout: LAYOUT, text, rest: text }.time(false)
    }

    /// Reads what `metav1.MicroTime` reads: RFC 3339 with exactly six fractional digits.
    pub fn decode_micro(text: &str) -> Result<Self, ParseError> {
        Parser { layout: LAYOUT_MICRO, text, rest: text }.time(true)
    }

    /// To the second, in UTC: `2006-01-02T15:04:05Z`.
    pub fn encode(&self) -> String {
        let mut out = self.until_seconds();
        out.push('Z');
        out
    }

    /// To the microsecond, in UTC: `2006-01-02T15:04:05.000000Z`.
    pub fn encode_micro(&self) -> String {
        format!("{}.{:06}Z", self.until_seconds(), self.nanos / 1000)
    }

    /// Without the mark of the zone. Every write has a time, so that digits are put down one by one,
    /// which takes a tenth of what formatting does.
    fn until_seconds(&self) -> String {
        let (year, month, day, hour, minute, second) = self.civil();
        let mut out = String::with_capacity("2006-01-02T15:04:05.000000Z".len());
        match year {
            0..=9999 => {
                [year / 100, year % 100].into_iter().for_each(|it| two_digits(&mut out, it))
            }
            _ => out.push_str(&format!("{year:04}")),
        }
        for (mark, number) in [('-', month), ('-', day), ('T', hour), (':', minute), (':', second)]
        {
            out.push(mark);
            two_digits(&mut out, number);
        }
        out
    }

    fn civil(&self) -> (i64, i64, i64, i64, i64, i64) {
        let days = self.seconds.div_euclid(SECONDS_PER_DAY);
        let second_of_day = self.seconds.rem_euclid(SECONDS_PER_DAY);
        let (year, month, day) = civil_from_days(days);
        (year, month, day, second_of_day / 3600, second_of_day / 60 % 60, second_of_day % 60)
    }
}

/// Puts down a number below a hundred.
fn two_digits(out: &mut String, number: i64) {
    for digit in [number / 10, number % 10] {
        out.push(u32::try_from(digit).ok().and_then(|it| char::from_digit(it, 10)).unwrap_or('?'));
    }
}

/// Why a text is no time, in Go's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ParseError {}

struct Parser<'a> {
    layout: &'static str,
    text: &'a str,
    rest: &'a str,
}

impl Parser<'_> {
    fn time(mut self, micro: bool) -> Result<Time, ParseError> {
        let year = self.year()?;
        self.literal("-")?;
        let month = self.two("01", "month", 1..=12, true)?;
        self.literal("-")?;
        let day = self.two("02", "day", 0..=99, true)?;
        self.literal("T")?;
        let hour = self.two("15", "hour", 0..=23, false)?;
        self.literal(":")?;
        let minute = self.two("04", "minute", 0..=59, true)?;
        self.literal(":")?;
        let second = self.two("05", "second", 0..=59, true)?;
        let nanos = if micro { self.micros()? } else { self.opt_fraction() };
        let offset = self.zone()?;
        if !self.rest.is_empty() {
            return Err(self.because(&format!(": extra text: {}", quote(self.rest))));
        }
        if day < 1 || day > days_in_month(year, month) {
            return Err(self.because(": day out of range"));
        }
        let days = days_from_civil(year, month, day);
        let seconds = days * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second - offset;
        Ok(Time { seconds, nanos })
    }

    fn year(&mut self) -> Result<i64, ParseError> {
        let digits = self.rest.get(..4).and_then(|text| text.parse::<u32>().ok());
        match digits {
            Some(year) if self.rest.as_bytes()[0].is_ascii_digit() => {
                self.rest = &self.rest[4..];
                Ok(i64::from(year))
            }
            _ => Err(self.cannot("2006")),
        }
    }

    fn literal(&mut self, literal: &'static str) -> Result<(), ParseError> {
        match self.rest.strip_prefix(literal) {
            Some(rest) => {
                self.rest = rest;
                Ok(())
            }
            None => Err(self.cannot(literal)),
        }
    }

    fn two(
        &mut self,
        element: &'static str,
        name: &str,
        range: std::ops::RangeInclusive<i64>,
        fixed: bool,
    ) -> Result<i64, ParseError> {
        let bytes = self.rest.as_bytes();
        let digit = |at: usize| bytes.get(at).filter(|byte| byte.is_ascii_digit());
        let (number, len) = match (digit(0), digit(1)) {
            (Some(tens), Some(ones)) => (i64::from(tens - b'0') * 10 + i64::from(ones - b'0'), 2),
            (Some(ones), None) if !fixed => (i64::from(ones - b'0'), 1),
            _ => return Err(self.cannot(element)),
        };
        self.rest = &self.rest[len..];
        if !range.contains(&number) {
            return Err(self.because(&format!(": {name} out of range")));
        }
        Ok(number)
    }

    fn opt_fraction(&mut self) -> u32 {
        let bytes = self.rest.as_bytes();
        let point = matches!(bytes.first(), Some(b'.' | b','));
        if !point || !bytes.get(1).is_some_and(u8::is_ascii_digit) {
            return 0;
        }
        let len = 1 + bytes[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let nanos = fraction(&bytes[1..len]);
        self.rest = &self.rest[len..];
        nanos
    }

    fn micros(&mut self) -> Result<u32, ParseError> {
        let bytes = self.rest.as_bytes();
        let point = matches!(bytes.first(), Some(b'.' | b','));
        let digits = bytes.get(1..7).filter(|digits| digits.iter().all(u8::is_ascii_digit));
        match digits {
            Some(digits) if point => {
                let nanos = fraction(digits);
                self.rest = &self.rest[7..];
                Ok(nanos)
            }
            _ => Err(self.cannot(".000000")),
        }
    }

    fn zone(&mut self) -> Result<i64, ParseError> {
        if let Some(rest) = self.rest.strip_prefix('Z') {
            self.rest = rest;
            return Ok(0);
        }
        let bytes = self.rest.as_bytes();
        let number = |at: usize| {
            let pair = bytes.get(at..at + 2)?;
            let digits = pair.iter().all(u8::is_ascii_digit);
            digits.then(|| i64::from(pair[0] - b'0') * 10 + i64::from(pair[1] - b'0'))
        };
        let sign = match bytes.first() {
            Some(b'+') => 1,
            Some(b'-') => -1,
            _ => return Err(self.cannot("Z07:00")),
        };
        match (number(1), bytes.get(3), number(4)) {
            (Some(hours), Some(b':'), Some(minutes)) => {
                self.rest = &self.rest[6..];
                if hours > 24 {
                    return Err(self.because(": time zone offset hour out of range"));
                }
                if minutes > 60 {
                    return Err(self.because(": time zone offset minute out of range"));
                }
                Ok(sign * (hours * 3600 + minutes * 60))
            }
            _ => Err(self.cannot("Z07:00")),
        }
    }

    fn cannot(&self, element: &str) -> ParseError {
        let (text, layout, rest) = (quote(self.text), quote(self.layout), quote(self.rest));
        let element = quote(element);
        ParseError {
            message: format!("parsing time {text} as {layout}: cannot parse {rest} as {element}"),
        }
    }

    fn because(&self, why: &str) -> ParseError {
        ParseError { message: format!("parsing time {}{why}", quote(self.text)) }
    }
}

/// Digits after the decimal point as nanoseconds; digits beyond the ninth are cut.
fn fraction(digits: &[u8]) -> u32 {
    let mut nanos = 0;
    for at in 0..9 {
        nanos = nanos * 10 + digits.get(at).map_or(0, |digit| u32::from(digit - b'0'));
    }
    nanos
}

/// Go's `time` package quotes byte by byte, with everything outside printable ASCII escaped.
fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            0x20..=0x7e => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_survive_a_round_trip() {
        for text in ["1970-01-01T00:00:00Z", "2024-02-29T23:59:59Z", "0001-01-01T00:00:00Z"] {
            assert_eq!(Time::decode(text).unwrap().encode(), text);
        }
        let micro = "2026-11-15T20:58:44.123456Z";
        assert_eq!(Time::decode_micro(micro).unwrap().encode_micro(), micro);
    }

    #[test]
    fn offsets_become_utc() {
        let time = Time::decode("2024-01-01T01:30:00.5+01:30").unwrap();
        assert_eq!(time.encode(), "2024-01-01T00:00:00Z");
        assert_eq!(time.nanos, 500_000_000);
    }

    #[test]
    fn errors_are_those_of_go() {
        let message = |text: &str| Time::decode(text).unwrap_err().to_string();
        assert_eq!(
            message("yesterday"),
            r#"parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006""#
        );
        assert_eq!(
            message("2024-01-01"),
            r#"parsing time "2024-01-01" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T""#
        );
        assert_eq!(
            message("2024-13-01T00:00:00Z"),
            r#"parsing time "2024-13-01T00:00:00Z": month out of range"#
        );
        assert_eq!(
            message("2024-02-30T00:00:00Z"),
            r#"parsing time "2024-02-30T00:00:00Z": day out of range"#
        );
        assert_eq!(
            message("2024-02-01T00:00:00Zx"),
            r#"parsing time "2024-02-01T00:00:00Zx": extra text: "x""#
        );
        assert!(Time::decode_micro("2024-02-01T00:00:00.12Z").is_err());
    }
}
