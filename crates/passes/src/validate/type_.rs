//! `type`, `nullable`, and what `format` adds to them.

use ordain_schema::Type;
use ordain_value::field::Kind;
use ordain_value::{Value, go_quote};

use super::place::Place;
use super::{Checks, Walk, in_body};
use crate::plan::PlanNode;

impl Walk<'_> {
    /// Returns how much the check counts.
    pub(super) fn check_type(
        &mut self,
        node: &PlanNode,
        checks: Option<&Checks>,
        value: &Value,
        place: &Place<'_>,
    ) -> u64 {
        let format = checks.and_then(|it| it.format.as_deref());
        if value.is_null() {
            if node.ty == Type::Any || node.nullable {
                return 1;
            }
            self.wrong_type(names(node.ty), "null", place);
            return 0;
        }
        if node.ty == Type::Any && format.is_none() {
            return 0;
        }
        let fits = fits(node.ty, value);
        if let Some(format) = format {
            let textual = matches!(value, Value::Str(_) | Value::List(_));
            if !textual && !fits && go_format(value) != format {
                self.wrong_type(format, go_format(value), place);
                return 1;
            }
            // A list passes as a formatted string: upstream looks no further.
            let numeric = matches!(node.ty, Type::Number | Type::Integer | Type::IntOrString);
            if textual && !numeric {
                return 2;
            }
        }
        if fits {
            return 2;
        }
        self.wrong_type(names(node.ty), value.kind_name(), place);
        1
    }

    /// The observed type stands where the value would.
    pub(super) fn wrong_type(&mut self, wanted: &str, observed: &str, place: &Place<'_>) {
        self.fail(place, |name| {
            let parts = ["must be of type ", wanted, ": ", &go_quote(observed)];
            (Kind::TypeInvalid, observed.into(), in_body(name, &parts))
        });
    }
}

fn fits(ty: Type, value: &Value) -> bool {
    match (ty, value) {
        (Type::Object, Value::Map(_))
        | (Type::Array, Value::List(_))
        | (Type::String, Value::Str(_))
        | (Type::Boolean, Value::Bool(_))
        | (Type::Integer, Value::Int(_))
        | (Type::Number, Value::Int(_) | Value::Float(_))
        | (Type::IntOrString, Value::Int(_) | Value::Str(_)) => true,
        (Type::Integer | Type::IntOrString, Value::Float(float)) => is_json_integer(*float),
        _ => false,
    }
}

/// The names as messages list them.
fn names(ty: Type) -> &'static str {
    match ty {
        Type::IntOrString => "integer,string",
        other => other.name(),
    }
}

/// The format that Go's type of a value stands for.
fn go_format(value: &Value) -> &'static str {
    match value {
        Value::Int(_) => "int64",
        Value::Float(_) => "float64",
        _ => "",
    }
}

/// Whether a float passes for an integer: it is one, within 53 bits, or a positive number very close to one.
pub(super) fn is_json_integer(float: f64) -> bool {
    const SAFE_MAX: f64 = 9_007_199_254_740_991.0;
    if !(-SAFE_MAX..=SAFE_MAX).contains(&float) {
        return false;
    }
    let whole = float.trunc();
    if float == whole {
        return true;
    }
    if float < 1.0 {
        return false;
    }
    (float - whole) / (float + whole) < 1e-9
}
