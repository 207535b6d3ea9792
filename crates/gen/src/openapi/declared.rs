//! Tags of other families beside what openapi-gen writes: as the types are lowered for serving
//! ([`ordain_idl::lower`]), and for validation-gen's rules see [`crate::declared`].

use ordain_idl::graph::{Field, NamedId, TypeId};
use ordain_idl::lower;
use ordain_schema::raw::{BoolOr, Items, Raw};
use ordain_schema::{Node, NodeId, Schema, Type, publish};
use ordain_value::{Map, Text, Value};

pub(super) use crate::declared::{Tags, Target};

use super::Generator;

impl Generator<'_> {
    /// Adds what the tags of a field say about its value.
    pub(super) fn declare_field(&mut self, parent: TypeId, field: &Field, schema: &mut Map) {
        let Some(owner) = self.universe.as_named(parent) else { return };
        let mut raw = outline(schema, 0);
        self.tags.declare_field(owner, field, &mut raw);
        merge(schema, raw.encode());
    }

    /// Adds what the tags of a struct and of its fields say, as they are lowered for serving.
    pub(super) fn declare(&mut self, id: NamedId, schema: &mut Map) {
        let universe = self.universe;
        let (Some(lowered), _) = lower::lower_type(universe, id) else { return };
        if self.options.declared && universe.package_of(id).requested {
            let root = lowered.root_node();
            let mut added = publish::said(&lowered, lowered.root(), None, WORDS);
            let names = self.tags.name_format(id);
            let names = names.iter().flat_map(|it| publish::name_format_rules(it));
            let rules: Vec<Value> =
                names.chain(root.rules.iter().cloned()).map(|it| it.encode()).collect();
            if !rules.is_empty() {
                added.insert("x-kubernetes-validations", Value::from(rules));
            }
            flags(root, &mut added);
            if root.ty != Type::Object {
                // A marker gives the type another form than Go does.
                schema.remove("properties");
                schema.insert("type", Value::from(root.ty.name()));
            }
            merge(schema, Value::Map(kept(&added)));
            if let Some(Value::Map(properties)) = schema.get_mut("properties") {
                for (name, child) in &root.properties {
                    if let Some(Value::Map(property)) = properties.get_mut(name) {
                        say(&lowered, *child, property, 0);
                    }
                }
            }
            let mut raw = outline(schema, 0);
            self.tags.declare_type(id, &mut raw);
            merge(schema, raw.encode());
        }
        if self.options.unions {
            super::union::write_declared(&lowered, schema);
        }
    }
}

/// Unions have words of their own here.
const WORDS: publish::Options = publish::Options { one_of: false, ..publish::Options::V3 };

/// Adds what a place says in the lowered declaration to what openapi-gen writes for it.
fn say(schema: &Schema, id: NodeId, out: &mut Map, depth: u32) {
    let node = schema.node(id);
    let plain = publish::plain_type(schema, id);
    if out.contains_key("$ref") && plain.is_none() {
        if node.declared.as_ref().is_some_and(|it| it.go_type.is_some()) {
            // A type of the API machinery, which says itself what it is.
            return;
        }
        // A marker gives the place another type than Go does.
        out.remove("$ref");
        out.remove("default");
        crate::insert_text(out, "type", node.ty.name());
    }
    let mut added = publish::said(schema, id, plain, WORDS);
    if node.ty != Type::String {
        added.remove("format");
    }
    flags(node, &mut added);
    if node.ty == Type::IntOrString && out.remove("type").is_some() {
        out.remove("default");
        added.insert("x-kubernetes-int-or-string", Value::Bool(true));
    }
    let mut added = kept(&added);
    if out.contains_key("enum") {
        added.remove("enum");
    }
    // What a Go field holds anyway is openapi-gen's to write or to leave out.
    let hidden = node.declared.as_ref().is_some_and(|it| it.default_hidden);
    if let Some(default) = node.default.as_ref().filter(|it| !hidden && !crate::is_zero(it)) {
        added.insert("default", default.clone());
    }
    merge(out, Value::Map(added));
    if depth < DEPTH_MAX {
        for (key, inner) in
            [("items", node.items), ("additionalProperties", node.additional_node())]
        {
            if let (Some(inner), Some(Value::Map(out))) = (inner, out.get_mut(key)) {
                say(schema, inner, out, depth + 1);
            }
        }
    }
}

/// Marks of a value that is not pruned as its schema says.
fn flags(node: &Node, out: &mut Map) {
    if node.preserve_unknown {
        out.insert("x-kubernetes-preserve-unknown-fields", Value::Bool(true));
    }
    if node.embedded_resource {
        out.insert("x-kubernetes-embedded-resource", Value::Bool(true));
    }
}

/// What is added of a published place: not what openapi-gen has words of its own for.
fn kept(added: &Map) -> Map {
    const OWN: [&str; 8] = [
        "description",
        "default",
        "required",
        "oneOf",
        "x-kubernetes-unions",
        "x-kubernetes-strip-zero",
        "x-kubernetes-patch-strategy",
        "x-kubernetes-patch-merge-key",
    ];
    let kept = added.iter().filter(|(key, _)| !OWN.contains(&key.as_str()));
    kept.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Lists in lists and maps in maps.
const DEPTH_MAX: u32 = 64;

/// As much of a schema as limits are added to.
fn outline(schema: &Map, depth: u32) -> Raw {
    let text = |key: &str| schema.get(key).and_then(Value::as_str).map(Text::from);
    let size = |key: &str| schema.get(key).and_then(Value::as_int);
    #[expect(clippy::cast_precision_loss, reason = "JSON has the same numbers")]
    let number = |key: &str| match schema.get(key) {
        Some(Value::Int(it)) => Some(*it as f64),
        Some(Value::Float(it)) => Some(*it),
        _ => None,
    };
    let below = |key: &str| match schema.get(key) {
        Some(Value::Map(map)) if depth < DEPTH_MAX => Some(Box::new(outline(map, depth + 1))),
        _ => None,
    };
    Raw {
        description: text("description").unwrap_or_default(),
        ty: text("type").unwrap_or_default(),
        format: text("format").unwrap_or_default(),
        pattern: text("pattern").unwrap_or_default(),
        list_type: text("x-kubernetes-list-type"),
        maximum: number("maximum"),
        minimum: number("minimum"),
        max_length: size("maxLength"),
        min_length: size("minLength"),
        max_items: size("maxItems"),
        min_items: size("minItems"),
        max_properties: size("maxProperties"),
        min_properties: size("minProperties"),
        items: below("items").map(Items::One),
        additional_properties: below("additionalProperties").map(BoolOr::Schema),
        properties: schema.contains_key("properties").then(Default::default),
        ..Raw::default()
    }
}

/// Puts what was added into a schema; what is there already stays as it is.
fn merge(schema: &mut Map, added: Value) {
    let Value::Map(added) = added else { return };
    for (key, value) in added.iter() {
        match (schema.get_mut(key), value) {
            (Some(Value::Map(own)), Value::Map(_))
                if key == "items" || key == "additionalProperties" =>
            {
                let refers = own.get("$ref").cloned();
                merge(own, value.clone());
                if let (Some(target), true) = (refers, own.len() > 1) {
                    // Readers pass over what stands beside a reference.
                    own.remove("$ref");
                    let target = [(Text::new_static("$ref"), target)].into_iter().collect();
                    own.insert("allOf", Value::from(vec![Value::Map(target)]));
                }
            }
            (Some(Value::List(own)), Value::List(more)) if key == "x-kubernetes-validations" => {
                let rules = own.iter().chain(more.iter()).cloned().collect::<Vec<_>>();
                schema.insert(key.clone(), Value::from(rules));
            }
            (Some(own), value) if own == value => {}
            (Some(_), Value::Map(map)) if map.is_empty() => {}
            _ => {
                schema.insert(key.clone(), value.clone());
            }
        }
    }
}
