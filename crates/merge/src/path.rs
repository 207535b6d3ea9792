//! Path elements: how one step from a container to a child is named.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use ordain_value::{Text, Value, go_quote, json, number::go_float};

use crate::DEPTH_MAX;

/// One step of a field path.
#[derive(Clone, Debug)]
pub enum PathElement {
    /// A field of a struct or a key of a map: `f:name`.
    Field(Text),
    /// An item of a list of maps, by its key fields sorted by name: `k:{"name":"x"}`.
    Key(Arc<[(Text, Value)]>),
    /// An item of a set, by its value: `v:"x"`.
    Value(Value),
    /// An item of a list by position: `i:0`. Never made here, but read from stored objects.
    Index(i64),
}

/// A path from the root of an object.
pub type Path = Vec<PathElement>;

impl PathElement {
    /// A field element.
    pub fn field(name: impl Into<Text>) -> Self {
        PathElement::Field(name.into())
    }

    /// The key under which this element stands in `fieldsV1`.
    pub fn encode(&self) -> Text {
        match self {
            PathElement::Field(name) => {
                let mut text = smol_str::SmolStrBuilder::new();
                text.push_str("f:");
                text.push_str(name);
                text.finish()
            }
            PathElement::Key(fields) => {
                let mut out = b"k:{".to_vec();
                for (at, (name, value)) in fields.iter().enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    json::encode_string_to(name, &mut out);
                    out.push(b':');
                    json::encode_to(value, &mut out);
                }
                out.push(b'}');
                Text::from(String::from_utf8_lossy(&out))
            }
            PathElement::Value(value) => {
                let mut out = b"v:".to_vec();
                json::encode_to(value, &mut out);
                Text::from(String::from_utf8_lossy(&out))
            }
            PathElement::Index(at) => Text::from(format!("i:{at}")),
        }
    }

    /// Reads a `fieldsV1` key. `Ok(None)` for a kind of element this version does not know, which
    /// is to be ignored.
    pub fn decode(text: &str) -> Result<Option<Self>, String> {
        let Some((kind, rest)) = text.as_bytes().split_at_checked(2) else {
            return Err("key must be 2 characters long:".to_owned());
        };
        if kind[1] != b':' {
            return Err(format!("missing colon: {text}"));
        }
        match kind[0] {
            b'f' => Ok(Some(PathElement::field(&text[2..]))),
            b'v' => {
                let value = json::decode(rest).map_err(|it| it.to_string())?;
                Ok(Some(PathElement::Value(value)))
            }
            b'k' => {
                let value = json::decode(rest).map_err(|it| it.to_string())?;
                let Value::Map(map) = value else {
                    return Err(format!("expected an object: {text}"));
                };
                Ok(Some(PathElement::Key(map.entries().to_vec().into())))
            }
            b'i' => {
                let at = text[2..].parse::<i64>().map_err(|_| format!("not an index: {text}"))?;
                Ok(Some(PathElement::Index(at)))
            }
            _ => Ok(None),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            PathElement::Field(_) => 0,
            PathElement::Key(_) => 1,
            PathElement::Value(_) => 2,
            PathElement::Index(_) => 3,
        }
    }
}

impl Ord for PathElement {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (PathElement::Field(a), PathElement::Field(b)) => a.as_str().cmp(b.as_str()),
            (PathElement::Key(a), PathElement::Key(b)) => compare_keys(a, b),
            (PathElement::Value(a), PathElement::Value(b)) => compare_values(a, b, 0),
            (PathElement::Index(a), PathElement::Index(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for PathElement {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PathElement {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for PathElement {}

fn compare_keys(a: &[(Text, Value)], b: &[(Text, Value)]) -> Ordering {
    for ((a_name, a_value), (b_name, b_value)) in a.iter().zip(b) {
        let verdict = a_name.as_str().cmp(b_name.as_str());
        let verdict = verdict.then_with(|| compare_values(a_value, b_value, 0));
        if verdict != Ordering::Equal {
            return verdict;
        }
    }
    a.len().cmp(&b.len())
}

/// Upstream's total order of values: numbers (by value, whatever their kind), strings, booleans,
/// lists, maps, null.
pub(crate) fn compare_values(a: &Value, b: &Value, depth: usize) -> Ordering {
    fn rank(value: &Value) -> u8 {
        match value {
            Value::Float(_) | Value::Int(_) => 0,
            Value::Str(_) => 1,
            Value::Bool(_) => 2,
            Value::List(_) => 3,
            Value::Map(_) => 4,
            Value::Null => 5,
        }
    }
    if depth > DEPTH_MAX {
        return Ordering::Equal;
    }
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => {
            let (a, b) = (a.as_float().unwrap_or_default(), b.as_float().unwrap_or_default());
            a.partial_cmp(&b).unwrap_or(Ordering::Equal)
        }
        (Value::Str(a), Value::Str(b)) => a.as_str().cmp(b.as_str()),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::List(a), Value::List(b)) => {
            for (a, b) in a.iter().zip(b.iter()) {
                let verdict = compare_values(a, b, depth + 1);
                if verdict != Ordering::Equal {
                    return verdict;
                }
            }
            a.len().cmp(&b.len())
        }
        (Value::Map(a), Value::Map(b)) => {
            for ((a_key, a), (b_key, b)) in a.iter().zip(b.iter()) {
                let verdict = a_key.as_str().cmp(b_key.as_str());
                let verdict = verdict.then_with(|| compare_values(a, b, depth + 1));
                if verdict != Ordering::Equal {
                    return verdict;
                }
            }
            a.len().cmp(&b.len())
        }
        _ => rank(a).cmp(&rank(b)),
    }
}

impl fmt::Display for PathElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathElement::Field(name) => write!(f, ".{name}"),
            PathElement::Key(fields) => {
                f.write_str("[")?;
                for (at, (name, value)) in fields.iter().enumerate() {
                    if at > 0 {
                        f.write_str(",")?;
                    }
                    write!(f, "{name}={}", display_value(value, 0))?;
                }
                f.write_str("]")
            }
            PathElement::Value(value) => write!(f, "[={}]", display_value(value, 0)),
            PathElement::Index(at) => write!(f, "[{at}]"),
        }
    }
}

/// A path as messages show it: `.spec.ports[port=80,protocol="TCP"].name`.
pub fn display_path(path: &[PathElement]) -> String {
    path.iter().map(ToString::to_string).collect()
}

fn display_value(value: &Value, depth: usize) -> String {
    if depth > DEPTH_MAX {
        return "...".to_owned();
    }
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(it) => it.to_string(),
        Value::Int(it) => it.to_string(),
        Value::Float(it) => go_float(*it),
        Value::Str(it) => go_quote(it),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(|it| display_value(it, depth + 1)).collect();
            format!("[{}]", items.join(","))
        }
        Value::Map(map) => map
            .iter()
            .map(|(key, value)| format!("{key}={}", display_value(value, depth + 1)))
            .collect(),
    }
}

/// Equality as upstream's merge sees it: `1` and `1.0` are the same number.
pub(crate) fn values_equal(a: &Value, b: &Value) -> bool {
    values_equal_at(a, b, 0)
}

fn values_equal_at(a: &Value, b: &Value, depth: usize) -> bool {
    if a.same(b) {
        return true;
    }
    if depth > DEPTH_MAX {
        // Iterative, and only stricter about 1 against 1.0.
        return a == b;
    }
    match (a, b) {
        (Value::Int(_), Value::Float(_)) | (Value::Float(_), Value::Int(_)) => {
            a.as_float() == b.as_float()
        }
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len()
                && a.iter().zip(b.iter()).all(|(a, b)| values_equal_at(a, b, depth + 1))
        }
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len()
                && a.iter().zip(b.iter()).all(|((a_key, a), (b_key, b))| {
                    a_key == b_key && values_equal_at(a, b, depth + 1)
                })
        }
        _ => false,
    }
}
