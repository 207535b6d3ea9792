//! The little of DER that certificates and public keys need: elements of tag, length and content.

pub(crate) const INTEGER: u8 = 0x02;
pub(crate) const BIT_STRING: u8 = 0x03;
pub(crate) const OCTET_STRING: u8 = 0x04;
pub(crate) const OBJECT_IDENTIFIER: u8 = 0x06;
pub(crate) const SEQUENCE: u8 = 0x30;

/// The content of the next element, which must have this tag.
pub(crate) fn expect<'a>(input: &mut &'a [u8], wanted: u8) -> Option<&'a [u8]> {
    next(input).filter(|(tag, _)| *tag == wanted).map(|(_, content)| content)
}

/// The next element: its tag and its content.
pub(crate) fn next<'a>(input: &mut &'a [u8]) -> Option<(u8, &'a [u8])> {
    let (&tag, rest) = input.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (len, rest) = if first < 0x80 {
        (usize::from(first), rest)
    } else {
        let count = usize::from(first & 0x7f);
        if count == 0 || count > 4 || rest.len() < count {
            return None;
        }
        let (digits, rest) = rest.split_at(count);
        (digits.iter().fold(0, |len, digit| (len << 8) | usize::from(*digit)), rest)
    };
    if rest.len() < len {
        return None;
    }
    let (content, rest) = rest.split_at(len);
    *input = rest;
    Some((tag, content))
}

/// An element with this tag around the contents.
pub(crate) fn element(tag: u8, contents: &[&[u8]]) -> Vec<u8> {
    let len: usize = contents.iter().map(|it| it.len()).sum();
    let mut out = vec![tag];
    match u8::try_from(len) {
        Ok(short) if short < 0x80 => out.push(short),
        _ => {
            let digits = len.to_be_bytes();
            let used = &digits[digits.iter().take_while(|digit| **digit == 0).count()..];
            out.push(0x80 | u8::try_from(used.len()).unwrap_or(0));
            out.extend_from_slice(used);
        }
    }
    contents.iter().for_each(|content| out.extend_from_slice(content));
    out
}
