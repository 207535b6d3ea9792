//! Scalars: plain, quoted, literal and folded.

use std::borrow::Cow;

use super::input::At;
use super::scan::{Scanned, Scanner};

/// Line breaks on their way into a text: one becomes a space, more lose one.
#[derive(Default)]
struct Breaks {
    first: String,
    more: String,
}

impl Breaks {
    fn fold_into(&mut self, text: &mut String) {
        if !self.first.starts_with('\n') {
            text.push_str(&self.first);
            text.push_str(&self.more);
        } else if self.more.is_empty() {
            text.push(' ');
        } else {
            text.push_str(&self.more);
        }
        self.first.clear();
        self.more.clear();
    }
}

/// Adds a part of the source; the first is borrowed.
fn append<'a>(text: &mut Cow<'a, str>, part: &'a str) {
    if text.is_empty() {
        *text = Cow::Borrowed(part);
    } else if !part.is_empty() {
        text.to_mut().push_str(part);
    }
}

impl<'a> Scanner<'a> {
    pub(super) fn scan_plain(&mut self) -> Scanned<()> {
        let start = self.input.at;
        let indent = self.indent + 1;
        let mut end = start;
        let mut text = Cow::Borrowed("");
        let mut blanks = "";
        let mut breaks = Breaks::default();
        let mut broken = false;
        loop {
            let marked = self.input.is_document_mark(b'-') || self.input.is_document_mark(b'.');
            if marked || self.input.byte(0) == b'#' {
                break;
            }
            let run = self.input.at;
            while !self.input.is_space(0) && !self.ends_plain() {
                self.input.skip();
            }
            if self.input.at != run {
                if broken {
                    breaks.fold_into(text.to_mut());
                    broken = false;
                } else {
                    append(&mut text, std::mem::take(&mut blanks));
                }
                append(&mut text, self.input.since(run));
                end = self.input.at;
            }
            if !(self.input.is_blank(0) || self.input.is_break(0)) {
                break;
            }
            let run = self.input.at;
            while self.input.is_blank(0) || self.input.is_break(0) {
                if self.input.is_break(0) {
                    if broken {
                        breaks.more.push_str(self.input.skip_line());
                    } else {
                        breaks.first.push_str(self.input.skip_line());
                        broken = true;
                    }
                    continue;
                }
                let outside = isize::try_from(self.input.at.column).is_ok_and(|it| it < indent);
                if broken && outside && self.input.byte(0) == b'\t' {
                    let problem = "found a tab character that violates indentation";
                    return Err(self.fault(start, problem));
                }
                self.input.skip();
            }
            if !broken {
                blanks = self.input.since(run);
            }
            let outside = isize::try_from(self.input.at.column).is_ok_and(|it| it < indent);
            if self.flow_level == 0 && outside {
                break;
            }
        }
        self.scalar(text, true, start, end);
        if broken {
            self.key_allowed = true;
        }
        Ok(())
    }

    fn ends_plain(&self) -> bool {
        match self.input.byte(0) {
            b':' => self.input.is_space(1),
            b',' | b'?' | b'[' | b']' | b'{' | b'}' => self.flow_level > 0,
            _ => false,
        }
    }

    pub(super) fn scan_quoted(&mut self) -> Scanned<()> {
        let start = self.input.at;
        let quote = self.input.byte(0);
        self.input.skip();
        let mut text = Cow::Borrowed("");
        let mut breaks = Breaks::default();
        loop {
            if self.input.is_document_mark(b'-') || self.input.is_document_mark(b'.') {
                return Err(self.fault(start, "found unexpected document indicator"));
            }
            if self.input.is_end(0) {
                return Err(self.fault(start, "found unexpected end of stream"));
            }
            let mut broken = self.scan_quoted_run(quote, &mut text, start)?;
            if self.input.byte(0) == quote {
                break;
            }
            let run = self.input.at;
            while self.input.is_blank(0) || self.input.is_break(0) {
                if self.input.is_blank(0) {
                    self.input.skip();
                } else if broken {
                    breaks.more.push_str(self.input.skip_line());
                } else {
                    breaks.first.push_str(self.input.skip_line());
                    broken = true;
                }
            }
            if broken {
                breaks.fold_into(text.to_mut());
            } else {
                append(&mut text, self.input.since(run));
            }
        }
        self.input.skip();
        self.scalar(text, false, start, self.input.at);
        Ok(())
    }

    /// Text without spaces; true when it ends in an escaped line break.
    fn scan_quoted_run(&mut self, quote: u8, text: &mut Cow<'a, str>, start: At) -> Scanned<bool> {
        let mut run = self.input.at;
        while !self.input.is_space(0) {
            let byte = self.input.byte(0);
            if byte == quote {
                let doubled = quote == b'\'' && self.input.byte(1) == b'\'';
                if !doubled {
                    break;
                }
                self.input.skip();
                append(text, self.input.since(run));
                self.input.skip();
                run = self.input.at;
            } else if byte == b'\\' && quote == b'"' {
                append(text, self.input.since(run));
                if self.input.is_break(1) {
                    self.input.skip();
                    self.input.skip_line();
                    return Ok(true);
                }
                let escaped = self.scan_escape(start)?;
                text.to_mut().push(escaped);
                run = self.input.at;
            } else {
                self.input.skip();
            }
        }
        append(text, self.input.since(run));
        Ok(false)
    }

    fn scan_escape(&mut self, start: At) -> Scanned<char> {
        let (plain, digits) = match self.input.byte(1) {
            b'0' => ('\0', 0),
            b'a' => ('\x07', 0),
            b'b' => ('\x08', 0),
            b't' | b'\t' => ('\t', 0),
            b'n' => ('\n', 0),
            b'v' => ('\x0b', 0),
            b'f' => ('\x0c', 0),
            b'r' => ('\r', 0),
            b'e' => ('\x1b', 0),
            b' ' => (' ', 0),
            b'"' => ('"', 0),
            b'\'' => ('\'', 0),
            b'\\' => ('\\', 0),
            b'N' => ('\u{85}', 0),
            b'_' => ('\u{a0}', 0),
            b'L' => ('\u{2028}', 0),
            b'P' => ('\u{2029}', 0),
            b'x' => ('\0', 2),
            b'u' => ('\0', 4),
            b'U' => ('\0', 8),
            _ => return Err(self.fault(start, "found unknown escape character")),
        };
        self.input.skip();
        self.input.skip();
        if digits == 0 {
            return Ok(plain);
        }
        let mut code = 0_u32;
        for ahead in 0..digits {
            let Some(digit) = char::from(self.input.byte(ahead)).to_digit(16) else {
                return Err(self.fault(start, "did not find expected hexdecimal number"));
            };
            code = code << 4 | digit;
        }
        let Some(escaped) = char::from_u32(code) else {
            return Err(self.fault(start, "found invalid Unicode character escape code"));
        };
        for _ in 0..digits {
            self.input.skip();
        }
        Ok(escaped)
    }

    pub(super) fn scan_block_scalar(&mut self) -> Scanned<()> {
        let start = self.input.at;
        let literal = self.input.byte(0) == b'|';
        self.input.skip();
        let (keep, increment) = self.scan_block_header(start)?;
        self.input.skip_blanks();
        self.input.skip_comment();
        if !self.input.is_line_end(0) {
            return Err(self.fault(start, "did not find expected comment or line break"));
        }
        self.input.skip_line();
        let mut indent = match increment {
            0 => 0,
            increment => usize::try_from(self.indent.max(0)).unwrap_or(0) + increment,
        };
        let mut text = String::new();
        let mut breaks = Breaks::default();
        let mut end = self.scan_block_breaks(&mut indent, &mut breaks.more, start)?;
        let mut was_blank = false;
        while self.input.at.column == indent && !self.input.is_end(0) {
            let is_blank = self.input.is_blank(0);
            if !literal && !was_blank && !is_blank && breaks.first.starts_with('\n') {
                if breaks.more.is_empty() {
                    text.push(' ');
                }
            } else {
                text.push_str(&breaks.first);
            }
            breaks.first.clear();
            text.push_str(&breaks.more);
            breaks.more.clear();
            was_blank = is_blank;
            let run = self.input.at;
            while !self.input.is_line_end(0) {
                self.input.skip();
            }
            text.push_str(self.input.since(run));
            breaks.first.push_str(self.input.skip_line());
            end = self.scan_block_breaks(&mut indent, &mut breaks.more, start)?;
        }
        if keep != Some(false) {
            text.push_str(&breaks.first);
        }
        if keep == Some(true) {
            text.push_str(&breaks.more);
        }
        self.scalar(text.into(), false, start, end);
        Ok(())
    }

    /// Whether breaks at the end are kept (`+`) or dropped (`-`), and the written indentation, in any order.
    fn scan_block_header(&mut self, start: At) -> Scanned<(Option<bool>, usize)> {
        let mut keep = None;
        let mut increment = 0;
        for _ in 0..2 {
            match self.input.byte(0) {
                sign @ (b'+' | b'-') if keep.is_none() => keep = Some(sign == b'+'),
                b'0' if increment == 0 => {
                    return Err(self.fault(start, "found an indentation indicator equal to 0"));
                }
                digit @ b'1'..=b'9' if increment == 0 => increment = usize::from(digit - b'0'),
                _ => break,
            }
            self.input.skip();
        }
        Ok((keep, increment))
    }

    /// Indentation and empty lines; finds the indentation when it is not known. Returns where they start.
    fn scan_block_breaks(
        &mut self,
        indent: &mut usize,
        breaks: &mut String,
        start: At,
    ) -> Scanned<At> {
        let mut end = self.input.at;
        let mut deepest = 0;
        loop {
            let unknown = *indent == 0;
            while (unknown || self.input.at.column < *indent) && self.input.byte(0) == b' ' {
                self.input.skip();
            }
            deepest = deepest.max(self.input.at.column);
            if (unknown || self.input.at.column < *indent) && self.input.byte(0) == b'\t' {
                let problem = "found a tab character where an indentation space is expected";
                return Err(self.fault(start, problem));
            }
            if !self.input.is_break(0) {
                break;
            }
            breaks.push_str(self.input.skip_line());
            end = self.input.at;
        }
        if *indent == 0 {
            let least = usize::try_from(self.indent + 1).unwrap_or(0);
            *indent = deepest.max(least).max(1);
        }
        Ok(end)
    }
}
