//! The syntax tree: an arena of expressions addressed by id.
//!
//! Every expression (and every map entry or struct field) has an [`ExprId`] which is its index
//! in the arena, so that what later stages learn about an expression lives in plain vectors
//! beside the tree, and dropping or copying a deep tree needs no recursion.

use std::sync::Arc;

use crate::source::Source;

/// A string or identifier in the tree.
pub type Text = smol_str::SmolStr;

/// The accumulator of the macros' comprehensions. It cannot be written in source, so no
/// expression can reach into a fold.
pub const ACCUMULATOR: &str = "@result";

/// The accumulator's former name, which stays refused as an iteration variable.
pub const LEGACY_ACCUMULATOR: &str = "__result__";

/// Names of the operators as they stand in [`Call::function`].
pub mod operator {
    /// `c ? t : f`
    pub const CONDITIONAL: &str = "_?_:_";
    /// `a && b`
    pub const LOGICAL_AND: &str = "_&&_";
    /// `a || b`
    pub const LOGICAL_OR: &str = "_||_";
    /// `!a`
    pub const LOGICAL_NOT: &str = "!_";
    /// `a == b`
    pub const EQUALS: &str = "_==_";
    /// `a != b`
    pub const NOT_EQUALS: &str = "_!=_";
    /// `a < b`
    pub const LESS: &str = "_<_";
    /// `a <= b`
    pub const LESS_EQUALS: &str = "_<=_";
    /// `a > b`
    pub const GREATER: &str = "_>_";
    /// `a >= b`
    pub const GREATER_EQUALS: &str = "_>=_";
    /// `a + b`
    pub const ADD: &str = "_+_";
    /// `a - b`
    pub const SUBTRACT: &str = "_-_";
    /// `a * b`
    pub const MULTIPLY: &str = "_*_";
    /// `a / b`
    pub const DIVIDE: &str = "_/_";
    /// `a % b`
    pub const MODULO: &str = "_%_";
    /// `-a`
    pub const NEGATE: &str = "-_";
    /// `a[b]`
    pub const INDEX: &str = "_[_]";
    /// `a[?b]`
    pub const OPTIONAL_INDEX: &str = "_[?_]";
    /// `a.?b`: the second argument is a string constant with the field's name.
    pub const OPTIONAL_SELECT: &str = "_?._";
    /// `a in b`
    pub const IN: &str = "@in";
    /// True unless its argument is `false`: the loop condition of `all` and `exists`.
    pub const NOT_STRICTLY_FALSE: &str = "@not_strictly_false";
}

/// The id of an expression: its index in the arena of its [`Ast`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

impl ExprId {
    /// The id as an index into vectors kept beside the tree.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A literal.
#[derive(Clone, Debug, PartialEq)]
pub enum Const {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// `1`
    Int(i64),
    /// `1u`
    Uint(u64),
    /// `1.0`
    Double(f64),
    /// `'text'`
    String(Text),
    /// `b'bytes'`
    Bytes(Arc<[u8]>),
}

/// What an expression is.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Expr {
    /// The place of a syntax error, or the id of a map entry or struct field.
    #[default]
    Unspecified,
    /// A literal.
    Const(Const),
    /// A name. A leading dot (`.name`) is kept by the parser and resolved by the checker,
    /// which also writes the fully qualified name here.
    Ident(Text),
    /// `operand.field`, or `has(operand.field)` when `test_only`.
    Select(Select),
    /// A function, method or operator call. `a.?b` and `a[?b]` are calls, too.
    Call(Call),
    /// `[a, ?b]`
    List(List),
    /// `{k: v, ?k: v}`
    Map(Vec<MapEntry>),
    /// `type.name{field: v, ?field: v}`
    Struct(Struct),
    /// What macros such as `all` and `map` expand to.
    Comprehension(Box<Comprehension>),
}

/// `operand.field` or its presence test.
#[derive(Clone, Debug, PartialEq)]
pub struct Select {
    /// The object, map, optional or dynamic value.
    pub operand: ExprId,
    /// The field's name.
    pub field: Text,
    /// Whether this is `has(operand.field)`.
    pub test_only: bool,
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The function's name; after checking the fully qualified one.
    pub function: Text,
    /// The receiver of a method call. The checker removes a target that turned out to be the
    /// namespace of a global function.
    pub target: Option<ExprId>,
    /// The arguments, receiver excluded.
    pub args: Vec<ExprId>,
}

/// A list literal.
#[derive(Clone, Debug, PartialEq)]
pub struct List {
    /// The elements in order.
    pub elements: Vec<ExprId>,
    /// Ascending indices of the elements written with `?`.
    pub optional_indices: Vec<u32>,
}

/// One entry of a map literal.
#[derive(Clone, Debug, PartialEq)]
pub struct MapEntry {
    /// The entry's own id, which has a position but no expression.
    pub id: ExprId,
    /// The key.
    pub key: ExprId,
    /// The value.
    pub value: ExprId,
    /// Whether the entry was written with `?`.
    pub optional: bool,
}

/// A message literal.
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// The name of the message type; after checking the fully qualified one.
    pub type_name: Text,
    /// The fields in source order.
    pub fields: Vec<StructField>,
}

/// One field of a message literal.
#[derive(Clone, Debug, PartialEq)]
pub struct StructField {
    /// The field's own id, which has a position but no expression.
    pub id: ExprId,
    /// The field's name.
    pub name: Text,
    /// The value.
    pub value: ExprId,
    /// Whether the field was written with `?`.
    pub optional: bool,
}

/// A fold over a list or map:
///
/// ```text
/// let accu = accu_init
/// for iter_var in iter_range { if !loop_condition { break }; accu = loop_step }
/// result
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Comprehension {
    /// The list or map.
    pub iter_range: ExprId,
    /// The element of a list or key of a map; with `iter_var2` the index or the key.
    pub iter_var: Text,
    /// With two variables: the element or the value.
    pub iter_var2: Option<Text>,
    /// The accumulator's name.
    pub accu_var: Text,
    /// The accumulator's first value.
    pub accu_init: ExprId,
    /// Goes on while this is not false.
    pub loop_condition: ExprId,
    /// The accumulator's next value.
    pub loop_step: ExprId,
    /// The value of the whole; sees the accumulator but not the iteration variables.
    pub result: ExprId,
}

/// Byte range of an expression's leading token in the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// The call that a macro replaced.
#[derive(Clone, Debug, PartialEq)]
pub struct MacroCall {
    /// The id of the expansion.
    pub expansion: ExprId,
    /// The macro's name as written.
    pub function: Text,
    /// The receiver.
    pub target: Option<ExprId>,
    /// The arguments as parsed; the expansion shares their nodes.
    pub args: Vec<ExprId>,
}

/// A parsed expression.
#[derive(Clone, Debug)]
pub struct Ast {
    exprs: Vec<Expr>,
    spans: Vec<Option<Span>>,
    macro_calls: Vec<MacroCall>,
    root: ExprId,
    source: Source,
}

impl Ast {
    /// An empty tree for `source`; its root is an unspecified expression at id 0.
    #[must_use]
    pub fn new(source: Source) -> Self {
        Self {
            exprs: vec![Expr::Unspecified],
            spans: vec![None],
            macro_calls: Vec::new(),
            root: ExprId(0),
            source,
        }
    }

    /// The id of the outermost expression.
    #[must_use]
    pub fn root(&self) -> ExprId {
        self.root
    }

    /// Makes `id` the outermost expression.
    pub fn set_root(&mut self, id: ExprId) {
        self.root = id;
    }

    /// The expression with this id.
    #[must_use]
    pub fn expr(&self, id: ExprId) -> &Expr {
        self.exprs.get(id.index()).unwrap_or(&Expr::Unspecified)
    }

    /// Replaces the expression with this id.
    pub fn set_expr(&mut self, id: ExprId, expr: Expr) {
        if let Some(slot) = self.exprs.get_mut(id.index()) {
            *slot = expr;
        }
    }

    /// The expression with this id, to be changed in place.
    pub fn expr_mut(&mut self, id: ExprId) -> Option<&mut Expr> {
        self.exprs.get_mut(id.index())
    }

    /// Adds an expression.
    pub fn push(&mut self, expr: Expr, span: Option<Span>) -> ExprId {
        let id = ExprId(u32::try_from(self.exprs.len()).unwrap_or(u32::MAX));
        self.exprs.push(expr);
        self.spans.push(span);
        id
    }

    /// How many ids there are: the length of vectors kept beside the tree.
    #[must_use]
    pub fn id_count(&self) -> usize {
        self.exprs.len()
    }

    /// Where the expression's leading token stands.
    #[must_use]
    pub fn span(&self, id: ExprId) -> Option<Span> {
        self.spans.get(id.index()).copied().flatten()
    }

    /// Records that `call` was replaced by its expansion.
    pub fn push_macro_call(&mut self, call: MacroCall) {
        self.macro_calls.push(call);
    }

    /// The macro call that expanded to this expression, if one did.
    #[must_use]
    pub fn macro_call(&self, expansion: ExprId) -> Option<&MacroCall> {
        self.macro_calls.iter().find(|call| call.expansion == expansion)
    }

    /// The source that was parsed.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Calls `visit` with the ids of the direct children, in source order.
    pub fn for_each_child(&self, id: ExprId, mut visit: impl FnMut(ExprId)) {
        match self.expr(id) {
            Expr::Unspecified | Expr::Const(_) | Expr::Ident(_) => {}
            Expr::Select(select) => visit(select.operand),
            Expr::Call(call) => {
                if let Some(target) = call.target {
                    visit(target);
                }
                call.args.iter().copied().for_each(visit);
            }
            Expr::List(list) => list.elements.iter().copied().for_each(visit),
            Expr::Map(entries) => {
                for entry in entries {
                    visit(entry.key);
                    visit(entry.value);
                }
            }
            Expr::Struct(message) => message.fields.iter().for_each(|field| visit(field.value)),
            Expr::Comprehension(fold) => {
                visit(fold.iter_range);
                visit(fold.accu_init);
                visit(fold.loop_condition);
                visit(fold.loop_step);
                visit(fold.result);
            }
        }
    }
}
