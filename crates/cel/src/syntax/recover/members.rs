//! Selections, calls, indices and what they start from, for the recovering parser.

use super::rules::{Parsed, Step};
use super::sets::{self, Follow, Set};
use super::{Abort, Choice, Exit, Recovering};
use crate::ast::{Const, Expr, ExprId, Select, Text, operator};
use crate::syntax::errors::unsupported_syntax;
use crate::syntax::lexer::{Lexeme, Token};

impl Recovering<'_> {
    pub(super) fn member(&mut self, state: u16) -> Result<Parsed, Abort> {
        self.state = state;
        let gap = self.gap();
        self.rule(Follow::END, Self::members, gap)
    }

    pub(super) fn members(&mut self, out: &mut Parsed, expecting: &mut Follow) -> Step<()> {
        let here = Follow::or_end(sets::SUFFIX);
        self.state = 102;
        let gap = self.gap();
        *out = self.rule(here, Self::primary, gap)?;
        let mut found = self.choose(128, Choice::Block, here, expecting)?;
        loop {
            match found {
                Token::LeftBracket => {
                    self.state = 126;
                    self.index(out, expecting)?;
                }
                Token::Dot => {
                    self.state = 126;
                    let second = self.lexeme(1)?.token;
                    match second {
                        Token::Question | Token::EscapedIdentifier => {
                            self.select(out, expecting)?;
                        }
                        Token::Identifier if self.lexeme(2)?.token == Token::LeftParen => {
                            self.method_call(out, expecting)?;
                        }
                        Token::Identifier => self.select(out, expecting)?,
                        _ => return Err(self.no_alternative(1)?),
                    }
                }
                _ => return Ok(()),
            }
            found = self.choose(130, Choice::LoopBack, here, expecting)?;
        }
    }

    pub(super) fn select(&mut self, out: &mut Parsed, expecting: &mut Follow) -> Step<()> {
        let here = Follow::only(sets::OPTIONAL_FIELD);
        let dot = self.expect(105, Token::Dot, here, expecting)?;
        let mut optional = false;
        if self.choose(107, Choice::Block, here, expecting)? == Token::Question {
            let after = Follow::only(sets::FIELD_NAME);
            self.expect(106, Token::Question, after, expecting)?;
            optional = true;
        }
        self.state = 109;
        let suffix = Follow::or_end(sets::SUFFIX);
        let name = self.rule(suffix, Self::field_name, None)?;
        let height = out.height + 1;
        let Some(name) = name else {
            *out = Parsed { height, ..self.gap() };
            return Ok(());
        };
        let field = match self.builder.field_name(name) {
            Ok(field) => field,
            Err(message) => {
                self.builder.error(name, message);
                Text::default()
            }
        };
        let id = if !optional {
            let select = Select { operand: out.id, field, test_only: false };
            self.builder.push(Expr::Select(select), dot)
        } else if self.builder.options.optional_syntax {
            let field = self.builder.push(Expr::Const(Const::String(field)), name);
            self.builder.call(dot, operator::OPTIONAL_SELECT, vec![out.id, field])
        } else {
            self.builder.error(dot, unsupported_syntax(".?"))
        };
        *out = Parsed { id, height };
        Ok(())
    }

    pub(super) fn field_name(
        &mut self,
        out: &mut Option<Lexeme>,
        expecting: &mut Follow,
    ) -> Step<()> {
        let here = Follow::only(sets::FIELD_NAME);
        let found = self.choose(235, Choice::Block, here, expecting)?;
        let (state, token) = match found {
            Token::Identifier => (233, Token::Identifier),
            Token::EscapedIdentifier => (234, Token::EscapedIdentifier),
            _ => return Err(self.no_alternative(0)?),
        };
        *out = Some(self.expect(state, token, Follow::END, expecting)?);
        Ok(())
    }

    pub(super) fn method_call(&mut self, out: &mut Parsed, expecting: &mut Follow) -> Step<()> {
        self.expect(111, Token::Dot, Follow::only(sets::IDENTIFIER), expecting)?;
        let paren = Follow::only(sets::LEFT_PAREN);
        let name = self.expect(112, Token::Identifier, paren, expecting)?;
        let target = *out;
        let after_open = Follow::only(sets::EXPR.and(sets::RIGHT_PAREN));
        let open = self.expect(113, Token::LeftParen, after_open, expecting)?;
        let mut args = (Vec::new(), 0);
        let after = Follow::or_end(sets::SUFFIX);
        let outcome = self.arguments(&mut args, [115, 114, 117], after, expecting);
        if !matches!(outcome, Err(Exit::Aborted(_))) {
            let function = Text::from(self.builder.text(name));
            *out = Parsed {
                id: self.builder.call_or_macro(open, function, Some(target.id), args.0),
                height: target.height.max(args.1) + 1,
            };
        }
        outcome
    }

    /// The arguments of a call behind its opening parenthesis.
    pub(super) fn arguments(
        &mut self,
        args: &mut (Vec<ExprId>, u16),
        [block, list, close]: [u16; 3],
        after: Follow,
        expecting: &mut Follow,
    ) -> Step<()> {
        let here = Follow::only(sets::EXPR.and(sets::RIGHT_PAREN));
        let found = self.choose(block, Choice::Block, here, expecting)?;
        if sets::EXPR.contains(found) {
            self.state = list;
            let paren = Follow::only(sets::RIGHT_PAREN);
            *args = self.rule(paren, Self::expr_list, (Vec::new(), 0))?;
        }
        self.expect(close, Token::RightParen, after, expecting)?;
        Ok(())
    }

    pub(super) fn expr_list(
        &mut self,
        out: &mut (Vec<ExprId>, u16),
        expecting: &mut Follow,
    ) -> Step<()> {
        let here = Follow::or_end(sets::COMMA);
        let mut state = 186;
        let mut sync = (191, Choice::Block);
        loop {
            self.state = state;
            let arg = self.expr(here)?;
            out.0.push(arg.id);
            out.1 = out.1.max(arg.height);
            if self.choose(sync.0, sync.1, here, expecting)? != Token::Comma {
                return Ok(());
            }
            self.expect(187, Token::Comma, Follow::only(sets::EXPR), expecting)?;
            state = 188;
            sync = (193, Choice::LoopBack);
        }
    }

    pub(super) fn index(&mut self, out: &mut Parsed, expecting: &mut Follow) -> Step<()> {
        let here = Follow::only(sets::OPTIONAL_EXPR);
        let operand = *out;
        let open = self.expect(119, Token::LeftBracket, here, expecting)?;
        let mut index = self.gap();
        let mut optional = false;
        let outcome = self.index_expr(&mut index, &mut optional, expecting);
        let id = if optional && !self.builder.options.optional_syntax {
            self.builder.error(open, unsupported_syntax("[?"))
        } else {
            let function = if optional { operator::OPTIONAL_INDEX } else { operator::INDEX };
            self.builder.call(open, function, vec![operand.id, index.id])
        };
        *out = Parsed { id, height: operand.height.max(index.height) + 1 };
        outcome
    }

    pub(super) fn index_expr(
        &mut self,
        index: &mut Parsed,
        optional: &mut bool,
        expecting: &mut Follow,
    ) -> Step<()> {
        let here = Follow::only(sets::OPTIONAL_EXPR);
        if self.choose(121, Choice::Block, here, expecting)? == Token::Question {
            let after = Follow::only(sets::EXPR);
            self.expect(120, Token::Question, after, expecting)?;
            *optional = true;
        }
        self.state = 123;
        *index = self.expr(Follow::only(sets::RIGHT_BRACKET))?;
        let after = Follow::or_end(sets::SUFFIX);
        self.expect(124, Token::RightBracket, after, expecting)?;
        Ok(())
    }

    pub(super) fn primary(&mut self, out: &mut Parsed, expecting: &mut Follow) -> Step<()> {
        let here = Follow::only(sets::PRIMARY);
        let found = self.choose(184, Choice::Block, here, expecting)?;
        match found {
            Token::Dot if self.lexeme(1)?.token != Token::Identifier => {
                Err(self.no_alternative(1)?)
            }
            Token::Dot | Token::Identifier => self.named(out, expecting),
            Token::LeftParen => {
                self.expect(144, found, Follow::only(sets::EXPR), expecting)?;
                self.state = 145;
                *out = self.expr(Follow::only(sets::RIGHT_PAREN))?;
                self.expect(146, Token::RightParen, Follow::END, expecting)?;
                Ok(())
            }
            Token::LeftBracket => self.list(out, expecting),
            Token::LeftBrace => self.map(out, expecting),
            token if sets::LITERAL.contains(token) => {
                self.state = 183;
                let gap = self.gap();
                *out = self.rule(Follow::END, Self::literal, gap)?;
                Ok(())
            }
            _ => Err(self.no_alternative(0)?),
        }
    }

    pub(super) fn literal(&mut self, out: &mut Parsed, expecting: &mut Follow) -> Step<()> {
        let here = Follow::only(sets::LITERAL);
        let found = self.choose(256, Choice::Block, here, expecting)?;
        let mut sign = None;
        if found == Token::Minus {
            let second = self.lexeme(1)?.token;
            if !matches!(second, Token::Int | Token::Float) {
                return Err(self.no_alternative(1)?);
            }
            let after = Follow::only(Set::of(&[second]));
            sign = Some(self.expect(242, Token::Minus, after, expecting)?);
        } else if !sets::LITERAL.contains(found) {
            return Err(self.no_alternative(0)?);
        }
        self.state = 245;
        self.matched();
        let token = self.consume()?;
        out.id = self.builder.literal(sign, token);
        Ok(())
    }

    /// Whether names and dots up to a brace follow.
    pub(super) fn is_message(&mut self) -> Result<bool, Abort> {
        let mut ahead = usize::from(self.peek()? == Token::Dot);
        loop {
            if self.lexeme(ahead)?.token != Token::Identifier {
                return Ok(false);
            }
            match self.lexeme(ahead + 1)?.token {
                Token::LeftBrace => return Ok(true),
                Token::Dot => ahead += 2,
                _ => return Ok(false),
            }
        }
    }

    pub(super) fn named(&mut self, out: &mut Parsed, expecting: &mut Follow) -> Step<()> {
        if self.is_message()? {
            return self.message(out, expecting);
        }
        let mut leading_dot = None;
        if self.peek()? == Token::Dot {
            let after = Follow::only(sets::IDENTIFIER);
            leading_dot = Some(self.expect(131, Token::Dot, after, expecting)?);
        }
        let is_call = self.lexeme(1)?.token == Token::LeftParen;
        let after = if is_call { Follow::only(sets::LEFT_PAREN) } else { Follow::END };
        let name = self.expect(134, Token::Identifier, after, expecting)?;
        if !is_call {
            out.id = self.builder.ident(leading_dot, name);
            return Ok(());
        }
        let after_open = Follow::only(sets::EXPR.and(sets::RIGHT_PAREN));
        let open = self.expect(139, Token::LeftParen, after_open, expecting)?;
        let function = self.builder.name(leading_dot, name);
        let before = self.builder.diagnostics.clone();
        let mut args = (Vec::new(), 0);
        let outcome = self.arguments(&mut args, [141, 140, 143], Follow::END, expecting);
        match function {
            Ok(function) => {
                *out = Parsed {
                    id: self.builder.call_or_macro(open, function, None, args.0),
                    height: args.1,
                };
            }
            Err(id) => {
                // Nothing is said about the arguments of a reserved name.
                self.builder.diagnostics = before;
                out.id = id;
            }
        }
        outcome
    }
}
