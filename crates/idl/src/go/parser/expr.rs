//! Constant expressions and the literals that methods return.

use smol_str::SmolStr;

use super::Parser;
use crate::go::ast::{Expr, ExprKind, Ident, Span, TypeExpr, TypeExprKind};
use crate::go::token::Kind;

/// Trees higher than this are refused, so that later walks may recurse.
const HEIGHT_MAX: u16 = 300;

pub(super) fn opaque(start: u32, end: u32) -> Expr {
    Expr { kind: ExprKind::Opaque, span: Span { start, end }, height: 1 }
}

fn precedence(kind: Kind) -> u8 {
    match kind {
        Kind::LOr => 1,
        Kind::LAnd => 2,
        Kind::Eq | Kind::Ne | Kind::Lt | Kind::Le | Kind::Gt | Kind::Ge => 3,
        Kind::Add | Kind::Sub | Kind::Or | Kind::Xor => 4,
        Kind::Mul | Kind::Quo | Kind::Rem | Kind::Shl | Kind::Shr | Kind::And | Kind::AndNot => 5,
        _ => 0,
    }
}

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Expr {
        self.binary(1)
    }

    fn make(&mut self, start: u32, height: u16, kind: ExprKind) -> Expr {
        let span = self.span_from(start);
        if height > HEIGHT_MAX {
            self.error(start, "expression nested too deeply");
            return opaque(span.start, span.end);
        }
        Expr { kind, span, height }
    }

    fn binary(&mut self, min: u8) -> Expr {
        let start = self.token().start;
        let Some(mut left) = self.nested(Self::unary) else { return opaque(start, start) };
        loop {
            let op = self.kind();
            let level = precedence(op);
            if level < min || level == 0 {
                return left;
            }
            self.bump();
            let Some(right) = self.nested(|parser| parser.binary(level + 1)) else { return left };
            let height = left.height.max(right.height) + 1;
            left = self.make(start, height, ExprKind::Binary(op, Box::new(left), Box::new(right)));
        }
    }

    fn unary(&mut self) -> Expr {
        let token = self.token();
        if matches!(
            token.kind,
            Kind::Add | Kind::Sub | Kind::Not | Kind::Xor | Kind::And | Kind::Mul | Kind::Arrow
        ) {
            self.bump();
            let Some(inner) = self.nested(Self::unary) else {
                return opaque(token.start, token.end);
            };
            let height = inner.height + 1;
            return self.make(token.start, height, ExprKind::Unary(token.kind, Box::new(inner)));
        }
        self.primary()
    }

    fn primary(&mut self) -> Expr {
        let start = self.token().start;
        let mut left = self.operand();
        loop {
            match self.kind() {
                Kind::Dot => {
                    self.bump();
                    if self.kind() == Kind::LParen {
                        self.skip_balanced();
                        left = opaque(start, self.last_end());
                        continue;
                    }
                    let Some(name) = self.ident() else { return left };
                    let height = left.height + 1;
                    left = self.make(start, height, ExprKind::Select(Box::new(left), name));
                }
                Kind::LParen => {
                    let args = self.arguments();
                    let height =
                        args.iter().map(|arg| arg.height).max().unwrap_or(0).max(left.height) + 1;
                    left = self.make(start, height, ExprKind::Call(Box::new(left), args));
                }
                Kind::LBrack => {
                    self.skip_balanced();
                    left = opaque(start, self.last_end());
                }
                Kind::LBrace => {
                    let Some(ty) = as_type(&left) else { return left };
                    left = self.composite(start, Some(ty));
                }
                _ => return left,
            }
        }
    }

    fn arguments(&mut self) -> Vec<Expr> {
        self.bump();
        let mut args = Vec::new();
        while !matches!(self.kind(), Kind::RParen | Kind::Eof) {
            let before = self.at;
            args.push(self.expr());
            self.eat(Kind::Ellipsis);
            if !self.eat(Kind::Comma) || self.at == before {
                break;
            }
        }
        self.eat(Kind::AutoSemi);
        self.expect(Kind::RParen, "`)`");
        args
    }

    fn operand(&mut self) -> Expr {
        let token = self.token();
        match token.kind {
            Kind::Int | Kind::Float | Kind::Imaginary | Kind::Char | Kind::Str | Kind::RawStr => {
                self.bump();
                let text = SmolStr::new(self.text_of(token));
                self.make(token.start, 1, ExprKind::Literal(token.kind, text))
            }
            Kind::Ident => {
                self.bump();
                let name = Ident { name: SmolStr::new(self.text_of(token)), offset: token.start };
                self.make(token.start, 1, ExprKind::Name(name))
            }
            Kind::LParen => {
                self.bump();
                let inner = self.nested(Self::expr);
                self.expect(Kind::RParen, "`)`");
                inner.unwrap_or_else(|| opaque(token.start, token.end))
            }
            Kind::LBrace => self.composite(token.start, None),
            Kind::Func => {
                self.bump();
                self.skip_signature();
                if self.kind() == Kind::LBrace {
                    self.skip_balanced();
                }
                opaque(token.start, self.last_end())
            }
            Kind::LBrack | Kind::Map | Kind::Struct | Kind::Interface | Kind::Chan => {
                let ty = self.type_expr();
                if self.kind() == Kind::LBrace {
                    return self.composite(token.start, Some(ty));
                }
                self.make(token.start, 1, ExprKind::Type(Box::new(ty)))
            }
            _ => {
                self.expected("an expression");
                opaque(token.start, token.start)
            }
        }
    }

    fn composite(&mut self, start: u32, ty: Option<TypeExpr>) -> Expr {
        let read = self.nested(|parser| {
            parser.bump();
            let mut elements = Vec::new();
            while !matches!(parser.kind(), Kind::RBrace | Kind::Eof) {
                let before = parser.at;
                let first = parser.expr();
                let element = if parser.eat(Kind::Colon) {
                    let value = parser.expr();
                    (Some(first), value)
                } else {
                    (None, first)
                };
                elements.push(element);
                if !parser.eat(Kind::Comma) || parser.at == before {
                    break;
                }
            }
            parser.eat(Kind::AutoSemi);
            parser.expect(Kind::RBrace, "`}`");
            elements
        });
        let Some(elements) = read else { return opaque(start, start) };
        let height = elements
            .iter()
            .map(|(key, value)| key.as_ref().map_or(0, |key| key.height).max(value.height))
            .max()
            .unwrap_or(0)
            + 1;
        self.make(start, height, ExprKind::Composite(ty.map(Box::new), elements))
    }
}

/// A name before `{` read as a type.
fn as_type(expr: &Expr) -> Option<TypeExpr> {
    let (package, name) = match &expr.kind {
        ExprKind::Name(name) => (None, name.clone()),
        ExprKind::Select(left, name) => match &left.kind {
            ExprKind::Name(package) => (Some(package.clone()), name.clone()),
            _ => return None,
        },
        _ => return None,
    };
    Some(TypeExpr { kind: TypeExprKind::Name { package, name, args: Vec::new() }, span: expr.span })
}
