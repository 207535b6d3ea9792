//! The checks of the fields that a scale subresource points to.

use ordain_passes::spine::Scale as ScaleChecks;
use ordain_schema::crd::Scale;
use ordain_value::field::{Error, ErrorList, Path};
use ordain_value::{Value, json, number};

/// The scale subresource of one version.
#[derive(Debug)]
pub(crate) struct Scaled(pub(crate) Scale);

impl ScaleChecks for Scaled {
    fn validate_spec(&self, object: &Value) -> ErrorList {
        replicas(object, &self.0.spec_replicas_path)
    }

    fn validate_status(&self, object: &Value) -> ErrorList {
        let mut errors = replicas(object, &self.0.status_replicas_path);
        let selector = self.0.label_selector_path.as_ref().filter(|path| !path.is_empty());
        if let Some(path) = selector {
            match nested(object, path) {
                Ok(None | Some(Value::Str(_))) => {}
                Ok(Some(other)) => {
                    let why = wrong_type(path, other, "string");
                    errors.push(Error::invalid(&Path::new(path), "", why));
                }
                Err(why) => errors.push(Error::invalid(&Path::new(path), "", why)),
            }
        }
        errors
    }
}

fn replicas(object: &Value, path: &str) -> ErrorList {
    let place = Path::new(path);
    let error = match nested(object, path) {
        Ok(None) => return ErrorList::new(),
        Ok(Some(Value::Int(count))) if *count < 0 => {
            Error::invalid(&place, *count, "should be a non-negative integer")
        }
        Ok(Some(Value::Int(count))) if *count > i64::from(i32::MAX) => {
            let detail = format!("should be less than or equal to {}", i32::MAX);
            Error::invalid(&place, *count, detail)
        }
        Ok(Some(Value::Int(_))) => return ErrorList::new(),
        Ok(Some(other)) => Error::invalid(&place, 0, wrong_type(path, other, "int64")),
        Err(why) => Error::invalid(&place, 0, why),
    };
    error.into()
}

fn wrong_type(path: &str, value: &Value, expected: &str) -> String {
    let (shown, kind) = shown(value);
    let path = path.trim_start_matches('.');
    format!(".{path} accessor error: {shown} is of the type {kind}, expected {expected}")
}

/// The value at a path of plain fields.
fn nested<'a>(object: &'a Value, path: &str) -> Result<Option<&'a Value>, String> {
    let keys: Vec<&str> = path.trim_start_matches('.').split('.').collect();
    let mut at = object;
    for (depth, key) in keys.iter().enumerate() {
        let Value::Map(map) = at else {
            return Err(wrong_type(&keys[..=depth].join("."), at, "map[string]interface{}"));
        };
        match map.get(key) {
            Some(next) => at = next,
            None => return Ok(None),
        }
    }
    Ok(Some(at))
}

/// A value as Go prints it, and the Go type of its kind.
fn shown(value: &Value) -> (String, &'static str) {
    let inner = |value: &Value| match value {
        Value::List(_) | Value::Map(_) => json::encode_string(value),
        scalar => shown(scalar).0,
    };
    match value {
        Value::Null => ("<nil>".to_owned(), "<nil>"),
        Value::Bool(flag) => (flag.to_string(), "bool"),
        Value::Int(number) => (number.to_string(), "int64"),
        Value::Float(number) => (number::go_float(*number), "float64"),
        Value::Str(text) => (text.to_string(), "string"),
        Value::List(list) => {
            let items: Vec<String> = list.iter().map(inner).collect();
            (format!("[{}]", items.join(" ")), "[]interface {}")
        }
        Value::Map(map) => {
            let entries: Vec<String> =
                map.iter().map(|(key, item)| format!("{key}:{}", inner(item))).collect();
            (format!("map[{}]", entries.join(" ")), "map[string]interface {}")
        }
    }
}
