//! The fast parser: recursive descent over tokens, one function per grammar rule.
//!
//! It gives up at the first syntax error and leaves the wording to `recover`.

use super::build::{Builder, binary_operator};
use super::errors::{Diagnostics, nesting_too_deep, tree_too_deep, unsupported_syntax};
use super::lexer::{Lexeme, Token};
use super::{ParseOptions, RECURSION_DEPTH_MAX};
use crate::ast::{
    Ast, Const, Expr, ExprId, List, MapEntry, Select, Struct, StructField, Text, operator,
};
use crate::source::{Location, Source};

/// Parses tokens; nothing when they are no expression.
pub(super) fn parse(
    source: &Source,
    tokens: &[Lexeme],
    options: &ParseOptions,
) -> Option<(Ast, Diagnostics)> {
    let mut parser = Parser {
        tokens,
        at: 0,
        builder: Builder::new(source, options),
        expr_depth: 0,
        relation_depth: 0,
        calc_depth: 0,
    };
    match parser.start() {
        Ok(root) => {
            let mut builder = parser.builder;
            if root.height > RECURSION_DEPTH_MAX {
                builder.diagnostics.push(Location::NONE, tree_too_deep());
            }
            builder.ast.set_root(root.id);
            Some((builder.ast, builder.diagnostics))
        }
        Err(Stop::SyntaxError) => None,
        Err(Stop::TooDeep) => {
            let mut diagnostics = Diagnostics::default();
            diagnostics.push(Location::NONE, nesting_too_deep());
            Some((Ast::new(source.clone()), diagnostics))
        }
    }
}

enum Stop {
    SyntaxError,
    TooDeep,
}

/// An expression and how many operators, selections and calls nest in it.
#[derive(Clone, Copy)]
struct Parsed {
    id: ExprId,
    height: u16,
}

type Result<T> = std::result::Result<T, Stop>;

struct Parser<'a> {
    tokens: &'a [Lexeme],
    at: usize,
    builder: Builder<'a>,
    expr_depth: u16,
    relation_depth: u16,
    calc_depth: u16,
}

impl Parser<'_> {
    fn peek(&self) -> Token {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Token {
        self.tokens.get(self.at + ahead).map_or(Token::Eof, |lexeme| lexeme.token)
    }

    fn next(&mut self) -> Result<Lexeme> {
        let lexeme = self.tokens.get(self.at).ok_or(Stop::SyntaxError)?;
        self.at += 1;
        Ok(*lexeme)
    }

    fn opt_token(&mut self, token: Token) -> Option<Lexeme> {
        let lexeme = self.tokens.get(self.at)?;
        (lexeme.token == token).then(|| {
            self.at += 1;
            *lexeme
        })
    }

    fn token(&mut self, token: Token) -> Result<Lexeme> {
        self.opt_token(token).ok_or(Stop::SyntaxError)
    }

    fn start(&mut self) -> Result<Parsed> {
        let root = self.expr()?;
        self.token(Token::Eof)?;
        Ok(root)
    }

    fn expr(&mut self) -> Result<Parsed> {
        self.expr_depth += 1;
        if self.expr_depth > RECURSION_DEPTH_MAX {
            return Err(Stop::TooDeep);
        }
        let parsed = self.conditional()?;
        self.expr_depth -= 1;
        Ok(parsed)
    }

    fn conditional(&mut self) -> Result<Parsed> {
        let condition = self.logical(Token::LogicalOr)?;
        let Some(question) = self.opt_token(Token::Question) else {
            return Ok(condition);
        };
        let truthy = self.logical(Token::LogicalOr)?;
        self.token(Token::Colon)?;
        let falsy = self.expr()?;
        let id = self.builder.call(
            question,
            operator::CONDITIONAL,
            vec![condition.id, truthy.id, falsy.id],
        );
        let height = condition.height.max(truthy.height).max(falsy.height) + 1;
        Ok(Parsed { id, height })
    }

    /// A chain of `||` whose terms are chains of `&&`, or such a chain of `&&`.
    fn logical(&mut self, token: Token) -> Result<Parsed> {
        let first = self.logical_term(token)?;
        if self.peek() != token {
            return Ok(first);
        }
        let mut terms = vec![first.id];
        let mut operators = Vec::new();
        let mut height = first.height;
        while let Some(operator) = self.opt_token(token) {
            operators.push(operator);
            let term = self.logical_term(token)?;
            height = height.max(term.height);
            terms.push(term.id);
        }
        let function =
            if token == Token::LogicalOr { operator::LOGICAL_OR } else { operator::LOGICAL_AND };
        let id = self.builder.balanced(function, &terms, &operators);
        Ok(Parsed { id, height })
    }

    fn logical_term(&mut self, token: Token) -> Result<Parsed> {
        if token == Token::LogicalOr { self.logical(Token::LogicalAnd) } else { self.relation() }
    }

    fn relation(&mut self) -> Result<Parsed> {
        self.enter_relation()?;
        let mut left = self.calc(0)?;
        while matches!(
            self.peek(),
            Token::Equals
                | Token::NotEquals
                | Token::In
                | Token::Less
                | Token::LessEquals
                | Token::GreaterEquals
                | Token::Greater
        ) {
            let operator = self.next()?;
            self.enter_relation()?;
            let right = self.calc(0)?;
            self.relation_depth -= 1;
            left = self.binary(operator, left, right)?;
        }
        self.relation_depth -= 1;
        Ok(left)
    }

    fn enter_relation(&mut self) -> Result<()> {
        self.relation_depth += 1;
        if self.relation_depth > RECURSION_DEPTH_MAX {
            return Err(Stop::TooDeep);
        }
        Ok(())
    }

    fn binary(&mut self, operator: Lexeme, left: Parsed, right: Parsed) -> Result<Parsed> {
        let function = binary_operator(operator.token).ok_or(Stop::SyntaxError)?;
        let id = self.builder.call(operator, function, vec![left.id, right.id]);
        Ok(Parsed { id, height: left.height.max(right.height) + 1 })
    }

    /// Sums and products; `precedence` is that of the weakest operator to take.
    fn calc(&mut self, precedence: u8) -> Result<Parsed> {
        self.calc_depth += 1;
        if self.calc_depth > RECURSION_DEPTH_MAX {
            return Err(Stop::TooDeep);
        }
        let mut left = self.unary()?;
        loop {
            let strength = match self.peek() {
                Token::Star | Token::Slash | Token::Percent => 2,
                Token::Plus | Token::Minus => 1,
                _ => break,
            };
            if strength < precedence {
                break;
            }
            let operator = self.next()?;
            let right = self.calc(strength + 1)?;
            left = self.binary(operator, left, right)?;
        }
        self.calc_depth -= 1;
        Ok(left)
    }

    fn unary(&mut self) -> Result<Parsed> {
        let (token, function) = match self.peek() {
            Token::Exclamation => (Token::Exclamation, operator::LOGICAL_NOT),
            Token::Minus if !matches!(self.peek_at(1), Token::Int | Token::Float) => {
                (Token::Minus, operator::NEGATE)
            }
            _ => return self.member(),
        };
        let first = self.next()?;
        let mut count = 1_usize;
        while self.opt_token(token).is_some() {
            count += 1;
        }
        let operand = self.member()?;
        if count.is_multiple_of(2) {
            return Ok(operand);
        }
        let id = self.builder.call(first, function, vec![operand.id]);
        Ok(Parsed { id, height: operand.height })
    }

    fn member(&mut self) -> Result<Parsed> {
        let mut operand = self.primary()?;
        loop {
            operand = match self.peek() {
                Token::Dot => self.select_or_call(operand)?,
                Token::LeftBracket => self.index(operand)?,
                _ => return Ok(operand),
            };
        }
    }

    fn select_or_call(&mut self, operand: Parsed) -> Result<Parsed> {
        let dot = self.next()?;
        let optional = self.opt_token(Token::Question);
        let name = self.next()?;
        if !matches!(name.token, Token::Identifier | Token::EscapedIdentifier) {
            return Err(Stop::SyntaxError);
        }
        if optional.is_none()
            && name.token == Token::Identifier
            && let Some(open) = self.opt_token(Token::LeftParen)
        {
            let (args, args_height) = self.args()?;
            let function = Text::from(self.builder.text(name));
            let id = self.builder.call_or_macro(open, function, Some(operand.id), args);
            return Ok(Parsed { id, height: operand.height.max(args_height) + 1 });
        }
        let height = operand.height + 1;
        let field = match self.builder.field_name(name) {
            Ok(field) => field,
            Err(message) => {
                self.builder.error(name, message);
                Text::default()
            }
        };
        if optional.is_none() {
            let select = Select { operand: operand.id, field, test_only: false };
            let id = self.builder.push(Expr::Select(select), dot);
            return Ok(Parsed { id, height });
        }
        if !self.builder.options.optional_syntax {
            let id = self.builder.error(dot, unsupported_syntax(".?"));
            return Ok(Parsed { id, height });
        }
        let field = self.builder.push(Expr::Const(Const::String(field)), name);
        let id = self.builder.call(dot, operator::OPTIONAL_SELECT, vec![operand.id, field]);
        Ok(Parsed { id, height })
    }

    fn index(&mut self, operand: Parsed) -> Result<Parsed> {
        let open = self.next()?;
        let optional = self.opt_token(Token::Question).is_some();
        let index = self.expr()?;
        self.token(Token::RightBracket)?;
        let height = operand.height.max(index.height) + 1;
        if optional && !self.builder.options.optional_syntax {
            let id = self.builder.error(open, unsupported_syntax("[?"));
            return Ok(Parsed { id, height });
        }
        let function = if optional { operator::OPTIONAL_INDEX } else { operator::INDEX };
        let id = self.builder.call(open, function, vec![operand.id, index.id]);
        Ok(Parsed { id, height })
    }

    /// The arguments of a call whose parenthesis is open.
    fn args(&mut self) -> Result<(Vec<ExprId>, u16)> {
        let mut args = Vec::new();
        let mut height = 0;
        if self.opt_token(Token::RightParen).is_some() {
            return Ok((args, height));
        }
        loop {
            let arg = self.expr()?;
            height = height.max(arg.height);
            args.push(arg.id);
            if self.opt_token(Token::Comma).is_none() {
                self.token(Token::RightParen)?;
                return Ok((args, height));
            }
        }
    }

    fn primary(&mut self) -> Result<Parsed> {
        match self.peek() {
            Token::Dot | Token::Identifier => self.named(),
            Token::LeftParen => {
                self.next()?;
                let nested = self.expr()?;
                self.token(Token::RightParen)?;
                Ok(nested)
            }
            Token::LeftBracket => self.list(),
            Token::LeftBrace => self.map(),
            Token::Minus => {
                let sign = self.next()?;
                let token = self.next()?;
                if !matches!(token.token, Token::Int | Token::Float) {
                    return Err(Stop::SyntaxError);
                }
                let id = self.builder.literal(Some(sign), token);
                Ok(Parsed { id, height: 0 })
            }
            Token::Int
            | Token::Uint
            | Token::Float
            | Token::String
            | Token::Bytes
            | Token::True
            | Token::False
            | Token::Null => {
                let token = self.next()?;
                let id = self.builder.literal(None, token);
                Ok(Parsed { id, height: 0 })
            }
            _ => Err(Stop::SyntaxError),
        }
    }

    /// A name, a global call, or a message literal.
    fn named(&mut self) -> Result<Parsed> {
        let leading_dot = self.opt_token(Token::Dot);
        if let Some(names) = self.message_names() {
            return self.message(leading_dot, names);
        }
        let name = self.token(Token::Identifier)?;
        let Some(open) = self.opt_token(Token::LeftParen) else {
            let id = self.builder.ident(leading_dot, name);
            return Ok(Parsed { id, height: 0 });
        };
        match self.builder.name(leading_dot, name) {
            Ok(function) => {
                let (args, height) = self.args()?;
                let id = self.builder.call_or_macro(open, function, None, args);
                Ok(Parsed { id, height })
            }
            Err(id) => {
                // The arguments of a reserved name are read but not looked at.
                let diagnostics = self.builder.diagnostics.clone();
                self.args()?;
                self.builder.diagnostics = diagnostics;
                Ok(Parsed { id, height: 0 })
            }
        }
    }

    /// How many names stand before the brace if a message literal starts here.
    fn message_names(&self) -> Option<usize> {
        let mut names = 0;
        loop {
            let here = self.at + 2 * names;
            if self.tokens.get(here)?.token != Token::Identifier {
                return None;
            }
            names += 1;
            match self.tokens.get(here + 1)?.token {
                Token::LeftBrace => return Some(names),
                Token::Dot => {}
                _ => return None,
            }
        }
    }

    fn message(&mut self, leading_dot: Option<Lexeme>, names: usize) -> Result<Parsed> {
        let mut type_name = String::new();
        for index in 0..names {
            if index > 0 {
                self.token(Token::Dot)?;
            }
            if index > 0 || leading_dot.is_some() {
                type_name.push('.');
            }
            let name = self.token(Token::Identifier)?;
            type_name.push_str(self.builder.text(name));
        }
        let open = self.token(Token::LeftBrace)?;
        let mut fields = Vec::new();
        let mut height = 0;
        while self.peek() != Token::RightBrace {
            if fields.is_empty() && self.peek() == Token::Comma {
                break;
            }
            self.field(&mut fields, &mut height)?;
            if self.opt_token(Token::Comma).is_none() {
                break;
            }
        }
        self.trailing_comma(fields.is_empty());
        self.token(Token::RightBrace)?;
        let message = Struct { type_name: Text::from(type_name), fields };
        let id = self.builder.push(Expr::Struct(message), open);
        Ok(Parsed { id, height })
    }

    fn field(&mut self, fields: &mut Vec<StructField>, height: &mut u16) -> Result<()> {
        let question = self.opt_token(Token::Question);
        let name = self.next()?;
        if !matches!(name.token, Token::Identifier | Token::EscapedIdentifier) {
            return Err(Stop::SyntaxError);
        }
        let colon = self.token(Token::Colon)?;
        let value = self.expr()?;
        *height = (*height).max(value.height);
        if let Some(question) = question
            && !self.builder.options.optional_syntax
        {
            self.builder.error(question, unsupported_syntax("?"));
            return Ok(());
        }
        match self.builder.field_name(name) {
            Ok(field) => {
                let id = self.builder.push(Expr::Unspecified, colon);
                fields.push(StructField {
                    id,
                    name: field,
                    value: value.id,
                    optional: question.is_some(),
                });
            }
            Err(message) => {
                self.builder.error(name, message);
            }
        }
        Ok(())
    }

    fn list(&mut self) -> Result<Parsed> {
        let open = self.next()?;
        let mut elements = Vec::new();
        let mut optional_indices = Vec::new();
        let mut height = 0;
        while !matches!(self.peek(), Token::RightBracket) {
            if elements.is_empty() && self.peek() == Token::Comma {
                break;
            }
            let question = self.opt_token(Token::Question);
            let element = self.expr()?;
            height = height.max(element.height);
            if let Some(question) = question {
                if self.builder.options.optional_syntax {
                    optional_indices.push(u32::try_from(elements.len()).unwrap_or(u32::MAX));
                } else {
                    self.builder.error(question, unsupported_syntax("?"));
                }
            }
            elements.push(element.id);
            if self.opt_token(Token::Comma).is_none() {
                break;
            }
        }
        self.trailing_comma(elements.is_empty());
        self.token(Token::RightBracket)?;
        let list = List { elements, optional_indices };
        let id = self.builder.push(Expr::List(list), open);
        Ok(Parsed { id, height })
    }

    /// `[,]` and `{,}` are well-formed, `[1,,]` is not.
    fn trailing_comma(&mut self, empty: bool) {
        if empty {
            self.opt_token(Token::Comma);
        }
    }

    fn map(&mut self) -> Result<Parsed> {
        let open = self.next()?;
        let mut entries = Vec::new();
        let mut height = 0;
        while self.peek() != Token::RightBrace {
            if entries.is_empty() && self.peek() == Token::Comma {
                break;
            }
            let question = self.opt_token(Token::Question);
            let key = self.expr()?;
            let colon = self.token(Token::Colon)?;
            let value = self.expr()?;
            height = height.max(key.height).max(value.height);
            if let Some(question) = question
                && !self.builder.options.optional_syntax
            {
                self.builder.error(question, unsupported_syntax("?"));
            }
            let id = self.builder.push(Expr::Unspecified, colon);
            entries.push(MapEntry {
                id,
                key: key.id,
                value: value.id,
                optional: question.is_some(),
            });
            if self.opt_token(Token::Comma).is_none() {
                break;
            }
        }
        self.trailing_comma(entries.is_empty());
        self.token(Token::RightBrace)?;
        let id = self.builder.push(Expr::Map(entries), open);
        Ok(Parsed { id, height })
    }
}
