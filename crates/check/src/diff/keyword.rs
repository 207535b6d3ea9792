//! What the change of a keyword does to the set of accepted objects, and which values would show.

use std::collections::HashSet;

use ordain_value::{List, Value, json};

use super::regex_sample;
use super::sample;

/// What a change does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Effect {
    /// Less is accepted.
    Tightens,
    /// Nothing that was accepted is refused.
    Loosens,
    /// The keyword alone does not say it.
    #[default]
    Unclear,
    /// It is accepted, but kept as something else.
    Changes,
}

/// The keywords that are compared, apart from fields and rules.
pub(crate) const KEYWORDS: [&str; 28] = [
    "type",
    "format",
    "pattern",
    "enum",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "nullable",
    "default",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-int-or-string",
    "x-kubernetes-embedded-resource",
];

/// What a changed keyword does.
pub(super) fn effect(keyword: &str, old: Option<&Value>, new: Option<&Value>) -> Effect {
    let flag = |value: Option<&Value>| value.and_then(Value::as_bool) == Some(true);
    let number = |value: Option<&Value>| value.and_then(Value::as_float);
    let by_order = |lower_is_tighter: bool| match (number(old), number(new)) {
        (_, None) => Effect::Loosens,
        (None, Some(_)) => Effect::Tightens,
        (Some(a), Some(b)) if (b < a) == lower_is_tighter && a != b => Effect::Tightens,
        _ => Effect::Loosens,
    };
    match keyword {
        "maximum" | "maxLength" | "maxItems" | "maxProperties" => by_order(true),
        "minimum" | "minLength" | "minItems" | "minProperties" => by_order(false),
        "exclusiveMinimum" | "exclusiveMaximum" | "uniqueItems" if flag(new) => Effect::Tightens,
        "exclusiveMinimum" | "exclusiveMaximum" | "uniqueItems" => Effect::Loosens,
        "nullable" | "x-kubernetes-preserve-unknown-fields" if flag(new) => Effect::Loosens,
        "nullable" | "x-kubernetes-preserve-unknown-fields" => Effect::Tightens,
        "enum" => match (old.and_then(Value::as_list), new.and_then(Value::as_list)) {
            (_, None) => Effect::Loosens,
            (Some(a), Some(b)) if parted(a, b).1.is_empty() => Effect::Loosens,
            _ => Effect::Tightens,
        },
        "format" | "pattern" | "multipleOf" if new.is_none() => Effect::Loosens,
        "pattern" | "multipleOf" if old.is_none() => Effect::Tightens,
        "allOf" | "anyOf" | "oneOf" | "not" if new.is_none() => Effect::Loosens,
        "default" if old.is_none() => Effect::Loosens,
        "default" => Effect::Changes,
        "x-kubernetes-map-type" => Effect::Loosens,
        "x-kubernetes-list-type" if new.is_none() => Effect::Loosens,
        "x-kubernetes-list-type" if new.and_then(Value::as_str) == Some("atomic") => {
            Effect::Loosens
        }
        "type" if new.is_none() => Effect::Loosens,
        "type"
            if old.and_then(Value::as_str) == Some("integer")
                && new.and_then(Value::as_str) == Some("number") =>
        {
            Effect::Loosens
        }
        _ => Effect::Unclear,
    }
}

/// The values of a list that are in another as well, and those that are not. Enumerations may be
/// long.
pub(super) fn parted<'a>(list: &'a List, other: &List) -> (Vec<&'a Value>, Vec<&'a Value>) {
    let others: HashSet<Vec<u8>> = other.iter().map(json::encode).collect();
    list.iter().partition(|it| others.contains(&json::encode(it)))
}

/// Values at the place of a changed keyword that the old schema may accept and the new one not.
pub(super) fn probes(keyword: &str, old: &Value, new: &Value) -> Vec<Value> {
    let bound = |schema: &Value| schema.get(keyword).cloned();
    let int = |schema: &Value| schema.get(keyword).and_then(Value::as_int);
    let mut out = Vec::new();
    match keyword {
        "enum" => {
            let kept = new.get("enum").and_then(Value::as_list).cloned().unwrap_or_default();
            let had = old.get("enum").and_then(Value::as_list).cloned().unwrap_or_default();
            out.extend(parted(&had, &kept).1.into_iter().cloned());
        }
        "maxLength" => out.extend(int(new).map(|it| sample::text(old, length(it + 1)))),
        "minLength" => out.extend(int(new).map(|it| sample::text(old, length(it - 1)))),
        "maxItems" => out.extend(int(new).map(|it| sample::list(old, length(it + 1)))),
        "minItems" => out.extend(int(new).map(|it| sample::list(old, length(it - 1)))),
        "maxProperties" => out.extend(int(new).map(|it| sample::entries(old, length(it + 1)))),
        "minProperties" => out.extend(int(new).map(|it| sample::entries(old, length(it - 1)))),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
            let key =
                if keyword.ends_with("imum") && keyword.contains("Min") || keyword == "minimum" {
                    "minimum"
                } else {
                    "maximum"
                };
            let step = if key == "minimum" { -1 } else { 1 };
            for schema in [new, old] {
                match schema.get(key) {
                    Some(Value::Int(at)) => {
                        out.extend([at.saturating_add(step), *at].map(Value::Int));
                    }
                    Some(Value::Float(at)) => {
                        let step = f64::from(i32::try_from(step).unwrap_or(1)) / 2.0;
                        out.extend([Value::Float(at + step), Value::Float(*at)]);
                    }
                    _ => {}
                }
            }
        }
        "multipleOf" => out.extend((1..40).map(Value::Int)),
        "uniqueItems" | "x-kubernetes-list-type" | "x-kubernetes-list-map-keys" => {
            let items = old.get("items").cloned().unwrap_or_default();
            let item = sample::value(&items, 0, 0);
            out.push(List::from(vec![item.clone(), item]).into());
        }
        "nullable" => out.push(Value::Null),
        "pattern" => {
            let pattern = bound(old).and_then(|it| it.as_str().map(ToOwned::to_owned));
            if let Some(pattern) = pattern {
                out.extend(
                    (0..24).filter_map(|at| regex_sample::sample(&pattern, at)).map(Value::from),
                );
            } else {
                out.extend(UNUSUAL.iter().map(|it| Value::str(*it)));
            }
        }
        "x-kubernetes-preserve-unknown-fields" => {
            let mut value = sample::value(old, 0, 0);
            if let Value::Map(map) = &mut value {
                map.insert("somethingElse", "x".into());
            }
            out.push(value);
        }
        _ => {}
    }
    out.extend((0..24).map(|variant| sample::value(old, variant, 0)));
    out
}

/// Texts that few patterns accept.
const UNUSUAL: [&str; 8] = [" ", "é", "A b", "-a", "a_", "0", "..", "a/b"];

fn length(number: i64) -> usize {
    usize::try_from(number.clamp(0, 4096)).unwrap_or(0)
}
