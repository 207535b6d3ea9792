//! Sets of tokens: what the grammar expects where.

use crate::syntax::lexer::Token;

/// A set of tokens, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Set(u64);

const TOKENS: [Token; 36] = [
    Token::Eof,
    Token::Equals,
    Token::NotEquals,
    Token::In,
    Token::Less,
    Token::LessEquals,
    Token::GreaterEquals,
    Token::Greater,
    Token::LogicalAnd,
    Token::LogicalOr,
    Token::LeftBracket,
    Token::RightBracket,
    Token::LeftBrace,
    Token::RightBrace,
    Token::LeftParen,
    Token::RightParen,
    Token::Dot,
    Token::Comma,
    Token::Minus,
    Token::Exclamation,
    Token::Question,
    Token::Colon,
    Token::Plus,
    Token::Star,
    Token::Slash,
    Token::Percent,
    Token::True,
    Token::False,
    Token::Null,
    Token::Float,
    Token::Int,
    Token::Uint,
    Token::String,
    Token::Bytes,
    Token::Identifier,
    Token::EscapedIdentifier,
];

impl Set {
    pub(super) const EMPTY: Self = Self(0);

    pub(super) const fn of(tokens: &[Token]) -> Self {
        let mut bits = 0;
        let mut index = 0;
        while index < tokens.len() {
            bits |= 1 << tokens[index] as u8;
            index += 1;
        }
        Self(bits)
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn contains(self, token: Token) -> bool {
        self.0 >> token as u8 & 1 == 1
    }

    /// As messages list it: one token bare, several in braces.
    pub(super) fn display(self) -> String {
        let names: Vec<&str> = TOKENS
            .iter()
            .filter(|token| self.contains(**token))
            .map(|token| token.display())
            .collect();
        match names.as_slice() {
            [one] => (*one).to_owned(),
            _ => format!("{{{}}}", names.join(", ")),
        }
    }
}

/// What may follow within a rule, and whether the rule may end there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Follow {
    pub(super) set: Set,
    pub(super) may_end: bool,
}

impl Follow {
    pub(super) const END: Self = Self { set: Set::EMPTY, may_end: true };

    pub(super) const fn only(set: Set) -> Self {
        Self { set, may_end: false }
    }

    pub(super) const fn or_end(set: Set) -> Self {
        Self { set, may_end: true }
    }
}

pub(super) const EOF: Set = Set::of(&[Token::Eof]);
pub(super) const QUESTION: Set = Set::of(&[Token::Question]);
pub(super) const COLON: Set = Set::of(&[Token::Colon]);
pub(super) const COMMA: Set = Set::of(&[Token::Comma]);
pub(super) const MINUS: Set = Set::of(&[Token::Minus]);
pub(super) const EXCLAMATION: Set = Set::of(&[Token::Exclamation]);
pub(super) const IDENTIFIER: Set = Set::of(&[Token::Identifier]);
pub(super) const DOT: Set = Set::of(&[Token::Dot]);
pub(super) const LEFT_PAREN: Set = Set::of(&[Token::LeftParen]);
pub(super) const LEFT_BRACE: Set = Set::of(&[Token::LeftBrace]);
pub(super) const RIGHT_PAREN: Set = Set::of(&[Token::RightParen]);
pub(super) const RIGHT_BRACKET: Set = Set::of(&[Token::RightBracket]);
pub(super) const RIGHT_BRACE: Set = Set::of(&[Token::RightBrace]);
pub(super) const RELATION: Set = Set::of(&[
    Token::Equals,
    Token::NotEquals,
    Token::In,
    Token::Less,
    Token::LessEquals,
    Token::GreaterEquals,
    Token::Greater,
]);
pub(super) const CALC: Set =
    Set::of(&[Token::Star, Token::Slash, Token::Percent, Token::Plus, Token::Minus]);
pub(super) const SUFFIX: Set = Set::of(&[Token::Dot, Token::LeftBracket]);
pub(super) const FIELD_NAME: Set = Set::of(&[Token::Identifier, Token::EscapedIdentifier]);
pub(super) const OPTIONAL_FIELD: Set = FIELD_NAME.and(QUESTION);
pub(super) const LITERAL: Set = Set::of(&[
    Token::Minus,
    Token::True,
    Token::False,
    Token::Null,
    Token::Float,
    Token::Int,
    Token::Uint,
    Token::String,
    Token::Bytes,
]);
/// What a primary may start with.
pub(super) const PRIMARY: Set = LITERAL.and(Set::of(&[
    Token::LeftBracket,
    Token::LeftBrace,
    Token::LeftParen,
    Token::Dot,
    Token::Identifier,
]));
/// What an expression may start with.
pub(super) const EXPR: Set = PRIMARY.and(EXCLAMATION);
pub(super) const OPTIONAL_EXPR: Set = EXPR.and(QUESTION);
