//! Go's `text/scanner`, as far as markers need it: words, numbers, strings, single letters.

/// What was scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Eof,
    Ident,
    Int,
    Float,
    Str,
    RawStr,
    Char(char),
}

/// A scanner over the arguments of a marker.
#[derive(Clone, Debug)]
pub(super) struct Scanner<'a> {
    pub text: &'a str,
    runes: Vec<(usize, char)>,
    at: usize,
    /// Column of the last token; zero before the first and for empty texts.
    column: usize,
    /// Bytes of the last token.
    pub token: (usize, usize),
    /// Whether digits form numbers.
    pub numbers: bool,
    pub errors: Vec<String>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            runes: text.char_indices().collect(),
            at: 0,
            column: 0,
            token: (0, 0),
            numbers: true,
            errors: Vec::new(),
        }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.runes.get(self.at).map(|rune| rune.1)
    }

    /// Byte offset of what is read next.
    pub(super) fn offset(&self) -> usize {
        self.runes.get(self.at).map_or(self.text.len(), |rune| rune.0)
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let rune = self.peek();
        self.at += usize::from(rune.is_some());
        rune
    }

    /// The next letter that is no blank; blanks are passed.
    pub(super) fn peek_no_space(&mut self) -> Option<char> {
        while self.peek().is_some_and(is_blank) {
            self.at += 1;
        }
        self.peek()
    }

    pub(super) fn token_text(&self) -> &'a str {
        self.text.get(self.token.0..self.token.1).unwrap_or("")
    }

    /// Notes an error at the last token.
    pub(super) fn error(&mut self, message: &str) {
        let place = if self.column == 0 {
            "<input>".to_string()
        } else {
            format!("<input>:1:{}", self.column)
        };
        self.errors.push(format!("{message} (at {place})"));
    }

    pub(super) fn scan(&mut self) -> Token {
        self.peek_no_space();
        let start = self.offset();
        self.column = if self.text.is_empty() { 0 } else { self.at + 1 };
        self.token = (start, start);
        let token = match self.peek() {
            None => Token::Eof,
            Some(rune) if is_ident(rune, true) => {
                while self.peek().is_some_and(|rune| is_ident(rune, false)) {
                    self.at += 1;
                }
                Token::Ident
            }
            Some(rune) if rune.is_ascii_digit() && self.numbers => self.number(),
            Some('.') if self.numbers && self.digit_follows() => self.number(),
            Some('"') => self.quoted(),
            Some('`') => self.raw(),
            Some(rune) => {
                self.at += 1;
                Token::Char(rune)
            }
        };
        self.token.1 = self.offset();
        token
    }

    fn digit_follows(&self) -> bool {
        self.runes.get(self.at + 1).is_some_and(|rune| rune.1.is_ascii_digit())
    }

    fn quoted(&mut self) -> Token {
        self.at += 1;
        loop {
            match self.next() {
                Some('"') => return Token::Str,
                Some('\\') => {
                    self.next();
                }
                Some('\n') | None => {
                    self.token.1 = self.offset();
                    self.error("literal not terminated");
                    return Token::Str;
                }
                Some(_) => {}
            }
        }
    }

    fn raw(&mut self) -> Token {
        self.at += 1;
        loop {
            match self.next() {
                Some('`') => return Token::RawStr,
                None => {
                    self.token.1 = self.offset();
                    self.error("literal not terminated");
                    return Token::RawStr;
                }
                Some(_) => {}
            }
        }
    }

    fn digits(&mut self, allowed: fn(char) -> bool) -> bool {
        let from = self.at;
        while self.peek().is_some_and(|rune| allowed(rune) || rune == '_') {
            self.at += 1;
        }
        self.at > from
    }

    fn number(&mut self) -> Token {
        let mut token = Token::Int;
        let prefix = match (self.peek(), self.runes.get(self.at + 1).map(|rune| rune.1)) {
            (Some('0'), Some(letter)) => letter.to_ascii_lowercase(),
            _ => ' ',
        };
        if matches!(prefix, 'x' | 'o' | 'b') {
            self.at += 2;
            let allowed: fn(char) -> bool = if prefix == 'x' {
                |rune| rune.is_ascii_hexdigit()
            } else {
                |rune| rune.is_ascii_digit()
            };
            if !self.digits(allowed) {
                let what = match prefix {
                    'x' => "hexadecimal number",
                    'o' => "octal number",
                    _ => "binary number",
                };
                self.error(&format!("{what} has no digits"));
            }
            return token;
        }
        self.digits(|rune| rune.is_ascii_digit());
        if self.peek() == Some('.') {
            token = Token::Float;
            self.at += 1;
            self.digits(|rune| rune.is_ascii_digit());
        }
        if matches!(self.peek(), Some('e' | 'E')) {
            token = Token::Float;
            self.at += 1;
            if matches!(self.peek(), Some('+' | '-')) {
                self.at += 1;
            }
            if !self.digits(|rune| rune.is_ascii_digit()) {
                self.error("exponent has no digits");
            }
        }
        token
    }
}

fn is_blank(rune: char) -> bool {
    matches!(rune, ' ' | '\t' | '\n' | '\r')
}

fn is_ident(rune: char, first: bool) -> bool {
    rune == '_' || rune.is_alphabetic() || (!first && rune.is_numeric())
}
