//! The bodies of a request and its answer, for events at the levels Request and RequestResponse.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use ordain_value::{Value, json, yaml};

/// The body of a request, from the moment it was read.
pub(crate) type Heard = Arc<OnceLock<Bytes>>;

/// Rides along with an answer: what it shows.
#[derive(Clone)]
pub(crate) enum Shown {
    Value(Value),
    Json(Bytes),
}

impl Shown {
    pub(crate) fn value(&self) -> Option<Value> {
        match self {
            Self::Value(value) => Some(value.clone()),
            Self::Json(bytes) => json::decode(bytes).ok(),
        }
    }
}

/// What a client sent; none if it is no text that can be read.
pub(crate) fn heard(bytes: &Bytes) -> Option<Value> {
    if let Ok(value) = json::decode(bytes) {
        return Some(value);
    }
    let document = yaml::decode_first(bytes, yaml::Options::default()).ok()?;
    document.value.ok().filter(|it| matches!(it, Value::Map(_) | Value::List(_)))
}

/// An object, or a list of them, without its record of owners.
pub(crate) fn without_owners(mut value: Value) -> Value {
    let strip = |object: &mut Value| {
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_map_mut) {
            metadata.remove("managedFields");
        }
    };
    strip(&mut value);
    if let Some(Value::List(items)) = value.get_mut("items") {
        let stripped = items.iter().cloned().map(|mut item| {
            strip(&mut item);
            item
        });
        *items = stripped.collect::<Vec<Value>>().into();
    }
    value
}
