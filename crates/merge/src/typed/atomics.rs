//! What an apply configuration of a mutating policy may not have: atomic parts and nulls.

use ordain_value::Value;

use crate::DEPTH_MAX;
use crate::path::PathElement;
use crate::types::{Scalar, Shape, TypeRef, Types};

/// What was found in a configuration, as texts.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Unmergeable {
    /// Paths of lists, maps and structs that can only be replaced as a whole.
    pub atomics: Vec<String>,
    /// Nulls in the place of scalars, each with what was expected.
    pub nulls: Vec<String>,
}

/// Finds what cannot be merged into an object without losing what is there.
pub fn unmergeable(types: &Types, value: &Value) -> Unmergeable {
    let mut walk = Walk { types, found: Unmergeable::default() };
    walk.value(types.root(), value, "", true, 0);
    walk.found
}

struct Walk<'a> {
    types: &'a Types,
    found: Unmergeable,
}

impl Walk<'_> {
    /// Below keys that no type declares only nulls are looked for, as upstream does.
    fn value(&mut self, ty: TypeRef, value: &Value, path: &str, declared: bool, depth: usize) {
        if depth > DEPTH_MAX {
            return;
        }
        let atom = self.types.resolve(ty);
        match value {
            Value::Map(entries) => {
                let Some(map) = &atom.map else { return };
                if map.atomic && declared {
                    self.found.atomics.push(path.to_owned());
                }
                for (key, below) in entries {
                    if let Some(ty) = map.value_type(key) {
                        let step = PathElement::Field(key.clone());
                        let declared = declared && map.field(key).is_some();
                        self.value(ty, below, &format!("{path}{step}"), declared, depth + 1);
                    }
                }
            }
            Value::List(items) => {
                let Some(list) = &atom.list else { return };
                if !list.associative && declared {
                    self.found.atomics.push(path.to_owned());
                }
                for (index, item) in items.iter().enumerate() {
                    let at = format!("{path}[{index}]");
                    self.value(list.element, item, &at, declared, depth + 1);
                }
            }
            Value::Null => {
                if let Shape::Scalar(scalar) = atom.deduce(Some(value)).shape()
                    && let Some(why) = null_error(scalar)
                {
                    self.found.nulls.push(format!("{path}: {why}"));
                }
            }
            _ => {}
        }
    }
}

/// A null of an expression is a number of a type of its own, which no scalar takes.
fn null_error(scalar: Scalar) -> Option<&'static str> {
    match scalar {
        Scalar::Numeric => Some("expected numeric (int or float), got structpb.NullValue"),
        Scalar::String => Some("expected string, got &value.valueUnstructured{Value:0}"),
        Scalar::Boolean => Some("expected boolean, got &{NULL_VALUE}"),
        Scalar::Untyped => None,
    }
}
