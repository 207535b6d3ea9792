//! Lists, maps and messages, for the recovering parser.

use super::rules::{Parsed, Step};
use super::sets::{self, Follow};
use super::{Abort, Choice, Recovering};
use crate::ast::{Expr, ExprId, List, MapEntry, Struct, StructField, Text};
use crate::syntax::errors::unsupported_syntax;
use crate::syntax::lexer::{Lexeme, Token};

impl Recovering<'_> {
    pub(super) fn list(&mut self, out: &mut Parsed, expecting: &mut Follow) -> Step<()> {
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

    pub(super) fn list_elements(
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

    pub(super) fn list_init(
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

    pub(super) fn optional_expr(
        &mut self,
        follow: Follow,
    ) -> Result<(Parsed, Option<Lexeme>), Abort> {
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

    pub(super) fn map(&mut self, out: &mut Parsed, expecting: &mut Follow) -> Step<()> {
        let here = Follow::only(sets::OPTIONAL_EXPR.and(sets::COMMA).and(sets::RIGHT_BRACE));
        let open = self.expect(156, Token::LeftBrace, here, expecting)?;
        let mut entries = (Vec::new(), 0);
        let outcome = self.map_entries(&mut entries, here, expecting);
        *out = Parsed { id: self.builder.push(Expr::Map(entries.0), open), height: entries.1 };
        outcome
    }

    pub(super) fn map_entries(
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

    pub(super) fn map_init(
        &mut self,
        out: &mut (Vec<MapEntry>, u16),
        expecting: &mut Follow,
    ) -> Step<()> {
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

    pub(super) fn message(&mut self, out: &mut Parsed, expecting: &mut Follow) -> Step<()> {
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

    pub(super) fn message_fields(
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

    pub(super) fn field_init(
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

    pub(super) fn push_field(
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

    pub(super) fn optional_field(
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
