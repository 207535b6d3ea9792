//! The grammar's rules for the recovering parser.

use super::sets::{self, Follow, Set};
use super::{Abort, Choice, Exit, Recovering, too_deep};
use crate::ast::{
    Const, Expr, ExprId, List, MapEntry, Select, Struct, StructField, Text, operator,
};
use crate::syntax::RECURSION_DEPTH_MAX;
use crate::syntax::build::binary_operator;
use crate::syntax::errors::unsupported_syntax;
use crate::syntax::lexer::{Lexeme, Token};

/// An expression and how many operators, selections and calls nest in it.
#[derive(Clone, Copy)]
pub(super) struct Parsed {
    pub(super) id: ExprId,
    pub(super) height: u16,
}

type Step<T> = Result<T, Exit>;

impl Recovering<'_> {
    /// Where a syntax error left a gap.
    fn gap(&mut self) -> Parsed {
        Parsed { id: self.builder.ast.push(Expr::Unspecified, None), height: 0 }
    }

    /// Runs a rule with what follows it in its caller. Its failures end in it: `partial` is
    /// what the rule had when it failed.
    fn rule<T>(
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
    fn expect(
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
    fn choose(
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

    fn expr(&mut self, follow: Follow) -> Result<Parsed, Abort> {
        self.expr_depth += 1;
        if self.expr_depth > RECURSION_DEPTH_MAX {
            return Err(too_deep());
        }
        let gap = self.gap();
        let parsed = self.rule(follow, Self::conditional, gap)?;
        self.expr_depth -= 1;
        Ok(parsed)
    }

    fn conditional(&mut self, out: &mut Parsed, expecting: &mut Follow) -> Step<()> {
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
    fn conditional_or(&mut self, state: u16, follow: Follow) -> Step<Parsed> {
        self.state = state;
        self.logic(follow, Token::LogicalOr)
    }

    fn logic(&mut self, follow: Follow, token: Token) -> Step<Parsed> {
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

    fn logic_term(&mut self, is_or: bool, follow: Follow) -> Step<Parsed> {
        if is_or { self.logic(follow, Token::LogicalAnd) } else { self.relation(follow, 0) }
    }

    fn relation(&mut self, follow: Follow, precedence: u8) -> Step<Parsed> {
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

    fn binary(&mut self, out: &mut Parsed, operator: Lexeme, right: Parsed) {
        if let Some(function) = binary_operator(operator.token) {
            *out = Parsed {
                id: self.builder.call(operator, function, vec![out.id, right.id]),
                height: out.height.max(right.height) + 1,
            };
        }
    }

    fn calc(&mut self, follow: Follow, precedence: u8) -> Step<Parsed> {
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

    fn unary(&mut self, out: &mut Parsed, expecting: &mut Follow) -> Step<()> {
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
    fn check_signed_literal(&mut self) -> Step<()> {
        let third = self.lexeme(2)?.token;
        if sets::SUFFIX.contains(third) || self.expected(Follow::END).contains(third) {
            return Ok(());
        }
        Err(self.no_alternative(2)?)
    }

    fn exclamations(&mut self, expecting: &mut Follow) -> Step<Vec<Lexeme>> {
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

    fn minuses(&mut self, expecting: &mut Follow) -> Step<Vec<Lexeme>> {
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

    fn member(&mut self, state: u16) -> Result<Parsed, Abort> {
        self.state = state;
        let gap = self.gap();
        self.rule(Follow::END, Self::members, gap)
    }

    fn members(&mut self, out: &mut Parsed, expecting: &mut Follow) -> Step<()> {
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

    fn select(&mut self, out: &mut Parsed, expecting: &mut Follow) -> Step<()> {
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

    fn field_name(&mut self, out: &mut Option<Lexeme>, expecting: &mut Follow) -> Step<()> {
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

    fn method_call(&mut self, out: &mut Parsed, expecting: &mut Follow) -> Step<()> {
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
    fn arguments(
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

    fn expr_list(&mut self, out: &mut (Vec<ExprId>, u16), expecting: &mut Follow) -> Step<()> {
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

    fn index(&mut self, out: &mut Parsed, expecting: &mut Follow) -> Step<()> {
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

    fn index_expr(
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

    fn primary(&mut self, out: &mut Parsed, expecting: &mut Follow) -> Step<()> {
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

    fn literal(&mut self, out: &mut Parsed, expecting: &mut Follow) -> Step<()> {
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
    fn is_message(&mut self) -> Result<bool, Abort> {
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

    fn named(&mut self, out: &mut Parsed, expecting: &mut Follow) -> Step<()> {
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

    fn list(&mut self, out: &mut Parsed, expecting: &mut Follow) -> Step<()> {
        let here = Follow::only(sets::OPTIONAL_EXPR.and(sets::COMMA).and(sets::RIGHT_BRACKET));
        let open = self.expect(148, Token::LeftBracket, here, expecting)?;
        let mut elements = (Vec::new(), 0);
        let outcome = self.list_elements(&mut elements, here, expecting);
        let mut optional_indices = Vec::new();
        for (index, (_, question)) in elements.0.iter().enumerate() {
            let Some(question) = question else { continue };
            if self.builder.options.optional_syntax {
                optional_indices.push(u32::try_from(index).unwrap_or(u32::MAX));
            } else {
                self.builder.error(*question, unsupported_syntax("?"));
            }
        }
        let list =
            List { elements: elements.0.iter().map(|(id, _)| *id).collect(), optional_indices };
        *out = Parsed { id: self.builder.push(Expr::List(list), open), height: elements.1 };
        outcome
    }

    fn list_elements(
        &mut self,
        elements: &mut (Vec<(ExprId, Option<Lexeme>)>, u16),
        here: Follow,
        expecting: &mut Follow,
    ) -> Step<()> {
        let found = self.choose(150, Choice::Block, here, expecting)?;
        let close = sets::COMMA.and(sets::RIGHT_BRACKET);
        if sets::OPTIONAL_EXPR.contains(found) {
            self.state = 149;
            *elements = self.rule(Follow::only(close), Self::list_init, (Vec::new(), 0))?;
        }
        if self.choose(153, Choice::Block, Follow::only(close), expecting)? == Token::Comma {
            let after = Follow::only(sets::RIGHT_BRACKET);
            self.expect(152, Token::Comma, after, expecting)?;
        }
        self.expect(155, Token::RightBracket, Follow::END, expecting)?;
        Ok(())
    }

    fn list_init(
        &mut self,
        out: &mut (Vec<(ExprId, Option<Lexeme>)>, u16),
        expecting: &mut Follow,
    ) -> Step<()> {
        let here = Follow::or_end(sets::COMMA);
        let mut state = 194;
        let mut sync = (199, Choice::Block);
        loop {
            self.state = state;
            let (element, question) = self.optional_expr(here)?;
            out.0.push((element.id, question));
            out.1 = out.1.max(element.height);
            let found = self.choose(sync.0, sync.1, here, expecting)?;
            if found != Token::Comma || !sets::OPTIONAL_EXPR.contains(self.lexeme(1)?.token) {
                return Ok(());
            }
            let after = Follow::only(sets::OPTIONAL_EXPR);
            self.expect(195, Token::Comma, after, expecting)?;
            state = 196;
            sync = (201, Choice::LoopBack);
        }
    }

    fn optional_expr(&mut self, follow: Follow) -> Result<(Parsed, Option<Lexeme>), Abort> {
        let gap = self.gap();
        self.rule(
            follow,
            |parser, out: &mut (Parsed, Option<Lexeme>), expecting| {
                let here = Follow::only(sets::OPTIONAL_EXPR);
                if parser.choose(238, Choice::Block, here, expecting)? == Token::Question {
                    let after = Follow::only(sets::EXPR);
                    out.1 = Some(parser.expect(237, Token::Question, after, expecting)?);
                }
                parser.state = 240;
                out.0 = parser.expr(Follow::END)?;
                Ok(())
            },
            (gap, None),
        )
    }

    fn map(&mut self, out: &mut Parsed, expecting: &mut Follow) -> Step<()> {
        let here = Follow::only(sets::OPTIONAL_EXPR.and(sets::COMMA).and(sets::RIGHT_BRACE));
        let open = self.expect(156, Token::LeftBrace, here, expecting)?;
        let mut entries = (Vec::new(), 0);
        let outcome = self.map_entries(&mut entries, here, expecting);
        *out = Parsed { id: self.builder.push(Expr::Map(entries.0), open), height: entries.1 };
        outcome
    }

    fn map_entries(
        &mut self,
        entries: &mut (Vec<MapEntry>, u16),
        here: Follow,
        expecting: &mut Follow,
    ) -> Step<()> {
        let found = self.choose(158, Choice::Block, here, expecting)?;
        let close = sets::COMMA.and(sets::RIGHT_BRACE);
        if sets::OPTIONAL_EXPR.contains(found) {
            self.state = 157;
            *entries = self.rule(Follow::only(close), Self::map_init, (Vec::new(), 0))?;
        }
        if self.choose(161, Choice::Block, Follow::only(close), expecting)? == Token::Comma {
            let after = Follow::only(sets::RIGHT_BRACE);
            self.expect(160, Token::Comma, after, expecting)?;
        }
        self.expect(163, Token::RightBrace, Follow::END, expecting)?;
        Ok(())
    }

    fn map_init(&mut self, out: &mut (Vec<MapEntry>, u16), expecting: &mut Follow) -> Step<()> {
        let here = Follow::or_end(sets::COMMA);
        let mut states = [220, 221, 222, 230];
        let mut choice = Choice::Block;
        loop {
            self.state = states[0];
            let (key, question) = self.optional_expr(Follow::only(sets::COLON))?;
            let after = Follow::only(sets::EXPR);
            let colon = self.expect(states[1], Token::Colon, after, expecting)?;
            self.state = states[2];
            let value = self.expr(here)?;
            if let Some(question) = question
                && !self.builder.options.optional_syntax
            {
                self.builder.error(question, unsupported_syntax("?"));
            }
            out.0.push(MapEntry {
                id: self.builder.push(Expr::Unspecified, colon),
                key: key.id,
                value: value.id,
                optional: question.is_some(),
            });
            out.1 = out.1.max(key.height).max(value.height);
            let found = self.choose(states[3], choice, here, expecting)?;
            if found != Token::Comma || !sets::OPTIONAL_EXPR.contains(self.lexeme(1)?.token) {
                return Ok(());
            }
            let after = Follow::only(sets::OPTIONAL_EXPR);
            self.expect(223, Token::Comma, after, expecting)?;
            states = [224, 225, 226, 232];
            choice = Choice::LoopBack;
        }
    }

    fn message(&mut self, out: &mut Parsed, expecting: &mut Follow) -> Step<()> {
        let mut type_name = String::new();
        if self.peek()? == Token::Dot {
            self.expect(164, Token::Dot, Follow::only(sets::IDENTIFIER), expecting)?;
            type_name.push('.');
        }
        let after = Follow::only(sets::DOT.and(sets::LEFT_BRACE));
        let name = self.expect(167, Token::Identifier, after, expecting)?;
        type_name.push_str(self.builder.text(name));
        while self.peek()? == Token::Dot {
            self.expect(168, Token::Dot, Follow::only(sets::IDENTIFIER), expecting)?;
            let name = self.expect(169, Token::Identifier, after, expecting)?;
            type_name.push('.');
            type_name.push_str(self.builder.text(name));
        }
        let close = sets::COMMA.and(sets::RIGHT_BRACE);
        let here = Follow::only(sets::OPTIONAL_FIELD.and(close));
        let open = self.expect(175, Token::LeftBrace, here, expecting)?;
        let mut fields = (Vec::new(), 0);
        let outcome = self.message_fields(&mut fields, here, expecting);
        let message = Struct { type_name: Text::from(type_name), fields: fields.0 };
        *out = Parsed { id: self.builder.push(Expr::Struct(message), open), height: fields.1 };
        outcome
    }

    fn message_fields(
        &mut self,
        fields: &mut (Vec<StructField>, u16),
        here: Follow,
        expecting: &mut Follow,
    ) -> Step<()> {
        let found = self.choose(177, Choice::Block, here, expecting)?;
        let close = sets::COMMA.and(sets::RIGHT_BRACE);
        if sets::OPTIONAL_FIELD.contains(found) {
            self.state = 176;
            *fields = self.rule(Follow::only(close), Self::field_init, (Vec::new(), 0))?;
        }
        if self.choose(180, Choice::Block, Follow::only(close), expecting)? == Token::Comma {
            let after = Follow::only(sets::RIGHT_BRACE);
            self.expect(179, Token::Comma, after, expecting)?;
        }
        self.expect(182, Token::RightBrace, Follow::END, expecting)?;
        Ok(())
    }

    fn field_init(
        &mut self,
        out: &mut (Vec<StructField>, u16),
        expecting: &mut Follow,
    ) -> Step<()> {
        let here = Follow::or_end(sets::COMMA);
        let mut states = [202, 203, 204, 212];
        let mut choice = Choice::Block;
        loop {
            self.state = states[0];
            let (name, question) = self.optional_field(Follow::only(sets::COLON))?;
            let after = Follow::only(sets::EXPR);
            let colon = self.expect(states[1], Token::Colon, after, expecting)?;
            self.state = states[2];
            let value = self.expr(here)?;
            out.1 = out.1.max(value.height);
            self.push_field(&mut out.0, name, question, colon, value);
            let found = self.choose(states[3], choice, here, expecting)?;
            if found != Token::Comma || !sets::OPTIONAL_FIELD.contains(self.lexeme(1)?.token) {
                return Ok(());
            }
            let after = Follow::only(sets::OPTIONAL_FIELD);
            self.expect(205, Token::Comma, after, expecting)?;
            states = [206, 207, 208, 214];
            choice = Choice::LoopBack;
        }
    }

    fn push_field(
        &mut self,
        fields: &mut Vec<StructField>,
        name: Option<Lexeme>,
        question: Option<Lexeme>,
        colon: Lexeme,
        value: Parsed,
    ) {
        if let Some(question) = question
            && !self.builder.options.optional_syntax
        {
            self.builder.error(question, unsupported_syntax("?"));
            return;
        }
        let Some(name) = name else { return };
        match self.builder.field_name(name) {
            Ok(field) => fields.push(StructField {
                id: self.builder.push(Expr::Unspecified, colon),
                name: field,
                value: value.id,
                optional: question.is_some(),
            }),
            Err(message) => {
                self.builder.error(name, message);
            }
        }
    }

    fn optional_field(
        &mut self,
        follow: Follow,
    ) -> Result<(Option<Lexeme>, Option<Lexeme>), Abort> {
        self.rule(
            follow,
            |parser, out: &mut (Option<Lexeme>, Option<Lexeme>), expecting| {
                let here = Follow::only(sets::OPTIONAL_FIELD);
                if parser.choose(216, Choice::Block, here, expecting)? == Token::Question {
                    let after = Follow::only(sets::FIELD_NAME);
                    out.1 = Some(parser.expect(215, Token::Question, after, expecting)?);
                }
                parser.state = 218;
                out.0 = parser.rule(Follow::END, Self::field_name, None)?;
                Ok(())
            },
            (None, None),
        )
    }
}
