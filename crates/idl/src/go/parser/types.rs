//! Types: names, pointers, lists, maps, structs.

use smol_str::SmolStr;

use super::Parser;
use crate::go::ast::{Field, Ident, TypeExpr, TypeExprKind};
use crate::go::literal;
use crate::go::token::Kind;

impl Parser<'_> {
    /// A type; an error and `Bad` when there is none.
    pub(super) fn type_expr(&mut self) -> TypeExpr {
        let start = self.token().start;
        let kind = self.nested(Self::type_kind).unwrap_or(TypeExprKind::Bad);
        TypeExpr { kind, span: self.span_from(start) }
    }

    fn type_kind(&mut self) -> TypeExprKind {
        match self.kind() {
            Kind::Ident => self.type_name(),
            Kind::Mul => {
                self.bump();
                TypeExprKind::Pointer(Box::new(self.type_expr()))
            }
            Kind::LBrack => self.list_type(),
            Kind::Map => {
                self.bump();
                self.expect(Kind::LBrack, "`[`");
                let key = self.type_expr();
                self.expect(Kind::RBrack, "`]`");
                TypeExprKind::Map(Box::new(key), Box::new(self.type_expr()))
            }
            Kind::Struct => self.struct_type(),
            Kind::Interface => self.interface_type(),
            Kind::Func => {
                self.bump();
                self.skip_signature();
                TypeExprKind::Func
            }
            Kind::Chan => {
                self.bump();
                self.eat(Kind::Arrow);
                TypeExprKind::Chan(Box::new(self.type_expr()))
            }
            Kind::Arrow => {
                self.bump();
                self.expect(Kind::Chan, "`chan`");
                TypeExprKind::Chan(Box::new(self.type_expr()))
            }
            Kind::LParen => {
                self.bump();
                let inner = self.type_expr();
                self.expect(Kind::RParen, "`)`");
                inner.kind
            }
            _ => {
                self.expected("a type");
                TypeExprKind::Bad
            }
        }
    }

    fn type_name(&mut self) -> TypeExprKind {
        let Some(first) = self.ident() else { return TypeExprKind::Bad };
        let (package, name) = if self.eat(Kind::Dot) {
            match self.ident() {
                Some(name) => (Some(first), name),
                None => return TypeExprKind::Bad,
            }
        } else {
            (None, first)
        };
        let mut args = Vec::new();
        if self.kind() == Kind::LBrack && self.peek(1).kind != Kind::RBrack {
            self.bump();
            loop {
                args.push(self.type_expr());
                if !self.eat(Kind::Comma) || self.kind() == Kind::RBrack {
                    break;
                }
            }
            self.expect(Kind::RBrack, "`]`");
        }
        TypeExprKind::Name { package, name, args }
    }

    fn list_type(&mut self) -> TypeExprKind {
        self.bump();
        if self.eat(Kind::RBrack) {
            return TypeExprKind::Slice(Box::new(self.type_expr()));
        }
        let len = if self.kind() == Kind::Ellipsis {
            let token = self.bump();
            super::expr::opaque(token.start, token.end)
        } else {
            self.expr()
        };
        self.expect(Kind::RBrack, "`]`");
        TypeExprKind::Array(Box::new(len), Box::new(self.type_expr()))
    }

    fn interface_type(&mut self) -> TypeExprKind {
        self.bump();
        if self.kind() != Kind::LBrace {
            self.expected("`{`");
            return TypeExprKind::Bad;
        }
        let end = self.behind_closing(self.at);
        let mut elements = 0;
        self.bump();
        while self.at + 1 < end {
            if self.kind() == Kind::Eof {
                break;
            }
            if !Self::is_semi(self.kind()) {
                elements += 1;
            }
            self.skip_statement();
            self.bump();
        }
        self.at = end.min(self.tokens.len().saturating_sub(1));
        TypeExprKind::Interface(elements)
    }

    fn struct_type(&mut self) -> TypeExprKind {
        self.bump();
        if !self.expect(Kind::LBrace, "`{`") {
            return TypeExprKind::Bad;
        }
        let mut fields = Vec::new();
        loop {
            match self.kind() {
                Kind::RBrace => {
                    self.bump();
                    break;
                }
                Kind::Eof => {
                    self.expected("`}`");
                    break;
                }
                Kind::Semi | Kind::AutoSemi => {
                    self.bump();
                }
                // A declaration keyword cannot start a field: the struct was never closed.
                Kind::Type | Kind::Var | Kind::Const | Kind::Import | Kind::Package => {
                    self.expected("a field or `}`");
                    break;
                }
                _ => self.field(&mut fields),
            }
        }
        TypeExprKind::Struct(fields)
    }

    fn field(&mut self, fields: &mut Vec<Field>) {
        let start = self.token().start;
        let doc = self.comments.lead(self.at);
        let errors_before = self.errors.len();
        let names = if self.is_embedded() { Vec::new() } else { self.field_names() };
        let ty = self.type_expr();
        if names.is_empty() && !is_embeddable(&ty) && self.errors.len() == errors_before {
            self.error(start, "expected a field name or an embedded type");
        }
        let (mut tag, mut tag_offset) = (None, 0);
        if matches!(self.kind(), Kind::Str | Kind::RawStr) {
            let token = self.bump();
            tag_offset = token.start;
            tag = literal::unquote(self.text_of(token)).map(SmolStr::from);
            if tag.is_none() {
                self.error(token.start, "malformed struct tag literal");
            }
        }
        let span = self.span_from(start);
        if !self.at_statement_end() && self.kind() != Kind::RBrace {
            if self.errors.len() == errors_before {
                self.expected("end of field");
            }
            self.skip_statement();
            if matches!(self.kind(), Kind::RParen | Kind::RBrack) {
                self.bump();
            }
        }
        let end = if Self::is_semi(self.kind()) { self.at } else { self.at.saturating_sub(1) };
        let trail = self.comments.trail(end);
        if Self::is_semi(self.kind()) {
            self.bump();
        }
        if self.errors.len() > errors_before && matches!(ty.kind, TypeExprKind::Bad) {
            return;
        }
        let id = self.fields;
        self.fields += 1;
        fields.push(Field { id, names, ty, tag, tag_offset, span, doc, trail });
    }

    fn is_embedded(&self) -> bool {
        if self.kind() != Kind::Ident {
            return true;
        }
        let ends = |kind: Kind| {
            matches!(
                kind,
                Kind::Semi | Kind::AutoSemi | Kind::RBrace | Kind::Str | Kind::RawStr | Kind::Eof
            )
        };
        match self.peek(1).kind {
            Kind::Dot => true,
            Kind::LBrack => {
                let behind = self.behind_closing(self.at + 1);
                self.tokens.get(behind).is_none_or(|token| ends(token.kind))
            }
            kind => ends(kind),
        }
    }

    fn field_names(&mut self) -> Vec<Ident> {
        let mut names = Vec::new();
        loop {
            match self.ident() {
                Some(name) => names.push(name),
                None => return names,
            }
            if !self.eat(Kind::Comma) {
                return names;
            }
        }
    }

    /// Skips parameters and results.
    pub(super) fn skip_signature(&mut self) {
        if self.kind() == Kind::LParen {
            self.skip_balanced();
        } else {
            self.expected("`(`");
            return;
        }
        match self.kind() {
            Kind::LParen => self.skip_balanced(),
            Kind::Ident
            | Kind::Mul
            | Kind::LBrack
            | Kind::Map
            | Kind::Struct
            | Kind::Interface
            | Kind::Func
            | Kind::Chan
            | Kind::Arrow => {
                let fields = self.fields;
                let _result = self.type_expr();
                // Fields of a result type are nobody's declaration.
                self.fields = fields;
            }
            _ => {}
        }
    }
}

fn is_embeddable(ty: &TypeExpr) -> bool {
    match &ty.kind {
        TypeExprKind::Name { .. } => true,
        TypeExprKind::Pointer(inner) => matches!(inner.kind, TypeExprKind::Name { .. }),
        _ => false,
    }
}
