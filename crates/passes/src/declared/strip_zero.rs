//! Zero values of non-pointer Go fields are absent: they are removed before defaulting, so that a
//! typed client that sends `""` gets the default, as it does from a typed server.

use ordain_value::Value;

use super::DeclaredPlan;
use super::walk::{Location, walk};

/// Removes the fields that hold their zero value and are declared to be absent then.
pub fn strip_zero(plan: &DeclaredPlan, object: &mut Value) {
    let mut zeros: Vec<Location> = Vec::new();
    walk(&plan.schema, &plan.zeros, object, None, false, &mut |visit| {
        for (key, value) in visit.new.iter() {
            let Some(child) = visit.node.property(key) else { continue };
            let strips = plan.schema.node(child).declared.as_ref().is_some_and(|it| it.strip_zero);
            if strips && is_zero(value) {
                zeros.push(visit.location().field(key));
            }
        }
    });
    for location in zeros {
        location.remove_from(object);
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
