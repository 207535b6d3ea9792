//! Models of Go types into one schema, where a reference is the id of a node.

use std::collections::BTreeMap;

use ordain_passes::declared::strip_zero::is_zero;
use ordain_schema::{Additional, ListType, MapType, Node, NodeId, Rule, Schema, Type, Validation};
use ordain_value::{Map, Text, Value};

use super::target;

/// Places of one schema at most.
const NODES_MAX: usize = 200_000;

/// The schema of a model with everything it refers to.
pub(super) fn schema(models: &Map, root: &Text) -> Result<Schema, String> {
    let mut builder = Builder {
        models,
        nodes: Vec::new(),
        named: BTreeMap::new(),
        todo: Vec::new(),
        links: Vec::new(),
    };
    let root = builder.model(root)?;
    while let Some((id, value)) = builder.todo.pop() {
        let mut node = builder.node(value)?;
        let declared = builder.nodes[id.index()].declared.take();
        // Quantities are numbers or texts, whatever a dialect can say of them.
        if declared.as_ref().and_then(|it| it.go_type.as_deref()) == Some("resource.Quantity") {
            node.ty = Type::Any;
            node.preserve_unknown = true;
        }
        builder.nodes[id.index()] = node;
        // What a model is called was noted when it was first referred to.
        if let Some(mut named) = declared {
            if let Some(own) = builder.nodes[id.index()].declared.take() {
                named.patch_strategy = own.patch_strategy;
                named.patch_merge_key = own.patch_merge_key;
            }
            builder.nodes[id.index()].declared = Some(named);
        }
        if builder.nodes.len() > NODES_MAX {
            return Err(format!("the model has more than {NODES_MAX} places"));
        }
    }
    builder.link()?;
    Schema::new(builder.nodes, root).map_err(|error| error.to_string())
}

struct Builder<'a> {
    models: &'a Map,
    nodes: Vec<Node>,
    named: BTreeMap<Text, NodeId>,
    todo: Vec<(NodeId, &'a Value)>,
    /// Places that are what another is, with words and a default of their own.
    links: Vec<Link<'a>>,
}

struct Link<'a> {
    at: NodeId,
    to: NodeId,
    place: &'a Value,
}

/// The Go name of a model: `io.k8s.api.core.v1.PodSpec` is `v1.PodSpec`.
fn go_name(model: &str) -> String {
    let mut parts = model.rsplitn(3, '.');
    let name = parts.next().unwrap_or_default();
    match parts.next() {
        Some(package) => format!("{}.{name}", package.replace('-', "_")),
        None => name.to_owned(),
    }
}

/// The Go type of a place.
fn go_type(place: &Value, depth: usize) -> String {
    if let Some(model) = target(place) {
        return go_name(&model);
    }
    let text = |key: &str| place.text(key);
    let inner = |key: &str| match place.get(key) {
        Some(inner) if depth < 16 => go_type(inner, depth + 1),
        _ => "interface {}".to_owned(),
    };
    match (text("type"), text("format")) {
        ("string", "byte") => "[]uint8".to_owned(),
        ("string", "date-time") => "v1.Time".to_owned(),
        ("string", _) => "string".to_owned(),
        ("boolean", _) => "bool".to_owned(),
        ("integer", "int32") => "int32".to_owned(),
        ("integer", _) => "int64".to_owned(),
        ("number", "float") => "float32".to_owned(),
        ("number", _) => "float64".to_owned(),
        ("array", _) => format!("[]{}", inner("items")),
        ("object", _) => format!("map[string]{}", inner("additionalProperties")),
        _ => "interface {}".to_owned(),
    }
}

/// The default of a place; what a Go value is anyway is no default of the server.
fn default_of(place: &Value) -> Option<Value> {
    place.get("default").filter(|it| !is_zero(it)).cloned()
}

impl<'a> Builder<'a> {
    fn alloc(&mut self) -> Result<NodeId, String> {
        let id = u32::try_from(self.nodes.len()).map_err(|_| "too many places".to_owned())?;
        self.nodes.push(Node::default());
        Ok(NodeId(id))
    }

    fn model(&mut self, name: &Text) -> Result<NodeId, String> {
        if let Some(id) = self.named.get(name) {
            return Ok(*id);
        }
        let models = self.models;
        let value = models.get(name).ok_or_else(|| format!("no model is called {name}"))?;
        let id = self.alloc()?;
        let declared = self.nodes[id.index()].declared_mut();
        declared.type_name = Some(name.clone());
        declared.go_type = Some(go_name(name).into());
        self.named.insert(name.clone(), id);
        self.todo.push((id, value));
        Ok(id)
    }

    fn place(&mut self, value: &'a Value) -> Result<NodeId, String> {
        let id = self.alloc()?;
        match target(value) {
            Some(name) => {
                let to = self.model(&name.into())?;
                self.links.push(Link { at: id, to, place: value });
            }
            None => self.todo.push((id, value)),
        }
        Ok(id)
    }

    /// Linked places take over what they refer to.
    fn link(&mut self) -> Result<(), String> {
        let links = std::mem::take(&mut self.links);
        let by_place: BTreeMap<NodeId, NodeId> = links.iter().map(|it| (it.at, it.to)).collect();
        for link in &links {
            let mut to = link.to;
            let mut steps = 0;
            while let Some(next) = by_place.get(&to) {
                to = *next;
                steps += 1;
                if steps > 64 {
                    return Err("models refer to each other in a circle".to_owned());
                }
            }
            let mut node = self.nodes[to.index()].clone();
            overlay(&mut node, link.place);
            self.nodes[link.at.index()] = node;
        }
        Ok(())
    }

    fn node(&mut self, value: &'a Value) -> Result<Node, String> {
        let text = |key: &str| value.text(key);
        let flag = |key: &str| value.is_set(key);
        let mut node = Node { nullable: flag("nullable"), ..Node::default() };
        let properties = value.get("properties").and_then(Value::as_map);
        let of_either = flag("x-kubernetes-int-or-string") || text("format") == "int-or-string";
        node.ty = match text("type") {
            _ if of_either => Type::IntOrString,
            // A model that says nothing but fields is an object.
            "" if properties.is_some() => Type::Object,
            "" if is_number_or_text(value) => Type::Any,
            name => Type::from_name(name).ok_or_else(|| format!("a place has the type {name}"))?,
        };
        if !of_either && !is_number_or_text(value) {
            for key in ["allOf", "anyOf", "oneOf", "not"] {
                if value.get(key).is_some() {
                    return Err(format!("a model uses {key}, which typed kinds do not have"));
                }
            }
        }
        for (name, property) in properties.into_iter().flat_map(Map::iter) {
            let id = self.place(property)?;
            node.set_property(name.clone(), id);
        }
        if let Some(items) = value.get("items") {
            node.items = Some(self.place(items)?);
        }
        node.additional = match value.get("additionalProperties") {
            None => Additional::Absent,
            Some(Value::Bool(false)) => Additional::Forbidden,
            Some(Value::Bool(true)) => Additional::Any,
            Some(schema) => Additional::Node(self.place(schema)?),
        };
        let bare = properties.is_none() && node.additional == Additional::Absent;
        node.preserve_unknown = flag("x-kubernetes-preserve-unknown-fields")
            || (bare && matches!(node.ty, Type::Object | Type::Any));
        node.embedded_resource = flag("x-kubernetes-embedded-resource");
        node.validation = validation(value);
        node.declared_mut().go_type = Some(go_type(value, 0).into());
        for rule in value.get("x-kubernetes-validations").and_then(Value::as_list).into_iter() {
            node.rules.extend(rule.iter().map(read_rule));
        }
        overlay(&mut node, value);
        Ok(node)
    }
}

/// Numbers as texts: quantities.
fn is_number_or_text(value: &Value) -> bool {
    let Some(branches) = value.get("oneOf").and_then(Value::as_list) else { return false };
    branches.len() == 2
        && branches.iter().all(|it| {
            matches!(it.get("type").and_then(Value::as_str), Some("string" | "number" | "integer"))
        })
}

/// What a place says beside what it refers to.
fn overlay(node: &mut Node, place: &Value) {
    let text = |key: &str| place.get(key).and_then(Value::as_str);
    if let Some(description) = text("description") {
        node.docs_mut().description = description.into();
    }
    node.default = default_of(place);
    match text("x-kubernetes-list-type") {
        Some("map") => node.list_type = Some(ListType::Map),
        Some("set") => node.list_type = Some(ListType::Set),
        Some("atomic") => node.list_type = Some(ListType::Atomic),
        _ => {}
    }
    match text("x-kubernetes-map-type") {
        Some("atomic") => node.map_type = Some(MapType::Atomic),
        Some("granular") => node.map_type = Some(MapType::Granular),
        _ => {}
    }
    let keys = place.get("x-kubernetes-list-map-keys").and_then(Value::as_list);
    if let Some(keys) = keys {
        node.list_map_keys = keys.iter().filter_map(Value::as_text).cloned().collect();
    }
    if let Some(strategy) = text("x-kubernetes-patch-strategy") {
        node.declared_mut().patch_strategy = strategy.split(',').map(Text::from).collect();
    }
    if let Some(key) = text("x-kubernetes-patch-merge-key") {
        node.declared_mut().patch_merge_key = Some(key.into());
    }
}

fn validation(value: &Value) -> Option<Box<Validation>> {
    let float = |key: &str| value.get(key).and_then(Value::as_float);
    let int = |key: &str| value.get(key).and_then(Value::as_int);
    let flag = |key: &str| value.is_set(key);
    let list = |key: &str| value.get(key).and_then(Value::as_list);
    let checks = Validation {
        pattern: value.get("pattern").and_then(Value::as_text).cloned().unwrap_or_default(),
        maximum: float("maximum"),
        exclusive_maximum: flag("exclusiveMaximum"),
        minimum: float("minimum"),
        exclusive_minimum: flag("exclusiveMinimum"),
        multiple_of: float("multipleOf"),
        max_length: int("maxLength"),
        min_length: int("minLength"),
        max_items: int("maxItems"),
        min_items: int("minItems"),
        max_properties: int("maxProperties"),
        min_properties: int("minProperties"),
        enumeration: list("enum").map(|it| it.to_vec()).unwrap_or_default(),
        required: list("required")
            .map(|it| it.iter().filter_map(Value::as_text).cloned().collect())
            .unwrap_or_default(),
        ..Validation::default()
    };
    (checks != Validation::default()).then(|| Box::new(checks))
}

fn read_rule(rule: &Value) -> Rule {
    let text = |key: &str| rule.get(key).and_then(Value::as_text).cloned();
    Rule {
        rule: text("rule").unwrap_or_default(),
        message: text("message").unwrap_or_default(),
        message_expression: text("messageExpression").unwrap_or_default(),
        reason: text("reason"),
        field_path: text("fieldPath").unwrap_or_default(),
        optional_old_self: rule.get("optionalOldSelf").and_then(Value::as_bool),
    }
}
