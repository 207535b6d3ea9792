//! Macros: calls that the parser replaces by other expressions.

use crate::ast::{
    ACCUMULATOR, Ast, Call, Comprehension, Const, Expr, ExprId, List, MapEntry, Select, Span,
    StructField, Text, operator,
};

mod folds;

use folds::{
    expand_filter, expand_map, expand_transform_list, expand_transform_map,
    expand_transform_map_entry,
};

/// The iteration variable of folds that only bind a name.
const UNUSED: &str = "#unused";
/// Puts an entry or the entries of a map into another map.
pub const MAP_INSERT: &str = "cel.@mapInsert";

/// A macro expanded nothing because its arguments are not what it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MacroError {
    /// The expression at fault.
    pub at: ExprId,
    /// What is wrong with it.
    pub message: String,
}

/// What a macro does: gives the expansion, or nothing when the call is not its business.
pub type Expand =
    fn(&mut Expansion<'_>, Option<ExprId>, &[ExprId]) -> Result<Option<ExprId>, MacroError>;

/// How many arguments a macro takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// Exactly so many.
    Exactly(usize),
    /// Any number.
    Any,
}

/// A macro.
#[derive(Clone, Copy, Debug)]
pub struct Macro {
    /// The name of the function.
    pub function: &'static str,
    /// Whether it is called as a method.
    pub receiver: bool,
    /// The number of arguments, receiver excluded.
    pub arity: Arity,
    /// What it does.
    pub expand: Expand,
}

impl Macro {
    /// A method macro.
    #[must_use]
    pub const fn receiver(function: &'static str, args: usize, expand: Expand) -> Self {
        Self { function, receiver: true, arity: Arity::Exactly(args), expand }
    }

    /// A method macro for any number of arguments.
    #[must_use]
    pub const fn receiver_any(function: &'static str, expand: Expand) -> Self {
        Self { function, receiver: true, arity: Arity::Any, expand }
    }

    /// A global macro.
    #[must_use]
    pub const fn global(function: &'static str, args: usize, expand: Expand) -> Self {
        Self { function, receiver: false, arity: Arity::Exactly(args), expand }
    }

    pub(crate) fn matches_macro(&self, other: &Self) -> bool {
        self.function == other.function
            && self.receiver == other.receiver
            && self.arity == other.arity
    }

    pub(crate) fn matches(&self, function: &str, args: usize, receiver: bool) -> bool {
        self.function == function
            && self.receiver == receiver
            && match self.arity {
                Arity::Exactly(count) => count == args,
                Arity::Any => true,
            }
    }
}

/// `has`, `all`, `exists`, `exists_one`, `map` and `filter`.
pub const STANDARD: [Macro; 7] = [
    Macro::global("has", 1, expand_has),
    Macro::receiver("all", 2, folds::ALL),
    Macro::receiver("exists", 2, folds::EXISTS),
    Macro::receiver("exists_one", 2, folds::EXISTS_ONE),
    Macro::receiver("map", 2, expand_map),
    Macro::receiver("map", 3, expand_map),
    Macro::receiver("filter", 2, expand_filter),
];

/// `existsOne`: the newer spelling of `exists_one`, which not every environment has.
pub const EXISTS_ONE: [Macro; 1] = [Macro::receiver("existsOne", 2, folds::EXISTS_ONE)];

/// `optMap` and `optFlatMap`.
pub const OPTIONAL: [Macro; 2] = [
    Macro::receiver("optMap", 2, expand_opt_map),
    Macro::receiver("optFlatMap", 2, expand_opt_flat_map),
];

/// The quantifiers and transforms over keys and values.
pub const TWO_VARIABLES: [Macro; 10] = [
    Macro::receiver("all", 3, folds::ALL_ENTRIES),
    Macro::receiver("exists", 3, folds::EXISTS_ENTRY),
    Macro::receiver("existsOne", 3, folds::EXISTS_ONE_ENTRY),
    Macro::receiver("exists_one", 3, folds::EXISTS_ONE_ENTRY),
    Macro::receiver("transformList", 3, expand_transform_list),
    Macro::receiver("transformList", 4, expand_transform_list),
    Macro::receiver("transformMap", 3, expand_transform_map),
    Macro::receiver("transformMap", 4, expand_transform_map),
    Macro::receiver("transformMapEntry", 3, expand_transform_map_entry),
    Macro::receiver("transformMapEntry", 4, expand_transform_map_entry),
];

/// `cel.bind`.
pub const BIND: [Macro; 1] = [Macro::receiver("bind", 3, expand_bind)];

/// `sortBy`.
pub const SORT_BY: [Macro; 1] = [Macro::receiver("sortBy", 2, expand_sort_by)];

/// `math.least` and `math.greatest`.
pub const MATH: [Macro; 2] =
    [Macro::receiver_any("least", expand_least), Macro::receiver_any("greatest", expand_greatest)];

/// Builds the expressions of an expansion; they stand where the macro stood.
pub struct Expansion<'a> {
    ast: &'a mut Ast,
    span: Span,
}

impl<'a> Expansion<'a> {
    pub(crate) fn new(ast: &'a mut Ast, span: Span) -> Self {
        Self { ast, span }
    }

    /// The expression with this id.
    #[must_use]
    pub fn expr(&self, id: ExprId) -> &Expr {
        self.ast.expr(id)
    }

    fn push(&mut self, expr: Expr) -> ExprId {
        self.ast.push(expr, Some(self.span))
    }

    /// A literal.
    pub fn literal(&mut self, value: Const) -> ExprId {
        self.push(Expr::Const(value))
    }

    /// A name.
    pub fn ident(&mut self, name: &str) -> ExprId {
        self.push(Expr::Ident(Text::from(name)))
    }

    /// The accumulator of the macros' folds.
    pub fn accumulator(&mut self) -> ExprId {
        self.push(Expr::Ident(Text::new_static(ACCUMULATOR)))
    }

    /// A list literal.
    pub fn list(&mut self, elements: Vec<ExprId>) -> ExprId {
        self.push(Expr::List(List { elements, optional_indices: Vec::new() }))
    }

    /// A global call.
    pub fn call(&mut self, function: &'static str, args: Vec<ExprId>) -> ExprId {
        self.push(Expr::Call(Call { function: Text::new_static(function), target: None, args }))
    }

    /// A method call.
    pub fn member_call(
        &mut self,
        function: &'static str,
        target: ExprId,
        args: Vec<ExprId>,
    ) -> ExprId {
        self.push(Expr::Call(Call {
            function: Text::new_static(function),
            target: Some(target),
            args,
        }))
    }

    /// A fold.
    pub fn fold(&mut self, fold: Comprehension) -> ExprId {
        self.push(Expr::Comprehension(Box::new(fold)))
    }

    /// `result` with `name` bound to `value`: a fold over nothing.
    pub fn bind(&mut self, name: Text, value: ExprId, result: ExprId) -> ExprId {
        let iter_range = self.list(Vec::new());
        let loop_condition = self.literal(Const::Bool(false));
        let loop_step = self.ident(&name);
        self.fold(Comprehension {
            iter_range,
            iter_var: Text::new_static(UNUSED),
            iter_var2: None,
            accu_var: name,
            accu_init: value,
            loop_condition,
            loop_step,
            result,
        })
    }

    /// A copy with ids of its own. Nesting is bounded by the parser's limits.
    pub fn copy(&mut self, id: ExprId) -> ExprId {
        let span = self.ast.span(id);
        let mut expr = self.ast.expr(id).clone();
        match &mut expr {
            Expr::Unspecified | Expr::Const(_) | Expr::Ident(_) => {}
            Expr::Select(Select { operand, .. }) => *operand = self.copy(*operand),
            Expr::Call(call) => {
                call.target = call.target.map(|target| self.copy(target));
                call.args.iter_mut().for_each(|arg| *arg = self.copy(*arg));
            }
            Expr::List(list) => {
                let elements = list.elements.iter_mut();
                elements.for_each(|element| *element = self.copy(*element));
            }
            Expr::Map(entries) => {
                for MapEntry { id, key, value, .. } in entries {
                    *id = self.push(Expr::Unspecified);
                    *key = self.copy(*key);
                    *value = self.copy(*value);
                }
            }
            Expr::Struct(message) => {
                for StructField { id, value, .. } in &mut message.fields {
                    *id = self.push(Expr::Unspecified);
                    *value = self.copy(*value);
                }
            }
            Expr::Comprehension(fold) => {
                fold.iter_range = self.copy(fold.iter_range);
                fold.accu_init = self.copy(fold.accu_init);
                fold.loop_condition = self.copy(fold.loop_condition);
                fold.loop_step = self.copy(fold.loop_step);
                fold.result = self.copy(fold.result);
            }
        }
        self.ast.push(expr, span)
    }

    fn simple_name(&self, id: ExprId, message: &str) -> Result<Text, MacroError> {
        match self.ast.expr(id) {
            Expr::Ident(name) => Ok(name.clone()),
            _ => Err(error(id, message)),
        }
    }

    fn is_namespace(&self, target: Option<ExprId>, namespace: &str) -> bool {
        target.is_some_and(
            |target| matches!(self.ast.expr(target), Expr::Ident(name) if name == namespace),
        )
    }
}

fn error(at: ExprId, message: &str) -> MacroError {
    MacroError { at, message: message.to_owned() }
}

type Expanded = Result<Option<ExprId>, MacroError>;

const NAME_EXPECTED: &str = "argument must be a simple name";
const IDENTIFIER_EXPECTED: &str = "argument is not an identifier";

fn expand_has(ctx: &mut Expansion<'_>, _: Option<ExprId>, args: &[ExprId]) -> Expanded {
    let [arg] = args else { return Ok(None) };
    let Expr::Select(select) = ctx.expr(*arg) else {
        return Err(error(*arg, "invalid argument to has() macro"));
    };
    let test = Select { test_only: true, ..select.clone() };
    Ok(Some(ctx.push(Expr::Select(test))))
}

fn expand_bind(ctx: &mut Expansion<'_>, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    let [name, value, result] = args else {
        return Ok(None);
    };
    if !ctx.is_namespace(target, "cel") {
        return Ok(None);
    }
    let message = "cel.bind() variable names must be simple identifiers";
    let name = ctx.simple_name(*name, message)?;
    Ok(Some(ctx.bind(name, *value, *result)))
}

fn expand_opt_map(ctx: &mut Expansion<'_>, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    let (Some(target), [name, result]) = (target, args) else {
        return Ok(None);
    };
    let message = "optMap() variable name must be a simple identifier";
    let name = ctx.simple_name(*name, message)?;
    let present = ctx.member_call("hasValue", target, Vec::new());
    let bound = bind_optional(ctx, name, target, *result);
    let some = ctx.call("optional.of", vec![bound]);
    let none = ctx.call("optional.none", Vec::new());
    let chosen = ctx.call(operator::CONDITIONAL, vec![present, some, none]);
    Ok(Some(chosen))
}

fn expand_opt_flat_map(
    ctx: &mut Expansion<'_>,
    target: Option<ExprId>,
    args: &[ExprId],
) -> Expanded {
    let (Some(target), [name, result]) = (target, args) else {
        return Ok(None);
    };
    let message = "optFlatMap() variable name must be a simple identifier";
    let name = ctx.simple_name(*name, message)?;
    let present = ctx.member_call("hasValue", target, Vec::new());
    let bound = bind_optional(ctx, name, target, *result);
    let none = ctx.call("optional.none", Vec::new());
    let chosen = ctx.call(operator::CONDITIONAL, vec![present, bound, none]);
    Ok(Some(chosen))
}

fn bind_optional(ctx: &mut Expansion<'_>, name: Text, target: ExprId, result: ExprId) -> ExprId {
    let copy = ctx.copy(target);
    let value = ctx.member_call("value", copy, Vec::new());
    ctx.bind(name, value, result)
}

fn expand_sort_by(ctx: &mut Expansion<'_>, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    const INPUT: &str = "@__sortBy_input__";
    let Some(target) = target else {
        return Ok(None);
    };
    if matches!(
        ctx.expr(target),
        Expr::Unspecified | Expr::Const(_) | Expr::Map(_) | Expr::Struct(_)
    ) {
        return Err(error(
            target,
            "sortBy can only be applied to a list, identifier, comprehension, call or select \
             expression",
        ));
    }
    let input = ctx.ident(INPUT);
    let Some(keys) = expand_map(ctx, Some(input), args)? else {
        return Ok(None);
    };
    let input = ctx.ident(INPUT);
    let sorted = ctx.member_call("@sortByAssociatedKeys", input, vec![keys]);
    Ok(Some(ctx.bind(Text::from(INPUT), target, sorted)))
}

fn expand_least(ctx: &mut Expansion<'_>, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    expand_extremum(ctx, target, args, "math.least()", "math.@min")
}

fn expand_greatest(ctx: &mut Expansion<'_>, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    expand_extremum(ctx, target, args, "math.greatest()", "math.@max")
}

fn expand_extremum(
    ctx: &mut Expansion<'_>,
    target: Option<ExprId>,
    args: &[ExprId],
    shown: &str,
    function: &'static str,
) -> Expanded {
    let Some(target) = target.filter(|target| ctx.is_namespace(Some(*target), "math")) else {
        return Ok(None);
    };
    let call_args = match args {
        [] => {
            let message = format!("{shown} requires at least one argument");
            return Err(error(target, &message));
        }
        [arg] => {
            if !may_be_number(ctx, *arg) && !is_list_of_numbers(ctx, *arg) {
                let message = format!("{shown} invalid single argument value");
                return Err(error(*arg, &message));
            }
            vec![*arg]
        }
        args => {
            if let Some(arg) = args.iter().find(|arg| !may_be_number(ctx, **arg)) {
                let message = format!("{shown} simple literal arguments must be numeric");
                return Err(error(*arg, &message));
            }
            if args.len() == 2 { args.to_vec() } else { vec![ctx.list(args.to_vec())] }
        }
    };
    Ok(Some(ctx.call(function, call_args)))
}

fn may_be_number(ctx: &Expansion<'_>, id: ExprId) -> bool {
    match ctx.expr(id) {
        Expr::Const(value) => matches!(value, Const::Int(_) | Const::Uint(_) | Const::Double(_)),
        Expr::List(_) | Expr::Map(_) | Expr::Struct(_) => false,
        _ => true,
    }
}

fn is_list_of_numbers(ctx: &Expansion<'_>, id: ExprId) -> bool {
    match ctx.expr(id) {
        Expr::List(list) => {
            !list.elements.is_empty() && list.elements.iter().all(|e| may_be_number(ctx, *e))
        }
        _ => false,
    }
}
