//! Numbers and text as Go's `strconv` and `fmt` read and print them.

/// Reads a float as Go's `ParseFloat` does; none when it is out of range, too.
#[must_use]
pub fn parse_float(text: &str) -> Option<f64> {
    let (negative, body) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let sign = if negative { -1.0 } else { 1.0 };
    let lower = body.to_ascii_lowercase();
    match lower.as_str() {
        "inf" | "infinity" => return Some(sign * f64::INFINITY),
        // A sign before NaN is no number.
        "nan" => return (body.len() == text.len()).then_some(f64::NAN),
        _ => {}
    }
    let digits = strip_underscores(&lower)?;
    if let Some(hex) = digits.strip_prefix("0x") {
        return parse_hex_float(hex).map(|it| sign * it).filter(|it| it.is_finite());
    }
    // Rust also reads "inf" and such, which were dealt with above.
    if !digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'+' | b'-')) {
        return None;
    }
    let number: f64 = digits.parse().ok()?;
    number.is_finite().then_some(sign * number)
}

/// Underscores may stand between digits and after a base prefix.
fn strip_underscores(text: &str) -> Option<String> {
    if !text.contains('_') {
        return Some(text.to_owned());
    }
    let bytes = text.as_bytes();
    let hex = text.starts_with("0x");
    let digit = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(|b| b.is_ascii_digit() || (hex && (b.is_ascii_hexdigit() || *b == b'x')))
    };
    for (at, byte) in bytes.iter().enumerate() {
        if *byte == b'_' && !(digit(at.checked_sub(1)) && digit(Some(at + 1))) {
            return None;
        }
    }
    Some(text.replace('_', ""))
}

fn parse_hex_float(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once('p')?;
    let exponent: i32 = exponent.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut value = 0.0f64;
    for digit in whole.chars().chain(fraction.chars()) {
        value = value * 16.0 + f64::from(digit.to_digit(16)?);
    }
    let shift = exponent.checked_sub(i32::try_from(fraction.len()).ok()?.checked_mul(4)?)?;
    Some(value * 2f64.powi(shift.clamp(-2_000, 2_000)))
}

/// Reads a bool as Go's `ParseBool` does.
#[must_use]
pub fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Some(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Some(false),
        _ => None,
    }
}

/// Reads an unsigned number: no sign is allowed.
#[must_use]
pub fn parse_uint(text: &str) -> Option<u64> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// `%f` with the shortest digits that read back, as `FormatFloat(f, 'f', -1, 64)`.
#[must_use]
pub fn float_plain(number: f64) -> String {
    if number.is_nan() {
        "NaN".to_owned()
    } else if number.is_infinite() {
        if number > 0.0 { "+Inf".to_owned() } else { "-Inf".to_owned() }
    } else {
        number.to_string()
    }
}

/// `%.{precision}f`
#[must_use]
pub fn float_fixed(number: f64, precision: usize) -> String {
    if number.is_finite() { format!("{number:.precision$}") } else { float_plain(number) }
}

/// `%.{precision}e`: `1.500000e+03`.
#[must_use]
pub fn float_scientific(number: f64, precision: usize) -> String {
    if !number.is_finite() {
        return float_plain(number);
    }
    let text = format!("{number:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

/// Go's `strings.TrimSpace`.
#[must_use]
pub fn trim_space(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_read_as_in_go() {
        assert_eq!(parse_float("1_000.5"), Some(1000.5));
        assert_eq!(parse_float("0x1p-2"), Some(0.25));
        assert_eq!(parse_float("-Inf"), Some(f64::NEG_INFINITY));
        assert!(parse_float("nan").is_some_and(f64::is_nan));
        for text in ["", "1e400", "_1", "1_", "0x1", "abc", "1e", " 1"] {
            assert_eq!(parse_float(text), None, "{text}");
        }
        assert_eq!(float_scientific(1234.5, 6), "1.234500e+03");
        assert_eq!(parse_uint("+5"), None);
    }
}
