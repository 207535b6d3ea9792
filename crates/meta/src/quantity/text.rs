//! The parts of a quantity's text.

use super::{Format, ParseError};

pub(super) struct Parts<'a> {
    pub(super) positive: bool,
    pub(super) num: &'a str,
    pub(super) denom: &'a str,
    pub(super) suffix: &'a str,
}

pub(super) fn digits_end(text: &str, from: usize) -> usize {
    text[from..].bytes().position(|b| !b.is_ascii_digit()).map_or(text.len(), |at| from + at)
}

pub(super) fn split(text: &str) -> Result<Parts<'_>, ParseError> {
    let bytes = text.as_bytes();
    let positive = bytes.first() != Some(&b'-');
    let mut pos = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
    while bytes.get(pos) == Some(&b'0') {
        pos += 1;
    }
    if pos >= bytes.len() {
        return Ok(Parts { positive, num: "0", denom: "", suffix: "" });
    }
    let num_end = digits_end(text, pos);
    let num = if num_end == pos { "0" } else { &text[pos..num_end] };
    pos = num_end;
    let mut denom = "";
    if bytes.get(pos) == Some(&b'.') {
        let end = digits_end(text, pos + 1);
        denom = &text[pos + 1..end];
        pos = end;
    }
    let suffix_start = pos;
    while bytes.get(pos).is_some_and(|b| b"eEinumkKMGTP".contains(b)) {
        pos += 1;
    }
    if matches!(bytes.get(pos), Some(b'-' | b'+')) {
        pos += 1;
    }
    pos = digits_end(text, pos.min(text.len()));
    if pos < bytes.len() {
        return Err(ParseError::Format);
    }
    Ok(Parts { positive, num, denom, suffix: &text[suffix_start..] })
}

/// Base, exponent and family of a suffix.
pub(super) fn interpret(suffix: &str) -> Option<(u32, i32, Format)> {
    use Format::{BinarySi, DecimalExponent, DecimalSi};
    Some(match suffix {
        "" => (10, 0, DecimalSi),
        "n" => (10, -9, DecimalSi),
        "u" => (10, -6, DecimalSi),
        "m" => (10, -3, DecimalSi),
        "k" => (10, 3, DecimalSi),
        "M" => (10, 6, DecimalSi),
        "G" => (10, 9, DecimalSi),
        "T" => (10, 12, DecimalSi),
        "P" => (10, 15, DecimalSi),
        "E" => (10, 18, DecimalSi),
        "Ki" => (2, 10, BinarySi),
        "Mi" => (2, 20, BinarySi),
        "Gi" => (2, 30, BinarySi),
        "Ti" => (2, 40, BinarySi),
        "Pi" => (2, 50, BinarySi),
        "Ei" => (2, 60, BinarySi),
        _ => {
            let digits = suffix.strip_prefix(['e', 'E'])?;
            let parsed: i64 = digits.parse().ok()?;
            // Go converts to int32 by truncation.
            #[expect(clippy::cast_possible_truncation, reason = "as upstream does")]
            let exponent = parsed as i32;
            (10, exponent, DecimalExponent)
        }
    })
}
