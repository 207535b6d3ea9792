//! A reader of DER, as far as certificates need it.
//!
//! Invariant: nothing is read beyond the given bytes, and nothing is nested here: a caller opens
//! one level after the other.

pub(super) const INTEGER: u8 = 0x02;
pub(super) const BIT_STRING: u8 = 0x03;
pub(super) const OBJECT_ID: u8 = 0x06;
pub(super) const SEQUENCE: u8 = 0x30;
pub(super) const SET: u8 = 0x31;

/// Why bytes are no DER of the expected form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrong {
    /// Nothing is there at all.
    Empty,
    /// A length goes beyond the end.
    Truncated,
    /// Another element than expected: its first byte, the length of its header and content.
    Tag { first: u8, header: usize, length: usize },
    /// Bytes follow that belong to nothing.
    Trailing,
    /// A length in a form that DER does not have.
    Length,
}

/// One element: its content, and all of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Element<'a> {
    pub(super) content: &'a [u8],
    pub(super) whole: &'a [u8],
}

/// Elements one after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    /// The next element, which must have this tag.
    pub(super) fn next(&mut self, tag: u8) -> Result<Element<'a>, Wrong> {
        let (first, header, length) = self.header()?;
        if first != tag {
            return Err(Wrong::Tag { first, header, length });
        }
        self.take(header, length)
    }

    /// The next element, whatever it is.
    pub(super) fn any(&mut self) -> Result<Element<'a>, Wrong> {
        let (_, header, length) = self.header()?;
        self.take(header, length)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Refuses what is left.
    pub(super) fn end(&self) -> Result<(), Wrong> {
        if self.is_empty() { Ok(()) } else { Err(Wrong::Trailing) }
    }

    fn take(&mut self, header: usize, length: usize) -> Result<Element<'a>, Wrong> {
        let end = header.checked_add(length).ok_or(Wrong::Truncated)?;
        let whole = self.0.get(..end).ok_or(Wrong::Truncated)?;
        self.0 = &self.0[end..];
        Ok(Element { content: &whole[header..], whole })
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

/// The bytes of a bit string of whole bytes.
pub(super) fn bits(element: Element<'_>) -> Result<&[u8], Wrong> {
    match element.content {
        [0, bytes @ ..] => Ok(bytes),
        _ => Err(Wrong::Length),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_checked() {
        let next = |bytes: &[u8]| Reader(bytes).next(SEQUENCE).map(|it| it.content.len());
        assert_eq!(next(&[0x30, 1, 7]), Ok(1));
        assert_eq!(next(&[]), Err(Wrong::Empty));
        assert_eq!(next(&[0x30]), Err(Wrong::Truncated));
        assert_eq!(next(&[0x30, 2, 7]), Err(Wrong::Truncated));
        assert_eq!(next(&[0x30, 0x84, 0xff, 0xff, 0xff, 0xff]), Err(Wrong::Truncated));
        assert_eq!(next(&[0x30, 0x80]), Err(Wrong::Length));
        assert_eq!(next(&[0x02, 0]), Err(Wrong::Tag { first: 2, header: 2, length: 0 }));
    }
}
