//! The little of DER that certificates and keys need: elements of tag, length and content.
//!
//! Invariant: nothing is read beyond the given bytes, and nothing is nested here: a caller opens
//! one level after the other.

/// The tag of a whole number.
pub const INTEGER: u8 = 0x02;
/// The tag of bits, whose first byte says how many of the last one are unused.
pub const BIT_STRING: u8 = 0x03;
/// The tag of bytes.
pub const OCTET_STRING: u8 = 0x04;
/// The tag of an object identifier.
pub const OBJECT_ID: u8 = 0x06;
/// The tag of a time with two digits of its year.
pub const UTC_TIME: u8 = 0x17;
/// The tag of a time with four digits of its year.
pub const GENERALIZED_TIME: u8 = 0x18;
/// The tag of a sequence.
pub const SEQUENCE: u8 = 0x30;
/// The tag of a set.
pub const SET: u8 = 0x31;

/// Why bytes are no DER of the expected form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    /// Nothing is there at all.
    Empty,
    /// A length goes beyond the end.
    Truncated,
    /// Another element than expected: its first byte, the length of its header and content.
    Tag {
        /// The byte that names class and tag.
        first: u8,
        /// Bytes before the content.
        header: usize,
        /// Bytes of the content.
        length: usize,
    },
    /// Bytes follow that belong to nothing.
    Trailing,
    /// A length in a form that DER does not have.
    Length,
}

/// One element.
#[derive(Debug, Clone, Copy)]
pub struct Element<'a> {
    /// What it is.
    pub tag: u8,
    /// Its content.
    pub content: &'a [u8],
    /// All of it.
    pub whole: &'a [u8],
}

impl<'a> Element<'a> {
    /// The elements that it consists of.
    #[must_use]
    pub fn parts(self) -> Reader<'a> {
        Reader(self.content)
    }
}

/// Elements one after the other.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// The next element, which must have this tag.
    ///
    /// # Errors
    /// When it has another one, or is malformed.
    pub fn expect(&mut self, tag: u8) -> Result<Element<'a>, Wrong> {
        let (first, header, length) = self.header()?;
        if first != tag {
            return Err(Wrong::Tag { first, header, length });
        }
        self.take(header, length)
    }

    /// The next element, whatever it is.
    ///
    /// # Errors
    /// When it is malformed.
    pub fn any(&mut self) -> Result<Element<'a>, Wrong> {
        let (_, header, length) = self.header()?;
        self.take(header, length)
    }

    /// Whether nothing is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Refuses what is left.
    ///
    /// # Errors
    /// When something is.
    pub fn end(&self) -> Result<(), Wrong> {
        if self.is_empty() { Ok(()) } else { Err(Wrong::Trailing) }
    }

    fn take(&mut self, header: usize, length: usize) -> Result<Element<'a>, Wrong> {
        let end = header.checked_add(length).ok_or(Wrong::Truncated)?;
        let whole = self.0.get(..end).ok_or(Wrong::Truncated)?;
        self.0 = &self.0[end..];
        Ok(Element { tag: whole[0], content: &whole[header..], whole })
    }

    /// First byte, length of the header, length of the content.
    fn header(&self) -> Result<(u8, usize, usize), Wrong> {
        let [first, length, rest @ ..] = self.0 else {
            return Err(if self.0.is_empty() { Wrong::Empty } else { Wrong::Truncated });
        };
        if *length < 0x80 {
            return Ok((*first, 2, usize::from(*length)));
        }
        let count = usize::from(length & 0x7f);
        if count == 0 || count > 4 {
            return Err(Wrong::Length);
        }
        let digits = rest.get(..count).ok_or(Wrong::Truncated)?;
        let length = digits.iter().fold(0_usize, |sum, digit| (sum << 8) | usize::from(*digit));
        if digits[0] == 0 || length < 0x80 {
            return Err(Wrong::Length);
        }
        Ok((*first, 2 + count, length))
    }
}

impl<'a> Iterator for Reader<'a> {
    type Item = Element<'a>;

    /// The next element; none after the last one, or when it is malformed.
    fn next(&mut self) -> Option<Element<'a>> {
        self.any().ok()
    }
}

/// The bytes of a bit string of whole bytes.
///
/// # Errors
/// When it ends within a byte.
pub fn bits(element: Element<'_>) -> Result<&[u8], Wrong> {
    match element.content {
        [0, bytes @ ..] => Ok(bytes),
        _ => Err(Wrong::Length),
    }
}

/// An element with this tag around the contents.
#[must_use]
pub fn element(tag: u8, contents: &[&[u8]]) -> Vec<u8> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_checked() {
        let next = |bytes: &[u8]| Reader(bytes).expect(SEQUENCE).map(|it| it.content.len());
        assert_eq!(next(&[0x30, 1, 7]), Ok(1));
        assert_eq!(next(&[]), Err(Wrong::Empty));
        assert_eq!(next(&[0x30]), Err(Wrong::Truncated));
        assert_eq!(next(&[0x30, 2, 7]), Err(Wrong::Truncated));
        assert_eq!(next(&[0x30, 0x84, 0xff, 0xff, 0xff, 0xff]), Err(Wrong::Truncated));
        assert_eq!(next(&[0x30, 0x80]), Err(Wrong::Length));
        assert_eq!(next(&[0x02, 0]), Err(Wrong::Tag { first: 2, header: 2, length: 0 }));
    }

    #[test]
    fn what_is_written_is_read() {
        for len in [0, 1, 127, 128, 255, 256, 70_000] {
            let content = vec![7; len];
            let (head, tail) = content.split_at(len / 2);
            let written = element(OCTET_STRING, &[head, tail]);
            let mut reader = Reader(&written);
            assert_eq!(reader.expect(OCTET_STRING).map(|it| it.content), Ok(&*content));
            assert_eq!(reader.end(), Ok(()));
        }
    }
}
