//! The bytes of protobuf: tags, numbers of variable length, and fields.

pub(super) const VARINT: u8 = 0;
pub(super) const FIXED64: u8 = 1;
const BYTES: u8 = 2;
const FIXED32: u8 = 5;

/// Why bytes are no message of the kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WireError(pub String);

pub(super) fn malformed(why: &str) -> WireError {
    WireError(why.to_owned())
}

/// One field of a message as it stands in the bytes.
pub(super) enum Wire<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    Fixed64(u64),
    /// A width that no declared field has.
    Skipped,
}

pub(super) struct Input<'a>(pub(super) &'a [u8]);

impl<'a> Input<'a> {
    pub(super) fn varint(&mut self) -> Result<u64, WireError> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first().ok_or_else(|| malformed("unexpected EOF"))?;
            self.0 = rest;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(malformed("proto: integer overflow"));
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(malformed("proto: integer overflow"))
    }

    fn take(&mut self, len: u64) -> Result<&'a [u8], WireError> {
        let len = usize::try_from(len).map_err(|_| malformed("proto: invalid length"))?;
        if len > self.0.len() {
            return Err(malformed("unexpected EOF"));
        }
        let (taken, rest) = self.0.split_at(len);
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn next(&mut self) -> Result<Option<(u32, Wire<'a>)>, WireError> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let number = u32::try_from(tag >> 3).map_err(|_| malformed("proto: illegal tag"))?;
        if number == 0 {
            return Err(malformed("proto: illegal tag 0"));
        }
        let wire = match u8::try_from(tag & 7).unwrap_or(7) {
            VARINT => Wire::Number(self.varint()?),
            FIXED64 => {
                let bytes = self.take(8)?.try_into().map_err(|_| malformed("unexpected EOF"))?;
                Wire::Fixed64(u64::from_le_bytes(bytes))
            }
            BYTES => {
                let len = self.varint()?;
                Wire::Bytes(self.take(len)?)
            }
            FIXED32 => self.take(4).map(|_| Wire::Skipped)?,
            other => return Err(WireError(format!("proto: illegal wireType {other}"))),
        };
        Ok(Some((number, wire)))
    }
}

pub(super) fn text(bytes: &[u8]) -> Result<String, WireError> {
    let text = std::str::from_utf8(bytes).map_err(|_| malformed("proto: invalid UTF-8"))?;
    Ok(text.to_owned())
}

/// Writes a number of variable length.
pub fn put_varint(mut number: u64, out: &mut Vec<u8>) {
    loop {
        let byte = u8::try_from(number & 0x7f).unwrap_or(0);
        number >>= 7;
        if number == 0 {
            out.push(byte);
            return;
        }
        out.push(byte | 0x80);
    }
}

/// Writes the tag of a field.
pub fn put_tag(number: u32, wire: u8, out: &mut Vec<u8>) {
    put_varint(u64::from(number) << 3 | u64::from(wire), out);
}

/// Writes a field of bytes.
pub fn put_bytes(number: u32, bytes: &[u8], out: &mut Vec<u8>) {
    put_tag(number, BYTES, out);
    put_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}
