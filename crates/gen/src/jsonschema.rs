//! JSON Schemas (draft 2020-12), one document per kind and version, each complete in itself.
//!
//! What JSON Schema has no word for (rules in CEL, lists keyed by fields) stands in the document
//! under its Kubernetes name, where tools that know it find it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ordain_schema::declared::{Kind, Version};
use ordain_schema::{
    Additional, Declared, ListType, Node, NodeId, Rule, Schema, Type, Validation, one_of, publish,
};
use ordain_value::{List, Map, Text, Value, json};

/// How schemas are written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Fields that the schema does not know are refused; the API prunes them.
    pub strict: bool,
}

/// A document and the name of its file.
#[derive(Clone, Debug)]
pub struct File {
    /// `<group>/<kind>_<version>.json`, as collections of such schemas name them.
    pub name: String,
    /// The document.
    pub schema: Value,
}

/// The schemas of all served versions.
#[must_use]
pub fn generate(kinds: &[Kind], options: Options) -> Vec<File> {
    let mut out = Vec::new();
    for kind in kinds {
        for version in kind.versions.iter().filter(|version| version.served) {
            let name = format!("{}_{}.json", kind.kind.to_lowercase(), version.name);
            let folder = if kind.group.is_empty() { "core" } else { kind.group.as_str() };
            let schema = document(kind, version, options);
            out.push(File { name: format!("{folder}/{name}"), schema });
        }
    }
    out
}

/// Nesting; schemas of definitions are bounded below this.
const DEPTH_MAX: u32 = 170;

fn document(kind: &Kind, version: &Version, options: Options) -> Value {
    let schema = &version.schema;
    let mut writer = Writer {
        schema,
        options,
        names: shared_nodes(schema),
        defs: BTreeMap::new(),
        open: BTreeSet::new(),
    };
    let mut root = writer.content(schema.root(), Part::Whole, 0);
    let api_version = match kind.group.as_str() {
        "" => version.name.to_string(),
        group => format!("{group}/{}", version.name),
    };
    root.insert("$schema", Value::from("https://json-schema.org/draft/2020-12/schema"));
    if !kind.group.is_empty() {
        let id =
            format!("https://{}/{}_{}.json", kind.group, kind.kind.to_lowercase(), version.name);
        root.insert("$id", Value::from(id));
    }
    root.insert("title", Value::from(kind.kind.clone()));
    if let Some(format) = &version.name_format {
        let known = root.get("x-kubernetes-validations").and_then(Value::as_list);
        let known = known.map(|it| it.iter().cloned().collect::<Vec<_>>()).unwrap_or_default();
        let names = publish::name_format_rules(format);
        let rules = names.iter().map(Rule::encode).chain(known);
        root.insert("x-kubernetes-validations", Value::List(rules.collect::<List>()));
    }
    if version.deprecated {
        root.insert("deprecated", Value::Bool(true));
    }
    let mut properties =
        root.remove("properties").and_then(|it| it.as_map().cloned()).unwrap_or_default();
    describe_root(&mut properties, &api_version, &kind.kind);
    root.insert("properties", Value::Map(properties));
    let mut required: Vec<Value> =
        ["apiVersion", "kind", "metadata"].into_iter().map(Value::from).collect();
    for name in root.get("required").and_then(Value::as_list).into_iter().flatten() {
        if !required.contains(name) {
            required.push(name.clone());
        }
    }
    root.insert("required", Value::from(required));
    let mut defs: Map =
        writer.defs.into_iter().map(|(name, schema)| (Text::from(name), schema)).collect();
    defs.insert("ObjectMeta", object_meta());
    root.insert("$defs", Value::Map(defs));
    Value::Map(root)
}

fn describe_root(properties: &mut Map, api_version: &str, kind: &str) {
    for (name, text) in [("apiVersion", api_version), ("kind", kind)] {
        let mut property =
            properties.get(name).and_then(Value::as_map).cloned().unwrap_or_default();
        property.remove("default");
        property.insert("type", Value::from("string"));
        property.insert("const", Value::from(text));
        properties.insert(name, Value::Map(property));
    }
    let metadata = properties.get("metadata").and_then(Value::as_map);
    let says = ["properties", "allOf", "required", "x-kubernetes-validations"];
    let constrained = metadata.is_some_and(|it| says.iter().any(|key| it.contains_key(key)));
    let reference = map([("$ref", Value::from("#/$defs/ObjectMeta"))]);
    let metadata = match metadata.filter(|_| constrained) {
        Some(own) => map([("allOf", Value::from(vec![reference, Value::Map(own.clone())]))]),
        None => reference,
    };
    properties.insert("metadata", metadata);
}

fn map<const N: usize>(entries: [(&'static str, Value); N]) -> Value {
    Value::Map(entries.into_iter().map(|(key, value)| (Text::new_static(key), value)).collect())
}

/// What every object's metadata may hold.
fn object_meta() -> Value {
    let text = || map([("type", Value::from("string"))]);
    let texts = || map([("additionalProperties", text()), ("type", Value::from("object"))]);
    let date = || map([("format", Value::from("date-time")), ("type", Value::from("string"))]);
    let integer = || map([("type", Value::from("integer"))]);
    let flag = || map([("type", Value::from("boolean"))]);
    let list = |items: Value| map([("items", items), ("type", Value::from("array"))]);
    let owner = map([
        (
            "properties",
            map([
                ("apiVersion", text()),
                ("blockOwnerDeletion", flag()),
                ("controller", flag()),
                ("kind", text()),
                ("name", text()),
                ("uid", text()),
            ]),
        ),
        ("required", crate::texts(["apiVersion", "kind", "name", "uid"])),
        ("type", Value::from("object")),
    ]);
    let properties = map([
        ("annotations", texts()),
        ("creationTimestamp", map([("type", crate::texts(["string", "null"]))])),
        ("deletionGracePeriodSeconds", integer()),
        ("deletionTimestamp", date()),
        ("finalizers", list(text())),
        ("generateName", text()),
        ("generation", integer()),
        ("labels", texts()),
        ("managedFields", list(map([("type", Value::from("object"))]))),
        ("name", text()),
        ("namespace", text()),
        ("ownerReferences", list(owner)),
        ("resourceVersion", text()),
        ("selfLink", text()),
        ("uid", text()),
    ]);
    map([("properties", properties), ("type", Value::from("object"))])
}

/// Objects that more than one place leads to, recursion included, with a name for each.
fn shared_nodes(schema: &Schema) -> HashMap<NodeId, String> {
    let mut seen = BTreeSet::new();
    let mut out = HashMap::new();
    let mut taken = BTreeSet::from(["ObjectMeta".to_string()]);
    let mut waiting = vec![(schema.root(), String::new())];
    while let Some((id, hint)) = waiting.pop() {
        let node = schema.node(id);
        if !seen.insert(id) {
            let whole = !node.properties.is_empty() || leads_back(schema, id);
            if whole && !out.contains_key(&id) {
                let declared = node.declared.as_ref().and_then(|it| it.type_name.clone());
                let base = match &declared {
                    Some(name) => name.rsplit(['.', '/']).next().unwrap_or(name).to_string(),
                    None => capitalized(&hint),
                };
                let mut name = base.clone();
                let mut number = 2;
                while !taken.insert(name.clone()) {
                    name = format!("{base}{number}");
                    number += 1;
                }
                out.insert(id, name);
            }
            continue;
        }
        let mut children: Vec<(NodeId, String)> =
            node.properties.iter().map(|(name, child)| (*child, name.to_string())).collect();
        let named: BTreeSet<NodeId> = children.iter().map(|(id, _)| *id).collect();
        let others = node.children().filter(|child| !named.contains(child));
        children.extend(others.map(|child| (child, hint.clone())));
        waiting.extend(children.into_iter().rev());
    }
    out
}

/// Whether a list or map holds itself, through others of its sort: `type T map[string]T`.
fn leads_back(schema: &Schema, id: NodeId) -> bool {
    let mut at = id;
    for _ in 0..=DEPTH_MAX {
        let node = schema.node(at);
        match node.items.or_else(|| node.additional_node()) {
            Some(next) if next == id => return true,
            Some(next) => at = next,
            None => return false,
        }
    }
    true
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(|| "Value".to_string(), |first| first.to_uppercase().chain(letters).collect())
}

/// Which part of a schema is written: a whole place, or a branch that adds conditions to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Whole,
    Branch,
}

struct Writer<'s> {
    schema: &'s Schema,
    options: Options,
    /// Nodes that are written once, under `$defs`.
    names: HashMap<NodeId, String>,
    defs: BTreeMap<String, Value>,
    open: BTreeSet<NodeId>,
}

impl Writer<'_> {
    fn node(&mut self, id: NodeId, part: Part, depth: u32) -> Value {
        let Some(name) = self.names.get(&id).cloned() else {
            return Value::Map(self.content(id, part, depth));
        };
        if id == self.schema.root() {
            return map([("$ref", Value::from("#"))]);
        }
        if !self.defs.contains_key(&name) && self.open.insert(id) {
            let content = self.content(id, part, depth);
            self.defs.insert(name.clone(), Value::Map(content));
        }
        map([("$ref", Value::from(format!("#/$defs/{name}")))])
    }

    fn content(&mut self, id: NodeId, part: Part, depth: u32) -> Map {
        let mut out = Map::new();
        if depth > DEPTH_MAX {
            return out;
        }
        let schema = self.schema;
        let node = schema.node(id);
        write_type(node, &mut out);
        write_docs(node, &mut out);
        if let Some(default) = &node.default {
            out.insert("default", default.clone());
        }
        self.write_children(node, part, depth, &mut out);
        if let Some(validation) = &node.validation {
            write_limits(validation, node, &mut out);
            self.write_branches(validation, depth, &mut out);
        }
        write_kubernetes(node, &mut out);
        if let Some(declared) = &node.declared {
            one_of::write(schema, node, &mut out);
            write_notes(declared, &mut out);
            if let Some(errors) = publish::error_texts(declared) {
                out.insert("x-kubernetes-validation-errors", errors);
            }
            if !declared.warnings.is_empty() {
                let texts: Vec<&str> = declared.warnings.iter().map(Text::as_str).collect();
                out.insert("$comment", Value::from(texts.join("\n")));
            }
        }
        out
    }

    fn write_children(&mut self, node: &Node, part: Part, depth: u32, out: &mut Map) {
        if !node.properties.is_empty() {
            let properties: Map = node
                .properties
                .iter()
                .map(|(name, child)| (name.clone(), self.node(*child, part, depth + 1)))
                .collect();
            out.insert("properties", Value::Map(properties));
        }
        if let Some(items) = node.items {
            let items = self.node(items, part, depth + 1);
            out.insert("items", items);
        }
        match node.additional {
            Additional::Node(values) => {
                let values = self.node(values, part, depth + 1);
                out.insert("additionalProperties", values);
            }
            Additional::Forbidden => drop(out.insert("additionalProperties", Value::Bool(false))),
            Additional::Absent
                if self.options.strict
                    && part == Part::Whole
                    && node.ty == Type::Object
                    && !node.properties.is_empty()
                    && !node.preserve_unknown
                    && !node.embedded_resource =>
            {
                out.insert("additionalProperties", Value::Bool(false));
            }
            Additional::Any | Additional::Absent => {}
        }
    }

    fn write_branches(&mut self, validation: &Validation, depth: u32, out: &mut Map) {
        for (key, branches) in [
            ("allOf", &validation.all_of),
            ("anyOf", &validation.any_of),
            ("oneOf", &validation.one_of),
        ] {
            if !branches.is_empty() {
                let branches = branches
                    .iter()
                    .map(|branch| Value::Map(self.content(*branch, Part::Branch, depth + 1)));
                out.insert(key, Value::List(branches.collect::<List>()));
            }
        }
        if let Some(not) = validation.not {
            let not = self.content(not, Part::Branch, depth + 1);
            out.insert("not", Value::Map(not));
        }
    }
}

fn write_type(node: &Node, out: &mut Map) {
    let names: Vec<&str> = match node.ty {
        Type::Any => return,
        Type::IntOrString => vec!["integer", "string"],
        ty => vec![ty.name()],
    };
    match names.as_slice() {
        [only] if !node.nullable => out.insert("type", Value::from(*only)),
        _ => {
            let null = node.nullable.then_some("null");
            out.insert("type", crate::texts(names.into_iter().chain(null)))
        }
    };
}

fn write_docs(node: &Node, out: &mut Map) {
    let Some(docs) = &node.docs else { return };
    crate::insert_text(out, "title", &docs.title);
    crate::insert_text(out, "description", &docs.description);
    if let Some(example) = &docs.example {
        out.insert("examples", Value::from(vec![example.clone()]));
    }
    if let Some(external) = &docs.external {
        out.insert("externalDocs", external.encode());
    }
}

/// What no keyword says, where editors show it: at the end of the description.
fn write_notes(declared: &Declared, out: &mut Map) {
    let mut lines: Vec<String> = declared.notes.iter().map(Text::to_string).collect();
    for check in &declared.checks {
        lines.push(match check.name.as_str() {
            "immutable" => "Cannot be changed once it is set.".to_string(),
            name => format!("Has the format `{name}`."),
        });
    }
    for gate in &declared.gates {
        lines.push(format!("Exists while the feature `{gate}` is on."));
    }
    if lines.is_empty() {
        return;
    }
    let lines = lines.join("\n");
    let text = match out.get("description").and_then(Value::as_str) {
        Some(before) => format!("{before}\n\n{lines}"),
        None => lines,
    };
    out.insert("description", Value::from(text));
}

fn write_limits(validation: &Validation, node: &Node, out: &mut Map) {
    crate::insert_text(out, "format", &validation.format);
    crate::insert_text(out, "pattern", &validation.pattern);
    for (key, exclusive_key, bound, exclusive) in [
        ("maximum", "exclusiveMaximum", validation.maximum, validation.exclusive_maximum),
        ("minimum", "exclusiveMinimum", validation.minimum, validation.exclusive_minimum),
    ] {
        if let Some(bound) = bound {
            out.insert(if exclusive { exclusive_key } else { key }, crate::number(bound));
        }
    }
    if let Some(factor) = validation.multiple_of {
        out.insert("multipleOf", crate::number(factor));
    }
    for (key, length) in [
        ("maxLength", validation.max_length),
        ("minLength", validation.min_length),
        ("maxItems", validation.max_items),
        ("minItems", validation.min_items),
        ("maxProperties", validation.max_properties),
        ("minProperties", validation.min_properties),
    ] {
        if let Some(length) = length {
            out.insert(key, Value::Int(length));
        }
    }
    if validation.unique_items {
        out.insert("uniqueItems", Value::Bool(true));
    }
    if !validation.enumeration.is_empty() {
        let mut values = validation.enumeration.clone();
        if node.nullable && !values.contains(&Value::Null) {
            values.push(Value::Null);
        }
        out.insert("enum", Value::from(values));
    }
    if !validation.required.is_empty() {
        out.insert("required", crate::texts(validation.required.iter().map(Text::as_str)));
    }
}

/// What only Kubernetes knows.
fn write_kubernetes(node: &Node, out: &mut Map) {
    if node.embedded_resource {
        out.insert("x-kubernetes-embedded-resource", Value::Bool(true));
        if !out.contains_key("required") {
            out.insert("required", crate::texts(["apiVersion", "kind"]));
        }
    }
    if node.ty == Type::IntOrString {
        out.insert("x-kubernetes-int-or-string", Value::Bool(true));
    }
    if node.preserve_unknown {
        out.insert("x-kubernetes-preserve-unknown-fields", Value::Bool(true));
    }
    match node.list_type {
        Some(ListType::Set) => {
            out.insert("x-kubernetes-list-type", Value::from("set"));
            out.insert("uniqueItems", Value::Bool(true));
        }
        Some(ListType::Map) => {
            out.insert("x-kubernetes-list-type", Value::from("map"));
            let keys = crate::texts(node.list_map_keys.iter().map(Text::as_str));
            out.insert("x-kubernetes-list-map-keys", keys);
        }
        Some(ListType::Atomic) | None => {}
    }
    if !node.rules.is_empty() {
        let rules = node.rules.iter().map(|rule| {
            let mut out = Map::new();
            crate::insert_text(&mut out, "rule", &rule.rule);
            crate::insert_text(&mut out, "message", &rule.message);
            crate::insert_text(&mut out, "messageExpression", &rule.message_expression);
            crate::insert_text(&mut out, "fieldPath", &rule.field_path);
            Value::Map(out)
        });
        out.insert("x-kubernetes-validations", Value::List(rules.collect::<List>()));
    }
}

/// A document as text, as it is written to a file.
#[must_use]
pub fn encode(schema: &Value) -> String {
    let mut text = json::encode_pretty(schema);
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
