//! Literals, numbers and strings.

use std::borrow::Cow;

use super::{Decoder, Step};
use crate::go_format::cannot_unmarshal;
use crate::{Value, number};

impl<'a> Decoder<'a> {
    pub(super) fn literal(&mut self, word: &'static str, value: Value) -> Step<Value> {
        for (expected, at) in word.bytes().zip(self.at..) {
            match self.bytes.get(at) {
                Some(byte) if *byte == expected => {}
                Some(_) => {
                    self.at = at;
                    let context = format!("in literal {word} (expecting '{}')", expected as char);
                    return Err(self.invalid(&context));
                }
                None => return Err(self.end()),
            }
        }
        self.at += word.len();
        Ok(value)
    }

    pub(super) fn number(&mut self) -> Step<Value> {
        let start = self.at;
        if self.bytes[self.at] == b'-' {
            self.at += 1;
        }
        match self.bytes.get(self.at) {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            Some(_) => return Err(self.invalid("in numeric literal")),
            None => return Err(self.end()),
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.some_digits("after decimal point in numeric literal")?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            self.at += 1;
            if let Some(b'+' | b'-') = self.bytes.get(self.at) {
                self.at += 1;
            }
            self.some_digits("in exponent of numeric literal")?;
        }
        let text = &self.text[start..self.at];
        number::parse(text)
            .ok_or_else(|| self.fail(cannot_unmarshal(&format!("number {text}"), "float64")))
    }

    pub(super) fn digits(&mut self) {
        while let Some(b'0'..=b'9') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    pub(super) fn some_digits(&mut self, context: &str) -> Step<()> {
        match self.bytes.get(self.at) {
            Some(b'0'..=b'9') => {
                self.digits();
                Ok(())
            }
            Some(_) => Err(self.invalid(context)),
            None => Err(self.end()),
        }
    }

    /// Reads a string from its opening quote; strings without escapes are taken in one slice.
    #[inline]
    pub(super) fn string(&mut self) -> Step<Cow<'a, str>> {
        let start = self.at + 1;
        let at = start + plain_len(&self.bytes[start..]);
        match self.bytes.get(at) {
            Some(b'"') => {
                self.at = at + 1;
                let text: &'a str = self.text;
                return Ok(Cow::Borrowed(&text[start..at]));
            }
            Some(b'\\') => {}
            Some(_) => {
                self.at = at;
                return Err(self.invalid("in string literal"));
            }
            None => return Err(self.end()),
        }
        let mut out = String::with_capacity(at - start + 16);
        out.push_str(&self.text[start..at]);
        self.at = at;
        self.string_with_escapes(out)
    }

    pub(super) fn string_with_escapes(&mut self, mut out: String) -> Step<Cow<'a, str>> {
        loop {
            let clean_from = self.at;
            self.at += plain_len(&self.bytes[clean_from..]);
            out.push_str(&self.text[clean_from..self.at]);
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Cow::Owned(out));
                }
                Some(b'\\') => {
                    self.at += 1;
                    out.push(self.escape()?);
                }
                Some(_) => return Err(self.invalid("in string literal")),
                None => return Err(self.end()),
            }
        }
    }

    /// Reads what follows a backslash.
    pub(super) fn escape(&mut self) -> Step<char> {
        let c = match self.bytes.get(self.at) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode_escape();
            }
            Some(_) => return Err(self.invalid("in string escape code")),
            None => return Err(self.end()),
        };
        self.at += 1;
        Ok(c)
    }

    /// Reads the digits of `\uXXXX`; surrogates without their other half become U+FFFD, as in Go.
    pub(super) fn unicode_escape(&mut self) -> Step<char> {
        let high = self.hex4()?;
        if let Some(c) = char::from_u32(high) {
            return Ok(c);
        }
        if high < 0xdc00 && self.bytes.get(self.at..self.at + 2) == Some(b"\\u") {
            let back = self.at;
            self.at += 2;
            let low = self.hex4()?;
            if (0xdc00..0xe000).contains(&low) {
                let code = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or('\u{fffd}'));
            }
            self.at = back;
        }
        Ok('\u{fffd}')
    }

    pub(super) fn hex4(&mut self) -> Step<u32> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = match self.bytes.get(self.at) {
                Some(byte) => (*byte as char).to_digit(16),
                None => return Err(self.end()),
            };
            let Some(digit) = digit else {
                return Err(self.invalid("in \\u hexadecimal character escape"));
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }
}

/// How many bytes of a string stand for themselves: up to a quote, a backslash or a control
/// character. Eight bytes at a time: a byte of `found` has its top bit set where one of those is.
#[inline]
pub(super) fn plain_len(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    let zero_bytes = |word: u64| word.wrapping_sub(ONES) & !word & TOPS;
    let mut at = 0;
    for chunk in bytes.chunks_exact(8) {
        let Ok(chunk) = chunk.try_into() else { break };
        let word = u64::from_le_bytes(chunk);
        let control = word.wrapping_sub(ONES * 0x20) & !word & TOPS;
        let quote = zero_bytes(word ^ (ONES * b'"' as u64));
        let backslash = zero_bytes(word ^ (ONES * b'\\' as u64));
        let found = control | quote | backslash;
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    at + bytes[at..]
        .iter()
        .position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))
        .unwrap_or(bytes.len() - at)
}
