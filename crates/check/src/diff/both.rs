//! What two schemas ask for together: a start for objects that break nothing but one change.

use std::collections::HashSet;

use ordain_value::{List, Map, Value};

use super::keyword::parted;

/// Schemas deeper than this are taken from the old one as they are.
const DEPTH_MAX: usize = 64;

/// A schema of what both accept, as far as their keywords say; fields are those of both.
pub(super) fn both(old: &Value, new: &Value) -> Value {
    merged(old, new, 0)
}

fn merged(old: &Value, new: &Value, depth: usize) -> Value {
    let (Value::Map(before), Value::Map(after)) = (old, new) else { return old.clone() };
    if depth > DEPTH_MAX || old == new {
        return old.clone();
    }
    let mut out = before.clone();
    for (key, value) in after.iter() {
        let had = before.get(key);
        let kept = match key.as_str() {
            "properties" => properties(had, value, depth),
            "required" => required(had, value, before),
            "items" | "additionalProperties" => {
                had.map_or_else(|| value.clone(), |it| merged(it, value, depth + 1))
            }
            "enum" => common(had, value),
            "minimum" | "minLength" | "minItems" | "minProperties" => tighter(had, value, true),
            "maximum" | "maxLength" | "maxItems" | "maxProperties" => tighter(had, value, false),
            "pattern" | "format" => value.clone(),
            _ => continue,
        };
        out.insert(key.clone(), kept);
    }
    Value::Map(out)
}

fn properties(old: Option<&Value>, new: &Value, depth: usize) -> Value {
    let (Some(before), Some(after)) = (old.and_then(Value::as_map), new.as_map()) else {
        return Value::Map(Map::new());
    };
    let mut out = Map::new();
    for (name, property) in before.iter() {
        if let Some(now) = after.get(name) {
            out.insert(name.clone(), merged(property, now, depth + 1));
        }
    }
    Value::Map(out)
}

/// What either asks for of what the old schema has.
fn required(old: Option<&Value>, new: &Value, schema: &Map) -> Value {
    let has = |name: &Value| {
        let fields = schema.get("properties").and_then(Value::as_map);
        name.as_str().is_some_and(|it| fields.is_some_and(|fields| fields.contains_key(it)))
    };
    let mut names: Vec<Value> =
        old.and_then(Value::as_list).into_iter().flatten().cloned().collect();
    let more = new.as_list().into_iter().flatten().filter(|it| has(it));
    let had: HashSet<&str> = names.iter().filter_map(Value::as_str).collect();
    let more: Vec<Value> =
        more.filter(|it| it.as_str().is_none_or(|it| !had.contains(it))).cloned().collect();
    names.extend(more);
    List::from(names).into()
}

fn common(old: Option<&Value>, new: &Value) -> Value {
    let (Some(before), Some(after)) = (old.and_then(Value::as_list), new.as_list()) else {
        return new.clone();
    };
    let (kept, _) = parted(before, after);
    let kept: Vec<Value> = kept.into_iter().cloned().collect();
    if kept.is_empty() { old.cloned().unwrap_or_default() } else { List::from(kept).into() }
}

/// The bound of two that lets less pass.
fn tighter(old: Option<&Value>, new: &Value, is_lower: bool) -> Value {
    match old.map(|it| (it, it.as_float(), new.as_float())) {
        Some((old, Some(a), Some(b))) if (a > b) == is_lower => old.clone(),
        _ => new.clone(),
    }
}
