//! JSON merge patch (RFC 7386).

use ordain_value::{Map, Text, Value};

use super::{PatchError, Strictness, decode_object};

/// Reads a merge patch; also gives the strict errors of the document.
pub fn decode(bytes: &[u8], strictness: Strictness) -> Result<(Value, Vec<String>), PatchError> {
    let invalid = || PatchError::BadRequest("Invalid JSON Patch".to_owned());
    let decoded = decode_object(bytes, strictness);
    match (decoded, strictness) {
        (Ok((Value::Null, _)), _) => Err(invalid()),
        (Ok(decoded), _) => Ok(decoded),
        (Err(message), Strictness::Report) => {
            Err(PatchError::BadRequest(format!("error decoding patch: {message}")))
        }
        (Err(_), Strictness::Ignore) => Err(invalid()),
    }
}

/// Applies a merge patch.
pub fn apply(current: &Value, patch: &Value) -> Value {
    let (Value::Map(current), Value::Map(patch)) = (current, patch) else {
        return without_nulls(patch.clone());
    };
    let mut frames = vec![Frame::new(current.clone(), patch.clone(), None)];
    loop {
        let Some(frame) = frames.last_mut() else { return Value::Null };
        let Some((key, change)) = frame.patch.entries().get(frame.at) else {
            let Some(done) = frames.pop() else { return Value::Null };
            let mut out = done.before;
            out.change(done.changes);
            match (frames.last_mut(), done.key) {
                (Some(parent), Some(key)) => {
                    parent.changes.push((key, Some(Value::Map(out))));
                    continue;
                }
                _ => return Value::Map(out),
            }
        };
        let key = key.clone();
        let change = change.clone();
        frame.at += 1;
        if change.is_null() {
            frame.changes.push((key, None));
            continue;
        }
        match (frame.before.get(&key), change) {
            (Some(Value::Map(before)), Value::Map(change)) => {
                let below = Frame::new(before.clone(), change, Some(key));
                frames.push(below);
            }
            // An object replaced by something else takes it as it is; otherwise nulls go.
            (Some(Value::Map(_)), change) => frame.changes.push((key, Some(change))),
            (_, change) => frame.changes.push((key, Some(without_nulls(change)))),
        }
    }
}

/// A map that is being merged; the depth lives on the heap. What changes is gathered in the order
/// of the patch, which is that of its keys, and done at once.
struct Frame {
    before: Map,
    patch: Map,
    at: usize,
    key: Option<Text>,
    changes: Vec<(Text, Option<Value>)>,
}

impl Frame {
    fn new(before: Map, patch: Map, key: Option<Text>) -> Self {
        Self { before, patch, at: 0, key, changes: Vec::new() }
    }
}

/// Drops null members of objects at every depth; null items of lists stay.
fn without_nulls(mut value: Value) -> Value {
    if !has_null_member(&value) {
        return value;
    }
    let mut pending: Vec<&mut Value> = vec![&mut value];
    while let Some(value) = pending.pop() {
        match value {
            Value::Map(map) => {
                map.retain(|_, it| !it.is_null());
                pending.extend(map.iter_mut().map(|it| it.1));
            }
            Value::List(list) => pending.extend(list.to_mut().iter_mut()),
            _ => {}
        }
    }
    value
}

fn has_null_member(value: &Value) -> bool {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Value::Map(map) => {
                if map.values().any(Value::is_null) {
                    return true;
                }
                pending.extend(map.values());
            }
            Value::List(list) => pending.extend(list.iter()),
            _ => {}
        }
    }
    false
}
