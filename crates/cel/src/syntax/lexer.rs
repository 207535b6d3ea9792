//! Text to tokens by longest match. What is no token is reported and skipped, the character
//! that could not continue it included.

/// The kinds of tokens, numbered as the sets of expected tokens list them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Token {
    Eof = 0,
    Equals,
    NotEquals,
    In,
    Less,
    LessEquals,
    GreaterEquals,
    Greater,
    LogicalAnd,
    LogicalOr,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    LeftParen,
    RightParen,
    Dot,
    Comma,
    Minus,
    Exclamation,
    Question,
    Colon,
    Plus,
    Star,
    Slash,
    Percent,
    True,
    False,
    Null,
    Float,
    Int,
    Uint,
    String,
    Bytes,
    Identifier,
    EscapedIdentifier,
}

impl Token {
    /// The token as messages name it.
    pub(crate) fn display(self) -> &'static str {
        match self {
            Self::Eof => "<EOF>",
            Self::Equals => "'=='",
            Self::NotEquals => "'!='",
            Self::In => "'in'",
            Self::Less => "'<'",
            Self::LessEquals => "'<='",
            Self::GreaterEquals => "'>='",
            Self::Greater => "'>'",
            Self::LogicalAnd => "'&&'",
            Self::LogicalOr => "'||'",
            Self::LeftBracket => "'['",
            Self::RightBracket => "']'",
            Self::LeftBrace => "'{'",
            Self::RightBrace => "'}'",
            Self::LeftParen => "'('",
            Self::RightParen => "')'",
            Self::Dot => "'.'",
            Self::Comma => "','",
            Self::Minus => "'-'",
            Self::Exclamation => "'!'",
            Self::Question => "'?'",
            Self::Colon => "':'",
            Self::Plus => "'+'",
            Self::Star => "'*'",
            Self::Slash => "'/'",
            Self::Percent => "'%'",
            Self::True => "'true'",
            Self::False => "'false'",
            Self::Null => "'null'",
            Self::Float => "NUM_FLOAT",
            Self::Int => "NUM_INT",
            Self::Uint => "NUM_UINT",
            Self::String => "STRING",
            Self::Bytes => "BYTES",
            Self::Identifier => "IDENTIFIER",
            Self::EscapedIdentifier => "ESC_IDENTIFIER",
        }
    }
}

/// A token and its bytes in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lexeme {
    pub(crate) token: Token,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// Bytes that are no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LexError {
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The index of the token that was read next.
    pub(crate) before: usize,
}

/// The tokens of a text, end of input last, and what was skipped.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Lexeme>,
    pub(crate) errors: Vec<LexError>,
}

/// Splits a text into tokens.
pub(crate) fn lex(text: &str) -> Lexed {
    let mut lexed = Lexed { tokens: Vec::with_capacity(text.len() / 3 + 2), errors: Vec::new() };
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        at = skip_hidden(bytes, at);
        if at >= bytes.len() {
            break;
        }
        match next_token(bytes, at) {
            Ok((token, end)) => {
                lexed.tokens.push(lexeme(token, at, end));
                at = end;
            }
            Err(failed) => {
                let end = char_end(bytes, failed);
                lexed.errors.push(LexError {
                    start: offset(at),
                    end: offset(end),
                    before: lexed.tokens.len(),
                });
                at = end;
            }
        }
    }
    lexed.tokens.push(lexeme(Token::Eof, bytes.len(), bytes.len()));
    lexed
}

fn lexeme(token: Token, start: usize, end: usize) -> Lexeme {
    Lexeme { token, start: offset(start), end: offset(end) }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// The end of the character at `at`; the end of input when there is none.
fn char_end(bytes: &[u8], at: usize) -> usize {
    let mut end = (at + 1).min(bytes.len());
    while end < bytes.len() && (bytes[end] & 0xC0) == 0x80 {
        end += 1;
    }
    end
}

fn skip_hidden(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at) {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' | 0x0C => at += 1,
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                while bytes.get(at).is_some_and(|byte| *byte != b'\n') {
                    at += 1;
                }
            }
            _ => break,
        }
    }
    at
}

/// A token and its end, or the offset of the character that no token could take.
type Scan = Result<(Token, usize), usize>;

fn next_token(bytes: &[u8], at: usize) -> Scan {
    let next = bytes.get(at + 1).copied();
    let one = |token| Ok((token, at + 1));
    let two = |token| Ok((token, at + 2));
    match bytes[at] {
        b'[' => one(Token::LeftBracket),
        b']' => one(Token::RightBracket),
        b'{' => one(Token::LeftBrace),
        b'}' => one(Token::RightBrace),
        b'(' => one(Token::LeftParen),
        b')' => one(Token::RightParen),
        b',' => one(Token::Comma),
        b'-' => one(Token::Minus),
        b'?' => one(Token::Question),
        b':' => one(Token::Colon),
        b'+' => one(Token::Plus),
        b'*' => one(Token::Star),
        b'/' => one(Token::Slash),
        b'%' => one(Token::Percent),
        b'!' if next == Some(b'=') => two(Token::NotEquals),
        b'!' => one(Token::Exclamation),
        b'<' if next == Some(b'=') => two(Token::LessEquals),
        b'<' => one(Token::Less),
        b'>' if next == Some(b'=') => two(Token::GreaterEquals),
        b'>' => one(Token::Greater),
        b'=' if next == Some(b'=') => two(Token::Equals),
        b'&' if next == Some(b'&') => two(Token::LogicalAnd),
        b'|' if next == Some(b'|') => two(Token::LogicalOr),
        b'=' | b'&' | b'|' => Err(at + 1),
        b'.' if next.is_some_and(|byte| byte.is_ascii_digit()) => Ok(number(bytes, at)),
        b'.' => one(Token::Dot),
        b'0'..=b'9' => Ok(number(bytes, at)),
        b'"' | b'\'' => string(bytes, at, false).map(|end| (Token::String, end)),
        b'`' => escaped_identifier(bytes, at),
        b'A'..=b'Z' | b'a'..=b'z' | b'_' => Ok(word(bytes, at)),
        _ => Err(at),
    }
}

fn digits(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

fn number(bytes: &[u8], start: usize) -> (Token, usize) {
    if bytes[start] == b'0' && bytes.get(start + 1) == Some(&b'x') {
        let mut end = start + 2;
        while bytes.get(end).is_some_and(u8::is_ascii_hexdigit) {
            end += 1;
        }
        if end > start + 2 {
            return with_unsigned_suffix(bytes, end);
        }
    }
    let whole = digits(bytes, start);
    let mut end = whole;
    if bytes.get(whole) == Some(&b'.') {
        let fraction = digits(bytes, whole + 1);
        if fraction > whole + 1 {
            end = fraction;
        }
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(bytes, end + 1 + sign);
        if exponent > end + 1 + sign {
            return (Token::Float, exponent);
        }
    }
    if end > whole {
        return (Token::Float, end);
    }
    with_unsigned_suffix(bytes, whole)
}

fn with_unsigned_suffix(bytes: &[u8], end: usize) -> (Token, usize) {
    if matches!(bytes.get(end), Some(b'u' | b'U')) {
        (Token::Uint, end + 1)
    } else {
        (Token::Int, end)
    }
}

fn word(bytes: &[u8], start: usize) -> (Token, usize) {
    if let Some(literal) = prefixed_string(bytes, start) {
        return literal;
    }
    let mut end = start + 1;
    while bytes.get(end).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
        end += 1;
    }
    let token = match &bytes[start..end] {
        b"in" => Token::In,
        b"true" => Token::True,
        b"false" => Token::False,
        b"null" => Token::Null,
        _ => Token::Identifier,
    };
    (token, end)
}

/// A string literal with a prefix such as `r` or `b`, if the text at `start` is one. An
/// unfinished one is a name followed by an unfinished string.
fn prefixed_string(bytes: &[u8], start: usize) -> Option<(Token, usize)> {
    let mut at = start;
    let mut token = Token::String;
    if matches!(bytes[at], b'b' | b'B') {
        token = Token::Bytes;
        at += 1;
    }
    let raw = matches!(bytes.get(at), Some(b'r' | b'R'));
    at += usize::from(raw);
    if at == start || !matches!(bytes.get(at), Some(b'"' | b'\'')) {
        return None;
    }
    string(bytes, at, raw).ok().map(|end| (token, end))
}

/// The end of the string literal that opens at `at`, or where it fails.
fn string(bytes: &[u8], at: usize, raw: bool) -> Result<usize, usize> {
    let quote = bytes[at];
    if bytes.get(at + 1) == Some(&quote) {
        if bytes.get(at + 2) == Some(&quote)
            && let Some(end) = triple_quoted(bytes, at + 3, quote, raw)
        {
            return Ok(end);
        }
        return Ok(at + 2);
    }
    let mut end = at + 1;
    loop {
        match bytes.get(end) {
            None | Some(b'\n' | b'\r') => return Err(end),
            Some(byte) if *byte == quote => return Ok(end + 1),
            Some(b'\\') if !raw => end = escape(bytes, end)?,
            Some(_) => end += 1,
        }
    }
}

fn triple_quoted(bytes: &[u8], mut at: usize, quote: u8, raw: bool) -> Option<usize> {
    loop {
        let byte = *bytes.get(at)?;
        if byte == quote && bytes.get(at + 1) == Some(&quote) && bytes.get(at + 2) == Some(&quote) {
            return Some(at + 3);
        }
        at = if byte == b'\\' && !raw { escape(bytes, at).ok()? } else { at + 1 };
    }
}

/// The end of the escape sequence at `at`, or where it fails.
fn escape(bytes: &[u8], at: usize) -> Result<usize, usize> {
    let (is_valid, rest): (fn(&u8) -> bool, usize) = match bytes.get(at + 1) {
        Some(
            b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'"' | b'\'' | b'\\' | b'?' | b'`',
        ) => return Ok(at + 2),
        Some(b'x' | b'X') => (u8::is_ascii_hexdigit, 2),
        Some(b'u') => (u8::is_ascii_hexdigit, 4),
        Some(b'U') => (u8::is_ascii_hexdigit, 8),
        Some(b'0'..=b'3') => (|byte| (b'0'..=b'7').contains(byte), 2),
        _ => return Err(at + 1),
    };
    for digit in at + 2..at + 2 + rest {
        if !bytes.get(digit).is_some_and(is_valid) {
            return Err(digit);
        }
    }
    Ok(at + 2 + rest)
}

fn escaped_identifier(bytes: &[u8], start: usize) -> Scan {
    let mut end = start + 1;
    loop {
        match bytes.get(end) {
            Some(b'`') if end > start + 1 => return Ok((Token::EscapedIdentifier, end + 1)),
            Some(byte)
                if byte.is_ascii_alphanumeric()
                    || matches!(byte, b'_' | b'.' | b'-' | b'/' | b' ') =>
            {
                end += 1;
            }
            _ => return Err(end),
        }
    }
}
