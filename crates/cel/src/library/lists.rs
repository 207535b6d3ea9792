//! The lists library.

use std::cmp::Ordering;
use std::collections::HashSet;

use super::{Args, Function, Module};
use crate::meter::Meter;
use crate::syntax::macros;
use crate::types::Type;
use crate::value::{Error, List, Result, Val, compare, equal};

/// The types whose lists can be sorted, with their names in overload ids.
fn sortable() -> Vec<(&'static str, Type)> {
    vec![
        ("int", Type::Int),
        ("uint", Type::Uint),
        ("double", Type::Double),
        ("bool", Type::Bool),
        ("google.protobuf.Duration", Type::Duration),
        ("google.protobuf.Timestamp", Type::Timestamp),
        ("string", Type::String),
        ("bytes", Type::Bytes),
    ]
}

/// The lists library in one of its versions 0 to 3; from 3 on calls cost what they do.
#[must_use]
pub fn module(version: u32) -> Module {
    let t = || Type::list(Type::param("T"));
    let priced = |function: Function, cost: super::CostFn| {
        if version >= 3 { function.cost(cost) } else { function }
    };
    let mut module = Module::new("cel.lib.ext.lists").function(priced(
        Function::new("slice").member("list_slice", [t(), Type::Int, Type::Int], t(), slice),
        output_cost,
    ));
    if version >= 1 {
        let nested = Type::list(t());
        let dynamic = || Type::list(Type::Dyn);
        let flat = Function::new("flatten").unguarded();
        let flat = priced(flat.member("list_flatten", [nested], t(), flatten), flatten_cost);
        let flat = priced(
            flat.member("list_flatten_int", [dynamic(), Type::Int], dynamic(), flatten),
            flatten_cost,
        );
        module = module.function(flat);
    }
    if version >= 2 {
        let sort_function =
            sortable().into_iter().fold(Function::new("sort"), |function, (name, ty)| {
                let list = || Type::list(ty.clone());
                priced(
                    function.declared_member(&format!("list_{name}_sort"), [list()], list()),
                    |args, _| args.first().map(self_compare_cost),
                )
            });
        let by_keys = sortable().into_iter().fold(
            Function::new("@sortByAssociatedKeys"),
            |function, (name, ty)| {
                let id = format!("list_{name}_sortByAssociatedKeys");
                priced(function.declared_member(&id, [t(), Type::list(ty)], t()), |args, _| {
                    args.get(1).map(self_compare_cost)
                })
            },
        );
        let is_list = |value: &Val<'_>| matches!(value, Val::List(_));
        module = module
            .function(sort_function.singleton(is_list, sort).priced_list(0))
            .function(by_keys.singleton(is_list, sort_by_keys).priced_list(1))
            .function(priced(
                Function::new("lists.range").overload(
                    "lists_range",
                    [Type::Int],
                    Type::list(Type::Int),
                    range,
                ),
                output_cost,
            ))
            .function(priced(
                Function::new("reverse").member("list_reverse", [t()], t(), reverse),
                output_cost,
            ))
            .function(priced(
                Function::new("distinct")
                    .member("list_distinct", [t()], t(), distinct)
                    .priced_list(0),
                |args, _| args.first().map(self_compare_cost),
            ))
            .declare(|library| library.macros.extend_from_slice(&macros::SORT_BY));
    }
    module
}

/// What a call costs that makes a list of `size` steps.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "costs are computed in floating point"
)]
fn allocating(factor: f64, size: u64) -> u64 {
    (size as f64 * factor) as u64 + 1 + 10
}

fn output_cost(_: &[Val<'_>], result: Option<&Val<'_>>) -> Option<u64> {
    Some(allocating(1.0, result.map_or(1, Val::size)))
}

#[expect(clippy::cast_precision_loss, reason = "costs are computed in floating point")]
fn flatten_cost(args: &[Val<'_>], _: Option<&Val<'_>>) -> Option<u64> {
    let depth = args.get(1).and_then(Val::as_int).unwrap_or(1);
    Some(allocating(depth as f64, args.first()?.size()))
}

fn self_compare_cost(list: &Val<'_>) -> u64 {
    let size = list.size();
    let first = list.as_list().and_then(|list| list.get(0).ok());
    let factor = if matches!(first, Some(Val::Str(_) | Val::Bytes(_))) { 2.1 } else { 2.0 };
    allocating(factor, size.saturating_mul(size))
}

fn range<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let end = args.int(0)?.max(0);
    if u64::try_from(end).unwrap_or(0) > args.budget {
        return Err(Error::cost_limit());
    }
    args.meter().made_items(usize::try_from(end).unwrap_or(usize::MAX))?;
    Ok(Val::list((0..end).map(Val::Int).collect()))
}

fn reverse<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let mut items = args.all_items(0)?;
    items.reverse();
    Ok(Val::list(items))
}

fn slice<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let (list, start, end) = (args.list(0)?, args.int(1)?, args.int(2)?);
    let refuse = |why: &str| Err(Error::new(format!("cannot slice({start}, {end}), {why}")));
    if start < 0 || end < 0 {
        return refuse("negative indexes not supported");
    }
    if start > end {
        return refuse("start index must be less than or equal to end index");
    }
    let len = list.len();
    let (Ok(from), Ok(to)) = (usize::try_from(start), usize::try_from(end)) else {
        return refuse(&format!("list is length {len}"));
    };
    if len < to {
        return refuse(&format!("list is length {len}"));
    }
    (from..to).map(|index| list.get(index)).collect::<Result<Vec<_>>>().map(Val::list)
}

fn flatten<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    if args.at(0).as_list().is_none() || !matches!(args.at(1), Val::Null | Val::Int(_)) {
        let depth = args.all().get(1).map_or("", Val::type_name);
        let message = format!("no such overload: {}.flatten({depth})", args.at(0).type_name());
        return Err(Error::new(message));
    }
    let depth = args.at(1).as_int().unwrap_or(1);
    if depth < 0 {
        return Err(Error::new("level must be non-negative"));
    }
    let mut out = Vec::new();
    // Lists under way with the next index and the depth left.
    let mut stack: Vec<(List<'a>, usize, i64)> = vec![(args.list(0)?.clone(), 0, depth)];
    while let Some((list, index, depth)) = stack.pop() {
        if index >= list.len() {
            continue;
        }
        args.meter().items(1)?;
        let item = list.get(index)?;
        stack.push((list, index + 1, depth));
        match item {
            Val::List(nested) if depth > 0 => stack.push((nested, 0, depth - 1)),
            item => out.push(item),
        }
    }
    Ok(Val::list(out))
}

fn sort<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    sorted(args, 0)
}

fn sort_by_keys<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    sorted(args, 1)
}

/// The items in the order of the keys, which are those of another argument.
fn sorted<'a>(args: Args<'_, 'a>, by: usize) -> Result<Val<'a>> {
    let (list, keys) = (args.list(0)?, args.list(by)?);
    if list.len() != keys.len() {
        return Err(Error::new(format!(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got {} and {} elements respectively",
            list.len(),
            keys.len()
        )));
    }
    if list.is_empty() {
        return Ok(Val::List(list.clone()));
    }
    let keys = args.all_items(by)?;
    if !keys.first().is_some_and(compare::is_ordered) {
        return Err(Error::new("list elements must be comparable"));
    }
    let first = keys.first().map(Val::type_name).unwrap_or_default();
    if keys.len() > 1 && keys.iter().any(|key| key.type_name() != first) {
        return Err(Error::new("list elements must have the same type"));
    }
    let items = args.all_items(0)?;
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|a, b| compare::order(&keys[*a], &keys[*b]).unwrap_or(Ordering::Equal));
    Ok(Val::list(order.into_iter().map(|index| items[index].clone()).collect()))
}

fn distinct<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let list = args.list(0)?;
    if list.is_empty() {
        return Ok(Val::List(list.clone()));
    }
    let simple = list.iter().all(|item| matches!(item, Ok(Val::Str(_) | Val::Int(_))));
    let mut unique: Vec<Val<'a>> = Vec::new();
    let mut texts = HashSet::new();
    let mut ints = HashSet::new();
    for item in args.items(0)? {
        let item = item?;
        let known = match &item {
            Val::Str(text) if simple => !texts.insert(text.as_str().to_owned()),
            Val::Int(number) if simple => !ints.insert(*number),
            _ => is_among(&item, &unique, args.meter())?,
        };
        if !known {
            unique.push(item);
        }
    }
    Ok(Val::list(unique))
}

/// Whether an item equals one of these.
fn is_among<'a>(item: &Val<'a>, others: &[Val<'a>], meter: &Meter) -> Result<bool> {
    for other in others {
        meter.items(1)?;
        match equal::method(item, other, meter) {
            Ok(true) => return Ok(true),
            Err(error) if error.is_cancelled() => return Err(error),
            _ => {}
        }
    }
    Ok(false)
}
