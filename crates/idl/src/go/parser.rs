//! Recursive descent over the tokens of a file, with recovery at field, spec and declaration ends.

mod decl;
mod expr;
mod types;

use smol_str::SmolStr;

use super::ast::{Expr, File, Ident, Span};
use super::comment::Comments;
use super::lexer::{self, Lexed};
use super::token::{Kind, Token};
use crate::source::LineTable;

/// Types and expressions may nest this deep; API types stay far below.
const NESTING_MAX: u32 = 100;

/// Errors kept per file.
const ERRORS_MAX: usize = 50;

/// A file's tree, its comments and its lines, with what was wrong in it.
#[derive(Debug)]
pub struct ParsedFile {
    /// The declarations; those that parse, when some do not.
    pub ast: File,
    /// The comments.
    pub comments: Comments,
    /// Line starts.
    pub lines: LineTable,
    /// Offset and text of each error.
    pub errors: Vec<(u32, String)>,
}

/// Reads the declarations of a Go file. Never fails as a whole: what cannot be read is reported
/// in [`ParsedFile::errors`] and left out.
///
/// ```
/// let parsed = ordain_idl::go::parse("package v1\n\ntype A struct {\n\tB string\n}\n");
/// assert!(parsed.errors.is_empty());
/// assert_eq!(parsed.ast.package.name, "v1");
/// ```
#[must_use]
pub fn parse(text: &str) -> ParsedFile {
    let Lexed { tokens, comments, lines, errors } = lexer::lex(text);
    let comments = Comments::group(comments, &tokens);
    let mut parser = Parser::new(text, &tokens, &comments, errors);
    let ast = parser.file();
    let mut errors = parser.errors;
    errors.sort_by_key(|error| error.0);
    ParsedFile { ast, comments, lines, errors }
}

/// Reads a single expression, such as the one a method returns.
///
/// # Errors
/// Offset and text of the first thing that is not an expression.
pub fn parse_expression(text: &str) -> Result<Expr, (u32, String)> {
    let Lexed { tokens, comments, errors, .. } = lexer::lex(text);
    let comments = Comments::group(comments, &tokens);
    let mut parser = Parser::new(text, &tokens, &comments, errors);
    let expr = parser.expr();
    parser.eat(Kind::AutoSemi);
    if parser.kind() != Kind::Eof {
        parser.expected("end of expression");
    }
    match parser.errors.into_iter().next() {
        Some(error) => Err(error),
        None => Ok(expr),
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    /// For each bracket that opens, the index behind the one that closes it.
    closings: Vec<u32>,
    comments: &'a Comments,
    at: usize,
    depth: u32,
    fields: u32,
    errors: Vec<(u32, String)>,
}

/// For each opening bracket the index behind its closing one. A bracket that is never closed ends
/// at the next line that starts with a declaration, so that what follows can be read.
fn match_brackets(text: &str, tokens: &[Token]) -> Vec<u32> {
    let mut out = vec![0; tokens.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::LParen | Kind::LBrack | Kind::LBrace => open.push(at),
            Kind::RParen | Kind::RBrack | Kind::RBrace => {
                if let Some(from) = open.pop() {
                    out[from] = at as u32 + 1;
                }
            }
            _ => {}
        }
    }
    let mut next = tokens.len().saturating_sub(1);
    let mut at = tokens.len();
    while let Some(from) = open.pop() {
        while at > from {
            at -= 1;
            let token = tokens[at];
            let declares = matches!(
                token.kind,
                Kind::Type | Kind::Const | Kind::Var | Kind::Func | Kind::Import
            );
            let starts_line = (token.start as usize)
                .checked_sub(1)
                .is_none_or(|before| text.as_bytes().get(before) == Some(&b'\n'));
            if declares && starts_line && at > from {
                next = at;
            }
        }
        out[from] = next as u32;
    }
    out
}

impl<'a> Parser<'a> {
    fn new(
        text: &'a str,
        tokens: &'a [Token],
        comments: &'a Comments,
        errors: Vec<(u32, String)>,
    ) -> Self {
        let closings = match_brackets(text, tokens);
        Self { text, tokens, closings, comments, at: 0, depth: 0, fields: 0, errors }
    }

    fn token(&self) -> Token {
        self.peek(0)
    }

    fn peek(&self, ahead: usize) -> Token {
        let last = Token { kind: Kind::Eof, start: 0, end: 0, line: 0 };
        self.tokens.get(self.at + ahead).or(self.tokens.last()).copied().unwrap_or(last)
    }

    fn kind(&self) -> Kind {
        self.token().kind
    }

    fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind != Kind::Eof {
            self.at += 1;
        }
        token
    }

    fn eat(&mut self, kind: Kind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.bump();
        }
        found
    }

    fn text_of(&self, token: Token) -> &'a str {
        self.text.get(token.start as usize..token.end as usize).unwrap_or("")
    }

    /// End of the token before the current one.
    fn last_end(&self) -> u32 {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(0, |token| token.end)
    }

    fn span_from(&self, start: u32) -> Span {
        Span { start, end: self.last_end().max(start) }
    }

    fn error(&mut self, offset: u32, text: impl Into<String>) {
        if self.errors.len() < ERRORS_MAX {
            self.errors.push((offset, text.into()));
        }
    }

    fn expected(&mut self, what: &str) {
        let token = self.token();
        let found = match token.kind {
            Kind::Eof => "end of file".to_string(),
            Kind::AutoSemi => "end of line".to_string(),
            _ => format!("`{}`", self.text_of(token).chars().take(40).collect::<String>()),
        };
        self.error(token.start, format!("expected {what}, found {found}"));
    }

    fn expect(&mut self, kind: Kind, what: &str) -> bool {
        let found = self.eat(kind);
        if !found {
            self.expected(what);
        }
        found
    }

    fn ident(&mut self) -> Option<Ident> {
        let token = self.token();
        if token.kind != Kind::Ident {
            self.expected("a name");
            return None;
        }
        self.bump();
        Some(Ident { name: SmolStr::new(self.text_of(token)), offset: token.start })
    }

    fn at_statement_end(&self) -> bool {
        matches!(self.kind(), Kind::Semi | Kind::AutoSemi | Kind::Eof)
    }

    fn is_semi(kind: Kind) -> bool {
        matches!(kind, Kind::Semi | Kind::AutoSemi)
    }

    /// Skips a bracketed region that starts at the current token; stops behind its end.
    fn skip_balanced(&mut self) {
        self.at =
            self.behind_closing(self.at).max(self.at + 1).min(self.tokens.len().saturating_sub(1));
    }

    /// Skips to the end of the statement: a semicolon, or a closing bracket that is not ours.
    fn skip_statement(&mut self) {
        loop {
            match self.kind() {
                Kind::Semi | Kind::AutoSemi | Kind::Eof => return,
                Kind::RParen | Kind::RBrack | Kind::RBrace => return,
                Kind::LParen | Kind::LBrack | Kind::LBrace => self.skip_balanced(),
                _ => {
                    self.bump();
                }
            }
        }
    }

    /// Index of the token behind the bracket that closes the one at `from`.
    fn behind_closing(&self, from: usize) -> usize {
        self.closings.get(from).map_or(from, |at| *at as usize)
    }

    /// Runs a nested reader unless nesting is exhausted, in which case the region is skipped.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= NESTING_MAX {
            let offset = self.token().start;
            self.error(offset, "nested too deeply");
            self.skip_statement();
            return None;
        }
        self.depth += 1;
        let out = read(self);
        self.depth -= 1;
        Some(out)
    }
}
