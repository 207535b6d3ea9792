//! Numbers as Go reads and writes them.

use crate::Value;

/// Reads JSON number text: int64 when it has neither fraction nor exponent and fits, else float64.
/// None when the float is out of range, which Go refuses.
pub fn parse(text: &str) -> Option<Value> {
    let integral = !text.bytes().any(|b| matches!(b, b'.' | b'e' | b'E'));
    if integral && let Ok(int) = text.parse::<i64>() {
        return Some(Value::Int(int));
    }
    let float = text.parse::<f64>().ok()?;
    float.is_finite().then_some(Value::Float(float))
}

/// Appends a float as Go's JSON encoder does: shortest form, exponents only below 1e-6 and from
/// 1e21 on, `e-07` shortened to `e-7`.
pub fn write_float_json(float: f64, out: &mut Vec<u8>) {
    let abs = float.abs();
    if abs != 0.0 && !(1e-6..1e21).contains(&abs) {
        let (digits, exponent) = shortest(float);
        out.extend_from_slice(digits.as_bytes());
        out.push(b'e');
        out.push(if exponent < 0 { b'-' } else { b'+' });
        let exponent = exponent.unsigned_abs();
        if exponent < 10 && float.abs() >= 1.0 {
            out.push(b'0');
        }
        out.extend_from_slice(exponent.to_string().as_bytes());
    } else if float == 0.0 {
        out.extend_from_slice(if float.is_sign_negative() { b"-0" } else { b"0" });
    } else {
        // Rust's Display never uses exponents and prints the shortest digits that round-trip.
        out.extend_from_slice(even(float.to_string(), float).as_bytes());
    }
}

/// A float as Go's `%v` prints it: `%g` with the shortest precision, exponent form below 1e-4 and
/// from 1e6 on, whatever the number of digits.
pub fn go_float(float: f64) -> String {
    if float.is_nan() {
        return "NaN".into();
    }
    if float.is_infinite() {
        return if float > 0.0 { "+Inf".into() } else { "-Inf".into() };
    }
    if float == 0.0 {
        return if float.is_sign_negative() { "-0".into() } else { "0".into() };
    }
    let (digits, exponent) = shortest(float);
    if !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.unsigned_abs());
    }
    even(float.to_string(), float)
}

/// Shortest round-tripping mantissa digits (`1.5`) and the decimal exponent.
fn shortest(float: f64) -> (String, i32) {
    let text = even(format!("{float:e}"), float);
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (digits.to_owned(), exponent.parse().unwrap_or(0))
}

/// From so many digits on the last one can be a tie.
const TIE_DIGITS_MIN: usize = 15;

/// Of two shortest forms that are equally near Go takes the one that ends in an even digit.
fn even(text: String, float: f64) -> String {
    let mantissa = text.find('e').unwrap_or(text.len());
    let significant = text[..mantissa]
        .trim_start_matches(['-', '0', '.'])
        .bytes()
        .filter(u8::is_ascii_digit)
        .count();
    let last = text[..mantissa].bytes().last().unwrap_or(b'0');
    if significant < TIE_DIGITS_MIN || !last.is_ascii_digit() || last.is_multiple_of(2) {
        return text;
    }
    [last - 1, last + 1]
        .into_iter()
        .filter(u8::is_ascii_digit)
        .map(|digit| format!("{}{}{}", &text[..mantissa - 1], char::from(digit), &text[mantissa..]))
        .find(|other| {
            let exact = format!("{float:.*e}", significant + 30);
            let (digits, zeros) = exact
                .split_once('e')
                .unwrap_or((&exact, ""))
                .0
                .split_at((significant + 2 + usize::from(float < 0.0)).min(exact.len()));
            let is_tie = digits.ends_with('5') && zeros.bytes().all(|zero| zero == b'0');
            is_tie && other.parse() == Ok(float)
        })
        .unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_end_in_an_even_digit() {
        let json = |float: f64| {
            let mut out = Vec::new();
            write_float_json(float, &mut out);
            String::from_utf8(out).unwrap_or_default()
        };
        assert_eq!(go_float(1e15 + 0.3), "1.0000000000000002e+15");
        assert_eq!(json(1e15 + 0.3), "1000000000000000.2");
        assert_eq!(json(-1e15 - 0.3), "-1000000000000000.2");
        assert_eq!(json(1e15 + 0.75), "1000000000000000.8");
        for plain in ["0.1", "1234567.891", "0.30000000000000004", "1.7976931348623157e+308"] {
            assert_eq!(json(plain.parse().unwrap_or(0.0)), plain);
        }
    }
}
