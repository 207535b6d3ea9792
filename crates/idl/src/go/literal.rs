//! Values of Go's string, rune and number literals.

/// The text a string literal (quoted or raw) stands for; `None` when it is malformed.
#[must_use]
pub fn unquote(literal: &str) -> Option<String> {
    if let Some(inner) = literal.strip_prefix('`') {
        return Some(inner.strip_suffix('`')?.replace('\r', ""));
    }
    let inner = literal.strip_prefix('"')?.strip_suffix('"')?;
    let bytes = unescape(inner, '"')?;
    String::from_utf8(bytes).ok()
}

/// The number a rune literal stands for.
#[must_use]
pub fn unquote_rune(literal: &str) -> Option<i64> {
    let inner = literal.strip_prefix('\'')?.strip_suffix('\'')?;
    let (unit, rest) = next_unit(inner, '\'')?;
    if !rest.is_empty() {
        return None;
    }
    Some(match unit {
        Unit::Char(letter) => i64::from(u32::from(letter)),
        Unit::Byte(byte) => i64::from(byte),
    })
}

enum Unit {
    Char(char),
    Byte(u8),
}

fn unescape(inner: &str, quote: char) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while !rest.is_empty() {
        let (unit, after) = next_unit(rest, quote)?;
        match unit {
            Unit::Char(letter) => out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
            Unit::Byte(byte) => out.push(byte),
        }
        rest = after;
    }
    Some(out)
}

fn next_unit(text: &str, quote: char) -> Option<(Unit, &str)> {
    let mut chars = text.chars();
    let first = chars.next()?;
    if first == quote || first == '\n' {
        return None;
    }
    if first != '\\' {
        return Some((Unit::Char(first), chars.as_str()));
    }
    let escape = chars.next()?;
    let simple = match escape {
        'a' => Some('\u{7}'),
        'b' => Some('\u{8}'),
        'f' => Some('\u{c}'),
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        'v' => Some('\u{b}'),
        '\\' => Some('\\'),
        '\'' | '"' if escape == quote => Some(escape),
        _ => None,
    };
    if let Some(letter) = simple {
        return Some((Unit::Char(letter), chars.as_str()));
    }
    let (digits, radix) = match escape {
        'x' => (2, 16),
        'u' => (4, 16),
        'U' => (8, 16),
        '0'..='7' => (3, 8),
        _ => return None,
    };
    let body = if radix == 8 { text.get(1..)? } else { chars.as_str() };
    let number = u32::from_str_radix(body.get(..digits)?, radix).ok()?;
    let rest = body.get(digits..)?;
    let unit = if matches!(escape, 'u' | 'U') {
        Unit::Char(char::from_u32(number)?)
    } else {
        Unit::Byte(u8::try_from(number).ok()?)
    };
    Some((unit, rest))
}

/// The value of an integer literal; `None` when malformed or above 127 bits.
#[must_use]
pub fn parse_int(literal: &str) -> Option<i128> {
    let text: String = literal.chars().filter(|letter| *letter != '_').collect();
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = if let Some(rest) = lower.strip_prefix("0x") {
        (rest, 16)
    } else if let Some(rest) = lower.strip_prefix("0o") {
        (rest, 8)
    } else if let Some(rest) = lower.strip_prefix("0b") {
        (rest, 2)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (lower.get(1..)?, 8)
    } else {
        (lower.as_str(), 10)
    };
    i128::from_str_radix(digits, radix).ok().filter(|_| !digits.starts_with(['+', '-']))
}

/// The value of a decimal or hexadecimal floating-point literal.
#[must_use]
pub fn parse_float(literal: &str) -> Option<f64> {
    let text: String = literal.chars().filter(|letter| *letter != '_').collect();
    let lower = text.to_ascii_lowercase();
    let Some(hex) = lower.strip_prefix("0x") else { return lower.parse().ok() };
    let (mantissa, exponent) = hex.split_once('p')?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let value = u64::from_str_radix(&digits, 16).ok()?;
    let exponent: i32 = exponent.parse().ok()?;
    let shift = exponent.checked_sub(i32::try_from(fraction.len()).ok()?.checked_mul(4)?)?;
    #[expect(clippy::cast_precision_loss, reason = "a literal's value is rounded to float64")]
    Some(value as f64 * 2f64.powi(shift))
}
