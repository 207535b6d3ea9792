//! The fields that a scale subresource reads, and their checks.

use ordain_schema::crd::Scale;
use ordain_value::field::{Error, ErrorList, Path};
use ordain_value::go_format::{plain, type_name};
use ordain_value::{Text, Value};

use crate::spine;

impl spine::Scale for Scale {
    fn validate_spec(&self, object: &Value) -> ErrorList {
        check_replicas(object, &self.spec_replicas_path)
    }

    fn validate_status(&self, object: &Value) -> ErrorList {
        let mut errors = check_replicas(object, &self.status_replicas_path);
        if let Some(path) = self.label_selector_path.as_ref().filter(|path| !path.is_empty())
            && let Err(why) = nested_text(object, &steps(path))
        {
            errors.push(Error::invalid(&Path::new(path), "", why));
        }
        errors
    }
}

fn check_replicas(object: &Value, path: &str) -> ErrorList {
    let place = Path::new(path);
    let error = match nested_int(object, &steps(path)) {
        Err(why) => Error::invalid(&place, 0, why),
        Ok(Some(count)) if count < 0 => {
            Error::invalid(&place, count, "should be a non-negative integer")
        }
        Ok(Some(count)) if count > i64::from(i32::MAX) => {
            let detail = format!("should be less than or equal to {}", i32::MAX);
            Error::invalid(&place, count, detail)
        }
        Ok(_) => return ErrorList::new(),
    };
    error.into()
}

/// The fields that a path of a scale subresource names.
#[must_use]
pub fn steps(path: &str) -> Vec<&str> {
    path.strip_prefix('.').unwrap_or(path).split('.').collect()
}

/// The integer at the end of the fields, if there is one.
///
/// # Errors
/// When something else stands on the way or at the end, in Go's words.
pub fn nested_int(object: &Value, steps: &[&str]) -> Result<Option<i64>, String> {
    match nested(object, steps)? {
        None => Ok(None),
        Some(Value::Int(number)) => Ok(Some(*number)),
        Some(other) => Err(wrong_type(steps, other, "int64")),
    }
}

/// The text at the end of the fields; empty when there is none.
///
/// # Errors
/// When something else stands on the way or at the end, in Go's words.
pub fn nested_text(object: &Value, steps: &[&str]) -> Result<Text, String> {
    match nested(object, steps)? {
        None => Ok(Text::default()),
        Some(Value::Str(text)) => Ok(text.clone()),
        Some(other) => Err(wrong_type(steps, other, "string")),
    }
}

fn nested<'a>(object: &'a Value, steps: &[&str]) -> Result<Option<&'a Value>, String> {
    let mut at = object;
    for (depth, step) in steps.iter().enumerate() {
        let Value::Map(map) = at else {
            return Err(wrong_type(&steps[..=depth], at, "map[string]interface{}"));
        };
        match map.get(step) {
            Some(next) => at = next,
            None => return Ok(None),
        }
    }
    Ok(Some(at))
}

fn wrong_type(steps: &[&str], value: &Value, expected: &str) -> String {
    let (path, shown, kind) = (steps.join("."), plain(value), type_name(value));
    format!(".{path} accessor error: {shown} is of the type {kind}, expected {expected}")
}
