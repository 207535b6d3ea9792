//! Optional values.

use super::{Args, Function, Module};
use crate::ast::operator;
use crate::decl::VariableDecl;
use crate::syntax::macros;
use crate::types::{OPTIONAL, Type};
use crate::value::{Error, Result, Val, show};

/// The library of optional values in one of its versions 0 to 2.
///
/// A table: one function of the library after the other.
#[must_use]
pub fn module(version: u32) -> Module {
    let v = || Type::param("V");
    let optional = || Type::optional(v());
    let list = || Type::list(v());
    let map = || Type::map(Type::param("K"), v());
    let macro_count = if version >= 1 { 2 } else { 1 };
    let mut module = Module::new("cel.lib.optional")
        .declare(|library| {
            library.optional_syntax = true;
            library.macros.extend_from_slice(&macros::OPTIONAL[..macro_count]);
            let of_dyn = Type::opaque(OPTIONAL, vec![Type::param("V")]);
            library.variables.push(VariableDecl::new(OPTIONAL, Type::type_of(of_dyn)));
        })
        .function(Function::new("optional.of").overload("optional_of", [v()], optional(), of))
        .function(Function::new("optional.ofNonZeroValue").overload(
            "optional_ofNonZeroValue",
            [v()],
            optional(),
            of_non_zero,
        ))
        .function(Function::new("optional.none").overload("optional_none", [], optional(), none))
        .function(Function::new("value").member("optional_value", [optional()], v(), value))
        .function(Function::new("hasValue").member(
            "optional_hasValue",
            [optional()],
            Type::Bool,
            has_value,
        ))
        .function(Function::new("or").declared_member(
            "optional_or_optional",
            [optional(), optional()],
            optional(),
        ))
        .function(Function::new("orValue").declared_member(
            "optional_orValue_value",
            [optional(), v()],
            v(),
        ))
        .function(
            Function::new(operator::OPTIONAL_INDEX)
                .declared("list_optindex_optional_int", [list(), Type::Int], optional())
                .declared(
                    "optional_list_optindex_optional_int",
                    [Type::optional(list()), Type::Int],
                    optional(),
                )
                .declared("map_optindex_optional_value", [map(), Type::param("K")], optional())
                .declared(
                    "optional_map_optindex_optional_value",
                    [Type::optional(map()), Type::param("K")],
                    optional(),
                ),
        )
        .function(
            Function::new(operator::INDEX)
                .declared(
                    "optional_list_index_int",
                    [Type::optional(list()), Type::Int],
                    optional(),
                )
                .declared(
                    "optional_map_index_value",
                    [Type::optional(map()), Type::param("K")],
                    optional(),
                ),
        );
    if version >= 2 {
        let options = || Type::list(optional());
        module = module
            .function(Function::new("last").member("list_last", [list()], optional(), last))
            .function(Function::new("first").member("list_first", [list()], optional(), first))
            .function(Function::new("optional.unwrap").overload(
                "optional_unwrap",
                [options()],
                list(),
                unwrap,
            ))
            .function(Function::new("unwrapOpt").member(
                "optional_unwrapOpt",
                [options()],
                list(),
                unwrap,
            ));
    }
    module
}

fn of<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::some(args.at(0).clone()))
}

fn of_non_zero<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(if args.at(0).is_zero() { Val::Optional(None) } else { Val::some(args.at(0).clone()) })
}

fn none<'a>(_: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Optional(None))
}

fn value<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    match args.at(0) {
        Val::Optional(Some(inner)) => Ok((**inner).clone()),
        Val::Optional(None) => Err(Error::new("optional.none() dereference")),
        _ => Err(Error::no_such_overload()),
    }
}

fn has_value<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    match args.at(0) {
        Val::Optional(inner) => Ok(Val::Bool(inner.is_some())),
        _ => Err(Error::no_such_overload()),
    }
}

fn first<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let list = args.list(0)?;
    if list.is_empty() {
        return Ok(Val::Optional(None));
    }
    list.get(0).map(Val::some)
}

fn last<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let list = args.list(0)?;
    match list.len().checked_sub(1) {
        None => Ok(Val::Optional(None)),
        Some(at) => list.get(at).map(Val::some),
    }
}

fn unwrap<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let mut out = Vec::new();
    for item in args.items(0)? {
        match item? {
            Val::Optional(Some(inner)) => out.push((*inner).clone()),
            Val::Optional(None) => {}
            other => {
                let shown = show::plain(&other);
                return Err(Error::new(format!("value {shown} is not optional")));
            }
        }
    }
    Ok(Val::list(out))
}
