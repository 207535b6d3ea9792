//! Versions of a kind: which field of one is which of the other, what would be lost between them,
//! and objects with the names of the other version.
//!
//! Fields are the same when they stand at the same place and have the same conversion name, which
//! is their own unless the declaration says otherwise. Nothing but names changes here: two versions
//! whose shapes differ in more need a function written by hand.

use std::collections::HashMap;

use ordain_schema::{Additional, Node, NodeId, Schema, Type};
use ordain_value::{Map, Text, Value};

/// The word for a field that its version has alone.
const ALONE: &str = "-";

/// Fields that all versions of all kinds share.
const SHARED: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The name by which other versions know a field.
fn conversion_name<'a>(schema: &'a Schema, field: &'a (Text, NodeId)) -> &'a Text {
    let declared = schema.node(field.1).declared.as_deref();
    declared.and_then(|it| it.conversion_name.as_ref()).unwrap_or(&field.0)
}

fn is_alone(schema: &Schema, field: &(Text, NodeId)) -> bool {
    conversion_name(schema, field) == ALONE
}

/// The field of a node that another version's field is.
fn counterpart<'a>(
    (from, field): (&Schema, &(Text, NodeId)),
    (to, node): (&'a Schema, &'a Node),
) -> Option<&'a (Text, NodeId)> {
    let name = conversion_name(from, field);
    node.properties.iter().find(|it| conversion_name(to, it) == name && name != ALONE)
}

/// What an object of one version would lose in the other, as texts for people; `keeps_zeros` tells
/// that the other version is only looked at and not stored in.
#[must_use]
pub fn losses(from: &Schema, to: &Schema, keeps_zeros: bool) -> Vec<String> {
    let mut out = Vec::new();
    let mut seen = HashMap::new();
    let mut pending = vec![(from.root(), to.root(), String::new())];
    while let Some((left, right, path)) = pending.pop() {
        if seen.insert((left, right), ()).is_some() {
            continue;
        }
        let (a, b) = (from.node(left), to.node(right));
        let join =
            |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        if !holds(b, a.ty) {
            out.push(format!("{path} is {} in one and {} in the other", word(a.ty), word(b.ty)));
            continue;
        }
        if keeps_all(b) {
            continue;
        }
        let strips = |node: &Node| node.declared.as_ref().is_some_and(|it| it.strip_zero);
        if !keeps_zeros && strips(b) && !strips(a) && scalar(a.ty) {
            out.push(format!("the zero value of {path} counts as absent in the other"));
        }
        if keeps_all(a) && a.ty == Type::Object {
            out.push(format!("{path} may hold anything in one and not in the other"));
        }
        for field in &a.properties {
            let shared = path.is_empty() && SHARED.contains(&field.0.as_str());
            if shared || is_alone(from, field) {
                continue;
            }
            match (counterpart((from, field), (to, b)), b.additional) {
                (Some(other), _) => pending.push((field.1, other.1, join(&field.0))),
                (None, Additional::Node(values)) => {
                    pending.push((field.1, values, join(&field.0)));
                }
                (None, _) => out.push(format!("{} has no field in the other", join(&field.0))),
            }
        }
        match (a.items, b.items) {
            (Some(a), Some(b)) => pending.push((a, b, format!("{path}[]"))),
            (None, Some(_)) if a.ty == Type::Array => {
                out.push(format!("{path} may hold anything in one and not in the other"));
            }
            _ => {}
        }
        match (a.additional_node(), b.additional_node()) {
            (Some(a), Some(b)) => pending.push((a, b, format!("{path}[]"))),
            (Some(_), None) => out.push(format!("{path} has any keys in one and not in the other")),
            _ => {}
        }
    }
    out.sort();
    out
}

/// Whether values of a type have a place at a node.
fn holds(node: &Node, ty: Type) -> bool {
    match node.ty {
        Type::Any => true,
        Type::IntOrString => matches!(ty, Type::IntOrString | Type::Integer | Type::String),
        Type::Number => matches!(ty, Type::Number | Type::Integer),
        own => own == ty,
    }
}

/// Whether a node keeps whatever is put there.
fn keeps_all(node: &Node) -> bool {
    node.preserve_unknown
        || matches!(node.additional, Additional::Any)
        || (node.ty == Type::Any && node.properties.is_empty())
}

fn scalar(ty: Type) -> bool {
    matches!(ty, Type::Boolean | Type::Integer | Type::Number | Type::String)
}

fn word(ty: Type) -> &'static str {
    match ty {
        Type::Any => "anything",
        Type::IntOrString => "an integer or a string",
        other => other.name(),
    }
}

/// How fields are called in another version: compiled once for each two versions.
#[derive(Clone, Debug)]
pub struct Renames(Vec<Pair>);

/// Two nodes that stand at the same place, where a name differs at or below them.
#[derive(Clone, Debug, Default)]
struct Pair {
    /// Fields by name: what they are called in the other version, and what is below them.
    fields: Vec<(Text, Text, Option<usize>)>,
    items: Option<usize>,
    values: Option<usize>,
}

impl Renames {
    /// The names that change between two versions; `None` when none does.
    #[must_use]
    pub fn compile(from: &Schema, to: &Schema) -> Option<Self> {
        let mut numbers = HashMap::from([((from.root(), to.root()), 0)]);
        let mut waiting = vec![(from.root(), to.root())];
        let mut pairs: Vec<Pair> = Vec::new();
        let mut next = 0;
        while let Some((left, right)) = waiting.get(next).copied() {
            next += 1;
            let (a, b) = (from.node(left), to.node(right));
            let mut number = |left, right| {
                let fresh = numbers.len();
                *numbers.entry((left, right)).or_insert_with(|| {
                    waiting.push((left, right));
                    fresh
                })
            };
            let mut pair = Pair::default();
            for field in &a.properties {
                if let Some(other) = counterpart((from, field), (to, b)) {
                    let below = number(field.1, other.1);
                    pair.fields.push((field.0.clone(), other.0.clone(), Some(below)));
                }
            }
            if let (Some(a), Some(b)) = (a.items, b.items) {
                pair.items = Some(number(a, b));
            }
            if let (Some(a), Some(b)) = (a.additional_node(), b.additional_node()) {
                pair.values = Some(number(a, b));
            }
            pairs.push(pair);
        }
        let changes = changing(&pairs);
        if !changes.first().copied().unwrap_or(false) {
            return None;
        }
        let leads = |at: &usize| changes[*at];
        for pair in &mut pairs {
            pair.items = pair.items.filter(leads);
            pair.values = pair.values.filter(leads);
            pair.fields.iter_mut().for_each(|it| it.2 = it.2.filter(leads));
            pair.fields.retain(|it| it.0 != it.1 || it.2.is_some());
        }
        Some(Renames(pairs))
    }

    /// Gives the fields of an object the names of the other version.
    pub fn rename(&self, object: &mut Value) {
        let mut pending = vec![(0, object)];
        while let Some((at, value)) = pending.pop() {
            let Some(pair) = self.0.get(at) else { continue };
            match value {
                Value::Map(map) => {
                    if pair.fields.iter().any(|it| it.0 != it.1 && map.contains_key(&it.0)) {
                        *map = renamed(pair, map);
                    }
                    if pair.values.is_none() && pair.fields.iter().all(|it| it.2.is_none()) {
                        continue;
                    }
                    for (key, value) in map.iter_mut() {
                        let field = pair.fields.iter().find(|it| it.1 == *key);
                        let below = field.map_or(pair.values, |it| it.2);
                        pending.extend(below.map(|at| (at, value)));
                    }
                }
                Value::List(list) => {
                    let Some(below) = pair.items else { continue };
                    pending.extend(list.to_mut().iter_mut().map(|item| (below, item)));
                }
                _ => {}
            }
        }
    }
}

/// Which pairs have a changed name at or below them.
fn changing(pairs: &[Pair]) -> Vec<bool> {
    let mut parents: Vec<Vec<usize>> = vec![Vec::new(); pairs.len()];
    let mut marked = vec![false; pairs.len()];
    let mut pending = Vec::new();
    for (at, pair) in pairs.iter().enumerate() {
        let below = pair.fields.iter().filter_map(|it| it.2);
        for child in below.chain(pair.items).chain(pair.values) {
            parents[child].push(at);
        }
        if pair.fields.iter().any(|it| it.0 != it.1) {
            marked[at] = true;
            pending.push(at);
        }
    }
    while let Some(at) = pending.pop() {
        for parent in &parents[at] {
            if !std::mem::replace(&mut marked[*parent], true) {
                pending.push(*parent);
            }
        }
    }
    marked
}

/// All names at once, so that two fields may trade theirs.
fn renamed(pair: &Pair, map: &Map) -> Map {
    let name = |key: &Text| {
        let found = pair.fields.iter().find(|it| it.0 == *key);
        found.map_or_else(|| key.clone(), |it| it.1.clone())
    };
    // A field without a counterpart gives way to one that takes its name.
    let taken = |key: &Text| {
        pair.fields.iter().any(|it| it.0 != it.1 && it.1 == *key && map.contains_key(&it.0))
    };
    let is_paired = |key: &Text| pair.fields.iter().any(|it| it.0 == *key);
    let kept = map.iter().filter(|(key, _)| is_paired(key) || !taken(key));
    kept.map(|(key, value)| (name(key), value.clone())).collect()
}
