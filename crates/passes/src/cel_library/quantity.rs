//! Resource quantities.

use std::cmp::Ordering;

use ordain_cel::library::{Args, Function, Module};
use ordain_cel::types::Type;
use ordain_cel::value::{Error, Opaque, Result, Val};
use ordain_meta::quantity::{Format, Quantity};

/// The name of the type.
pub(super) const NAME: &str = "kubernetes.Quantity";

/// A quantity. Upstream hands results of arithmetic around in another form, which is not equal
/// to anything on its left.
#[derive(Clone, Debug)]
pub struct QuantityVal {
    quantity: Quantity,
    computed: bool,
}

impl Opaque for QuantityVal {
    fn type_name(&self) -> &str {
        NAME
    }

    fn equals(&self, other: &Val<'_>) -> Result<bool> {
        match other.downcast::<QuantityVal>() {
            Some(other) if !other.computed => Ok(self.quantity == other.quantity),
            _ => Err(Error::no_such_overload()),
        }
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn to_text(&self) -> Option<String> {
        Some(self.quantity.to_string())
    }
}

pub(super) fn ty() -> Type {
    Type::object(NAME)
}

/// The quantity library.
#[must_use]
pub fn module() -> Module {
    let two = || [ty(), ty()];
    Module::new("kubernetes.quantity")
        .function(Function::new("quantity").overload(
            "string_to_quantity",
            [Type::String],
            ty(),
            from_string,
        ))
        .function(Function::new("isQuantity").overload(
            "is_quantity_string",
            [Type::String],
            Type::Bool,
            is_quantity,
        ))
        .function(Function::new("sign").overload("quantity_sign", [ty()], Type::Int, sign))
        .function(Function::new("isGreaterThan").member(
            "quantity_is_greater_than",
            two(),
            Type::Bool,
            is_greater,
        ))
        .function(Function::new("isLessThan").member(
            "quantity_is_less_than",
            two(),
            Type::Bool,
            is_less,
        ))
        .function(Function::new("compareTo").member(
            "quantity_compare_to",
            two(),
            Type::Int,
            compare_to,
        ))
        .function(Function::new("asApproximateFloat").member(
            "quantity_get_float",
            [ty()],
            Type::Double,
            as_float,
        ))
        .function(Function::new("asInteger").member(
            "quantity_get_int",
            [ty()],
            Type::Int,
            as_integer,
        ))
        .function(Function::new("isInteger").member(
            "quantity_is_integer",
            [ty()],
            Type::Bool,
            is_integer,
        ))
        .function(Function::new("add").member("quantity_add", two(), ty(), add).member(
            "quantity_add_int",
            [ty(), Type::Int],
            ty(),
            add,
        ))
        .function(Function::new("sub").member("quantity_sub", two(), ty(), sub).member(
            "quantity_sub_int",
            [ty(), Type::Int],
            ty(),
            sub,
        ))
}

fn arg<'v>(args: Args<'v, '_>, index: usize) -> Result<&'v Quantity> {
    args.at(index)
        .downcast::<QuantityVal>()
        .map(|it| &it.quantity)
        .ok_or_else(Error::no_such_overload)
}

fn from_string<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Quantity::parse(args.text(0)?)
        .map(|quantity| Val::opaque(QuantityVal { quantity, computed: false }))
        .map_err(|error| Error::new(error.to_string()))
}

fn is_quantity<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(Quantity::parse(args.text(0)?).is_ok()))
}

fn sign<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Int(i64::from(arg(args, 0)?.sign())))
}

fn order(args: Args<'_, '_>) -> Result<Ordering> {
    Ok(arg(args, 0)?.cmp(arg(args, 1)?))
}

fn is_greater<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(order(args)? == Ordering::Greater))
}

fn is_less<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(order(args)? == Ordering::Less))
}

fn compare_to<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Int(order(args)? as i64))
}

fn as_float<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Double(arg(args, 0)?.as_approximate_f64()))
}

fn as_integer<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    arg(args, 0)?
        .as_i64()
        .map(Val::Int)
        .ok_or_else(|| Error::new("cannot convert value to integer"))
}

fn is_integer<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(arg(args, 0)?.as_i64().is_some()))
}

fn second(args: Args<'_, '_>) -> Result<Quantity> {
    match args.at(1) {
        Val::Int(number) => Ok(Quantity::from_i64(*number, Format::DecimalExponent)),
        _ => arg(args, 1).cloned(),
    }
}

fn add<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    arg(args, 0)?
        .add(&second(args)?)
        .map(|quantity| Val::opaque(QuantityVal { quantity, computed: true }))
        .map_err(|error| Error::new(error.to_string()))
}

fn sub<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    arg(args, 0)?
        .sub(&second(args)?)
        .map(|quantity| Val::opaque(QuantityVal { quantity, computed: true }))
        .map_err(|error| Error::new(error.to_string()))
}
