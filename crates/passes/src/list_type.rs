//! Sets and map lists: no item twice, no key twice.
//!
//! A repeated item is reported once, where it stands for the second time. Scalars are compared by type and value,
//! lists and objects by their JSON, in which 1 and 1.0 are the same.

use std::collections::HashMap;

use ordain_schema::ListType;
use ordain_value::field::{Error, ErrorList, Path};
use ordain_value::{List, Map, Text, Value, json};

use crate::plan::{Additional, DEPTH_MAX, Id, Plan, PlanNode};

impl Plan {
    /// Checks every set and map list of an object.
    #[must_use]
    pub fn validate_list_types(&self, object: &Value) -> ErrorList {
        let mut errors = ErrorList::new();
        if let Value::Map(map) = object {
            check_map(self, map, self.node(self.root), &Path::root(), 0, &mut errors);
        }
        errors
    }
}

fn check(
    plan: &Plan,
    value: &Value,
    id: Id,
    path: &Path<'_>,
    depth: usize,
    errors: &mut ErrorList,
) {
    let node = plan.node(id);
    if !node.below.list_types || depth >= DEPTH_MAX {
        return;
    }
    match value {
        Value::Map(map) => check_map(plan, map, node, path, depth, errors),
        Value::List(list) => {
            match node.list_type {
                Some(ListType::Set) => check_set(list, path, errors),
                Some(ListType::Map) => check_map_list(list, &node.list_map_keys, path, errors),
                _ => {}
            }
            let Some(items) = node.items.filter(|it| plan.node(*it).below.list_types) else {
                return;
            };
            for (i, item) in list.iter().enumerate() {
                check(plan, item, items, &path.index(i), depth + 1, errors);
            }
        }
        _ => {}
    }
}

fn check_map(
    plan: &Plan,
    map: &Map,
    node: &PlanNode,
    path: &Path<'_>,
    depth: usize,
    errors: &mut ErrorList,
) {
    if !node.below.list_types {
        return;
    }
    let mut sweep = node.properties.sweep();
    for (key, value) in map.iter() {
        if !matches!(value, Value::Map(_) | Value::List(_)) {
            continue;
        }
        if let Additional::Node(id) = node.additional {
            check(plan, value, id, &path.key(key), depth + 1, errors);
        }
        if let Some(property) = sweep.find(key) {
            check(plan, value, property.node, &path.child(key), depth + 1, errors);
        }
    }
}

fn check_set(list: &List, path: &Path<'_>, errors: &mut ErrorList) {
    for at in repeats(list.len(), |i| Key::Value(&list[i])) {
        errors.push(Error::duplicate(&path.index(at), &list[at]));
    }
}

fn check_map_list(list: &List, keys: &[Text], path: &Path<'_>, errors: &mut ErrorList) {
    let stranger = list.iter().position(|it| !matches!(it, Value::Map(_) | Value::Null));
    if let Some(at) = stranger {
        let detail = "must be an object for an array of list-type map";
        errors.push(Error::invalid(&path.index(at), &list[at], detail));
        return;
    }
    let found = if let [key] = keys {
        repeats(list.len(), |i| list[i].get(key).map_or(Key::Absent, Key::Value))
    } else {
        repeats(list.len(), |i| Key::Parts(&list[i], keys))
    };
    for at in found {
        let shown: Map =
            keys.iter().filter_map(|key| Some((key.clone(), list[at].get(key)?.clone()))).collect();
        errors.push(Error::duplicate(&path.index(at), shown));
    }
}

/// What makes an item the same as another.
#[derive(Clone, Copy)]
enum Key<'a> {
    /// A map-list item without its key.
    Absent,
    Value(&'a Value),
    /// The named fields of an item.
    Parts(&'a Value, &'a [Text]),
}

impl Key<'_> {
    fn same(self, other: Key<'_>) -> bool {
        match (self, other) {
            (Key::Absent, Key::Absent) => true,
            (Key::Value(a), Key::Value(b)) => same_value(a, b),
            (Key::Parts(a, keys), Key::Parts(b, _)) => {
                keys.iter().all(|key| match (a.get(key), b.get(key)) {
                    (None, None) => true,
                    (Some(a), Some(b)) => same_json(a, b),
                    _ => false,
                })
            }
            _ => false,
        }
    }

    /// A text that two keys share exactly when they are the same.
    fn text(self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Key::Absent => {}
            Key::Value(value) => {
                out.push(match value {
                    Value::Int(_) => b'i',
                    Value::Float(_) => b'f',
                    _ => b'v',
                });
                json::encode_to(value, &mut out);
            }
            Key::Parts(item, keys) => {
                for key in keys {
                    out.push(b'|');
                    if let Some(value) = item.get(key) {
                        json::encode_to(value, &mut out);
                    }
                }
            }
        }
        out
    }
}

fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Map(_), Value::Map(_)) | (Value::List(_), Value::List(_)) => same_json(a, b),
        _ => a == b,
    }
}

fn same_json(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        _ => a.same(b) || json::encode(a) == json::encode(b),
    }
}

/// Short lists are compared pair by pair, which needs no memory.
const PAIRS_MAX: usize = 24;

/// The positions where something stands for the second time.
fn repeats<'a>(len: usize, key: impl Fn(usize) -> Key<'a>) -> Vec<usize> {
    let mut found = Vec::new();
    if len <= PAIRS_MAX {
        for at in 1..len {
            let earlier = (0..at).filter(|i| key(*i).same(key(at))).take(2).count();
            if earlier == 1 {
                found.push(at);
            }
        }
        return found;
    }
    let strings: Option<Vec<&str>> = (0..len)
        .map(|i| match key(i) {
            Key::Value(Value::Str(text)) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    match strings {
        Some(strings) => count_repeats(strings.into_iter(), &mut found),
        None => count_repeats((0..len).map(|i| key(i).text()), &mut found),
    }
    found
}

fn count_repeats<K: std::hash::Hash + Eq>(keys: impl Iterator<Item = K>, found: &mut Vec<usize>) {
    let mut times: HashMap<K, u32> = HashMap::with_capacity(keys.size_hint().0);
    for (at, key) in keys.enumerate() {
        let times = times.entry(key).or_insert(0);
        *times += 1;
        if *times == 2 {
            found.push(at);
        }
    }
}
