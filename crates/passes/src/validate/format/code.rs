//! Formats that are codes: identifiers, colours, card and book numbers, base64.

/// Twelve bytes in hexadecimal.
pub(super) fn is_bson_object_id(text: &str) -> bool {
    text.len() == 24 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Groups of 8, 4, 4, 4 and 12 hexadecimal digits, with or without dashes between them. `version` starts the
/// third group; `variant` asks for 8, 9, a or b at the start of the fourth.
pub(super) fn is_uuid(text: &str, version: Option<u8>, variant: bool) -> bool {
    let mut rest = text.as_bytes();
    for (group, len) in [8_usize, 4, 4, 4, 12].into_iter().enumerate() {
        if group > 0 {
            rest = rest.strip_prefix(b"-").unwrap_or(rest);
        }
        let Some((digits, after)) = rest.split_at_checked(len) else {
            return false;
        };
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return false;
        }
        if group == 2 && version.is_some_and(|it| digits[0] != it) {
            return false;
        }
        if group == 3 && variant && !matches!(digits[0], b'8' | b'9' | b'a' | b'b' | b'A' | b'B') {
            return false;
        }
        rest = after;
    }
    rest.is_empty()
}

/// What a regular expression calls white space in ASCII.
fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0c | b'\r' | b' ')
}

/// The text without spaces and dashes, when it has exactly `N` bytes.
fn without_separators<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut out = [0; N];
    let mut len = 0;
    for byte in text.bytes().filter(|b| !is_space(*b) && *b != b'-') {
        *out.get_mut(len)? = byte;
        len += 1;
    }
    (len == N).then_some(out)
}

pub(super) fn is_isbn10(text: &str) -> bool {
    let Some(code) = without_separators::<10>(text) else {
        return false;
    };
    let (digits, check) = (&code[..9], code[9]);
    if !digits.iter().all(u8::is_ascii_digit) || !(check.is_ascii_digit() || check == b'X') {
        return false;
    }
    let sum: u32 = (1..).zip(digits).map(|(weight, digit)| weight * u32::from(digit - b'0')).sum();
    let last = if check == b'X' { 10 } else { u32::from(check - b'0') };
    (sum + 10 * last).is_multiple_of(11)
}

pub(super) fn is_isbn13(text: &str) -> bool {
    let Some(code) = without_separators::<13>(text) else {
        return false;
    };
    if !code.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let sum: u32 = (code[..12].iter().enumerate())
        .map(|(i, digit)| u32::from(digit - b'0') * if i % 2 == 0 { 1 } else { 3 })
        .sum();
    u32::from(code[12] - b'0') == (10 - sum % 10) % 10
}

/// Digits of a known card issuer with a valid checksum; everything that is no digit is skipped.
pub(super) fn is_credit_card(text: &str) -> bool {
    let mut digits = [0_u8; 16];
    let mut len = 0;
    for byte in text.bytes().filter(u8::is_ascii_digit) {
        let Some(slot) = digits.get_mut(len) else {
            return false;
        };
        *slot = byte - b'0';
        len += 1;
    }
    let digits = &digits[..len];
    is_known_issuer(digits) && {
        let sum: u32 = (digits.iter().rev().enumerate())
            .map(|(i, digit)| match u32::from(*digit) * if i % 2 == 1 { 2 } else { 1 } {
                two @ 10.. => two % 10 + 1,
                one => one,
            })
            .sum();
        sum.is_multiple_of(10)
    }
}

fn is_known_issuer(digits: &[u8]) -> bool {
    matches!(
        (digits, digits.len()),
        ([4, ..], 13 | 16)
            | ([5, 1..=5, ..], 16)
            | ([6, 0, 1, 1, ..] | [6, 5, ..], 16)
            | ([3, 4 | 7, ..], 15)
            | ([3, 0, 0..=5, ..] | [3, 6 | 8, ..], 14)
            | ([2, 1, 3, 1, ..] | [1, 8, 0, 0, ..], 15)
            | ([3, 5, ..], 16)
    )
}

/// Eleven characters: three, two and four digits with a dash or a blank between them.
pub(super) fn is_ssn(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 11
        && bytes.iter().enumerate().all(|(i, b)| match i {
            3 | 6 => matches!(b, b'-' | b' '),
            _ => b.is_ascii_digit(),
        })
}

pub(super) fn is_hex_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or(text);
    matches!(digits.len(), 3 | 6) && digits.bytes().all(|b| b.is_ascii_hexdigit())
}

/// `rgb(r,g,b)` with blanks around the numbers; no number has a leading zero.
pub(super) fn is_rgb_color(text: &str) -> bool {
    let Some(inner) = text.strip_prefix("rgb(").and_then(|it| it.strip_suffix(')')) else {
        return false;
    };
    let mut parts = 0;
    for part in inner.split(',') {
        parts += 1;
        let number = part.trim_matches(|c: char| c.is_ascii() && is_space(c as u8));
        let fits = matches!(
            number.as_bytes(),
            [b'0'..=b'9']
                | [b'1'..=b'9', b'0'..=b'9']
                | [b'1', b'0'..=b'9', b'0'..=b'9']
                | [b'2', b'0'..=b'4', b'0'..=b'9']
                | [b'2', b'5', b'0'..=b'5']
        );
        if !fits {
            return false;
        }
    }
    parts == 3
}

/// Standard base64 with padding, at least one group.
pub(super) fn is_base64(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.is_empty() || !bytes.len().is_multiple_of(4) {
        return false;
    }
    let padding = bytes.iter().rev().take_while(|b| **b == b'=').count();
    padding <= 2
        && bytes[..bytes.len() - padding]
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/'))
}
