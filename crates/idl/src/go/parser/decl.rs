//! The package clause and the declarations behind it.

use smol_str::SmolStr;

use super::Parser;
use crate::go::ast::{
    ConstSpec, Decl, DeclKind, File, FuncDecl, Ident, ImportSpec, Receiver, Span, TypeExpr,
    TypeExprKind, TypeParam, TypeSpec, VarSpec,
};
use crate::go::literal;
use crate::go::token::Kind;

impl Parser<'_> {
    pub(super) fn file(&mut self) -> File {
        let start = self.token().start;
        let doc = self.comments.lead(self.at);
        let mut package = Ident { name: SmolStr::default(), offset: start };
        if self.expect(Kind::Package, "`package`") {
            if let Some(name) = self.ident() {
                package = name;
            }
            self.statement_end();
        }
        let mut decls = Vec::new();
        while self.kind() != Kind::Eof {
            if Self::is_semi(self.kind()) {
                self.bump();
                continue;
            }
            let before = self.at;
            decls.push(self.decl());
            if self.at == before {
                self.bump();
            }
        }
        File { package, start, doc, decls, fields_len: self.fields }
    }

    /// Expects the end of a statement and recovers at the next declaration when there is more.
    fn statement_end(&mut self) {
        if Self::is_semi(self.kind()) {
            self.bump();
        } else if self.kind() != Kind::Eof {
            self.expected("end of declaration");
            self.skip_to_decl();
        }
    }

    /// Skips to a declaration keyword at the start of a line.
    fn skip_to_decl(&mut self) {
        loop {
            let starts_line = self.tokens.get(self.at.saturating_sub(1)).is_none_or(|previous| {
                previous.line != self.token().line || Self::is_semi(previous.kind)
            });
            match self.kind() {
                Kind::Eof => return,
                Kind::Type | Kind::Const | Kind::Var | Kind::Func | Kind::Import if starts_line => {
                    return;
                }
                _ => {
                    self.bump();
                }
            }
        }
    }

    fn decl(&mut self) -> Decl {
        let token = self.token();
        let doc = self.comments.lead(self.at);
        let errors_before = self.errors.len();
        let (grouped, kind) = match token.kind {
            Kind::Import => {
                self.group(|parser, _, specs| parser.import_spec(specs)).wrap(DeclKind::Import)
            }
            Kind::Type => self
                .group(|parser, grouped, specs| parser.type_spec(grouped, specs))
                .wrap(DeclKind::Type),
            Kind::Const => {
                self.group(|parser, _, specs| parser.const_spec(specs)).wrap(DeclKind::Const)
            }
            Kind::Var => self.group(|parser, _, specs| parser.var_spec(specs)).wrap(DeclKind::Var),
            Kind::Func => (false, self.func()),
            _ => {
                self.expected("a declaration");
                self.bump();
                self.skip_to_decl();
                return Decl {
                    span: self.span_from(token.start),
                    doc,
                    grouped: false,
                    kind: DeclKind::Bad,
                };
            }
        };
        let span = self.span_from(token.start);
        if Self::is_semi(self.kind()) {
            self.bump();
        } else if self.kind() != Kind::Eof {
            if self.errors.len() == errors_before {
                self.expected("end of declaration");
            }
            self.skip_to_decl();
        }
        Decl { span, doc, grouped, kind }
    }

    /// The specs behind a keyword, one or a parenthesised list.
    fn group<T>(&mut self, mut spec: impl FnMut(&mut Self, bool, &mut Vec<T>)) -> Specs<T> {
        self.bump();
        let mut specs = Vec::new();
        if self.kind() != Kind::LParen {
            spec(self, false, &mut specs);
            return Specs { grouped: false, specs };
        }
        self.bump();
        loop {
            match self.kind() {
                Kind::RParen => {
                    self.bump();
                    break;
                }
                Kind::Eof => {
                    self.expected("`)`");
                    break;
                }
                Kind::Semi | Kind::AutoSemi => {
                    self.bump();
                }
                _ => {
                    let before = self.at;
                    spec(self, true, &mut specs);
                    if !self.at_statement_end() && self.kind() != Kind::RParen {
                        self.expected("end of declaration");
                        self.skip_statement();
                        if matches!(self.kind(), Kind::RBrack | Kind::RBrace) {
                            self.bump();
                        }
                    }
                    if self.at == before {
                        self.bump();
                    }
                }
            }
        }
        Specs { grouped: true, specs }
    }

    fn import_spec(&mut self, specs: &mut Vec<ImportSpec>) {
        let start = self.token().start;
        let doc = self.comments.lead(self.at);
        let alias = match self.kind() {
            Kind::Dot => {
                self.bump();
                Some(Ident { name: SmolStr::new_static("."), offset: start })
            }
            Kind::Ident => self.ident(),
            _ => None,
        };
        if !matches!(self.kind(), Kind::Str | Kind::RawStr) {
            self.expected("an import path");
            self.skip_statement();
            return;
        }
        let token = self.bump();
        let path = literal::unquote(self.text_of(token)).unwrap_or_default();
        let span = self.span_from(start);
        let trail = self.trail();
        specs.push(ImportSpec { alias, path: SmolStr::from(path), span, doc, trail });
    }

    /// The comment behind the spec that just ended.
    fn trail(&self) -> Option<crate::go::comment::GroupId> {
        let end = if Self::is_semi(self.kind()) { self.at } else { self.at.saturating_sub(1) };
        self.comments.trail(end)
    }

    fn type_spec(&mut self, grouped: bool, specs: &mut Vec<TypeSpec>) {
        let start = self.token().start;
        let doc = if grouped { self.comments.lead(self.at) } else { None };
        let Some(name) = self.ident() else {
            self.skip_statement();
            return;
        };
        let params = if self.at_type_params() { self.type_params() } else { Vec::new() };
        let alias = self.eat(Kind::Assign);
        let ty = self.type_expr();
        let span = self.span_from(start);
        let trail = self.trail();
        specs.push(TypeSpec { name, params, alias, ty, span, doc, trail });
    }

    /// `[P any]` rather than `[N]T`.
    fn at_type_params(&self) -> bool {
        self.kind() == Kind::LBrack
            && self.peek(1).kind == Kind::Ident
            && matches!(
                self.peek(2).kind,
                Kind::Ident
                    | Kind::Comma
                    | Kind::Interface
                    | Kind::Tilde
                    | Kind::LBrack
                    | Kind::Map
                    | Kind::Func
                    | Kind::Chan
            )
    }

    fn type_params(&mut self) -> Vec<TypeParam> {
        let end = self.behind_closing(self.at);
        self.bump();
        let mut params: Vec<TypeParam> = Vec::new();
        let mut waiting = Vec::new();
        while self.at + 1 < end {
            let Some(name) = self.ident() else { break };
            waiting.push(name);
            if self.eat(Kind::Comma) {
                continue;
            }
            let start = self.token().start;
            while self.at + 1 < end && self.kind() != Kind::Comma {
                if matches!(self.kind(), Kind::LParen | Kind::LBrack | Kind::LBrace) {
                    self.skip_balanced();
                } else {
                    self.bump();
                }
            }
            let constraint = self.span_from(start);
            params.extend(waiting.drain(..).map(|name| TypeParam { name, constraint }));
            self.eat(Kind::Comma);
        }
        self.at = end.min(self.tokens.len().saturating_sub(1));
        params
    }

    fn name_list(&mut self) -> Vec<Ident> {
        let mut names = Vec::new();
        while let Some(name) = self.ident() {
            names.push(name);
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        names
    }

    fn opt_type(&mut self) -> Option<TypeExpr> {
        if self.kind() == Kind::Assign || self.at_statement_end() || self.kind() == Kind::RParen {
            return None;
        }
        let ty = self.type_expr();
        (!matches!(ty.kind, TypeExprKind::Bad)).then_some(ty)
    }

    fn const_spec(&mut self, specs: &mut Vec<ConstSpec>) {
        let start = self.token().start;
        let doc = self.comments.lead(self.at);
        let names = self.name_list();
        if names.is_empty() {
            self.skip_statement();
            return;
        }
        let ty = self.opt_type();
        let mut values = Vec::new();
        if self.eat(Kind::Assign) {
            loop {
                values.push(self.expr());
                if !self.eat(Kind::Comma) {
                    break;
                }
            }
        }
        let iota = specs.len() as u32;
        let repeats = if values.is_empty() {
            specs.last().map(|last| last.repeats.unwrap_or(last.iota))
        } else {
            None
        };
        if values.is_empty() && repeats.is_none() {
            self.error(start, "the first constant of a group needs a value");
        }
        let span = self.span_from(start);
        let trail = self.trail();
        specs.push(ConstSpec { names, ty, values, iota, repeats, span, doc, trail });
    }

    fn var_spec(&mut self, specs: &mut Vec<VarSpec>) {
        let start = self.token().start;
        let names = self.name_list();
        if names.is_empty() {
            self.skip_statement();
            return;
        }
        let fields = self.fields;
        let ty = self.opt_type();
        self.fields = fields;
        let mut value = None;
        if self.eat(Kind::Assign) {
            let behind = self.token().start;
            self.skip_statement();
            value = Some(self.span_from(behind));
        }
        specs.push(VarSpec { names, ty, value, span: self.span_from(start) });
    }

    fn func(&mut self) -> DeclKind {
        self.bump();
        let receiver = if self.kind() == Kind::LParen { self.receiver() } else { None };
        let Some(name) = self.ident() else {
            self.skip_to_decl();
            return DeclKind::Bad;
        };
        let start = self.token().start;
        if self.kind() == Kind::LBrack {
            self.skip_balanced();
        }
        self.skip_signature();
        let signature = self.span_from(start);
        let mut body = None;
        if self.kind() == Kind::LBrace {
            let open = self.token().start;
            self.skip_balanced();
            body = Some(Span { start: open, end: self.last_end() });
        }
        DeclKind::Func(FuncDecl { name, receiver, signature, body })
    }

    /// `(name *T[P])`: only the type's name and whether it is a pointer are of interest.
    fn receiver(&mut self) -> Option<Receiver> {
        let end = self.behind_closing(self.at);
        self.bump();
        let mut pointer = false;
        let mut base = None;
        while self.at + 1 < end {
            match self.kind() {
                Kind::Mul => {
                    pointer = true;
                    self.bump();
                }
                Kind::Ident => base = self.ident(),
                Kind::LBrack => self.skip_balanced(),
                _ => {
                    self.bump();
                }
            }
        }
        self.at = end.min(self.tokens.len().saturating_sub(1));
        base.map(|base| Receiver { base, pointer })
    }
}

/// Specs of one declaration.
struct Specs<T> {
    grouped: bool,
    specs: Vec<T>,
}

impl<T> Specs<T> {
    fn wrap(self, kind: impl FnOnce(Vec<T>) -> DeclKind) -> (bool, DeclKind) {
        (self.grouped, kind(self.specs))
    }
}
