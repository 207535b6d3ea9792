//! The math library.

use std::cmp::Ordering;

use super::{Args, Call, Function, Module};
use crate::syntax::macros;
use crate::types::Type;
use crate::value::{Error, Result, Val, compare};

/// The math library in one of its versions 0 to 2.
#[must_use]
pub fn module(version: u32) -> Module {
    let mut module = Module::new("cel.lib.ext.math")
        .declare(|library| library.macros.extend_from_slice(&macros::MATH))
        .function(extreme("math.@min", "math_@min", min_pair, min_list))
        .function(extreme("math.@max", "math_@max", max_pair, max_list));
    if version >= 1 {
        for function in rounding().into_iter().chain(signs()).chain(bits()) {
            module = module.function(function);
        }
    }
    if version >= 2 {
        module = module.function(
            Function::new("math.sqrt")
                .overload("math_sqrt_double", [Type::Double], Type::Double, sqrt)
                .overload("math_sqrt_int", [Type::Int], Type::Double, sqrt)
                .overload("math_sqrt_uint", [Type::Uint], Type::Double, sqrt),
        );
    }
    module
}

fn extreme(name: &str, id: &str, pair: Call, list: Call) -> Function {
    use Type::{Double, Dyn, Int, Uint};
    let mut function = Function::new(name);
    for (suffix, ty) in [("double", Double), ("int", Int), ("uint", Uint)] {
        function = function.overload(&format!("{id}_{suffix}"), [ty.clone()], ty, same);
    }
    for (suffix, a, b, result) in [
        ("double_double", Double, Double, Double),
        ("int_int", Int, Int, Int),
        ("uint_uint", Uint, Uint, Uint),
        ("int_uint", Int, Uint, Dyn),
        ("int_double", Int, Double, Dyn),
        ("double_int", Double, Int, Dyn),
        ("double_uint", Double, Uint, Dyn),
        ("uint_int", Uint, Int, Dyn),
        ("uint_double", Uint, Double, Dyn),
    ] {
        function = function.overload(&format!("{id}_{suffix}"), [a, b], result, pair);
    }
    for (suffix, ty) in [("list_double", Double), ("list_int", Int), ("list_uint", Uint)] {
        function = function.overload(&format!("{id}_{suffix}"), [Type::list(ty.clone())], ty, list);
    }
    function
}

fn rounding() -> Vec<Function> {
    let double = |name: &str, id: &str, result: Type, call: Call| {
        Function::new(&format!("math.{name}")).overload(
            &format!("math_{id}_double"),
            [Type::Double],
            result,
            call,
        )
    };
    vec![
        double("ceil", "ceil", Type::Double, ceil),
        double("floor", "floor", Type::Double, floor),
        double("round", "round", Type::Double, round),
        double("trunc", "trunc", Type::Double, trunc),
        double("isInf", "isInf", Type::Bool, is_inf),
        double("isNaN", "isNaN", Type::Bool, is_nan),
        double("isFinite", "isFinite", Type::Bool, is_finite),
    ]
}

fn signs() -> Vec<Function> {
    let number = |name: &str, call: Call| {
        [("double", Type::Double), ("int", Type::Int), ("uint", Type::Uint)].into_iter().fold(
            Function::new(&format!("math.{name}")),
            |function, (suffix, ty)| {
                function.overload(&format!("math_{name}_{suffix}"), [ty.clone()], ty, call)
            },
        )
    };
    vec![number("abs", abs), number("sign", sign)]
}

fn bits() -> Vec<Function> {
    use Type::{Int, Uint};
    let pair = |name: &str, call: Call| {
        Function::new(&format!("math.{name}"))
            .overload(&format!("math_{name}_int_int"), [Int, Int], Int, call)
            .overload(&format!("math_{name}_uint_uint"), [Uint, Uint], Uint, call)
    };
    let shift = |name: &str, call: Call| {
        Function::new(&format!("math.{name}"))
            .overload(&format!("math_{name}_int_int"), [Int, Int], Int, call)
            .overload(&format!("math_{name}_uint_int"), [Uint, Int], Uint, call)
    };
    vec![
        pair("bitAnd", bit_and),
        pair("bitOr", bit_or),
        pair("bitXor", bit_xor),
        Function::new("math.bitNot").overload("math_bitNot_int_int", [Int], Int, bit_not).overload(
            "math_bitNot_uint_uint",
            [Uint],
            Uint,
            bit_not,
        ),
        shift("bitShiftLeft", shift_left),
        shift("bitShiftRight", shift_right),
    ]
}

fn same<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(args.at(0).clone())
}

fn pick<'a>(a: &Val<'a>, b: &Val<'a>, unwanted: Ordering, name: &str) -> Result<Val<'a>> {
    match compare::order(a, b) {
        Ok(order) if order == unwanted => Ok(b.clone()),
        Ok(_) => Ok(a.clone()),
        Err(error) => Err(Error::new(format!("{}: {name}", error.message()))),
    }
}

fn pick_list<'a>(args: Args<'_, 'a>, unwanted: Ordering, name: &str) -> Result<Val<'a>> {
    let mut items = args.items(0)?;
    let Some(first) = items.next() else {
        return Err(Error::new(format!("{name}(list) argument must not be empty")));
    };
    let mut best = first?;
    for item in items {
        best = pick(&best, &item?, unwanted, name)?;
    }
    match best {
        Val::Int(_) | Val::Uint(_) | Val::Double(_) => Ok(best),
        _ => Err(Error::new(format!("no such overload: {name}"))),
    }
}

fn min_pair<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    pick(args.at(0), args.at(1), Ordering::Greater, "math.@min")
}

fn max_pair<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    pick(args.at(0), args.at(1), Ordering::Less, "math.@max")
}

fn min_list<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    pick_list(args, Ordering::Greater, "math.@min")
}

fn max_list<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    pick_list(args, Ordering::Less, "math.@max")
}

fn double(args: Args<'_, '_>) -> Result<f64> {
    match args.at(0) {
        Val::Double(it) => Ok(*it),
        _ => Err(Error::no_such_overload()),
    }
}

fn ceil<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    double(args).map(|it| Val::Double(it.ceil()))
}

fn floor<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    double(args).map(|it| Val::Double(it.floor()))
}

fn round<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    double(args).map(|it| Val::Double(it.round()))
}

fn trunc<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    double(args).map(|it| Val::Double(it.trunc()))
}

fn is_inf<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    double(args).map(|it| Val::Bool(it.is_infinite()))
}

fn is_nan<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    double(args).map(|it| Val::Bool(it.is_nan()))
}

fn is_finite<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    double(args).map(|it| Val::Bool(it.is_finite()))
}

fn abs<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    match args.at(0) {
        Val::Double(it) => Ok(Val::Double(it.abs())),
        Val::Int(it) => {
            it.checked_abs().map(Val::Int).ok_or_else(|| Error::new("integer overflow"))
        }
        Val::Uint(it) => Ok(Val::Uint(*it)),
        _ => Err(Error::no_such_overload()),
    }
}

fn sign<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    match args.at(0) {
        Val::Double(it) if it.is_nan() => Ok(Val::Double(*it)),
        Val::Double(it) if *it == 0.0 => Ok(Val::Double(0.0)),
        Val::Double(it) => Ok(Val::Double(it.signum())),
        Val::Int(it) => Ok(Val::Int(it.signum())),
        Val::Uint(it) => Ok(Val::Uint(u64::from(*it != 0))),
        _ => Err(Error::no_such_overload()),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a root is a double")]
fn sqrt<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Double(match args.at(0) {
        Val::Double(it) => it.sqrt(),
        Val::Int(it) => (*it as f64).sqrt(),
        Val::Uint(it) => (*it as f64).sqrt(),
        _ => return Err(Error::no_such_overload()),
    }))
}

fn bitwise<'a>(
    args: Args<'_, 'a>,
    ints: fn(i64, i64) -> i64,
    uints: fn(u64, u64) -> u64,
) -> Result<Val<'a>> {
    match (args.at(0), args.at(1)) {
        (Val::Int(a), Val::Int(b)) => Ok(Val::Int(ints(*a, *b))),
        (Val::Uint(a), Val::Uint(b)) => Ok(Val::Uint(uints(*a, *b))),
        _ => Err(Error::no_such_overload()),
    }
}

fn bit_and<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    bitwise(args, |a, b| a & b, |a, b| a & b)
}

fn bit_or<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    bitwise(args, |a, b| a | b, |a, b| a | b)
}

fn bit_xor<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    bitwise(args, |a, b| a ^ b, |a, b| a ^ b)
}

fn bit_not<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    match args.at(0) {
        Val::Int(it) => Ok(Val::Int(!it)),
        Val::Uint(it) => Ok(Val::Uint(!it)),
        _ => Err(Error::no_such_overload()),
    }
}

/// A shift as bits move in 64 places: beyond that nothing is left.
fn shift<'a>(
    args: Args<'_, 'a>,
    name: &str,
    move_bits: fn(u64, u32) -> Option<u64>,
) -> Result<Val<'a>> {
    let by = args.int(1)?;
    if by < 0 {
        return Err(Error::new(format!("math.{name}() negative offset: {by}")));
    }
    let by = u32::try_from(by).unwrap_or(u32::MAX);
    match args.at(0) {
        Val::Int(it) => Ok(Val::Int(move_bits(it.cast_unsigned(), by).unwrap_or(0).cast_signed())),
        Val::Uint(it) => Ok(Val::Uint(move_bits(*it, by).unwrap_or(0))),
        _ => Err(Error::no_such_overload()),
    }
}

fn shift_left<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    shift(args, "bitShiftLeft", u64::checked_shl)
}

fn shift_right<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    shift(args, "bitShiftRight", u64::checked_shr)
}
