//! Plain scalars to values by YAML 1.1, as go-yaml v2 resolves them.

use std::borrow::Cow;

use crate::{Text, Value, calendar, number};

/// A resolved plain scalar. Timestamps stay strings, as Kubernetes gets them.
pub(super) enum Resolved {
    Value(Value),
    /// An integer beyond int64, which JSON keeps as digits and the decoder reads as a float.
    Unsigned(u64),
    /// NaN and infinities: YAML has them, JSON does not.
    NotFinite(&'static str),
}

/// The longest of the words that are no text.
const WORD_MAX: usize = 5;

/// Whether a plain scalar surely is a text: it starts like neither a number nor a word that is none.
#[inline]
pub(super) fn is_text(text: &str) -> bool {
    match text.as_bytes() {
        [] | [b'.' | b'+' | b'-' | b'0'..=b'9' | b'~', ..] => false,
        [b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O', ..] => {
            text.len() > WORD_MAX
        }
        _ => true,
    }
}

/// Resolves a plain scalar without an explicit tag.
pub(super) fn plain(text: &str) -> Resolved {
    let string = || Resolved::Value(Value::Str(Text::new(text)));
    if is_text(text) {
        return string();
    }
    let Some(first) = text.bytes().next() else { return Resolved::Value(Value::Null) };
    match first {
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~' => {
            word(text).map_or_else(string, Resolved::Value)
        }
        b'.' => match not_finite(text) {
            Some(it) => Resolved::NotFinite(it),
            None => go_float(text).map_or_else(string, float),
        },
        b'+' | b'-' | b'0'..=b'9' => {
            if let Some(it) = not_finite(text) {
                return Resolved::NotFinite(it);
            }
            numeric(text).unwrap_or_else(string)
        }
        _ => string(),
    }
}

fn word(text: &str) -> Option<Value> {
    Some(match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Value::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Value::Bool(false)
        }
        "~" | "null" | "Null" | "NULL" => Value::Null,
        _ => return None,
    })
}

fn not_finite(text: &str) -> Option<&'static str> {
    Some(match text {
        ".nan" | ".NaN" | ".NAN" => "NaN",
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => "+Inf",
        "-.inf" | "-.Inf" | "-.INF" => "-Inf",
        _ => return None,
    })
}

fn numeric(text: &str) -> Option<Resolved> {
    if is_timestamp(text) {
        return None;
    }
    let plain: Cow<'_, str> =
        if text.contains('_') { text.replace('_', "").into() } else { text.into() };
    let (negative, digits) = match plain.as_bytes().first() {
        Some(b'-') => (true, &plain[1..]),
        Some(b'+') => (false, &plain[1..]),
        _ => (false, &*plain),
    };
    if let Some(magnitude) = go_unsigned(digits) {
        if negative {
            if magnitude <= 1 << 63 {
                return Some(Resolved::Value(Value::Int((magnitude as i64).wrapping_neg())));
            }
        } else if let Ok(int) = i64::try_from(magnitude) {
            return Some(Resolved::Value(Value::Int(int)));
        } else if !plain.starts_with('+') {
            return Some(Resolved::Unsigned(magnitude));
        }
    }
    if yaml_float_form(digits) { go_float(&plain).map(float) } else { None }
}

/// Go's `ParseUint(text, 0, 64)` for text whose underscores are gone: prefixes `0x`, `0o`, `0b`
/// and a leading `0` for octal.
fn go_unsigned(digits: &str) -> Option<u64> {
    let (radix, rest) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    if rest.starts_with('+') {
        return None;
    }
    u64::from_str_radix(rest, radix).ok()
}

/// `(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?` without its sign.
fn yaml_float_form(text: &str) -> bool {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let digits = |it: &str| it.bytes().all(|b| b.is_ascii_digit());
    let mantissa_ok = match mantissa.split_once('.') {
        Some(("", fraction)) => !fraction.is_empty() && digits(fraction),
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => !mantissa.is_empty() && digits(mantissa),
    };
    let exponent_ok = exponent.is_none_or(|it| {
        let it = it.strip_prefix(['+', '-']).unwrap_or(it);
        !it.is_empty() && digits(it)
    });
    mantissa_ok && exponent_ok
}

/// Go's `ParseFloat` on decimal forms; out of range is an error there.
fn go_float(text: &str) -> Option<f64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !yaml_float_form(digits) {
        return None;
    }
    text.parse::<f64>().ok().filter(|it| it.is_finite())
}

/// A float as its JSON text is decoded again: integral ones become integers.
fn float(float: f64) -> Resolved {
    let mut text = Vec::new();
    number::write_float_json(float, &mut text);
    let text = String::from_utf8(text).unwrap_or_default();
    Resolved::Value(number::parse(&text).unwrap_or(Value::Float(float)))
}

/// A date, or a date and a time, with fields that need not be padded: such scalars stay strings.
pub(super) fn is_timestamp(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    digits == 4 && date_and_time(text).is_some()
}

fn date_and_time(text: &str) -> Option<()> {
    let (year, rest) = (text.get(..4)?.parse().ok()?, text.get(4..)?.strip_prefix('-')?);
    let (month, rest) = two_digits(rest)?;
    let (day, rest) = two_digits(rest.strip_prefix('-')?)?;
    if !calendar::is_date(year, month, day) {
        return None;
    }
    match rest.as_bytes().first() {
        None => Some(()),
        Some(b'T' | b't') => {
            let rest = clock(&rest[1..])?;
            if rest == "Z" {
                return Some(());
            }
            let (hours, minutes) = rest.strip_prefix(['+', '-'])?.split_once(':')?;
            let fits = |text: &str, max: u8| {
                text.len() == 2
                    && text.bytes().all(|b| b.is_ascii_digit())
                    && text.parse::<u8>().is_ok_and(|it| it <= max)
            };
            (fits(hours, 24) && fits(minutes, 60)).then_some(())
        }
        Some(b' ') => clock(&rest[1..]).filter(|rest| rest.is_empty()).map(|_| ()),
        _ => None,
    }
}

/// Hours, minutes, seconds and perhaps a fraction; returns what follows.
fn clock(text: &str) -> Option<&str> {
    let (hour, rest) = two_digits(text)?;
    let (minute, rest) = two_digits(rest.strip_prefix(':')?)?;
    let (second, rest) = two_digits(rest.strip_prefix(':')?)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let Some(fraction) = rest.strip_prefix(['.', ',']) else { return Some(rest) };
    let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 { Some(rest) } else { fraction.get(digits..) }
}

/// One digit or two.
fn two_digits(text: &str) -> Option<(i64, &str)> {
    let len = text.bytes().take(2).take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at_checked(len)?;
    Some((digits.parse().ok()?, rest))
}

/// Resolves a scalar with an explicit core tag; Err says what it cannot be.
pub(super) fn tagged(tag: &str, text: &str, is_plain: bool) -> Result<Resolved, String> {
    if tag == "str" {
        return Ok(Resolved::Value(Value::str(text)));
    }
    let resolved = plain(text);
    let found = match &resolved {
        Resolved::Value(Value::Null) => "null",
        Resolved::Value(Value::Bool(_)) => "bool",
        Resolved::Value(Value::Int(_)) | Resolved::Unsigned(_) => "int",
        Resolved::Value(Value::Float(_)) | Resolved::NotFinite(_) => "float",
        Resolved::Value(_) => "str",
    };
    let fits = found == tag
        || (tag == "float" && found == "int")
        || (tag == "timestamp" && found == "str" && is_timestamp(text) && is_plain);
    if fits {
        return Ok(resolved);
    }
    Err(format!("cannot decode !!{found} `{text}` as a !!{tag}"))
}
