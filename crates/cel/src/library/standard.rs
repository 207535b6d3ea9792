//! The standard library: operators, sizes, strings, and what `convert` and `timestamps` add.

use super::{Args, Function, Module, any_value, convert, timestamps};
use crate::ast::operator;
use crate::syntax::macros;
use crate::types::Type;
use crate::value::{Error, Result, Val};

/// The standard library.
#[must_use]
pub fn module() -> Module {
    let mut module = Module::new("cel.lib.std")
        .declare(|library| library.macros.extend_from_slice(&macros::STANDARD));
    for function in logic()
        .into_iter()
        .chain(arithmetic())
        .chain(comparisons())
        .chain(aggregates())
        .chain(convert::functions())
        .chain(text())
        .chain(timestamps::functions())
    {
        module = module.function(function);
    }
    module
}

/// The evaluator has its own code for an operator.
fn built_in<'a>(_: Args<'_, 'a>) -> Result<Val<'a>> {
    Err(Error::no_such_overload())
}

fn logic() -> Vec<Function> {
    let a = || Type::param("A");
    let b = || Type::Bool;
    vec![
        Function::new(operator::CONDITIONAL)
            .declared("conditional", [b(), a(), a()], a())
            .doc("one of two values, by a condition"),
        Function::new(operator::LOGICAL_AND).declared("logical_and", [b(), b()], b()),
        Function::new(operator::LOGICAL_OR).declared("logical_or", [b(), b()], b()),
        Function::new(operator::LOGICAL_NOT).declared("logical_not", [b()], b()),
        Function::new(operator::NOT_STRICTLY_FALSE).declared("not_strictly_false", [b()], b()),
        Function::new("__not_strictly_false__").overload(
            "__not_strictly_false__",
            [b()],
            b(),
            built_in,
        ),
        Function::new(operator::EQUALS).declared("equals", [a(), a()], b()),
        Function::new(operator::NOT_EQUALS).declared("not_equals", [a(), a()], b()),
    ]
}

fn arithmetic() -> Vec<Function> {
    use Type::{Bytes, Double, Duration, Int, String, Timestamp, Uint};
    let list = || Type::list(Type::param("A"));
    vec![
        Function::new(operator::ADD)
            .declared("add_bytes", [Bytes, Bytes], Bytes)
            .declared("add_double", [Double, Double], Double)
            .declared("add_duration_duration", [Duration, Duration], Duration)
            .declared("add_duration_timestamp", [Duration, Timestamp], Timestamp)
            .declared("add_timestamp_duration", [Timestamp, Duration], Timestamp)
            .declared("add_int64", [Int, Int], Int)
            .declared("add_list", [list(), list()], list())
            .declared("add_string", [String, String], String)
            .declared("add_uint64", [Uint, Uint], Uint),
        Function::new(operator::DIVIDE)
            .declared("divide_double", [Double, Double], Double)
            .declared("divide_int64", [Int, Int], Int)
            .declared("divide_uint64", [Uint, Uint], Uint),
        Function::new(operator::MODULO).declared("modulo_int64", [Int, Int], Int).declared(
            "modulo_uint64",
            [Uint, Uint],
            Uint,
        ),
        Function::new(operator::MULTIPLY)
            .declared("multiply_double", [Double, Double], Double)
            .declared("multiply_int64", [Int, Int], Int)
            .declared("multiply_uint64", [Uint, Uint], Uint),
        Function::new(operator::NEGATE).declared("negate_double", [Double], Double).declared(
            "negate_int64",
            [Int],
            Int,
        ),
        Function::new(operator::SUBTRACT)
            .declared("subtract_double", [Double, Double], Double)
            .declared("subtract_duration_duration", [Duration, Duration], Duration)
            .declared("subtract_int64", [Int, Int], Int)
            .declared("subtract_timestamp_duration", [Timestamp, Duration], Timestamp)
            .declared("subtract_timestamp_timestamp", [Timestamp, Timestamp], Duration)
            .declared("subtract_uint64", [Uint, Uint], Uint),
    ]
}

fn comparisons() -> Vec<Function> {
    use Type::{Bool, Bytes, Double, Duration, Int, String, Timestamp, Uint};
    let names = [
        (operator::LESS, "less"),
        (operator::LESS_EQUALS, "less_equals"),
        (operator::GREATER, "greater"),
        (operator::GREATER_EQUALS, "greater_equals"),
    ];
    let rows = [
        ("bool", Bool, Bool),
        ("int64", Int, Int),
        ("int64_double", Int, Double),
        ("int64_uint64", Int, Uint),
        ("uint64", Uint, Uint),
        ("uint64_double", Uint, Double),
        ("uint64_int64", Uint, Int),
        ("double", Double, Double),
        ("double_int64", Double, Int),
        ("double_uint64", Double, Uint),
        ("string", String, String),
        ("bytes", Bytes, Bytes),
        ("timestamp", Timestamp, Timestamp),
        ("duration", Duration, Duration),
    ];
    names
        .iter()
        .map(|(name, id)| {
            rows.iter().fold(Function::new(name), |function, (suffix, left, right)| {
                let id = format!("{id}_{suffix}");
                function.declared(&id, [left.clone(), right.clone()], Bool)
            })
        })
        .collect()
}

fn aggregates() -> Vec<Function> {
    let a = || Type::param("A");
    let list = || Type::list(a());
    let map = || Type::map(a(), Type::param("B"));
    let contains = |name: &str| {
        Function::new(name)
            .declared("in_list", [a(), list()], Type::Bool)
            .declared("in_map", [a(), map()], Type::Bool)
            .singleton(any_value, is_in)
    };
    vec![
        Function::new(operator::INDEX).declared("index_list", [list(), Type::Int], a()).declared(
            "index_map",
            [map(), a()],
            Type::param("B"),
        ),
        contains(operator::IN),
        contains("_in_"),
        contains("in"),
        Function::new("size")
            .declared("size_bytes", [Type::Bytes], Type::Int)
            .declared_member("bytes_size", [Type::Bytes], Type::Int)
            .declared("size_list", [list()], Type::Int)
            .declared_member("list_size", [list()], Type::Int)
            .declared("size_map", [map()], Type::Int)
            .declared_member("map_size", [map()], Type::Int)
            .declared("size_string", [Type::String], Type::Int)
            .declared_member("string_size", [Type::String], Type::Int)
            .singleton(is_sized, size)
            .doc("how many characters, bytes, items or entries there are"),
    ]
}

fn text() -> Vec<Function> {
    let two = || [Type::String, Type::String];
    vec![
        Function::new("contains")
            .member("contains_string", two(), Type::Bool, contains)
            .unguarded(),
        Function::new("endsWith")
            .member("ends_with_string", two(), Type::Bool, ends_with)
            .unguarded(),
        Function::new("startsWith")
            .member("starts_with_string", two(), Type::Bool, starts_with)
            .unguarded(),
        Function::new("matches")
            .declared("matches", two(), Type::Bool)
            .declared_member("matches_string", two(), Type::Bool)
            .singleton(|it| matches!(it, Val::Str(_)), matches)
            .pattern(1),
    ]
}

/// `value in container`
pub(crate) fn is_in<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    match args.at(1) {
        Val::List(list) => list.contains(args.at(0), args.meter()).map(Val::Bool),
        Val::Map(map) => map.find(args.at(0)).map(|found| Val::Bool(found.is_some())),
        _ => Err(Error::no_such_overload()),
    }
}

fn is_sized(value: &Val<'_>) -> bool {
    matches!(value, Val::Str(_) | Val::Bytes(_) | Val::List(_) | Val::Map(_))
}

fn size<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Int(i64::try_from(args.at(0).size()).unwrap_or(i64::MAX)))
}

fn contains<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(args.text(0)?.contains(args.text(1)?)))
}

fn ends_with<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(args.text(0)?.ends_with(args.text(1)?)))
}

fn starts_with<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(args.text(0)?.starts_with(args.text(1)?)))
}

fn matches<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let text = args.text(0)?;
    args.regex(1, |regex| Val::Bool(regex.is_match(text)))
}
