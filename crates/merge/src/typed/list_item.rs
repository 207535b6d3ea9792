//! How items of sets and keyed lists are named.

use ordain_value::{Text, Value, go_quote};

use crate::path::PathElement;
use crate::types::{ListType, Types};

/// The path element of an item of an associative list.
pub(crate) fn list_item(
    types: &Types,
    list: &ListType,
    item: &Value,
) -> Result<PathElement, String> {
    if !list.associative {
        return Err("invalid indexing of non-associative list".to_owned());
    }
    if list.keys.is_empty() {
        return match item {
            Value::Map(_) => {
                Err("associative list without keys has an element that's a map type".to_owned())
            }
            Value::List(_) => {
                Err("not supported: associative list with lists as elements".to_owned())
            }
            Value::Null => {
                Err("associative list without keys has an element that's an explicit null"
                    .to_owned())
            }
            scalar => Ok(PathElement::Value(scalar.clone())),
        };
    }
    let map = match item {
        Value::Map(map) => map,
        Value::Null => {
            return Err("associative list with keys may not have a null element".to_owned());
        }
        _ => {
            return Err("associative list with keys may not have non-map elements".to_owned());
        }
    };
    let mut fields: Vec<(Text, Value)> = Vec::with_capacity(list.keys.len());
    for key in &list.keys {
        if let Some(value) = map.get(key) {
            fields.push((key.clone(), value.clone()));
        } else if let Some(default) = key_default(types, list, key)? {
            fields.push((key.clone(), default));
        }
    }
    if fields.is_empty() {
        let keys: Vec<String> = list.keys.iter().map(|it| go_quote(it)).collect();
        return Err(format!(
            "associative list with keys has an element that omits all key fields [{}] (and doesn't have default values for any key fields)",
            keys.join(" ")
        ));
    }
    fields.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(PathElement::Key(fields.into()))
}

fn key_default(types: &Types, list: &ListType, key: &str) -> Result<Option<Value>, String> {
    match &types.resolve(list.element).map {
        Some(map) => {
            Ok(map.field(key).and_then(|it| it.default.clone()).filter(|it| !it.is_null()))
        }
        None => Err(format!(
            "couldn't find default value for {key}: associative list may not have non-map types"
        )),
    }
}
