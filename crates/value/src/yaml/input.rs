//! The characters of a YAML text, by position; what a reader of YAML 1.1 refuses is refused here.

use std::borrow::Cow;

/// A position in a text: everything counts from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct At {
    pub(super) byte: usize,
    /// Characters before it.
    pub(super) index: usize,
    pub(super) line: usize,
    pub(super) column: usize,
}

/// Why a text cannot be read, in go-yaml's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) problem: Cow<'static, str>,
    /// The line that the message names, if it names one.
    pub(super) line: Option<usize>,
    pub(super) at: At,
}

/// Upstream reads ahead in pieces of this many bytes, and a bad character is found when its piece is read.
const PIECE_BYTES: usize = 512;

/// A text and how far it was read.
#[derive(Clone, Debug)]
pub(super) struct Input<'a> {
    pub(super) text: &'a str,
    pub(super) at: At,
    /// What is wrong with the text, and where the piece with it starts: nothing is read from there on.
    bad: Option<(usize, &'static str)>,
    /// Reading came to the bad piece.
    stopped: std::cell::Cell<bool>,
}

impl<'a> Input<'a> {
    /// `bad` is what stands right after the text, when that is not its end.
    pub(super) fn new(text: &'a str, bad: Option<&'static str>) -> Self {
        let control = text.char_indices().find(|(_, it)| !is_allowed(*it)).map(|it| it.0);
        let bad = match (control, bad) {
            (Some(byte), _) => Some((byte, "control characters are not allowed")),
            (None, Some(problem)) => Some((text.len(), problem)),
            (None, None) => None,
        };
        let bad = bad.map(|(byte, problem)| (piece_start(text, byte), problem));
        Input { text, at: At::default(), bad, stopped: std::cell::Cell::new(false) }
    }

    /// Goes on from another position.
    pub(super) fn restart(&mut self, at: At) {
        self.at = at;
        self.stopped.set(false);
    }

    /// The fault of the text, if reading came to it.
    pub(super) fn fault(&self) -> Option<Fault> {
        let (_, problem) = self.bad.filter(|_| self.stopped.get())?;
        Some(Fault { problem: problem.into(), line: None, at: self.at })
    }

    /// The byte so many bytes ahead; 0 from the end on.
    #[inline]
    pub(super) fn byte(&self, ahead: usize) -> u8 {
        let at = self.at.byte + ahead;
        if let Some((from, _)) = self.bad
            && at >= from
        {
            self.stopped.set(true);
            return 0;
        }
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    pub(super) fn since(&self, start: At) -> &'a str {
        self.text.get(start.byte..self.at.byte).unwrap_or_default()
    }

    pub(super) fn is_end(&self, ahead: usize) -> bool {
        self.byte(ahead) == 0
    }

    pub(super) fn is_blank(&self, ahead: usize) -> bool {
        matches!(self.byte(ahead), b' ' | b'\t')
    }

    /// Line feed, carriage return, and the line breaks of Unicode.
    pub(super) fn is_break(&self, ahead: usize) -> bool {
        match self.byte(ahead) {
            b'\r' | b'\n' => true,
            0xc2 => self.byte(ahead + 1) == 0x85,
            0xe2 => self.byte(ahead + 1) == 0x80 && matches!(self.byte(ahead + 2), 0xa8 | 0xa9),
            _ => false,
        }
    }

    pub(super) fn is_line_end(&self, ahead: usize) -> bool {
        self.is_end(ahead) || self.is_break(ahead)
    }

    pub(super) fn is_space(&self, ahead: usize) -> bool {
        self.is_blank(ahead) || self.is_line_end(ahead)
    }

    pub(super) fn is_word(&self) -> bool {
        matches!(self.byte(0), b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'-')
    }

    /// `---` or `...` at the start of a line.
    pub(super) fn is_document_mark(&self, byte: u8) -> bool {
        self.at.column == 0 && (0..3).all(|ahead| self.byte(ahead) == byte) && self.is_space(3)
    }

    /// Passes one character.
    #[inline]
    pub(super) fn skip(&mut self) {
        let width = match self.byte(0) {
            0 => return,
            1..0x80 => 1,
            0x80..0xe0 => 2,
            0xe0..0xf0 => 3,
            _ => 4,
        };
        self.at.byte += width;
        self.at.index += 1;
        self.at.column += 1;
    }

    pub(super) fn skip_blanks(&mut self) {
        while self.is_blank(0) {
            self.skip();
        }
    }

    pub(super) fn skip_comment(&mut self) {
        if self.byte(0) == b'#' {
            while !self.is_line_end(0) {
                self.skip();
            }
        }
    }

    /// Passes a line break; returns what it stands for in a text.
    pub(super) fn skip_line(&mut self) -> &'a str {
        let (bytes, characters, means) = match (self.byte(0), self.byte(1)) {
            (b'\r', b'\n') => (2, 2, "\n"),
            (b'\r' | b'\n', _) => (1, 1, "\n"),
            (0xc2, 0x85) => (2, 1, "\n"),
            (0xe2, 0x80) => {
                (3, 1, self.text.get(self.at.byte..self.at.byte + 3).unwrap_or_default())
            }
            _ => return "",
        };
        self.at.byte += bytes;
        self.at.index += characters;
        self.at.column = 0;
        self.at.line += 1;
        means
    }
}

/// Where the piece with this byte starts. A character that a piece cuts belongs to the next one.
fn piece_start(text: &str, byte: usize) -> usize {
    let mut start = 0;
    while byte >= start + PIECE_BYTES {
        start = text.floor_char_boundary(start + PIECE_BYTES);
    }
    start
}

fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..)
}

/// Bytes as text: UTF-8, or UTF-16 with a byte order mark. With the part that is text comes what is wrong with the
/// byte after it.
pub(super) fn text_of(bytes: &[u8]) -> (Cow<'_, str>, Option<&'static str>) {
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            match std::str::from_utf8(bytes) {
                Ok(text) => (text.into(), None),
                Err(error) => {
                    let (good, rest) = bytes.split_at(error.valid_up_to());
                    let good = std::str::from_utf8(good).unwrap_or_default();
                    (good.into(), Some(utf8_problem(rest)))
                }
            }
        }
    }
}

fn utf8_problem(rest: &[u8]) -> &'static str {
    let width = match rest.first() {
        Some(0xc0..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf7) => 4,
        _ => return "invalid leading UTF-8 octet",
    };
    let Some(octets) = rest.get(..width) else {
        return "incomplete UTF-8 octet sequence";
    };
    if octets[1..].iter().any(|octet| octet & 0xc0 != 0x80) {
        return "invalid trailing UTF-8 octet";
    }
    match octets {
        [0xc0 | 0xc1, ..] | [0xe0, ..0xa0, ..] | [0xf0, ..0x90, ..] => {
            "invalid length of a UTF-8 sequence"
        }
        _ => "invalid Unicode character",
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> (Cow<'_, str>, Option<&'static str>) {
    let pairs = bytes.chunks_exact(2);
    let odd = !pairs.remainder().is_empty();
    let units: Vec<u16> = pairs.map(|it| unit([it[0], it[1]])).collect();
    let mut text = String::with_capacity(units.len());
    for decoded in char::decode_utf16(units.iter().copied()) {
        match decoded {
            Ok(c) => text.push(c),
            Err(error) if error.unpaired_surrogate() >= 0xdc00 => {
                return (text.into(), Some("unexpected low surrogate area"));
            }
            Err(_) => return (text.into(), Some("expected low surrogate area")),
        }
    }
    (text.into(), odd.then_some("incomplete UTF-16 character"))
}
