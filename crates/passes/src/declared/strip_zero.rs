//! Zero values of non-pointer Go fields are absent: they are removed before defaulting, so that a
//! typed client that sends `""` gets the default, as it does from a typed server.

use ordain_schema::Type;
use ordain_value::Value;

use super::DeclaredPlan;
use super::walk::{Location, walk};

/// Removes the fields that hold their zero value and are declared to be absent then.
pub fn strip_zero(plan: &DeclaredPlan, object: &mut Value) {
    if !plan.has_zeros() {
        return;
    }
    let mut zeros: Vec<Location> = Vec::new();
    walk(&plan.schema, &plan.zeros, object, None, false, &mut |visit| {
        visit.own(|name, child, value| {
            if is_zero(value) && fits(plan.schema.node(child).ty, value) {
                zeros.push(visit.location().field(name));
            }
        });
    });
    for location in zeros {
        location.remove_from(object);
    }
}

/// A zero value of another type is a mistake for validation to tell, not an absent field.
fn fits(ty: Type, value: &Value) -> bool {
    match (ty, value) {
        (Type::Any | Type::IntOrString, _) | (_, Value::Null) => true,
        (_, Value::Bool(_)) => ty == Type::Boolean,
        (_, Value::Int(_) | Value::Float(_)) => matches!(ty, Type::Integer | Type::Number),
        (_, Value::Str(_)) => ty == Type::String,
        (_, Value::List(_)) => ty == Type::Array,
        (_, Value::Map(_)) => ty == Type::Object,
    }
}

/// Is it the zero value of a Go string, number, boolean, slice or map?
pub fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(it) => !it,
        Value::Int(it) => *it == 0,
        Value::Float(it) => *it == 0.0,
        Value::Str(it) => it.is_empty(),
        Value::List(it) => it.is_empty(),
        Value::Map(it) => it.is_empty(),
    }
}
