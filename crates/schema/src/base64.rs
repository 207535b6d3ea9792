//! Standard base64 with padding, as Go's decoder reads it.

/// Decodes; the error is the offset of the first wrong byte. Line breaks are skipped.
///
/// # Errors
/// With the offset of the first wrong byte.
pub fn decode(text: &str) -> Result<Vec<u8>, usize> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut group = [0u8; 4];
    let mut filled = 0;
    let mut bytes =
        text.bytes().enumerate().filter(|(_, b)| !matches!(b, b'\r' | b'\n')).peekable();
    while let Some((at, byte)) = bytes.next() {
        if byte == b'=' {
            return finish_padded(out, group, filled, at, bytes, text.len());
        }
        group[filled] = sextet(byte).ok_or(at)?;
        filled += 1;
        if filled == 4 {
            push(&mut out, group, 3);
            filled = 0;
        }
    }
    if filled == 0 { Ok(out) } else { Err(text.len() - filled) }
}

/// Reads the end of a text from its first `=` on.
fn finish_padded(
    mut out: Vec<u8>,
    mut group: [u8; 4],
    filled: usize,
    at: usize,
    mut rest: impl Iterator<Item = (usize, u8)>,
    len: usize,
) -> Result<Vec<u8>, usize> {
    if filled < 2 {
        return Err(at);
    }
    if filled == 2 {
        match rest.next() {
            None => return Err(len),
            Some((at, byte)) if byte != b'=' => return Err(at),
            Some(_) => group[2] = 0,
        }
    }
    group[3] = 0;
    push(&mut out, group, filled - 1);
    match rest.next() {
        Some((at, _)) => Err(at),
        None => Ok(out),
    }
}

/// Encodes with padding.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let at = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            if place > group.len() {
                out.push('=');
            } else {
                let sextet = (bits >> (18 - 6 * place)) & 63;
                out.push(char::from(ALPHABET[usize::try_from(sextet).unwrap_or(0)]));
            }
        }
    }
    out
}

fn push(out: &mut Vec<u8>, group: [u8; 4], count: usize) {
    let bits = group.iter().fold(0u32, |bits, s| bits << 6 | u32::from(*s));
    out.extend_from_slice(&bits.to_be_bytes()[1..=count]);
}

fn sextet(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn padding_is_required_and_errors_name_the_byte() {
        assert_eq!(decode("aGk="), Ok(b"hi".to_vec()));
        assert_eq!(decode("aA=="), Ok(b"h".to_vec()));
        assert_eq!(decode(""), Ok(Vec::new()));
        assert_eq!(encode(b"hi"), "aGk=");
        assert_eq!(encode(b"h"), "aA==");
        assert_eq!(encode(b"hello!"), "aGVsbG8h");
        assert_eq!(decode("aGk"), Err(0));
        assert_eq!(decode("!!!!"), Err(0));
        assert_eq!(decode("aG=k"), Err(3));
        assert_eq!(decode("aGVsbG8=x"), Err(8));
    }
}
