//! The text of a label selector: its tokens and its grammar.

use std::collections::BTreeSet;

use ordain_value::{Text, go_quote};

use super::{LabelSelector, Operator, Requirement, SelectorError};
use crate::name;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Error(String),
    End,
    Close,
    Comma,
    Not,
    Equals,
    DoubleEquals,
    Greater,
    Identifier(String),
    In,
    Less,
    NotEquals,
    NotIn,
    Open,
}

impl Token {
    pub(super) fn literal(&self) -> &str {
        match self {
            Self::Error(text) | Self::Identifier(text) => text,
            Self::End => "",
            Self::Close => ")",
            Self::Comma => ",",
            Self::Not => "!",
            Self::Equals => "=",
            Self::DoubleEquals => "==",
            Self::Greater => ">",
            Self::In => "in",
            Self::Less => "<",
            Self::NotEquals => "!=",
            Self::NotIn => "notin",
            Self::Open => "(",
        }
    }

    /// `in` and `notin` are plain words where a key or a value is expected.
    pub(super) fn as_word(&self) -> Option<&str> {
        match self {
            Self::Identifier(_) | Self::In | Self::NotIn => Some(self.literal()),
            _ => None,
        }
    }
}

pub(super) fn symbol(text: &str) -> Option<Token> {
    Some(match text {
        ")" => Token::Close,
        "," => Token::Comma,
        "!" => Token::Not,
        "==" => Token::DoubleEquals,
        "=" => Token::Equals,
        ">" => Token::Greater,
        "<" => Token::Less,
        "!=" => Token::NotEquals,
        "(" => Token::Open,
        _ => return None,
    })
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

pub(super) fn is_symbol(byte: u8) -> bool {
    matches!(byte, b'=' | b'!' | b'(' | b')' | b',' | b'>' | b'<')
}

/// Cuts the text into tokens; the last is always `End`. A NUL byte ends the text, as upstream's
/// lexer reads it.
pub(super) fn lex(text: &str) -> Vec<Token> {
    let text = text.split('\0').next().unwrap_or("");
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if is_space(bytes[at]) {
            at += 1;
        } else if is_symbol(bytes[at]) {
            let (token, len) = lex_symbol(&text[at..]);
            tokens.push(token);
            at += len;
        } else {
            let len = bytes[at..].iter().take_while(|b| !is_space(**b) && !is_symbol(**b)).count();
            tokens.push(match &text[at..at + len] {
                "in" => Token::In,
                "notin" => Token::NotIn,
                word => Token::Identifier(word.to_owned()),
            });
            at += len;
        }
    }
    tokens.push(Token::End);
    tokens
}

/// The longest run of symbols that is a token; none has more than two.
pub(super) fn lex_symbol(text: &str) -> (Token, usize) {
    for len in [2, 1] {
        if let Some(token) = text.get(..len).and_then(symbol) {
            return (token, len);
        }
    }
    let run = text.bytes().take_while(|byte| is_symbol(*byte)).count();
    (Token::Error(format!("error expected: keyword found '{}'", &text[..run])), run)
}

pub(super) struct LabelParser {
    tokens: Vec<Token>,
    at: usize,
}

impl LabelParser {
    pub(super) fn new(text: &str) -> Self {
        Self { tokens: lex(text), at: 0 }
    }

    pub(super) fn peek(&self) -> &Token {
        self.tokens.get(self.at).unwrap_or(&Token::End)
    }

    pub(super) fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    pub(super) fn selector(mut self) -> Result<LabelSelector, SelectorError> {
        let mut requirements = Vec::new();
        loop {
            let token = self.peek();
            if *token == Token::End {
                return Ok(LabelSelector { requirements });
            }
            if token.as_word().is_none() && *token != Token::Not {
                let found = token.literal();
                return Err(SelectorError(format!(
                    "found '{found}', expected: !, identifier, or 'end of string'"
                )));
            }
            let requirement = self
                .requirement()
                .map_err(|text| SelectorError(format!("unable to parse requirement: {text}")))?;
            requirements.push(requirement);
            match self.next() {
                Token::End => return Ok(LabelSelector { requirements }),
                Token::Comma => {
                    let after = self.peek();
                    if after.as_word().is_none() && *after != Token::Not {
                        let found = after.literal();
                        return Err(SelectorError(format!(
                            "found '{found}', expected: identifier after ','"
                        )));
                    }
                }
                other => {
                    let found = other.literal();
                    return Err(SelectorError(format!(
                        "found '{found}', expected: ',' or 'end of string'"
                    )));
                }
            }
        }
    }

    pub(super) fn requirement(&mut self) -> Result<Requirement, String> {
        let mut token = self.next();
        let negated = token == Token::Not;
        if negated {
            token = self.next();
        }
        let Some(key) = token.as_word() else {
            return Err(format!("found '{}', expected: identifier", token.literal()));
        };
        check_key(key)?;
        let key: Text = key.into();
        if negated {
            return Ok(Requirement {
                key,
                operator: Operator::DoesNotExist,
                values: BTreeSet::new(),
            });
        }
        if matches!(self.peek(), Token::End | Token::Comma) {
            return Ok(Requirement { key, operator: Operator::Exists, values: BTreeSet::new() });
        }
        let operator = self.operator()?;
        let values = match operator {
            Operator::In | Operator::NotIn => self.values()?,
            _ => BTreeSet::from([self.value()?]),
        };
        check_values(&key, operator, &values)?;
        Ok(Requirement { key, operator, values })
    }

    pub(super) fn operator(&mut self) -> Result<Operator, String> {
        let token = self.next();
        Ok(match token {
            Token::In => Operator::In,
            Token::NotIn => Operator::NotIn,
            Token::Equals | Token::DoubleEquals => Operator::Equals,
            Token::NotEquals => Operator::NotEquals,
            Token::Greater => Operator::GreaterThan,
            Token::Less => Operator::LessThan,
            other => {
                let found = other.literal();
                return Err(format!("found '{found}', expected: in, notin, =, ==, !=, gt, lt"));
            }
        })
    }

    pub(super) fn values(&mut self) -> Result<BTreeSet<Text>, String> {
        let open = self.next();
        if open != Token::Open {
            return Err(format!("found '{}' expected: '('", open.literal()));
        }
        let first = self.peek().clone();
        if first == Token::Close {
            self.next();
            return Ok(BTreeSet::from([Text::default()]));
        }
        if first != Token::Comma && first.as_word().is_none() {
            return Err(format!("found '{}', expected: ',', ')' or identifier", first.literal()));
        }
        let values = self.value_list()?;
        if self.next() != Token::Close {
            return Err(format!("found '{}', expected: ')'", first.literal()));
        }
        Ok(values)
    }

    pub(super) fn value_list(&mut self) -> Result<BTreeSet<Text>, String> {
        let mut values = BTreeSet::new();
        loop {
            let token = self.next();
            if let Some(word) = token.as_word() {
                values.insert(Text::from(word));
                match self.peek() {
                    Token::Comma => {}
                    Token::Close => return Ok(values),
                    other => {
                        return Err(format!("found '{}', expected: ',' or ')'", other.literal()));
                    }
                }
            } else if token == Token::Comma {
                if values.is_empty() {
                    values.insert(Text::default());
                }
                match self.peek() {
                    Token::Close => {
                        values.insert(Text::default());
                        return Ok(values);
                    }
                    Token::Comma => {
                        values.insert(Text::default());
                    }
                    _ => {}
                }
            } else {
                return Err(format!("found '{}', expected: ',', or identifier", token.literal()));
            }
        }
    }

    pub(super) fn value(&mut self) -> Result<Text, String> {
        if matches!(self.peek(), Token::End | Token::Comma) {
            return Ok(Text::default());
        }
        let token = self.next();
        match token.as_word() {
            Some(word) => Ok(word.into()),
            None => Err(format!("found '{}', expected: identifier", token.literal())),
        }
    }
}

pub(super) fn check_key(key: &str) -> Result<(), String> {
    let problems = name::qualified_name(key);
    if problems.is_empty() {
        return Ok(());
    }
    Err(format!("<nil>: Invalid value: {}: {}", go_quote(key), problems.join("; ")))
}

pub(super) fn check_values(
    key: &str,
    operator: Operator,
    values: &BTreeSet<Text>,
) -> Result<(), String> {
    let mut errors = Vec::new();
    if matches!(operator, Operator::GreaterThan | Operator::LessThan) {
        for (index, value) in values.iter().enumerate() {
            if value.parse::<i64>().is_err() {
                errors.push(format!(
                    "values[{index}]: Invalid value: {}: for 'Gt', 'Lt' operators, the value \
                     must be an integer",
                    go_quote(value)
                ));
            }
        }
    }
    for (index, value) in values.iter().enumerate() {
        let problems = name::label_value(value);
        if !problems.is_empty() {
            let (value, problems) = (go_quote(value), problems.join("; "));
            errors.push(format!("values[{index}][{key}]: Invalid value: {value}: {problems}"));
        }
    }
    match errors.len() {
        0 => Ok(()),
        1 => Err(errors.remove(0)),
        _ => Err(format!("[{}]", errors.join(", "))),
    }
}
