//! How one change of one key lies in the file.
//!
//! The table key is the revision and the key of the change. The table value is
//! `checksum (4) | kind (1) | create revision (8) | value`, numbers little-endian; the checksum
//! covers the table key as well, so that a record that turns up in the wrong place is noticed.

use bytes::Bytes;

use crate::error::StoreError;
use crate::store::{Result, Revision};
use crate::watch::Event;

#[cfg(test)]
const HEADER_LEN: usize = 13;
const KIND_DELETE: u8 = 0;
const KIND_PUT: u8 = 1;

pub(super) struct Record {
    pub(super) create_revision: Revision,
    /// None if the key was deleted.
    pub(super) value: Option<Bytes>,
}

pub(super) fn encode(event: &Event, out: &mut Vec<u8>) {
    encode_parts(event.revision, &event.key, event.create_revision, event.value.as_deref(), out);
}

/// Replaces the content of `out` by the record.
pub(super) fn encode_parts(
    revision: Revision,
    key: &str,
    create_revision: Revision,
    value: Option<&[u8]>,
    out: &mut Vec<u8>,
) {
    out.clear();
    out.extend_from_slice(&[0; 4]);
    out.push(if value.is_some() { KIND_PUT } else { KIND_DELETE });
    out.extend_from_slice(&create_revision.to_le_bytes());
    out.extend_from_slice(value.unwrap_or_default());
    let sum = checksum(revision, key, out.get(4..).unwrap_or_default());
    if let Some(place) = out.first_chunk_mut::<4>() {
        *place = sum.to_le_bytes();
    }
}

pub(super) fn decode(revision: Revision, key: &str, bytes: &[u8]) -> Result<Record> {
    let damaged = |what: &str| {
        StoreError::Corrupt(format!("record of {key:?} at revision {revision}: {what}"))
    };
    let (sum, body) = bytes.split_first_chunk::<4>().ok_or_else(|| damaged("cut short"))?;
    if checksum(revision, key, body) != u32::from_le_bytes(*sum) {
        return Err(damaged("wrong checksum"));
    }
    let (kind, rest) = body.split_first().ok_or_else(|| damaged("cut short"))?;
    let (create, value) = rest.split_first_chunk::<8>().ok_or_else(|| damaged("cut short"))?;
    let create_revision = u64::from_le_bytes(*create);
    match *kind {
        KIND_PUT => Ok(Record { create_revision, value: Some(Bytes::copy_from_slice(value)) }),
        KIND_DELETE if value.is_empty() => Ok(Record { create_revision, value: None }),
        KIND_DELETE => Err(damaged("a deletion with a value")),
        other => Err(damaged(&format!("unknown kind {other}"))),
    }
}

fn checksum(revision: Revision, key: &str, body: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&revision.to_le_bytes());
    hasher.update(key.as_bytes());
    hasher.update(body);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_flipped_bit_of_a_record_is_noticed() {
        let mut bytes = Vec::new();
        encode_parts(7, "/a/b", 3, Some(b"value"), &mut bytes);
        assert_eq!(bytes.len(), HEADER_LEN + 5);
        assert_eq!(decode(7, "/a/b", &bytes).unwrap().value.unwrap(), "value");
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(7, "/a/b", &flipped).is_err(), "bit {bit}");
        }
        assert!(decode(8, "/a/b", &bytes).is_err());
        assert!(decode(7, "/a/c", &bytes).is_err());
        for len in 0..bytes.len() {
            assert!(decode(7, "/a/b", &bytes[..len]).is_err());
        }
    }
}
