//! Unions in the words of OpenAPI and JSON Schema: `oneOf` over the members, for tools that know
//! neither `x-kubernetes-unions` nor the rules of unions.
//!
//! The branches say what an object looks like at rest. What the server does on the way there
//! (clearing members when the discriminator was modified) has no words in a schema.

use ordain_value::{Map, Text, Value};

use crate::model::{Arity, Node, Schema, Type, Union};

/// The branches of all unions of an object: one union is `oneOf`, several stand in `allOf`.
/// Branches that are there already are kept.
pub fn write(schema: &Schema, node: &Node, out: &mut Map) {
    let Some(declared) = &node.declared else { return };
    let fields = Fields { schema, node };
    let mut all: Vec<Value> = (declared.unions.iter())
        .filter(|union| !union.members.is_empty())
        .map(|union| Value::from(branches(&fields, union)))
        .collect();
    if all.len() == 1 && !out.contains_key("oneOf") {
        out.insert("oneOf", all.remove(0));
    }
    if all.is_empty() {
        return;
    }
    let before = out.get("allOf").and_then(Value::as_list);
    let mut list: Vec<Value> = before.map(|it| it.iter().cloned().collect()).unwrap_or_default();
    list.extend(all.into_iter().map(|it| map([("oneOf", it)])));
    out.insert("allOf", Value::from(list));
}

fn branches(fields: &Fields<'_>, union: &Union) -> Vec<Value> {
    match &union.discriminator {
        Some(discriminator) => discriminated(fields, union, discriminator),
        None => plain(fields, union),
    }
}

/// Each member by itself, and none of them where that is allowed.
fn plain(fields: &Fields<'_>, union: &Union) -> Vec<Value> {
    let mut out: Vec<Value> = union.members.iter().map(|it| fields.set(&it.field)).collect();
    if union.arity == Arity::ZeroOrOne {
        out.push(map([("not", any(fields, union, None))]));
    }
    out
}

/// A branch for each value of the discriminator.
fn discriminated(fields: &Fields<'_>, union: &Union, discriminator: &Text) -> Vec<Value> {
    let default = fields.default(discriminator);
    let mut out = Vec::new();
    for member in &union.members {
        let mut branch = fields.set(&member.field);
        if member.optional {
            branch = Value::Map(Map::new());
        }
        let defaulted = default.as_ref().and_then(Value::as_str) == Some(member.value.as_str());
        select(&mut branch, discriminator, &[&member.value], !defaulted);
        let mut branches = vec![branch];
        if union.inferred {
            // The member alone says which one is meant.
            let mut branch = fields.set(&member.field);
            select(&mut branch, discriminator, &[&Text::default()], false);
            branches.push(branch);
        }
        for mut branch in branches {
            if union.members.len() > 1 {
                set(&mut branch, "not", any(fields, union, Some(&member.field)));
            }
            out.push(branch);
        }
    }
    let empty: Vec<&Text> = union.empty_values.iter().collect();
    let optional = default.is_none() && !fields.is_required(discriminator);
    let defaulted = empty
        .iter()
        .any(|it| it.is_empty() || default.as_ref().and_then(Value::as_str) == Some(it.as_str()));
    if !empty.is_empty() || optional {
        let mut branch = map([("not", any(fields, union, None))]);
        let absent = Text::default();
        let values = if empty.is_empty() { vec![&absent] } else { empty };
        select(&mut branch, discriminator, &values, !(defaulted || optional));
        out.push(branch);
    }
    out
}

/// The discriminator has one of these values.
fn select(branch: &mut Value, discriminator: &Text, values: &[&Text], required: bool) {
    let list: Vec<Value> = values.iter().map(|it| Value::Str((*it).clone())).collect();
    let mut properties =
        branch.get("properties").and_then(Value::as_map).cloned().unwrap_or_default();
    properties.insert(discriminator.clone(), map([("enum", Value::from(list))]));
    set(branch, "properties", Value::Map(properties));
    if required {
        let before = branch.get("required").and_then(Value::as_list);
        let mut names = vec![Value::Str(discriminator.clone())];
        names.extend(before.into_iter().flatten().cloned());
        set(branch, "required", Value::from(names));
    }
}

/// Any of the members is set, one of them left out.
fn any(fields: &Fields<'_>, union: &Union, but: Option<&Text>) -> Value {
    let others = union.members.iter().filter(|it| Some(&it.field) != but);
    let mut list: Vec<Value> = others.map(|it| fields.set(&it.field)).collect();
    if list.len() == 1 { list.remove(0) } else { map([("anyOf", Value::from(list))]) }
}

/// The fields of the object that has the union.
struct Fields<'s> {
    schema: &'s Schema,
    node: &'s Node,
}

impl Fields<'_> {
    fn field(&self, name: &str) -> Option<&Node> {
        self.node.property(name).map(|id| self.schema.node(id))
    }

    fn default(&self, name: &str) -> Option<Value> {
        self.field(name)?.default.clone().filter(|it| it.as_str() != Some(""))
    }

    fn is_required(&self, name: &str) -> bool {
        self.node.validation.as_ref().is_some_and(|it| it.required.iter().any(|it| it == name))
    }

    /// A field is set: it is there, and where its zero value counts as absent, it is another.
    fn set(&self, name: &Text) -> Value {
        let mut out = map([("required", Value::from(vec![Value::Str(name.clone())]))]);
        if let Some(zero) = self.field(name).and_then(absent_value) {
            let other = map([("not", map([("enum", Value::from(vec![zero]))]))]);
            set(&mut out, "properties", Value::Map([(name.clone(), other)].into_iter().collect()));
        }
        out
    }
}

/// The value of a field that counts as absent.
fn absent_value(node: &Node) -> Option<Value> {
    if !node.declared.as_ref()?.strip_zero {
        return None;
    }
    Some(match node.ty {
        Type::String => Value::from(""),
        Type::Integer | Type::Number => Value::Int(0),
        Type::Boolean => Value::Bool(false),
        Type::Any | Type::Object | Type::Array | Type::IntOrString => return None,
    })
}

fn map<const N: usize>(entries: [(&'static str, Value); N]) -> Value {
    Value::Map(entries.into_iter().map(|(key, value)| (Text::new_static(key), value)).collect())
}

fn set(value: &mut Value, key: &'static str, to: Value) {
    if let Value::Map(map) = value {
        map.insert(key, to);
    }
}
