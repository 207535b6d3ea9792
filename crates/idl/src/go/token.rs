//! The tokens of Go.

/// What a token is. Keywords that declarations never need are plain identifiers' equals: they
/// only occur inside function bodies, which are skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the tokens")]
pub enum Kind {
    Eof,
    Ident,
    Int,
    Float,
    Imaginary,
    Char,
    Str,
    RawStr,
    // Keywords.
    Chan,
    Const,
    Func,
    Import,
    Interface,
    Map,
    Package,
    Struct,
    Type,
    Var,
    OtherKeyword,
    // Punctuation.
    LParen,
    RParen,
    LBrack,
    RBrack,
    LBrace,
    RBrace,
    Comma,
    Dot,
    Ellipsis,
    Semi,
    /// A semicolon the lexer put at a line's end.
    AutoSemi,
    Colon,
    Assign,
    Define,
    Arrow,
    Tilde,
    // Operators of constant expressions.
    Add,
    Sub,
    Mul,
    Quo,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    AndNot,
    LAnd,
    LOr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Not,
    /// `+=`, `++` and the like: only in function bodies.
    OtherOp,
}

impl Kind {
    /// Whether a line end after this token ends a statement.
    pub(crate) fn ends_statement(self, text: &str) -> bool {
        match self {
            Kind::Ident
            | Kind::Int
            | Kind::Float
            | Kind::Imaginary
            | Kind::Char
            | Kind::Str
            | Kind::RawStr
            | Kind::RParen
            | Kind::RBrack
            | Kind::RBrace => true,
            Kind::OtherKeyword => matches!(text, "break" | "continue" | "fallthrough" | "return"),
            Kind::OtherOp => matches!(text, "++" | "--"),
            _ => false,
        }
    }

    pub(crate) fn keyword(word: &str) -> Kind {
        match word {
            "chan" => Kind::Chan,
            "const" => Kind::Const,
            "func" => Kind::Func,
            "import" => Kind::Import,
            "interface" => Kind::Interface,
            "map" => Kind::Map,
            "package" => Kind::Package,
            "struct" => Kind::Struct,
            "type" => Kind::Type,
            "var" => Kind::Var,
            "break" | "case" | "continue" | "default" | "defer" | "else" | "fallthrough"
            | "for" | "go" | "goto" | "if" | "range" | "return" | "select" | "switch" => {
                Kind::OtherKeyword
            }
            _ => Kind::Ident,
        }
    }
}

/// A token: its kind, its bytes and the line it starts on.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// One-based line of the first byte.
    pub line: u32,
}
