//! Errors with the value at their place, as the server's internal Go types show it.

use ordain_passes::declared::internal;
use ordain_schema::declared::Native;
use ordain_schema::native::{GoKind, Program, TypeId};
use ordain_value::Value;
use ordain_value::field::{self, BadValue};

use super::rules;

/// The error with the value at its place.
pub(super) fn with_value(native: &Native, mut error: field::Error, object: &Value) -> field::Error {
    let is_plain = |value: &Value| !matches!(value, Value::Map(_) | Value::List(_) | Value::Null);
    let value = rules::value_at(object, &error.path);
    if error.kind != field::Kind::Invalid || value.is_some_and(is_plain) {
        return rules::with_value(error, object);
    }
    if let Some(shown) = show(native, object, &error.path) {
        error.bad_value = shown;
    }
    error
}

/// The value at a path of an object, as its internal type shows it.
fn show(native: &Native, object: &Value, path: &str) -> Option<BadValue> {
    let program = &native.program;
    let mut ty = program.root_type(&native.root)?;
    let mut value = Some(object);
    for step in path.split(['.', '[']).map(|it| it.trim_end_matches(']')) {
        ty = inner(program, ty, step)?;
        value = match value {
            Some(Value::List(list)) => list.get(step.parse::<usize>().ok()?),
            Some(value) => value.get(step),
            None => None,
        };
    }
    Some(BadValue::Json(internal::text(program, ty, value.unwrap_or(&Value::Null))))
}

/// The type one step below.
fn inner(program: &Program, ty: TypeId, step: &str) -> Option<TypeId> {
    match &program.ty(ty).kind {
        GoKind::Pointer(to) => inner(program, *to, step),
        GoKind::List(of) | GoKind::Map(of) => Some(*of),
        GoKind::Struct(fields) => fields.iter().find_map(|field| {
            if field.inline { inner(program, field.ty, step) } else { None }
                .or_else(|| (field.json == step).then_some(field.ty))
        }),
        _ => None,
    }
}
