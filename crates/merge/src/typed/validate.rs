//! Does a value fit its types?

use std::collections::BTreeSet;
use std::fmt;

use ordain_value::go_format;
use ordain_value::{List, Map, Value};

use super::list_item::list_item;
use crate::DEPTH_MAX;
use crate::path::PathElement;
use crate::types::{ListType, MapType, Scalar, Shape, TypeRef, Types};

/// Whether a set or keyed list may hold the same item twice: applied configurations may not,
/// stored objects may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    /// They are errors.
    Refused,
    /// They are tolerated.
    Allowed,
}

/// One place that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedError {
    path: String,
    message: String,
}

/// Places that do not fit; displayed as upstream does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypedErrors(Vec<TypedError>);

impl TypedErrors {
    fn one(message: String) -> Self {
        TypedErrors(vec![TypedError { path: String::new(), message }])
    }

    fn prefix(mut self, element: &PathElement) -> Self {
        if !self.0.is_empty() {
            let prefix = element.to_string();
            for error in &mut self.0 {
                error.path.insert_str(0, &prefix);
            }
        }
        self
    }

    fn extend(&mut self, other: TypedErrors) {
        self.0.extend(other.0);
    }

    /// True without errors.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for TypedErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let write = |f: &mut fmt::Formatter<'_>, it: &TypedError| {
            if it.path.is_empty() {
                f.write_str(&it.message)
            } else {
                write!(f, "{}: {}", it.path, it.message)
            }
        };
        if let [only] = self.0.as_slice() {
            return write(f, only);
        }
        f.write_str("errors:")?;
        for error in &self.0 {
            f.write_str("\n  ")?;
            write(f, error)?;
        }
        Ok(())
    }
}

/// Checks a whole object against its types.
pub fn validate(types: &Types, value: &Value, duplicates: Duplicates) -> Result<(), TypedErrors> {
    let errors = Walk { types, duplicates }.value(types.root(), value, 0);
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

struct Walk<'a> {
    types: &'a Types,
    duplicates: Duplicates,
}

impl Walk<'_> {
    fn value(&self, ty: TypeRef, value: &Value, depth: usize) -> TypedErrors {
        if depth > DEPTH_MAX {
            return TypedErrors::default();
        }
        match self.types.resolve(ty).deduce(Some(value)).shape() {
            Shape::Map(map) => match value {
                Value::Null => TypedErrors::default(),
                Value::Map(entries) => self.map(map, entries, depth),
                other => {
                    TypedErrors::one(format!("expected map, got &{{{}}}", go_format::plain(other)))
                }
            },
            Shape::Scalar(scalar) => {
                scalar_error(scalar, value).map_or_else(TypedErrors::default, TypedErrors::one)
            }
            Shape::List(list) => match value {
                Value::Null => TypedErrors::default(),
                Value::List(items) => self.list(list, items, depth),
                other => {
                    TypedErrors::one(format!("expected list, got &{{{}}}", go_format::plain(other)))
                }
            },
        }
    }

    fn map(&self, map: &MapType, entries: &Map, depth: usize) -> TypedErrors {
        let mut errors = TypedErrors::default();
        for (key, value) in entries {
            let Some(ty) = map.value_type(key) else {
                let error = TypedErrors::one("field not declared in schema".to_owned());
                errors.extend(error.prefix(&PathElement::Field(key.clone())));
                break;
            };
            let below = self.value(ty, value, depth + 1);
            if !below.is_empty() {
                errors.extend(below.prefix(&PathElement::Field(key.clone())));
            }
        }
        errors
    }

    fn list(&self, list: &ListType, items: &List, depth: usize) -> TypedErrors {
        let mut errors = TypedErrors::default();
        let mut seen: BTreeSet<PathElement> = BTreeSet::new();
        for (at, item) in items.iter().enumerate() {
            let element = if list.associative {
                match list_item(self.types, list, item) {
                    Ok(element) => element,
                    Err(message) => {
                        errors.extend(TypedErrors::one(format!("element {at}: {message}")));
                        return errors;
                    }
                }
            } else {
                PathElement::Index(i64::try_from(at).unwrap_or(i64::MAX))
            };
            if list.associative && self.duplicates == Duplicates::Refused {
                if seen.contains(&element) {
                    let message = format!("duplicate entries for key {element}");
                    errors.extend(TypedErrors::one(message));
                } else {
                    seen.insert(element.clone());
                }
            }
            let below = self.value(list.element, item, depth + 1);
            if !below.is_empty() {
                errors.extend(below.prefix(&element));
            }
        }
        errors
    }
}

fn scalar_error(scalar: Scalar, value: &Value) -> Option<String> {
    match (scalar, value) {
        (_, Value::Null)
        | (Scalar::Numeric, Value::Int(_) | Value::Float(_))
        | (Scalar::String, Value::Str(_))
        | (Scalar::Boolean, Value::Bool(_)) => None,
        (Scalar::Numeric, other) => {
            Some(format!("expected numeric (int or float), got {}", go_format::type_name(other)))
        }
        (Scalar::String, other) => Some(format!(
            "expected string, got &value.valueUnstructured{{Value:{}}}",
            go_format::syntax(other)
        )),
        (Scalar::Boolean, other) => {
            Some(format!("expected boolean, got &{{{}}}", go_format::plain(other)))
        }
        (Scalar::Untyped, Value::List(_) | Value::Map(_)) => {
            Some(format!("expected any scalar, got &{{{}}}", go_format::plain(value)))
        }
        (Scalar::Untyped, _) => None,
    }
}
