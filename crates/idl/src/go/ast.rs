//! The declarations of a Go file. Function bodies are byte ranges, not trees.

use smol_str::SmolStr;

use super::comment::GroupId;

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: SmolStr,
    /// Byte offset of its first byte.
    pub offset: u32,
}

/// A byte range of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// A whole file.
#[derive(Clone, Debug)]
pub struct File {
    /// The name in the package clause.
    pub package: Ident,
    /// Offset of the word `package`.
    pub start: u32,
    /// The comment directly above the package clause.
    pub doc: Option<GroupId>,
    /// The declarations in order.
    pub decls: Vec<Decl>,
    /// Number of struct fields, nested ones included; [`Field::id`] is below it.
    pub fields_len: u32,
}

/// One top-level declaration, possibly a parenthesised group.
#[derive(Clone, Debug)]
pub struct Decl {
    /// From the keyword to the end.
    pub span: Span,
    /// The comment directly above the keyword.
    pub doc: Option<GroupId>,
    /// Whether the specs stand in parentheses.
    pub grouped: bool,
    /// What is declared.
    pub kind: DeclKind,
}

/// What a declaration declares.
#[derive(Clone, Debug)]
pub enum DeclKind {
    /// Imports.
    Import(Vec<ImportSpec>),
    /// Types.
    Type(Vec<TypeSpec>),
    /// Constants.
    Const(Vec<ConstSpec>),
    /// Variables; their values are byte ranges.
    Var(Vec<VarSpec>),
    /// A function or method.
    Func(FuncDecl),
    /// Something that did not parse.
    Bad,
}

/// `alias "path"`.
#[derive(Clone, Debug)]
pub struct ImportSpec {
    /// The local name, if one is written (`.` and `_` included).
    pub alias: Option<Ident>,
    /// The path.
    pub path: SmolStr,
    /// Place of the spec.
    pub span: Span,
    /// The comment above.
    pub doc: Option<GroupId>,
    /// The comment behind.
    pub trail: Option<GroupId>,
}

/// `Name[Params] Type` or `Name = Type`.
#[derive(Clone, Debug)]
pub struct TypeSpec {
    /// The declared name.
    pub name: Ident,
    /// Type parameters.
    pub params: Vec<TypeParam>,
    /// Whether it is a true alias (`=`).
    pub alias: bool,
    /// The right-hand side.
    pub ty: TypeExpr,
    /// Place of the spec.
    pub span: Span,
    /// The comment above, for specs in a group; for single specs see [`Decl::doc`].
    pub doc: Option<GroupId>,
    /// The comment behind.
    pub trail: Option<GroupId>,
}

/// One type parameter.
#[derive(Clone, Debug)]
pub struct TypeParam {
    /// Its name.
    pub name: Ident,
    /// Its constraint as written.
    pub constraint: Span,
}

/// Constants that share a line: `A, B T = x, y`.
#[derive(Clone, Debug)]
pub struct ConstSpec {
    /// The names.
    pub names: Vec<Ident>,
    /// The written type.
    pub ty: Option<TypeExpr>,
    /// The written values; empty repeats the spec before.
    pub values: Vec<Expr>,
    /// The value of `iota`.
    pub iota: u32,
    /// Index in the same group of the spec whose type and values are repeated.
    pub repeats: Option<u32>,
    /// Place of the spec.
    pub span: Span,
    /// The comment above.
    pub doc: Option<GroupId>,
    /// The comment behind.
    pub trail: Option<GroupId>,
}

/// Variables that share a line.
#[derive(Clone, Debug)]
pub struct VarSpec {
    /// The names.
    pub names: Vec<Ident>,
    /// The written type.
    pub ty: Option<TypeExpr>,
    /// What stands behind `=`, as written.
    pub value: Option<Span>,
    /// Place of the spec.
    pub span: Span,
}

/// A function or method.
#[derive(Clone, Debug)]
pub struct FuncDecl {
    /// Its name.
    pub name: Ident,
    /// The receiver, for methods.
    pub receiver: Option<Receiver>,
    /// Parameters and results as written.
    pub signature: Span,
    /// The body with its braces.
    pub body: Option<Span>,
}

/// A method's receiver.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// The type's name.
    pub base: Ident,
    /// Whether it is `*T`.
    pub pointer: bool,
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// Its form.
    pub kind: TypeExprKind,
    /// Its place.
    pub span: Span,
}

/// The forms of types.
#[derive(Clone, Debug)]
pub enum TypeExprKind {
    /// `name`, `package.name`, `name[args]`.
    Name {
        /// The package qualifier.
        package: Option<Ident>,
        /// The name.
        name: Ident,
        /// Type arguments.
        args: Vec<TypeExpr>,
    },
    /// `*T`
    Pointer(Box<TypeExpr>),
    /// `[]T`
    Slice(Box<TypeExpr>),
    /// `[n]T`
    Array(Box<Expr>, Box<TypeExpr>),
    /// `map[K]V`
    Map(Box<TypeExpr>, Box<TypeExpr>),
    /// `struct { … }`
    Struct(Vec<Field>),
    /// `interface { … }` with the number of its elements.
    Interface(u32),
    /// `func(…) …`
    Func,
    /// `chan T`
    Chan(Box<TypeExpr>),
    /// Something that did not parse; an error was reported.
    Bad,
}

/// A struct's field line: `A, B T` or an embedded `T`, with its tag.
#[derive(Clone, Debug)]
pub struct Field {
    /// Number of the field line in its file.
    pub id: u32,
    /// The names; empty for an embedded field.
    pub names: Vec<Ident>,
    /// The type.
    pub ty: TypeExpr,
    /// The tag, unquoted.
    pub tag: Option<SmolStr>,
    /// Offset of the tag literal.
    pub tag_offset: u32,
    /// Place of names, type and tag.
    pub span: Span,
    /// The comment above.
    pub doc: Option<GroupId>,
    /// The comment behind.
    pub trail: Option<GroupId>,
}

/// An expression of a constant, an array length or a returned literal.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its form.
    pub kind: ExprKind,
    /// Its place.
    pub span: Span,
    /// Height of the tree, bounded so that walks may recurse.
    pub(crate) height: u16,
}

/// The forms of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A name.
    Name(Ident),
    /// `x.name`
    Select(Box<Expr>, Ident),
    /// A literal as written.
    Literal(super::token::Kind, SmolStr),
    /// `op x`
    Unary(super::token::Kind, Box<Expr>),
    /// `x op y`
    Binary(super::token::Kind, Box<Expr>, Box<Expr>),
    /// `f(args)`, conversions included.
    Call(Box<Expr>, Vec<Expr>),
    /// `T{…}` or an inner `{…}` whose type is elided; elements with their keys.
    Composite(Option<Box<TypeExpr>>, Vec<(Option<Expr>, Expr)>),
    /// A type where an expression may stand, such as `[]byte`.
    Type(Box<TypeExpr>),
    /// Something valid that is never constant, such as a function literal.
    Opaque,
}
