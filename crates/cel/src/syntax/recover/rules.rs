//! The grammar's rules for operators, and how every rule of the recovering parser runs.

use super::sets::{self, Follow, Set};
use super::{Abort, Choice, Exit, Recovering, too_deep};
use crate::ast::{Expr, ExprId, operator};
use crate::syntax::RECURSION_DEPTH_MAX;
use crate::syntax::build::binary_operator;
use crate::syntax::lexer::{Lexeme, Token};

/// An expression and how many operators, selections and calls nest in it.
#[derive(Clone, Copy)]
pub(super) struct Parsed {
    pub(super) id: ExprId,
    pub(super) height: u16,
}

pub(super) type Step<T> = Result<T, Exit>;

impl Recovering<'_> {
    /// Where a syntax error left a gap.
    pub(super) fn gap(&mut self) -> Parsed {
        Parsed { id: self.builder.ast.push(Expr::Unspecified, None), height: 0 }
    }

    /// Runs a rule with what follows it in its caller. Its failures end in it: `partial` is
    /// what the rule had when it failed.
    pub(super) fn rule<T>(
        &mut self,
        follow: Follow,
        rule: impl FnOnce(&mut Self, &mut T, &mut Follow) -> Step<()>,
        mut partial: T,
    ) -> Result<T, Abort> {
        self.frames.push(follow);
        let mut expecting = Follow::only(Set::EMPTY);
        let outcome = rule(self, &mut partial, &mut expecting);
        match outcome {
            Ok(()) => {}
            Err(Exit::Aborted(abort)) => return Err(abort),
            Err(Exit::Failed(failure)) => self.recover(&failure, expecting)?,
        }
        self.frames.pop();
        Ok(partial)
    }

    /// Matches a token and notes what was expected in case it fails.
    pub(super) fn expect(
        &mut self,
        state: u16,
        token: Token,
        after: Follow,
        expecting: &mut Follow,
    ) -> Step<Lexeme> {
        *expecting = Follow::only(Set::of(&[token]));
        self.token(state, token, after)
    }

    /// Synchronises before a choice and notes what was expected in case it fails.
    pub(super) fn choose(
        &mut self,
        state: u16,
        choice: Choice,
        here: Follow,
        expecting: &mut Follow,
    ) -> Step<Token> {
        *expecting = here;
        self.sync(state, choice, here)?;
        Ok(self.peek()?)
    }

    pub(super) fn start(&mut self) -> Result<Parsed, Abort> {
        self.state = 34;
        let root = self.expr(Follow::only(sets::EOF))?;
        let mut expecting = Follow::only(sets::EOF);
        match self.expect(35, Token::Eof, Follow::END, &mut expecting) {
            Ok(_) => {}
            Err(Exit::Aborted(abort)) => return Err(abort),
            Err(Exit::Failed(failure)) => self.recover(&failure, expecting)?,
        }
        Ok(root)
    }

    pub(super) fn expr(&mut self, follow: Follow) -> Result<Parsed, Abort> {
        self.expr_depth += 1;
        if self.expr_depth > RECURSION_DEPTH_MAX {
            return Err(too_deep());
        }
        let gap = self.gap();
        let parsed = self.rule(follow, Self::conditional, gap)?;
        self.expr_depth -= 1;
        Ok(parsed)
    }

    pub(super) fn conditional(&mut self, out: &mut Parsed, expecting: &mut Follow) -> Step<()> {
        let condition = self.conditional_or(37, Follow::or_end(sets::QUESTION))?;
        *out = condition;
        let here = Follow::or_end(sets::QUESTION);
        if self.choose(43, Choice::Block, here, expecting)? != Token::Question {
            return Ok(());
        }
        let question = self.expect(38, Token::Question, Follow::only(sets::EXPR), expecting)?;
        let truthy = self.conditional_or(39, Follow::only(sets::COLON))?;
        let gap = self.gap();
        let mut args = vec![condition.id, truthy.id, gap.id];
        let mut height = condition.height.max(truthy.height);
        let mut outcome =
            self.expect(40, Token::Colon, Follow::only(sets::EXPR), expecting).map(|_| ());
        if outcome.is_ok() {
            self.state = 41;
            match self.expr(Follow::END) {
                Ok(falsy) => {
                    args[2] = falsy.id;
                    height = height.max(falsy.height);
                }
                Err(abort) => outcome = Err(abort.into()),
            }
        }
        *out = Parsed {
            id: self.builder.call(question, operator::CONDITIONAL, args),
            height: height + 1,
        };
        outcome
    }

    /// A chain of `||`. It cannot fail itself: what its terms fail at ends in them.
    pub(super) fn conditional_or(&mut self, state: u16, follow: Follow) -> Step<Parsed> {
        self.state = state;
        self.logic(follow, Token::LogicalOr)
    }

    pub(super) fn logic(&mut self, follow: Follow, token: Token) -> Step<Parsed> {
        let is_or = token == Token::LogicalOr;
        let ([first, entry, operator, next, back], function) = if is_or {
            ([45, 50, 46, 47, 52], operator::LOGICAL_OR)
        } else {
            ([53, 58, 54, 55, 60], operator::LOGICAL_AND)
        };
        let here = Follow::or_end(Set::of(&[token]));
        self.frames.push(follow);
        self.state = first;
        let mut out = self.logic_term(is_or, here)?;
        self.sync(entry, Choice::Block, here)?;
        if self.peek()? == token {
            let mut terms = vec![out.id];
            let mut operators = Vec::new();
            while self.peek()? == token {
                operators.push(self.token(operator, token, Follow::only(sets::EXPR))?);
                self.state = next;
                let term = self.logic_term(is_or, here)?;
                terms.push(term.id);
                out.height = out.height.max(term.height);
                self.sync(back, Choice::LoopBack, here)?;
            }
            out.id = self.builder.balanced(function, &terms, &operators);
        }
        self.frames.pop();
        Ok(out)
    }

    pub(super) fn logic_term(&mut self, is_or: bool, follow: Follow) -> Step<Parsed> {
        if is_or { self.logic(follow, Token::LogicalAnd) } else { self.relation(follow, 0) }
    }

    pub(super) fn relation(&mut self, follow: Follow, precedence: u8) -> Step<Parsed> {
        self.relation_depth += 1;
        if self.relation_depth > RECURSION_DEPTH_MAX {
            return Err(too_deep().into());
        }
        self.frames.push(follow);
        let here = Follow::or_end(sets::RELATION);
        self.state = 62;
        let mut out = self.calc(here, 0)?;
        self.sync(69, Choice::Block, here)?;
        while precedence < 2 && sets::RELATION.contains(self.peek()?) {
            self.state = 65;
            self.matched();
            let operator = self.consume()?;
            self.state = 66;
            let right = self.relation(here, 2)?;
            self.binary(&mut out, operator, right);
            self.sync(71, Choice::LoopBack, here)?;
        }
        self.frames.pop();
        self.relation_depth -= 1;
        Ok(out)
    }

    pub(super) fn binary(&mut self, out: &mut Parsed, operator: Lexeme, right: Parsed) {
        if let Some(function) = binary_operator(operator.token) {
            *out = Parsed {
                id: self.builder.call(operator, function, vec![out.id, right.id]),
                height: out.height.max(right.height) + 1,
            };
        }
    }

    pub(super) fn calc(&mut self, follow: Follow, precedence: u8) -> Step<Parsed> {
        self.calc_depth += 1;
        if self.calc_depth > RECURSION_DEPTH_MAX {
            return Err(too_deep().into());
        }
        self.frames.push(follow);
        let here = Follow::or_end(sets::CALC);
        self.state = 73;
        let gap = self.gap();
        let mut out = self.rule(here, Self::unary, gap)?;
        self.sync(83, Choice::Block, here)?;
        loop {
            let (strength, state) = match self.peek()? {
                Token::Star | Token::Slash | Token::Percent => (2, 76),
                Token::Plus | Token::Minus => (1, 79),
                _ => break,
            };
            if strength < precedence {
                break;
            }
            self.state = state;
            self.matched();
            let operator = self.consume()?;
            self.state = state + 1;
            let right = self.calc(here, strength + 1)?;
            self.binary(&mut out, operator, right);
            self.sync(85, Choice::LoopBack, here)?;
        }
        self.frames.pop();
        self.calc_depth -= 1;
        Ok(out)
    }

    pub(super) fn unary(&mut self, out: &mut Parsed, expecting: &mut Follow) -> Step<()> {
        let here = Follow::only(sets::EXPR);
        let found = self.choose(99, Choice::Block, here, expecting)?;
        let function = match found {
            Token::Exclamation => operator::LOGICAL_NOT,
            Token::Minus => {
                let second = self.lexeme(1)?.token;
                if matches!(second, Token::Int | Token::Float) {
                    self.check_signed_literal()?;
                    *out = self.member(86)?;
                    return Ok(());
                }
                if !sets::PRIMARY.contains(second) {
                    return Err(self.no_alternative(1)?);
                }
                operator::NEGATE
            }
            token if sets::PRIMARY.contains(token) => {
                *out = self.member(86)?;
                return Ok(());
            }
            _ => return Err(self.no_alternative(0)?),
        };
        let operators = if found == Token::Minus {
            self.minuses(expecting)?
        } else {
            self.exclamations(expecting)?
        };
        let state = if found == Token::Minus { 98 } else { 92 };
        let operand = self.member(state)?;
        *out = operand;
        if let (Some(first), false) = (operators.first(), operators.len().is_multiple_of(2)) {
            out.id = self.builder.call(*first, function, vec![operand.id]);
        }
        Ok(())
    }

    /// `-1` may be a negated or a negative number. Both readings must be able to go on behind
    /// it, or there is no reading at all.
    pub(super) fn check_signed_literal(&mut self) -> Step<()> {
        let third = self.lexeme(2)?.token;
        if sets::SUFFIX.contains(third) || self.expected(Follow::END).contains(third) {
            return Ok(());
        }
        Err(self.no_alternative(2)?)
    }

    pub(super) fn exclamations(&mut self, expecting: &mut Follow) -> Step<Vec<Lexeme>> {
        let mut operators = Vec::new();
        let start = Follow::only(sets::EXCLAMATION);
        let back = Follow::only(sets::EXPR);
        self.choose(88, Choice::Block, start, expecting)?;
        loop {
            operators.push(self.expect(87, Token::Exclamation, back, expecting)?);
            if self.choose(90, Choice::LoopBack, back, expecting)? != Token::Exclamation {
                return Ok(operators);
            }
        }
    }

    pub(super) fn minuses(&mut self, expecting: &mut Follow) -> Step<Vec<Lexeme>> {
        let mut operators = Vec::new();
        let start = Follow::only(sets::MINUS);
        let back = Follow::only(sets::PRIMARY);
        self.choose(94, Choice::Block, start, expecting)?;
        loop {
            operators.push(self.expect(93, Token::Minus, back, expecting)?);
            let found = self.choose(96, Choice::LoopBack, back, expecting)?;
            if found != Token::Minus {
                if sets::PRIMARY.contains(found) {
                    return Ok(operators);
                }
                return Err(self.no_alternative(0)?);
            }
            let second = self.lexeme(1)?.token;
            if matches!(second, Token::Int | Token::Float) {
                self.check_signed_literal()?;
            } else if !sets::PRIMARY.contains(second) {
                return Err(self.no_alternative(1)?);
            }
        }
    }
}
