//! String and bytes literals: quotes off, escape sequences resolved.

use std::borrow::Cow;

const FAILED: &str = "unable to unescape string";
const FAILED_OCTAL: &str = "unable to unescape octal sequence in string";
const NOT_A_CODE_POINT: &str = "invalid unicode code point";

/// The value of a string literal as written, prefix and quotes included.
pub(crate) fn unescape_string(literal: &str) -> Result<String, &'static str> {
    let bytes = unescape(literal, false)?;
    String::from_utf8(bytes).map_err(|_| NOT_A_CODE_POINT)
}

/// The value of a bytes literal as written, without its `b` but with quotes.
pub(crate) fn unescape_bytes(literal: &str) -> Result<Vec<u8>, &'static str> {
    unescape(literal, true)
}

fn unescape(literal: &str, as_bytes: bool) -> Result<Vec<u8>, &'static str> {
    let normal = normalize_newlines(literal);
    let (raw, quoted) = match normal.strip_prefix(['r', 'R']) {
        Some(rest) => (true, rest),
        None => (false, normal.as_ref()),
    };
    let inner = ["'''", "\"\"\"", "'", "\""]
        .iter()
        .find_map(|quote| {
            let long_enough = quoted.len() >= 2 * quote.len();
            let inner = quoted.strip_prefix(quote)?.strip_suffix(quote)?;
            long_enough.then_some(inner)
        })
        .ok_or(FAILED)?;
    if raw || !inner.contains('\\') {
        return Ok(inner.as_bytes().to_vec());
    }
    let mut out = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        out.extend_from_slice(rest.as_bytes().get(..at).unwrap_or_default());
        rest = escape(rest.get(at + 1..).ok_or(FAILED)?, as_bytes, &mut out)?;
    }
    out.extend_from_slice(rest.as_bytes());
    Ok(out)
}

fn normalize_newlines(literal: &str) -> Cow<'_, str> {
    if literal.contains('\r') {
        Cow::Owned(literal.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(literal)
    }
}

/// Resolves the sequence after a backslash and gives back what follows it.
fn escape<'a>(text: &'a str, as_bytes: bool, out: &mut Vec<u8>) -> Result<&'a str, &'static str> {
    let mut chars = text.chars();
    let simple = match chars.next().ok_or(FAILED)? {
        'a' => 0x07,
        'b' => 0x08,
        'f' => 0x0C,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 0x0B,
        '\\' => b'\\',
        '\'' => b'\'',
        '"' => b'"',
        '`' => b'`',
        '?' => b'?',
        'x' | 'X' => return coded(text, 1, 2, 16, as_bytes, out, FAILED),
        'u' | 'U' if as_bytes => return Err(FAILED),
        'u' => return coded(text, 1, 4, 16, false, out, FAILED),
        'U' => return coded(text, 1, 8, 16, false, out, FAILED),
        '0'..='3' => return coded(text, 0, 3, 8, as_bytes, out, FAILED_OCTAL),
        _ => return Err(FAILED),
    };
    out.push(simple);
    Ok(chars.as_str())
}

fn coded<'a>(
    text: &'a str,
    start: usize,
    digits: usize,
    radix: u32,
    as_bytes: bool,
    out: &mut Vec<u8>,
    failed: &'static str,
) -> Result<&'a str, &'static str> {
    let end = start + digits;
    let code = text.get(start..end).ok_or(failed)?;
    if !code.chars().all(|c| c.is_digit(radix)) {
        return Err(failed);
    }
    let code = u32::from_str_radix(code, radix).map_err(|_| failed)?;
    if as_bytes {
        out.push(u8::try_from(code).map_err(|_| failed)?);
    } else {
        let c = char::from_u32(code).ok_or(NOT_A_CODE_POINT)?;
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
    text.get(end..).ok_or(failed)
}
