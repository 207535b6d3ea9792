//! Builds the tree: shared by the fast parser and the recovering one.

use std::sync::Arc;

use super::errors::{
    Diagnostics, expansion_too_large, invalid_literal, reserved_identifier, unsupported_backtick,
};
use super::lexer::{Lexeme, Token};
use super::macros::{Expansion, MacroError};
use super::{EXPRESSIONS_MAX, ParseOptions, unescape};
use crate::ast::{Ast, Call, Const, Expr, ExprId, MacroCall, Span, Text, operator};
use crate::source::{Location, Source};

/// Names that the grammar reads as identifiers but expressions may not use.
const RESERVED: [&str; 21] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "namespace",
    "null",
    "package",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// Whether the language keeps this word for itself.
#[must_use]
pub fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}

pub(crate) struct Builder<'a> {
    pub(crate) ast: Ast,
    pub(crate) diagnostics: Diagnostics,
    pub(crate) options: &'a ParseOptions,
    text: &'a str,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(source: &'a Source, options: &'a ParseOptions) -> Self {
        Self {
            ast: Ast::new(source.clone()),
            diagnostics: Diagnostics::default(),
            options,
            text: source.text(),
        }
    }

    pub(crate) fn text(&self, lexeme: Lexeme) -> &'a str {
        self.text.get(lexeme.start as usize..lexeme.end as usize).unwrap_or_default()
    }

    pub(crate) fn push(&mut self, expr: Expr, at: Lexeme) -> ExprId {
        self.ast.push(expr, Some(Span { start: at.start, end: at.end }))
    }

    /// Reports an error and gives the expression that stands in its place.
    pub(crate) fn error(&mut self, at: Lexeme, message: String) -> ExprId {
        let location = self.ast.source().location(at.start);
        self.diagnostics.push(location, message);
        self.push(Expr::Unspecified, at)
    }

    pub(crate) fn call(&mut self, at: Lexeme, function: &'static str, args: Vec<ExprId>) -> ExprId {
        let call = Call { function: Text::new_static(function), target: None, args };
        self.push(Expr::Call(call), at)
    }

    /// A name, leading dot included, unless it is reserved.
    pub(crate) fn ident(&mut self, leading_dot: Option<Lexeme>, name: Lexeme) -> ExprId {
        match self.name(leading_dot, name) {
            Ok(text) => self.push(Expr::Ident(text), name),
            Err(id) => id,
        }
    }

    /// The text of a name, or the id of the error when it is reserved.
    pub(crate) fn name(
        &mut self,
        leading_dot: Option<Lexeme>,
        name: Lexeme,
    ) -> Result<Text, ExprId> {
        let text = self.text(name);
        if is_reserved(text) {
            return Err(self.error(leading_dot.unwrap_or(name), reserved_identifier(text)));
        }
        Ok(match leading_dot {
            None => Text::from(text),
            Some(_) => Text::from(format!(".{text}")),
        })
    }

    /// The name of a field; backticks are taken off.
    pub(crate) fn field_name(&mut self, name: Lexeme) -> Result<Text, String> {
        let text = self.text(name);
        if name.token != Token::EscapedIdentifier {
            return Ok(Text::from(text));
        }
        if !self.options.escaped_identifiers {
            return Err(unsupported_backtick());
        }
        Ok(Text::from(text.trim_matches('`')))
    }

    pub(crate) fn literal(&mut self, sign: Option<Lexeme>, token: Lexeme) -> ExprId {
        let at = sign.unwrap_or(token);
        let text = self.text(token);
        let constant = match token.token {
            Token::True => Ok(Const::Bool(true)),
            Token::False => Ok(Const::Bool(false)),
            Token::Null => Ok(Const::Null),
            Token::Int => int(text, sign.is_some()).ok_or_else(|| invalid_literal("int")),
            Token::Uint => uint(text).ok_or_else(|| invalid_literal("uint")),
            Token::Float => double(text, sign.is_some()).ok_or_else(|| invalid_literal("double")),
            Token::String => match unescape::unescape_string(text) {
                Ok(value) => Ok(Const::String(Text::from(value))),
                Err(message) => Err(message.to_owned()),
            },
            _ => match unescape::unescape_bytes(text.get(1..).unwrap_or_default()) {
                Ok(value) => Ok(Const::Bytes(Arc::from(value))),
                Err(message) => Err(message.to_owned()),
            },
        };
        match constant {
            Ok(constant) => self.push(Expr::Const(constant), at),
            Err(message) => self.error(at, message),
        }
    }

    /// A call of a named function, expanded if it is a macro.
    pub(crate) fn call_or_macro(
        &mut self,
        at: Lexeme,
        function: Text,
        target: Option<ExprId>,
        args: Vec<ExprId>,
    ) -> ExprId {
        let options = self.options;
        let found = options
            .macros
            .iter()
            .find(|candidate| candidate.matches(&function, args.len(), target.is_some()));
        if let Some(found) = found
            && self.ast.id_count() < EXPRESSIONS_MAX
        {
            let span = Span { start: at.start, end: at.end };
            let expanded = (found.expand)(&mut Expansion::new(&mut self.ast, span), target, &args);
            match expanded {
                Ok(Some(expansion)) => {
                    self.ast.push_macro_call(MacroCall { expansion, function, target, args });
                    return expansion;
                }
                Ok(None) => {}
                Err(MacroError { at: id, message }) => {
                    let span = self.ast.span(id).unwrap_or(span);
                    return self.error(
                        Lexeme { token: at.token, start: span.start, end: span.end },
                        message,
                    );
                }
            }
        } else if found.is_some() {
            self.diagnostics.push(Location::NONE, expansion_too_large());
        }
        self.push(Expr::Call(Call { function, target, args }), at)
    }

    /// Chains of `&&` and `||` as a balanced tree, so that long ones stay shallow.
    pub(crate) fn balanced(
        &mut self,
        function: &'static str,
        terms: &[ExprId],
        operators: &[Lexeme],
    ) -> ExprId {
        let middle = operators.len() / 2;
        let (Some(operator), Some((left_terms, right_terms))) =
            (operators.get(middle), terms.split_at_checked(middle + 1))
        else {
            return terms.first().copied().unwrap_or(ExprId(0));
        };
        let left_operators = operators.get(..middle).unwrap_or_default();
        let right_operators = operators.get(middle + 1..).unwrap_or_default();
        let left = self.balanced(function, left_terms, left_operators);
        let right = self.balanced(function, right_terms, right_operators);
        self.call(*operator, function, vec![left, right])
    }
}

pub(crate) fn binary_operator(token: Token) -> Option<&'static str> {
    Some(match token {
        Token::Equals => operator::EQUALS,
        Token::NotEquals => operator::NOT_EQUALS,
        Token::Less => operator::LESS,
        Token::LessEquals => operator::LESS_EQUALS,
        Token::Greater => operator::GREATER,
        Token::GreaterEquals => operator::GREATER_EQUALS,
        Token::In => operator::IN,
        Token::Plus => operator::ADD,
        Token::Minus => operator::SUBTRACT,
        Token::Star => operator::MULTIPLY,
        Token::Slash => operator::DIVIDE,
        Token::Percent => operator::MODULO,
        _ => return None,
    })
}

fn int(text: &str, negative: bool) -> Option<Const> {
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(hex) => (hex, 16),
        None => (text, 10),
    };
    let magnitude = u64::from_str_radix(digits, radix).ok()?;
    let value = if negative {
        0i64.checked_sub_unsigned(magnitude)?
    } else {
        i64::try_from(magnitude).ok()?
    };
    Some(Const::Int(value))
}

fn uint(text: &str) -> Option<Const> {
    let text = text.strip_suffix(['u', 'U'])?;
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
    .map(Const::Uint)
}

fn double(text: &str, negative: bool) -> Option<Const> {
    let value: f64 = text.parse().ok()?;
    value.is_finite().then_some(Const::Double(if negative { -value } else { value }))
}
