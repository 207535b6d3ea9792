//! Macros that fold over elements, or over keys and values.

use super::{
    Expand, Expanded, Expansion, IDENTIFIER_EXPECTED, MAP_INSERT, MacroError, NAME_EXPECTED, error,
};
use crate::ast::{
    ACCUMULATOR, Comprehension, Const, Expr, ExprId, LEGACY_ACCUMULATOR, Text, operator,
};

/// The variables of a fold over elements, or over keys and values.
struct Variables {
    first: Text,
    second: Option<Text>,
}

impl Variables {
    fn one(ctx: &Expansion<'_>, arg: ExprId, message: &str) -> Result<Self, MacroError> {
        let first = ctx.simple_name(arg, message)?;
        not_accumulator(&first, arg)?;
        Ok(Self { first, second: None })
    }

    fn two(ctx: &Expansion<'_>, key: ExprId, value: ExprId) -> Result<Self, MacroError> {
        let first = ctx.simple_name(key, NAME_EXPECTED)?;
        let second = ctx.simple_name(value, NAME_EXPECTED)?;
        if first == second {
            return Err(error(value, &format!("duplicate variable name: {first}")));
        }
        not_accumulator(&first, key)?;
        not_accumulator(&second, value)?;
        Ok(Self { first, second: Some(second) })
    }

    fn fold(self, ctx: &mut Expansion<'_>, range: Option<ExprId>, parts: FoldParts) -> Expanded {
        let Some(iter_range) = range else {
            return Ok(None);
        };
        Ok(Some(ctx.fold(Comprehension {
            iter_range,
            iter_var: self.first,
            iter_var2: self.second,
            accu_var: Text::new_static(ACCUMULATOR),
            accu_init: parts.init,
            loop_condition: parts.condition,
            loop_step: parts.step,
            result: parts.result,
        })))
    }
}

struct FoldParts {
    init: ExprId,
    condition: ExprId,
    step: ExprId,
    result: ExprId,
}

fn not_accumulator(name: &str, at: ExprId) -> Result<(), MacroError> {
    if name == ACCUMULATOR || name == LEGACY_ACCUMULATOR {
        return Err(error(at, "iteration variable overwrites accumulator variable"));
    }
    Ok(())
}

fn all_parts(ctx: &mut Expansion<'_>, predicate: ExprId) -> FoldParts {
    let init = ctx.literal(Const::Bool(true));
    let so_far = ctx.accumulator();
    let condition = ctx.call(operator::NOT_STRICTLY_FALSE, vec![so_far]);
    let so_far = ctx.accumulator();
    let step = ctx.call(operator::LOGICAL_AND, vec![so_far, predicate]);
    let result = ctx.accumulator();
    FoldParts { init, condition, step, result }
}

fn exists_parts(ctx: &mut Expansion<'_>, predicate: ExprId) -> FoldParts {
    let init = ctx.literal(Const::Bool(false));
    let so_far = ctx.accumulator();
    let not_yet = ctx.call(operator::LOGICAL_NOT, vec![so_far]);
    let condition = ctx.call(operator::NOT_STRICTLY_FALSE, vec![not_yet]);
    let so_far = ctx.accumulator();
    let step = ctx.call(operator::LOGICAL_OR, vec![so_far, predicate]);
    let result = ctx.accumulator();
    FoldParts { init, condition, step, result }
}

fn exists_one_parts(ctx: &mut Expansion<'_>, predicate: ExprId) -> FoldParts {
    let init = ctx.literal(Const::Int(0));
    let condition = ctx.literal(Const::Bool(true));
    let count = ctx.accumulator();
    let one = ctx.literal(Const::Int(1));
    let plus_one = ctx.call(operator::ADD, vec![count, one]);
    let count = ctx.accumulator();
    let step = ctx.call(operator::CONDITIONAL, vec![predicate, plus_one, count]);
    let count = ctx.accumulator();
    let one = ctx.literal(Const::Int(1));
    let result = ctx.call(operator::EQUALS, vec![count, one]);
    FoldParts { init, condition, step, result }
}

/// Collects `element` where `filter` holds.
fn collect_parts(ctx: &mut Expansion<'_>, filter: Option<ExprId>, element: ExprId) -> FoldParts {
    let init = ctx.list(Vec::new());
    let condition = ctx.literal(Const::Bool(true));
    let so_far = ctx.accumulator();
    let one = ctx.list(vec![element]);
    let step = ctx.call(operator::ADD, vec![so_far, one]);
    guarded(ctx, filter, init, condition, step)
}

fn guarded(
    ctx: &mut Expansion<'_>,
    filter: Option<ExprId>,
    init: ExprId,
    condition: ExprId,
    mut step: ExprId,
) -> FoldParts {
    if let Some(filter) = filter {
        let so_far = ctx.accumulator();
        step = ctx.call(operator::CONDITIONAL, vec![filter, step, so_far]);
    }
    let result = ctx.accumulator();
    FoldParts { init, condition, step, result }
}

/// What a macro makes of its predicate.
type Parts = fn(&mut Expansion<'_>, ExprId) -> FoldParts;

/// `list.all(x, p)` and its like.
fn over_elements(
    ctx: &mut Expansion<'_>,
    target: Option<ExprId>,
    args: &[ExprId],
    parts: Parts,
) -> Expanded {
    let [name, predicate] = args else { return Ok(None) };
    let variables = Variables::one(ctx, *name, NAME_EXPECTED)?;
    let parts = parts(ctx, *predicate);
    variables.fold(ctx, target, parts)
}

/// `map.all(k, v, p)` and its like.
fn over_entries(
    ctx: &mut Expansion<'_>,
    target: Option<ExprId>,
    args: &[ExprId],
    parts: Parts,
) -> Expanded {
    let [key, value, predicate] = args else { return Ok(None) };
    let variables = Variables::two(ctx, *key, *value)?;
    let parts = parts(ctx, *predicate);
    variables.fold(ctx, target, parts)
}

pub(super) const ALL: Expand = |ctx, target, args| over_elements(ctx, target, args, all_parts);
pub(super) const EXISTS: Expand =
    |ctx, target, args| over_elements(ctx, target, args, exists_parts);
pub(super) const EXISTS_ONE: Expand =
    |ctx, target, args| over_elements(ctx, target, args, exists_one_parts);
pub(super) const ALL_ENTRIES: Expand =
    |ctx, target, args| over_entries(ctx, target, args, all_parts);
pub(super) const EXISTS_ENTRY: Expand =
    |ctx, target, args| over_entries(ctx, target, args, exists_parts);
pub(super) const EXISTS_ONE_ENTRY: Expand =
    |ctx, target, args| over_entries(ctx, target, args, exists_one_parts);

pub(super) fn expand_map(
    ctx: &mut Expansion<'_>,
    target: Option<ExprId>,
    args: &[ExprId],
) -> Expanded {
    let (name, filter, element) = match args {
        [name, element] => (*name, None, *element),
        [name, filter, element] => (*name, Some(*filter), *element),
        _ => return Ok(None),
    };
    let variables = Variables::one(ctx, name, IDENTIFIER_EXPECTED)?;
    let parts = collect_parts(ctx, filter, element);
    variables.fold(ctx, target, parts)
}

pub(super) fn expand_filter(
    ctx: &mut Expansion<'_>,
    target: Option<ExprId>,
    args: &[ExprId],
) -> Expanded {
    let [name, filter] = args else {
        return Ok(None);
    };
    let variables = Variables::one(ctx, *name, IDENTIFIER_EXPECTED)?;
    let parts = collect_parts(ctx, Some(*filter), *name);
    variables.fold(ctx, target, parts)
}

/// Variables, filter and transform of the transforming macros.
fn transform_args(
    ctx: &Expansion<'_>,
    args: &[ExprId],
) -> Result<Option<(Variables, Option<ExprId>, ExprId)>, MacroError> {
    let (key, value, filter, transform) = match args {
        [key, value, transform] => (*key, *value, None, *transform),
        [key, value, filter, transform] => (*key, *value, Some(*filter), *transform),
        _ => return Ok(None),
    };
    Ok(Some((Variables::two(ctx, key, value)?, filter, transform)))
}

pub(super) fn expand_transform_list(
    ctx: &mut Expansion<'_>,
    target: Option<ExprId>,
    args: &[ExprId],
) -> Expanded {
    let Some((variables, filter, transform)) = transform_args(ctx, args)? else {
        return Ok(None);
    };
    let parts = collect_parts(ctx, filter, transform);
    variables.fold(ctx, target, parts)
}

pub(super) fn expand_transform_map(
    ctx: &mut Expansion<'_>,
    target: Option<ExprId>,
    args: &[ExprId],
) -> Expanded {
    let Some((variables, filter, transform)) = transform_args(ctx, args)? else {
        return Ok(None);
    };
    let so_far = ctx.accumulator();
    let key = ctx.ident(&variables.first.clone());
    let step = ctx.call(MAP_INSERT, vec![so_far, key, transform]);
    let parts = map_parts(ctx, filter, step);
    variables.fold(ctx, target, parts)
}

pub(super) fn expand_transform_map_entry(
    ctx: &mut Expansion<'_>,
    target: Option<ExprId>,
    args: &[ExprId],
) -> Expanded {
    let Some((variables, filter, transform)) = transform_args(ctx, args)? else {
        return Ok(None);
    };
    let so_far = ctx.accumulator();
    let step = ctx.call(MAP_INSERT, vec![so_far, transform]);
    let parts = map_parts(ctx, filter, step);
    variables.fold(ctx, target, parts)
}

fn map_parts(ctx: &mut Expansion<'_>, filter: Option<ExprId>, step: ExprId) -> FoldParts {
    let init = ctx.push(Expr::Map(Vec::new()));
    let condition = ctx.literal(Const::Bool(true));
    guarded(ctx, filter, init, condition, step)
}
