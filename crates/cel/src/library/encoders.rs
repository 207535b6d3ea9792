//! Base64.

use super::{Args, Function, Module};
use crate::types::Type;
use crate::value::{Error, Result, Val};

/// The encoders library.
#[must_use]
pub fn module() -> Module {
    Module::new("cel.lib.ext.encoders")
        .function(Function::new("base64.decode").overload(
            "base64_decode_string",
            [Type::String],
            Type::Bytes,
            decode_call,
        ))
        .function(Function::new("base64.encode").overload(
            "base64_encode_bytes",
            [Type::Bytes],
            Type::String,
            encode_call,
        ))
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 with padding.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let mut word = [0u8; 3];
        word[..chunk.len()].copy_from_slice(chunk);
        let bits = u32::from(word[0]) << 16 | u32::from(word[1]) << 8 | u32::from(word[2]);
        for index in 0..4 {
            let sextet = (bits >> (18 - 6 * index) & 63) as usize;
            out.push(if index <= chunk.len() { char::from(ALPHABET[sextet]) } else { '=' });
        }
    }
    out
}

/// Reads base64 as Go does: line breaks are skipped and left-over bits ignored. Fails with the
/// position of what cannot be read.
///
/// # Errors
/// The byte position of the first fault.
pub fn decode(text: &str, padded: bool) -> std::result::Result<Vec<u8>, usize> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut bits = 0u32;
    let mut count = 0usize;
    let bytes: Vec<(usize, u8)> =
        text.bytes().enumerate().filter(|(_, b)| !matches!(b, b'\r' | b'\n')).collect();
    let mut at = 0;
    while let Some((position, byte)) = bytes.get(at) {
        let Some(sextet) = ALPHABET.iter().position(|it| it == byte) else {
            if *byte != b'=' || !padded || count < 2 {
                return Err(*position);
            }
            return finish_padded(&bytes, at, count, bits, out, text.len());
        };
        bits = bits << 6 | u32::try_from(sextet).unwrap_or(0);
        count += 1;
        at += 1;
        if count == 4 {
            out.extend_from_slice(&bits.to_be_bytes()[1..]);
            (bits, count) = (0, 0);
        }
    }
    match count {
        0 => Ok(out),
        1 => Err(text.len().saturating_sub(1)),
        _ if padded => Err(text.len().saturating_sub(count)),
        _ => {
            push_rest(bits, count, &mut out);
            Ok(out)
        }
    }
}

fn push_rest(bits: u32, count: usize, out: &mut Vec<u8>) {
    let bits = bits << (6 * (4 - count));
    out.extend_from_slice(&bits.to_be_bytes()[1..count]);
}

fn finish_padded(
    bytes: &[(usize, u8)],
    at: usize,
    count: usize,
    bits: u32,
    mut out: Vec<u8>,
    len: usize,
) -> std::result::Result<Vec<u8>, usize> {
    let mut next = at + 1;
    if count == 2 {
        match bytes.get(next) {
            Some((_, b'=')) => next += 1,
            Some((position, _)) => return Err(*position),
            None => return Err(len),
        }
    }
    if let Some((position, _)) = bytes.get(next) {
        return Err(*position);
    }
    push_rest(bits, count, &mut out);
    Ok(out)
}

fn decode_call<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let text = args.text(0)?;
    decode(text, true)
        .or_else(|_| decode(text, false))
        .map(Val::bytes)
        .map_err(|at| Error::new(format!("illegal base64 data at input byte {at}")))
}

fn encode_call<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    match args.at(0) {
        Val::Bytes(bytes) => Ok(Val::string(encode(bytes.as_slice()))),
        _ => Err(Error::no_such_overload()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoding_and_decoding_are_inverse() {
        for text in ["", "a", "ab", "abc", "hello world"] {
            let encoded = encode(text.as_bytes());
            assert_eq!(decode(&encoded, true).as_deref(), Ok(text.as_bytes()));
            assert_eq!(
                decode(encoded.trim_end_matches('='), false).as_deref(),
                Ok(text.as_bytes())
            );
        }
        assert_eq!(encode(b"hello"), "aGVsbG8=");
        assert!(decode("a*", true).is_err());
    }
}
