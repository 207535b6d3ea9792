//! A declared schema as it is published: definitions by name, references between them, and the
//! extensions that carry what the server knows.

use std::collections::BTreeMap;

use ordain_value::{Map, Text, Value};

use crate::declared::Native;
use crate::folding::fold_with_rules;
use crate::model::{
    Additional, Declared, Docs, ListType, MapType, Node, NodeId, Rule, Schema, Type, Union,
};

/// How a schema is published.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What references begin with.
    pub reference: &'static str,
    /// Whether rules, zero stripping and custom texts are shown
    /// (`DeclarativeValidationExtensionsInOpenAPI`). Unions are always shown.
    pub extensions: bool,
    /// Whether a reference with something beside it is wrapped in `allOf`. Readers of OpenAPI v2,
    /// kubectl among them, do not look into one.
    pub wraps: bool,
    /// Whether unions are shown as `oneOf` too, for tools that know only OpenAPI. Version 2 has
    /// no such word.
    pub one_of: bool,
}

impl Options {
    /// OpenAPI v3, with extensions.
    pub const V3: Options =
        Options { reference: "#/components/schemas/", extensions: true, wraps: true, one_of: true };
    /// OpenAPI v2, with extensions.
    pub const V2: Options =
        Options { reference: "#/definitions/", extensions: true, wraps: false, one_of: false };
}

/// Definitions by name, and the name of the root's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Published {
    /// The name of the definition that the others hang on.
    pub root: Text,
    /// Every definition that is referred to, the root's included.
    pub definitions: BTreeMap<Text, Value>,
}

/// Publishes a schema with the rules of its `+k8s:` tags, as keywords where there is one, when
/// extensions are shown.
#[must_use]
pub fn publish_with(schema: &Schema, native: Option<&Native>, options: Options) -> Published {
    match native {
        Some(native) if options.extensions => publish(&fold_with_rules(schema, native), options),
        _ => publish(schema, options),
    }
}

/// What a place says besides its shape, and besides what another node says already.
#[must_use]
pub fn said(schema: &Schema, id: NodeId, beyond: Option<NodeId>, options: Options) -> Map {
    let empty = Node::default();
    let base = beyond.map_or(&empty, |it| schema.node(it));
    Writer { schema, options, pending: Vec::new() }.said(schema.node(id), base)
}

/// The node of the named type that a place uses; itself when it is the type's own.
#[must_use]
pub fn plain_type(schema: &Schema, id: NodeId) -> Option<NodeId> {
    let declared = schema.node(id).declared.as_ref()?;
    declared.type_node.or_else(|| declared.type_name.as_ref().map(|_| id))
}

/// The rules that a format of names stands for, as KEP-4153 writes them; servers check the format
/// itself.
#[must_use]
pub fn name_format_rules(format: &str) -> [Rule; 2] {
    let quoted = format.replace('\'', "\\'");
    let rule = |field: &str, expression: String| Rule {
        rule: format!("!has(self.metadata.{field}) || {expression}").into(),
        field_path: format!(".metadata.{field}").into(),
        ..Rule::default()
    };
    let name = format!("self.metadata.name.isFormat('{quoted}')");
    // A letter stands for what the server puts behind the prefix.
    let prefix = format!("(self.metadata.generateName + 'a').isFormat('{quoted}')");
    [rule("name", name), rule("generateName", prefix)]
}

/// Publishes a schema. A root without a name goes by `root`.
#[must_use]
pub fn publish(schema: &Schema, options: Options) -> Published {
    let name_of = |id: NodeId| {
        let declared = schema.node(id).declared.as_ref();
        declared.and_then(|it| it.type_name.clone()).unwrap_or_else(|| Text::new_static("root"))
    };
    let root = schema.root();
    let mut out = Published { root: name_of(root), definitions: BTreeMap::new() };
    let mut writer = Writer { schema, options, pending: vec![root] };
    while let Some(id) = writer.pending.pop() {
        let name = name_of(id);
        if out.definitions.contains_key(&name) {
            continue;
        }
        let content = writer.content(id, None);
        out.definitions.insert(name, Value::Map(content));
    }
    out
}

impl Published {
    /// Adds the rules that a format of names stands for.
    #[must_use]
    pub fn with_name_format(mut self, format: &str) -> Self {
        let Some(Value::Map(root)) = self.definitions.get_mut(&self.root) else { return self };
        let rules = name_format_rules(format);
        let known = root.get("x-kubernetes-validations").and_then(Value::as_list);
        let known: Vec<Value> = known.map(|it| it.iter().cloned().collect()).unwrap_or_default();
        let all: Vec<Value> = rules.iter().map(Rule::encode).chain(known).collect();
        root.insert("x-kubernetes-validations", Value::from(all));
        self
    }
}

struct Writer<'s> {
    schema: &'s Schema,
    options: Options,
    pending: Vec<NodeId>,
}

impl Writer<'_> {
    /// A use of a node: a reference, with what this use adds, when its type has a name.
    fn place(&mut self, id: NodeId) -> Value {
        let named = plain_type(self.schema, id).and_then(|plain| {
            let declared = self.schema.node(plain).declared.as_ref()?;
            declared.type_name.clone().map(|name| (plain, name))
        });
        let Some((plain, name)) = named else {
            return Value::Map(self.content(id, None));
        };
        self.pending.push(plain);
        let target = Value::from(format!("{}{name}", self.options.reference));
        let reference =
            Value::Map([(Text::new_static("$ref"), target.clone())].into_iter().collect());
        if plain == id {
            return reference;
        }
        let mut map = self.content(id, Some(plain));
        if map.is_empty() {
            return reference;
        }
        if self.options.wraps {
            let mut branches = vec![reference];
            if let Some(Value::List(own)) = map.get("allOf") {
                branches.extend(own.iter().cloned());
            }
            map.insert("allOf", Value::from(branches));
        } else {
            map.insert("$ref", target);
        }
        Value::Map(map)
    }

    /// What a node says, without what the node it refers to says already.
    fn content(&mut self, id: NodeId, beyond: Option<NodeId>) -> Map {
        let schema = self.schema;
        let (node, empty) = (schema.node(id), Node::default());
        let base = beyond.map_or(&empty, |it| schema.node(it));
        let mut map = Map::new();
        if beyond.is_none() {
            self.shape(node, &mut map);
        }
        for (key, value) in self.said(node, base).iter() {
            map.insert(key.clone(), value.clone());
        }
        map
    }

    /// What a node says besides its shape, without what another says already.
    fn said(&mut self, node: &Node, base: &Node) -> Map {
        let mut map = Map::new();
        if let Some(docs) = &node.docs
            && base.docs != node.docs
        {
            let before = base.docs.as_deref().cloned().unwrap_or_default();
            write_docs(docs, &before, &mut map);
        }
        let hidden = node.declared.as_ref().is_some_and(|it| it.default_hidden);
        if let Some(default) = &node.default
            && base.default.as_ref() != Some(default)
            && !hidden
        {
            map.insert("default", default.clone());
        }
        if node.nullable && !base.nullable {
            map.insert("nullable", Value::Bool(true));
        }
        if node.validation != base.validation {
            self.validation(node, base, &mut map);
        }
        self.extensions(node, base, &mut map);
        let unions = |node: &Node| node.declared.as_ref().map_or(0, |it| it.unions.len());
        if self.options.one_of && unions(node) > unions(base) {
            crate::one_of::write(self.schema, node, &mut map);
        }
        map
    }

    fn shape(&mut self, node: &Node, map: &mut Map) {
        if node.ty == Type::IntOrString {
            map.insert("x-kubernetes-int-or-string", Value::Bool(true));
        } else if node.ty != Type::Any {
            map.insert("type", node.ty.name().into());
        }
        if node.preserve_unknown {
            map.insert("x-kubernetes-preserve-unknown-fields", Value::Bool(true));
        }
        if node.embedded_resource {
            map.insert("x-kubernetes-embedded-resource", Value::Bool(true));
        }
        if !node.properties.is_empty() {
            let properties: Map =
                node.properties.iter().map(|(name, id)| (name.clone(), self.place(*id))).collect();
            map.insert("properties", Value::Map(properties));
        }
        match node.additional {
            Additional::Absent => {}
            Additional::Any => {
                map.insert("additionalProperties", Value::Bool(true));
            }
            Additional::Forbidden => {
                map.insert("additionalProperties", Value::Bool(false));
            }
            Additional::Node(id) => {
                map.insert("additionalProperties", self.place(id));
            }
        }
        if let Some(id) = node.items {
            map.insert("items", self.place(id));
        }
    }

    fn validation(&mut self, node: &Node, base: &Node, map: &mut Map) {
        let Some(own) = &node.validation else { return };
        let before = base.validation.clone().unwrap_or_default();
        if own.format != before.format {
            put_text(map, "format", &own.format);
        }
        if own.pattern != before.pattern {
            put_text(map, "pattern", &own.pattern);
        }
        let numbers = [
            ("maximum", own.maximum, before.maximum),
            ("minimum", own.minimum, before.minimum),
            ("multipleOf", own.multiple_of, before.multiple_of),
        ];
        for (name, value, before) in numbers {
            if let Some(value) = value.filter(|it| Some(*it) != before) {
                map.insert(name, number(value));
            }
        }
        let sizes = [
            ("maxLength", own.max_length, before.max_length),
            ("minLength", own.min_length, before.min_length),
            ("maxItems", own.max_items, before.max_items),
            ("minItems", own.min_items, before.min_items),
            ("maxProperties", own.max_properties, before.max_properties),
            ("minProperties", own.min_properties, before.min_properties),
        ];
        for (name, value, before) in sizes {
            if let Some(value) = value.filter(|it| Some(*it) != before) {
                map.insert(name, Value::Int(value));
            }
        }
        let flags = [
            ("exclusiveMaximum", own.exclusive_maximum, before.exclusive_maximum),
            ("exclusiveMinimum", own.exclusive_minimum, before.exclusive_minimum),
            ("uniqueItems", own.unique_items, before.unique_items),
        ];
        for (name, value, before) in flags {
            if value && !before {
                map.insert(name, Value::Bool(true));
            }
        }
        if !own.enumeration.is_empty() && own.enumeration != before.enumeration {
            map.insert("enum", Value::from(own.enumeration.clone()));
        }
        if !own.required.is_empty() && own.required != before.required {
            map.insert("required", texts(&own.required));
        }
        let junctors = [
            ("allOf", &own.all_of, &before.all_of),
            ("anyOf", &own.any_of, &before.any_of),
            ("oneOf", &own.one_of, &before.one_of),
        ];
        for (name, branches, before) in junctors {
            if !branches.is_empty() && branches != before {
                let shown: Vec<Value> = branches.iter().map(|id| self.place(*id)).collect();
                map.insert(name, Value::from(shown));
            }
        }
        if let Some(id) = own.not.filter(|it| Some(*it) != before.not) {
            map.insert("not", self.place(id));
        }
    }

    fn extensions(&self, node: &Node, base: &Node, map: &mut Map) {
        if let Some(ty) = node.list_type.filter(|it| Some(*it) != base.list_type) {
            let name = match ty {
                ListType::Atomic => "atomic",
                ListType::Set => "set",
                ListType::Map => "map",
            };
            map.insert("x-kubernetes-list-type", name.into());
        }
        if !node.list_map_keys.is_empty() && node.list_map_keys != base.list_map_keys {
            map.insert("x-kubernetes-list-map-keys", texts(&node.list_map_keys));
        }
        if let Some(ty) = node.map_type.filter(|it| Some(*it) != base.map_type) {
            let name = match ty {
                MapType::Atomic => "atomic",
                MapType::Granular => "granular",
            };
            map.insert("x-kubernetes-map-type", name.into());
        }
        if self.options.extensions && node.rules.len() > base.rules.len() {
            let own = node.rules.iter().filter(|it| !base.rules.contains(it));
            let rules: Vec<Value> = own.map(crate::model::Rule::encode).collect();
            if !rules.is_empty() {
                map.insert("x-kubernetes-validations", Value::from(rules));
            }
        }
        if let Some(declared) = &node.declared {
            self.declared(declared, map);
        }
    }

    fn declared(&self, declared: &Declared, map: &mut Map) {
        if !declared.patch_strategy.is_empty() {
            map.insert("x-kubernetes-patch-strategy", declared.patch_strategy.join(",").into());
        }
        if let Some(key) = &declared.patch_merge_key {
            map.insert("x-kubernetes-patch-merge-key", Value::Str(key.clone()));
        }
        if let Some(union) = &declared.discriminates {
            map.insert("x-kubernetes-unions", union_members(union));
        }
        if !self.options.extensions {
            return;
        }
        if declared.strip_zero {
            map.insert("x-kubernetes-strip-zero", Value::Bool(true));
        }
        if let Some(errors) = error_texts(declared) {
            map.insert("x-kubernetes-validation-errors", errors);
        }
    }
}

/// Custom texts and reasons of errors by keyword, as `x-kubernetes-validation-errors` has them.
#[must_use]
pub fn error_texts(declared: &Declared) -> Option<Value> {
    let errors: Map = (declared.texts.iter())
        .map(|(keyword, message)| {
            let mut entry = Map::new();
            entry.insert("message", Value::Str(message.clone()));
            if let Some(reason) = declared.reason(*keyword) {
                entry.insert("reason", Value::Str(reason.clone()));
            }
            (Text::new_static(keyword.name()), Value::Map(entry))
        })
        .collect();
    (!errors.is_empty()).then_some(Value::Map(errors))
}

/// What people read about a node, without what they read at its type.
fn write_docs(docs: &Docs, before: &Docs, map: &mut Map) {
    if docs.title != before.title {
        put_text(map, "title", &docs.title);
    }
    if docs.description != before.description {
        put_text(map, "description", &docs.description);
    }
    if let Some(example) = docs.example.as_ref().filter(|it| before.example.as_ref() != Some(it)) {
        map.insert("example", example.clone());
    }
    if let Some(external) = docs.external.as_ref().filter(|it| before.external.as_ref() != Some(it))
    {
        map.insert("externalDocs", external.encode());
    }
}

/// `{fieldMembers: {<value>: null | {name, optional}}}`, as KEP-1027's Go structs describe it, and
/// `inferred: true` where the discriminator follows the member that is set.
#[must_use]
pub fn union_members(union: &Union) -> Value {
    let mut members = Map::new();
    for value in &union.empty_values {
        members.insert(value.clone(), Value::Null);
    }
    for member in &union.members {
        let mut entry = Map::new();
        entry.insert("name", Value::Str(member.field.clone()));
        entry.insert("optional", Value::Bool(member.optional));
        members.insert(member.value.clone(), Value::Map(entry));
    }
    let mut map = Map::new();
    map.insert("fieldMembers", Value::Map(members));
    if union.inferred {
        map.insert("inferred", Value::Bool(true));
    }
    Value::Map(map)
}

fn put_text(map: &mut Map, name: &'static str, text: &Text) {
    if !text.is_empty() {
        map.insert(name, Value::Str(text.clone()));
    }
}

fn texts(list: &[Text]) -> Value {
    Value::from(list.iter().cloned().map(Value::Str).collect::<Vec<_>>())
}

/// Whole numbers without a point, as schemas write them.
fn number(value: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
    let whole = value as i64;
    if value.fract() == 0.0 && value.abs() < 9e15 { Value::Int(whole) } else { Value::Float(value) }
}
