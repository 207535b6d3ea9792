//! Bytes to tokens, with automatic semicolons; comments go to a list of their own.

use super::comment::Comment;
use super::token::{Kind, Token};
use crate::source::LineTable;

/// What lexing a file gives.
#[derive(Debug)]
pub(crate) struct Lexed {
    pub tokens: Vec<Token>,
    pub comments: Vec<Comment>,
    pub lines: LineTable,
    /// Offset and text of each lexical error.
    pub errors: Vec<(u32, String)>,
}

/// Files above this are refused: offsets are 32 bit and nobody writes API types that long.
pub(crate) const FILE_BYTES_MAX: usize = 64 << 20;

/// At most this many errors are kept per file; binary junk would make millions.
const ERRORS_MAX: usize = 20;

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    out: Lexed,
    insert_semi: bool,
}

/// Splits a file into tokens. The last token is always `Eof`.
pub(crate) fn lex(text: &str) -> Lexed {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        out: Lexed {
            tokens: Vec::with_capacity(text.len() / 5),
            comments: Vec::new(),
            lines: LineTable::new(),
            errors: Vec::new(),
        },
        insert_semi: false,
    };
    if text.len() > FILE_BYTES_MAX {
        lexer.error(0, "file is too large to be read");
    } else {
        if text.starts_with('\u{feff}') {
            lexer.at = 3;
        }
        while lexer.at < lexer.bytes.len() {
            lexer.step();
        }
    }
    lexer.auto_semi(lexer.at);
    lexer.push(Kind::Eof, lexer.at, lexer.out.lines.open_line());
    lexer.out
}

impl Lexer<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn push(&mut self, kind: Kind, start: usize, line: u32) {
        // INVARIANT: offsets fit 32 bits, `lex` refuses larger files.
        self.out.tokens.push(Token { kind, start: start as u32, end: self.at as u32, line });
    }

    fn error(&mut self, at: usize, text: impl Into<String>) {
        if self.out.errors.len() < ERRORS_MAX {
            self.out.errors.push((at as u32, text.into()));
        }
    }

    fn auto_semi(&mut self, at: usize) {
        if self.insert_semi {
            self.insert_semi = false;
            let line = self.out.lines.open_line();
            self.out.tokens.push(Token {
                kind: Kind::AutoSemi,
                start: at as u32,
                end: at as u32,
                line,
            });
        }
    }

    fn newline(&mut self) {
        self.at += 1;
        self.out.lines.push(self.at as u32);
    }

    fn step(&mut self) {
        let start = self.at;
        let line = self.out.lines.open_line();
        match self.byte(0) {
            b'\n' => {
                self.auto_semi(start);
                self.newline();
            }
            b' ' | b'\t' | b'\r' => self.at += 1,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(start, line),
            b'0'..=b'9' => self.number(start, line),
            b'.' if self.byte(1).is_ascii_digit() => self.number(start, line),
            b'"' => self.quoted(start, line, b'"', Kind::Str),
            b'\'' => self.quoted(start, line, b'\'', Kind::Char),
            b'`' => self.raw(start, line),
            b'/' if self.byte(1) == b'/' => self.line_comment(start, line),
            b'/' if self.byte(1) == b'*' => self.block_comment(start, line),
            byte if byte >= 0x80 => self.wide(start, line),
            byte => self.operator(start, line, byte),
        }
    }

    fn finish(&mut self, kind: Kind, start: usize, line: u32) {
        self.insert_semi = kind.ends_statement(self.text.get(start..self.at).unwrap_or(""));
        self.push(kind, start, line);
    }

    fn word(&mut self, start: usize, line: u32) {
        self.eat_word();
        let kind = Kind::keyword(self.text.get(start..self.at).unwrap_or(""));
        self.finish(kind, start, line);
    }

    fn eat_word(&mut self) {
        loop {
            let byte = self.byte(0);
            if byte.is_ascii_alphanumeric() || byte == b'_' {
                self.at += 1;
            } else if byte >= 0x80 {
                let next = self.text.get(self.at..).and_then(|rest| rest.chars().next());
                match next {
                    Some(letter) if letter.is_alphanumeric() => self.at += letter.len_utf8(),
                    _ => return,
                }
            } else {
                return;
            }
        }
    }

    fn wide(&mut self, start: usize, line: u32) {
        match self.text.get(start..).and_then(|rest| rest.chars().next()) {
            Some(letter) if letter.is_alphabetic() => self.word(start, line),
            Some(other) => {
                self.error(start, format!("invalid character {other:?}"));
                self.at += other.len_utf8();
            }
            None => self.at += 1,
        }
    }

    fn number(&mut self, start: usize, line: u32) {
        let mut kind = Kind::Int;
        let radix_prefix =
            self.byte(0) == b'0' && matches!(self.byte(1), b'x' | b'X' | b'o' | b'O' | b'b' | b'B');
        let hex = radix_prefix && matches!(self.byte(1), b'x' | b'X');
        if radix_prefix {
            self.at += 2;
        }
        loop {
            match self.byte(0) {
                b'0'..=b'9' | b'_' => self.at += 1,
                b'a'..=b'f' | b'A'..=b'F' if hex => self.at += 1,
                b'.' => {
                    kind = Kind::Float;
                    self.at += 1;
                }
                b'e' | b'E' if !radix_prefix => self.exponent(&mut kind),
                b'p' | b'P' if hex => self.exponent(&mut kind),
                b'i' => {
                    kind = Kind::Imaginary;
                    self.at += 1;
                    break;
                }
                _ => break,
            }
        }
        self.finish(kind, start, line);
    }

    fn exponent(&mut self, kind: &mut Kind) {
        *kind = Kind::Float;
        self.at += 1;
        if matches!(self.byte(0), b'+' | b'-') {
            self.at += 1;
        }
    }

    fn quoted(&mut self, start: usize, line: u32, quote: u8, kind: Kind) {
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                None | Some(b'\n') => {
                    let what = if quote == b'"' { "string" } else { "rune" };
                    self.error(start, format!("{what} literal not terminated"));
                    break;
                }
                // The escaped byte is skipped unless it ends the line.
                Some(b'\\') if !matches!(self.bytes.get(self.at + 1), None | Some(b'\n')) => {
                    self.at += 2;
                }
                Some(byte) => {
                    self.at += 1;
                    if *byte == quote {
                        break;
                    }
                }
            }
        }
        self.finish(kind, start, line);
    }

    fn raw(&mut self, start: usize, line: u32) {
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                None => {
                    self.error(start, "raw string literal not terminated");
                    break;
                }
                Some(b'\n') => self.newline(),
                Some(byte) => {
                    self.at += 1;
                    if *byte == b'`' {
                        break;
                    }
                }
            }
        }
        self.finish(Kind::RawStr, start, line);
    }

    fn comment(&mut self, start: usize, line: u32) {
        self.out.comments.push(Comment {
            start: start as u32,
            end: self.at as u32,
            line,
            end_line: self.out.lines.open_line(),
            next_token: self.out.tokens.len() as u32,
        });
    }

    fn line_comment(&mut self, start: usize, line: u32) {
        self.auto_semi(start);
        while !matches!(self.bytes.get(self.at), None | Some(b'\n')) {
            self.at += 1;
        }
        self.comment(start, line);
    }

    fn block_comment(&mut self, start: usize, line: u32) {
        if self.insert_semi && self.line_ends_in_comments(start) {
            self.auto_semi(start);
        }
        self.at += 2;
        loop {
            match self.bytes.get(self.at) {
                None => {
                    self.error(start, "comment not terminated");
                    break;
                }
                Some(b'*') if self.byte(1) == b'/' => {
                    self.at += 2;
                    break;
                }
                Some(b'\n') => self.newline(),
                Some(_) => self.at += 1,
            }
        }
        self.comment(start, line);
    }

    /// Whether nothing but comments stands between `from` (a comment) and the end of its line.
    fn line_ends_in_comments(&self, from: usize) -> bool {
        let mut at = from;
        loop {
            let rest = self.bytes.get(at..).unwrap_or(&[]);
            if rest.is_empty() || rest.starts_with(b"//") || rest.starts_with(b"\n") {
                return true;
            }
            if rest.starts_with(b"/*") {
                let body = rest.get(2..).unwrap_or(&[]);
                let Some(end) = body.windows(2).position(|pair| pair == b"*/") else { return true };
                if body.get(..end).is_some_and(|inner| inner.contains(&b'\n')) {
                    return true;
                }
                at += end + 4;
            } else if matches!(rest.first(), Some(b' ' | b'\t' | b'\r')) {
                at += 1;
            } else {
                return false;
            }
        }
    }

    fn operator(&mut self, start: usize, line: u32, byte: u8) {
        let (kind, width) = operator(byte, self.byte(1), self.byte(2));
        if width == 0 {
            self.error(start, format!("invalid character {:?}", char::from(byte)));
            self.at += 1;
            return;
        }
        self.at += width;
        self.finish(kind, start, line);
    }
}

fn operator(first: u8, second: u8, third: u8) -> (Kind, usize) {
    match (first, second, third) {
        (b'(', _, _) => (Kind::LParen, 1),
        (b')', _, _) => (Kind::RParen, 1),
        (b'[', _, _) => (Kind::LBrack, 1),
        (b']', _, _) => (Kind::RBrack, 1),
        (b'{', _, _) => (Kind::LBrace, 1),
        (b'}', _, _) => (Kind::RBrace, 1),
        (b',', _, _) => (Kind::Comma, 1),
        (b';', _, _) => (Kind::Semi, 1),
        (b'~', _, _) => (Kind::Tilde, 1),
        (b'.', b'.', b'.') => (Kind::Ellipsis, 3),
        (b'.', _, _) => (Kind::Dot, 1),
        (b':', b'=', _) => (Kind::Define, 2),
        (b':', _, _) => (Kind::Colon, 1),
        (b'<', b'<', b'=') | (b'>', b'>', b'=') | (b'&', b'^', b'=') => (Kind::OtherOp, 3),
        (b'<', b'<', _) => (Kind::Shl, 2),
        (b'<', b'-', _) => (Kind::Arrow, 2),
        (b'<', b'=', _) => (Kind::Le, 2),
        (b'<', _, _) => (Kind::Lt, 1),
        (b'>', b'>', _) => (Kind::Shr, 2),
        (b'>', b'=', _) => (Kind::Ge, 2),
        (b'>', _, _) => (Kind::Gt, 1),
        (b'=', b'=', _) => (Kind::Eq, 2),
        (b'=', _, _) => (Kind::Assign, 1),
        (b'!', b'=', _) => (Kind::Ne, 2),
        (b'!', _, _) => (Kind::Not, 1),
        (b'&', b'&', _) => (Kind::LAnd, 2),
        (b'&', b'^', _) => (Kind::AndNot, 2),
        (b'|', b'|', _) => (Kind::LOr, 2),
        (b'+', b'+' | b'=', _)
        | (b'-', b'-' | b'=', _)
        | (b'*' | b'/' | b'%' | b'&' | b'|' | b'^', b'=', _) => (Kind::OtherOp, 2),
        (b'+', _, _) => (Kind::Add, 1),
        (b'-', _, _) => (Kind::Sub, 1),
        (b'*', _, _) => (Kind::Mul, 1),
        (b'/', _, _) => (Kind::Quo, 1),
        (b'%', _, _) => (Kind::Rem, 1),
        (b'&', _, _) => (Kind::And, 1),
        (b'|', _, _) => (Kind::Or, 1),
        (b'^', _, _) => (Kind::Xor, 1),
        _ => (Kind::Eof, 0),
    }
}
