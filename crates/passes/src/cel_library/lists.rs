//! `isSorted`, `sum`, `min`, `max`, `indexOf`, `lastIndexOf` of lists.

use std::cmp::Ordering;

use ordain_cel::library::arithmetic::{self, Op};
use ordain_cel::library::{Args, Call, Function, Module};
use ordain_cel::types::Type;
use ordain_cel::value::{Error, Result, Val, compare, equal};

fn comparable() -> [(&'static str, Type); 8] {
    [
        ("int", Type::Int),
        ("uint", Type::Uint),
        ("double", Type::Double),
        ("bool", Type::Bool),
        ("duration", Type::Duration),
        ("timestamp", Type::Timestamp),
        ("string", Type::String),
        ("bytes", Type::Bytes),
    ]
}

/// The list library.
#[must_use]
pub fn module() -> Module {
    let extreme = |name: &str, call: Call| {
        comparable().into_iter().fold(Function::new(name), |function, (ty_name, ty)| {
            let id = format!("list_{ty_name}_{name}_{ty_name}");
            function.member(&id, [Type::list(ty.clone())], ty, call)
        })
    };
    let is_sorted =
        comparable().into_iter().fold(Function::new("isSorted"), |function, (name, ty)| {
            function.member(
                &format!("list_{name}_is_sorted_bool"),
                [Type::list(ty)],
                Type::Bool,
                is_sorted,
            )
        });
    let summable: [(&str, Type, Call); 4] = [
        ("int", Type::Int, sum_int),
        ("uint", Type::Uint, sum_uint),
        ("double", Type::Double, sum_double),
        ("duration", Type::Duration, sum_duration),
    ];
    let sum = summable.into_iter().fold(Function::new("sum"), |function, (name, ty, call)| {
        function.member(&format!("list_{name}_sum_{name}"), [Type::list(ty.clone())], ty, call)
    });
    let a = || Type::param("A");
    Module::new("kubernetes.lists")
        .function(is_sorted)
        .function(sum)
        .function(extreme("max", max))
        .function(extreme("min", min))
        .function(Function::new("indexOf").member(
            "list_a_index_of_int",
            [Type::list(a()), a()],
            Type::Int,
            index_of,
        ))
        .function(Function::new("lastIndexOf").member(
            "list_a_last_index_of_int",
            [Type::list(a()), a()],
            Type::Int,
            last_index_of,
        ))
}

fn is_sorted<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let mut previous: Option<Val<'a>> = None;
    for item in args.items(0)? {
        let item = item?;
        if !compare::is_ordered(&item) {
            return Err(Error::no_such_overload());
        }
        // Items without order count as sorted.
        if previous.is_some_and(|it| matches!(compare::order(&it, &item), Ok(Ordering::Greater))) {
            return Ok(Val::Bool(false));
        }
        previous = Some(item);
    }
    Ok(Val::Bool(true))
}

fn sum<'a>(args: Args<'_, 'a>, zero: Val<'a>) -> Result<Val<'a>> {
    let mut total = zero;
    for item in args.items(0)? {
        total = arithmetic::apply(Op::Add, &total, &item?)?;
    }
    Ok(total)
}

fn sum_int<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    sum(args, Val::Int(0))
}

fn sum_uint<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    sum(args, Val::Uint(0))
}

fn sum_double<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    sum(args, Val::Double(0.0))
}

fn sum_duration<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    sum(args, Val::Duration(0))
}

fn extreme<'a>(args: Args<'_, 'a>, name: &str, unwanted: Ordering) -> Result<Val<'a>> {
    let mut best: Option<Val<'a>> = None;
    for item in args.items(0)? {
        let item = item?;
        if !compare::is_ordered(&item) {
            return Err(Error::no_such_overload());
        }
        best = Some(match best {
            // Where there is no order the first stays.
            Some(best) if !matches!(compare::order(&best, &item), Ok(it) if it == unwanted) => best,
            _ => item,
        });
    }
    best.ok_or_else(|| Error::new(format!("{name} called on empty list")))
}

fn min<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    extreme(args, "min", Ordering::Greater)
}

fn max<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    extreme(args, "max", Ordering::Less)
}

fn position(args: Args<'_, '_>, indices: impl Iterator<Item = usize>) -> Result<Val<'static>> {
    let (list, item, meter) = (args.list(0)?, args.at(1), args.meter());
    for index in indices {
        meter.items(1)?;
        match list.get(index).and_then(|it| equal::method(&it, item, meter)) {
            Ok(true) => return Ok(Val::Int(i64::try_from(index).unwrap_or(i64::MAX))),
            Err(error) if error.is_cancelled() => return Err(error),
            _ => {}
        }
    }
    Ok(Val::Int(-1))
}

fn index_of<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    position(args, 0..args.list(0)?.len())
}

fn last_index_of<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    position(args, (0..args.list(0)?.len()).rev())
}
