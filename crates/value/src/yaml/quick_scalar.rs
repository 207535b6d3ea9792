//! Scalars of the usual form: words and texts of one line, quoted texts, literal text.

use super::quick::Quick;
use super::resolve::{Resolved, is_text, plain};
use crate::{Text, Value};

/// A scalar as it stands in a line.
pub(super) enum Token<'a> {
    Plain(&'a str),
    Quoted(Text),
}

/// A text in quotes.
pub(super) struct Quoted {
    pub(super) text: Text,
    pub(super) end: usize,
    /// How many lines it goes on for.
    pub(super) lines: usize,
}

/// A scalar and where it ends.
pub(super) struct Scalar<'a> {
    pub(super) token: Token<'a>,
    pub(super) end: usize,
    /// How many lines it goes on for.
    pub(super) lines: usize,
    /// Where the colon of a key stands.
    pub(super) colon: Option<usize>,
}

/// Bytes that may end a scalar without quotes.
const ENDS: [bool; 256] = {
    let mut ends = [false; 256];
    ends[b'\n' as usize] = true;
    ends[b' ' as usize] = true;
    ends[b':' as usize] = true;
    ends[b'#' as usize] = true;
    ends
};

/// Keys that are not text on their own are rare, and so are merges.
pub(super) fn key_of(token: Token<'_>) -> Option<Text> {
    match token {
        Token::Quoted(text) => Some(text),
        Token::Plain("<<") => None,
        Token::Plain(text) if is_text(text) => Some(Text::new(text)),
        Token::Plain(text) => match plain(text) {
            Resolved::Value(Value::Str(text)) => Some(text),
            _ => None,
        },
    }
}

pub(super) fn value_of(token: Token<'_>) -> Option<Value> {
    match token {
        Token::Quoted(text) => Some(Value::Str(text)),
        Token::Plain(text) if is_text(text) => Some(Value::Str(Text::new(text))),
        Token::Plain(text) => match plain(text) {
            Resolved::Value(value) => Some(value),
            Resolved::Unsigned(_) | Resolved::NotFinite(_) => None,
        },
    }
}

impl<'a> Quick<'a> {
    /// The scalar here: a key, or where a comment or nothing may follow.
    pub(super) fn scalar(&self) -> Option<Scalar<'a>> {
        match self.byte(self.at) {
            quote @ (b'"' | b'\'') => {
                let Quoted { text, end, lines } = self.quoted(quote, self.at)?;
                let colon = self.pass_spaces(end);
                let is_key = self.byte(colon) == b':' && self.is_space(colon + 1);
                if is_key && lines > 0 {
                    return None;
                }
                let token = Token::Quoted(text);
                Some(Scalar { token, end, lines, colon: is_key.then_some(colon) })
            }
            b'-' if !self.is_space(self.at + 1) => self.unquoted(),
            b'-' | b'?' | b':' | b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!'
            | b'|' | b'>' | b'%' | b'@' | b'`' | b' ' | b'\n' => None,
            _ => self.unquoted(),
        }
    }

    /// Text in quotes.
    pub(super) fn quoted(&self, quote: u8, at: usize) -> Option<Quoted> {
        let start = at + 1;
        let rest = self.bytes.get(start..)?;
        let len = rest.iter().position(|it| *it == quote || matches!(it, b'\n' | b'\\'))?;
        let at = start + len;
        if rest.get(len) != Some(&quote) || self.byte(at + 1) == quote {
            return self.quoted_slowly(quote, start, at);
        }
        Some(Quoted { text: Text::new(self.text.get(start..at)?), end: at + 1, lines: 0 })
    }

    /// Text in quotes with escapes, doubled quotes or several lines; up to `at` it is as it stands.
    fn quoted_slowly(&self, quote: u8, start: usize, mut at: usize) -> Option<Quoted> {
        let mut text = String::from(self.text.get(start..at)?);
        let mut lines = 0;
        // Spaces in front of a line's end go, unless they stand before this.
        let mut kept = 0;
        loop {
            let from = at;
            let ends = |it: &u8| *it == quote || matches!(it, b'\n' | b'\\');
            at += self.bytes.get(at..)?.iter().position(ends)?;
            text.push_str(self.text.get(from..at)?);
            match (self.byte(at), self.byte(at + 1)) {
                (b'\'', b'\'') if quote == b'\'' => {
                    text.push('\'');
                    at += 2;
                }
                (it, next) if it == quote => {
                    let quoted = Quoted { text: text.into(), end: at + 1, lines };
                    return (next != quote).then_some(quoted);
                }
                (b'\\', _) if quote == b'\'' => {
                    text.push('\\');
                    at += 1;
                }
                (b'\\', _) => {
                    let (escaped, len) = self.escape(at + 1)?;
                    text.push(escaped);
                    at += 1 + len;
                    kept = text.len();
                }
                _ => {
                    let content = text.trim_end_matches(' ').len().max(kept);
                    text.truncate(content);
                    let breaks = self.pass_breaks(&mut at)?;
                    text.extend(std::iter::repeat_n('\n', breaks - 1));
                    if breaks == 1 {
                        text.push(' ');
                    }
                    lines += breaks;
                    kept = text.len();
                }
            }
        }
    }

    /// Passes line feeds and the spaces of the lines behind them; returns how many there were.
    fn pass_breaks(&self, at: &mut usize) -> Option<usize> {
        let mut breaks = 0;
        let mut start = *at;
        while self.bytes.get(*at)? == &b'\n' {
            breaks += 1;
            start = *at + 1;
            *at = self.pass_spaces(start);
        }
        // A mark of documents could stand there.
        (*at > start).then_some(breaks)
    }

    /// The character of an escape behind its backslash, and how long it is.
    fn escape(&self, at: usize) -> Option<(char, usize)> {
        let digits = match self.byte(at) {
            b'n' => return Some(('\n', 1)),
            b't' => return Some(('\t', 1)),
            b'"' => return Some(('"', 1)),
            b'\\' => return Some(('\\', 1)),
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            _ => return None,
        };
        let code = self.text.get(at + 1..at + 1 + digits)?;
        let is_hex = code.bytes().all(|it| it.is_ascii_hexdigit());
        let code = u32::from_str_radix(code, 16).ok().filter(|_| is_hex)?;
        Some((char::from_u32(code)?, 1 + digits))
    }

    fn unquoted(&self) -> Option<Scalar<'a>> {
        let start = self.at;
        let (mut at, mut end) = (start, start);
        loop {
            // Most of a scalar means nothing but itself.
            let rest = self.bytes.get(at..)?;
            let plain = rest.iter().position(|it| ENDS[usize::from(*it)]).unwrap_or(rest.len());
            at += plain;
            if plain > 0 {
                end = at;
            }
            match self.byte(at) {
                b'\n' => break,
                b':' if self.is_space(at + 1) => {
                    let token = Token::Plain(self.text.get(start..end)?);
                    return Some(Scalar { token, end, lines: 0, colon: Some(at) });
                }
                b'#' if at > end => break,
                b' ' => {}
                _ => end = at + 1,
            }
            at += 1;
        }
        let token = Token::Plain(self.text.get(start..end)?);
        Some(Scalar { token, end, lines: 0, colon: None })
    }

    /// `|` and `|-` with the lines below, which stand deeper than the block around them.
    pub(super) fn literal(&mut self, column: isize) -> Option<Value> {
        let strip = self.byte(self.at + 1) == b'-';
        let header = self.pass_spaces(self.at + 1 + usize::from(strip));
        if self.byte(header) != b'\n' {
            return None;
        }
        self.mark(self.at, self.at);
        let mut start = header + 1;
        self.line += 1;
        let indent = self.pass_spaces(start) - start;
        // Empty lines first, or no lines at all: the scanner knows.
        let is_deeper = isize::try_from(indent).is_ok_and(|it| it > column);
        if indent == 0 || !is_deeper || self.byte(start + indent) == b'\n' {
            return None;
        }
        let mut text = String::new();
        // Line breaks that are kept only when another line follows.
        let mut breaks = 0;
        let mut ends = start;
        while start < self.bytes.len() {
            let end = self.line_end(start);
            let spaces = self.pass_spaces(start) - start;
            if spaces >= indent && start + indent < end {
                text.extend(std::iter::repeat_n('\n', breaks));
                text.push_str(self.text.get(start + indent..end)?);
                breaks = usize::from(end < self.bytes.len());
                ends = end;
            } else if start + spaces == end {
                breaks += usize::from(end < self.bytes.len());
            } else {
                break;
            }
            start = end + 1;
            self.line += 1;
            if end < self.bytes.len() {
                ends = start;
            }
        }
        if !strip && breaks > 0 {
            text.push('\n');
        }
        if let Some(marks) = &mut self.marks {
            marks.end_value(self.last, ends);
        }
        self.find_line(start);
        Some(Value::str(text))
    }
}
