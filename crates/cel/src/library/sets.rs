//! The sets library: lists taken for sets.

use super::{Args, Function, Module};
use crate::meter::Meter;
use crate::types::Type;
use crate::value::{List, Result, Val};

/// The sets library.
#[must_use]
pub fn module() -> Module {
    let two = || [Type::list(Type::param("T")), Type::list(Type::param("T"))];
    Module::new("cel.lib.ext.sets")
        .function(
            Function::new("sets.contains")
                .overload("list_sets_contains_list", two(), Type::Bool, contains)
                .cost(|args, _| cost(args, 1)),
        )
        .function(
            Function::new("sets.equivalent")
                .overload("list_sets_equivalent_list", two(), Type::Bool, equivalent)
                .cost(|args, _| cost(args, 2)),
        )
        .function(
            Function::new("sets.intersects")
                .overload("list_sets_intersects_list", two(), Type::Bool, intersects)
                .cost(|args, _| cost(args, 1)),
        )
}

fn cost(args: &[Val<'_>], factor: u64) -> Option<u64> {
    let product = args.first()?.size().saturating_mul(args.get(1)?.size());
    Some(product.saturating_mul(factor).saturating_add(1))
}

fn contains_all<'a>(list: &List<'a>, other: &List<'a>, meter: &Meter) -> Result<bool> {
    for item in other.iter() {
        if !list.contains(&item?, meter)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn contains<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    contains_all(args.list(0)?, args.list(1)?, args.meter()).map(Val::Bool)
}

fn equivalent<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let (a, b, meter) = (args.list(0)?, args.list(1)?, args.meter());
    Ok(Val::Bool(contains_all(a, b, meter)? && contains_all(b, a, meter)?))
}

fn intersects<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let (a, b) = (args.list(0)?, args.list(1)?);
    for item in a.iter() {
        match item.and_then(|item| b.contains(&item, args.meter())) {
            Ok(true) => return Ok(Val::Bool(true)),
            Err(error) if error.is_cancelled() => return Err(error),
            _ => {}
        }
    }
    Ok(Val::Bool(false))
}
