//! Recognises what the macros expanded to.

use crate::ast::{Ast, Call, Comprehension, Const, Expr, ExprId, operator};

/// The shape of a comprehension.
pub(super) enum Shape {
    All(ExprId),
    Exists(ExprId),
    /// The predicate and the addition.
    ExistsOne {
        predicate: ExprId,
        add: ExprId,
    },
    /// Filter, item, the addition.
    List {
        filter: Option<ExprId>,
        item: ExprId,
        add: ExprId,
    },
    Bind,
    Any,
}

fn is_const(ast: &Ast, id: ExprId, wanted: &Const) -> bool {
    matches!(ast.expr(id), Expr::Const(value) if value == wanted)
}

fn call<'a>(ast: &'a Ast, id: ExprId, function: &str) -> Option<&'a Call> {
    match ast.expr(id) {
        Expr::Call(call) if call.function == function && call.target.is_none() => Some(call),
        _ => None,
    }
}

fn is_accu(ast: &Ast, id: ExprId, fold: &Comprehension) -> bool {
    matches!(ast.expr(id), Expr::Ident(name) if *name == fold.accu_var)
}

/// What a comprehension does.
pub(super) fn shape(ast: &Ast, fold: &Comprehension) -> Shape {
    if fold.accu_var == fold.iter_var || fold.iter_var2.as_ref() == Some(&fold.accu_var) {
        return Shape::Any;
    }
    quantifier(ast, fold)
        .or_else(|| exists_one(ast, fold))
        .or_else(|| list(ast, fold))
        .or_else(|| bind(ast, fold))
        .unwrap_or(Shape::Any)
}

fn quantifier(ast: &Ast, fold: &Comprehension) -> Option<Shape> {
    if !is_accu(ast, fold.result, fold) {
        return None;
    }
    let condition = call(ast, fold.loop_condition, operator::NOT_STRICTLY_FALSE)?.args.first()?;
    if is_const(ast, fold.accu_init, &Const::Bool(true)) && is_accu(ast, *condition, fold) {
        let [accu, predicate] = call(ast, fold.loop_step, operator::LOGICAL_AND)?.args.as_slice()
        else {
            return None;
        };
        return is_accu(ast, *accu, fold).then_some(Shape::All(*predicate));
    }
    if is_const(ast, fold.accu_init, &Const::Bool(false)) {
        let negated = call(ast, *condition, operator::LOGICAL_NOT)?.args.first()?;
        let [accu, predicate] = call(ast, fold.loop_step, operator::LOGICAL_OR)?.args.as_slice()
        else {
            return None;
        };
        return (is_accu(ast, *negated, fold) && is_accu(ast, *accu, fold))
            .then_some(Shape::Exists(*predicate));
    }
    None
}

fn exists_one(ast: &Ast, fold: &Comprehension) -> Option<Shape> {
    if !is_const(ast, fold.accu_init, &Const::Int(0))
        || !is_const(ast, fold.loop_condition, &Const::Bool(true))
    {
        return None;
    }
    let [predicate, add, same] = call(ast, fold.loop_step, operator::CONDITIONAL)?.args.as_slice()
    else {
        return None;
    };
    let [accu, one] = call(ast, *add, operator::ADD)?.args.as_slice() else { return None };
    let [result, expected] = call(ast, fold.result, operator::EQUALS)?.args.as_slice() else {
        return None;
    };
    let fits = is_accu(ast, *same, fold)
        && is_accu(ast, *accu, fold)
        && is_const(ast, *one, &Const::Int(1))
        && is_accu(ast, *result, fold)
        && is_const(ast, *expected, &Const::Int(1));
    fits.then_some(Shape::ExistsOne { predicate: *predicate, add: *add })
}

fn list(ast: &Ast, fold: &Comprehension) -> Option<Shape> {
    let empty = matches!(ast.expr(fold.accu_init), Expr::List(list) if list.elements.is_empty());
    if !empty
        || !is_const(ast, fold.loop_condition, &Const::Bool(true))
        || !is_accu(ast, fold.result, fold)
    {
        return None;
    }
    let (filter, add) = match call(ast, fold.loop_step, operator::CONDITIONAL) {
        None => (None, fold.loop_step),
        Some(conditional) => {
            let [filter, add, same] = conditional.args.as_slice() else { return None };
            if !is_accu(ast, *same, fold) {
                return None;
            }
            (Some(*filter), *add)
        }
    };
    let [accu, single] = call(ast, add, operator::ADD)?.args.as_slice() else { return None };
    let Expr::List(one) = ast.expr(*single) else { return None };
    let [item] = one.elements.as_slice() else { return None };
    (is_accu(ast, *accu, fold) && one.optional_indices.is_empty()).then_some(Shape::List {
        filter,
        item: *item,
        add,
    })
}

fn bind(ast: &Ast, fold: &Comprehension) -> Option<Shape> {
    let empty = matches!(ast.expr(fold.iter_range), Expr::List(list) if list.elements.is_empty());
    (empty && is_const(ast, fold.loop_condition, &Const::Bool(false))).then_some(Shape::Bind)
}
