//! Kinds that Ordain serves as declared, from the document that it publishes of them: its extensions
//! say what OpenAPI has no words for, so that files are judged as the server judges objects.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ordain_schema::declared::{Kind, Version};
use ordain_schema::publish::name_format_rules;
use ordain_schema::raw::Raw;
use ordain_schema::{Additional, Node, NodeId, Presence, Schema, resolve};
use ordain_value::{Map, Text, Value, value};

use super::{Entry, target};

/// Types in types; a type that holds itself is cut off long before.
const DEPTH_MAX: usize = 128;

/// Whether a model has what only declared kinds publish.
pub(super) fn is_declared(model: &Value) -> bool {
    let mut pending = vec![model];
    while let Some(value) = pending.pop() {
        match value {
            Value::Map(map) => {
                let union = map.get("x-kubernetes-unions").and_then(|it| it.get("fieldMembers"));
                let signs = ["x-kubernetes-strip-zero", "x-kubernetes-validation-errors"];
                if union.is_some() || signs.iter().any(|it| map.contains_key(it)) {
                    return true;
                }
                pending.extend(map.values());
            }
            Value::List(list) => pending.extend(list.iter()),
            _ => {}
        }
    }
    false
}

/// The declaration of a kind.
pub(super) fn kind(entry: &Entry, models: &Map) -> Result<Kind, String> {
    let root = models.get(&entry.name).ok_or("the document lost a model")?;
    let open = vec![entry.name.clone()];
    let mut expanding = Expanding { models, open, again: BTreeSet::new() };
    let whole = expanding.place(root, 0)?;
    let mut whole = expanding.anchored(&entry.name, whole);
    whole.set_path(&["properties", "metadata"], value!({"type": "object"}));
    let name_format = take_name_format(&mut whole);
    let (raw, _) = Raw::decode(&whole).map_err(|error| error.to_string())?;
    let schema = resolve(&raw).map_err(|error| error.to_string())?;
    let gvk = &entry.gvk;
    let plural = entry.plural.clone().unwrap_or_else(|| gvk.kind.to_lowercase().into());
    let version = Version {
        name: gvk.version.clone(),
        served: true,
        deprecated: false,
        deprecation_warning: None,
        status: schema.root_node().property("status").is_some(),
        schema: Arc::new(as_go(schema)?),
        native: None,
        columns: Vec::new(),
        selectable_fields: Vec::new(),
        scale: None,
        name_format,
        rule_places: Vec::new(),
    };
    Ok(Kind {
        group: gvk.group.clone(),
        kind: gvk.kind.clone(),
        list_kind: format!("{}List", gvk.kind).into(),
        plural,
        singular: gvk.kind.to_lowercase().into(),
        namespaced: entry.namespaced.unwrap_or(true),
        storage_version: gvk.version.clone(),
        versions: vec![version],
        ..Kind::default()
    })
}

/// What stands before the description of a model that holds itself, with its name.
const ANCHOR: &str = "\u{0}model ";
/// What is the description of a place where a model holds itself, with its name.
const BACK: &str = "\u{0}back to ";

/// Fields whose zero values are stripped are Go's values, and places where a model holds itself are
/// that model.
fn as_go(schema: Schema) -> Result<Schema, String> {
    let root = schema.root();
    let mut nodes = schema.nodes().to_vec();
    let named = |node: &Node, mark: &str| -> Option<Text> {
        let text = node.docs.as_ref()?.description.strip_prefix(mark)?.to_owned();
        Some(text.lines().next().unwrap_or_default().into())
    };
    let mut models: BTreeMap<Text, NodeId> = BTreeMap::new();
    for (id, name) in schema.iter().filter_map(|(id, it)| Some((id, named(it, ANCHOR)?))) {
        models.entry(name).or_insert(id);
    }
    let meant = |id: NodeId| {
        let back = named(schema.node(id), BACK);
        back.and_then(|it| models.get(&it)).copied().unwrap_or(id)
    };
    for node in &mut nodes {
        node.items = node.items.map(meant);
        node.properties.iter_mut().for_each(|(_, id)| *id = meant(*id));
        if let Additional::Node(id) = &mut node.additional {
            *id = meant(*id);
        }
        if let Some(docs) = node.docs.as_mut().filter(|it| it.description.starts_with('\u{0}')) {
            let rest = docs.description.split_once('\n').map_or("", |it| it.1).to_owned();
            docs.description = rest.into();
        }
        if let Some(declared) = node.declared.as_mut().filter(|it| it.strip_zero) {
            declared.presence = Presence::GoZero;
        }
    }
    Schema::new(nodes, root).map_err(|error| error.to_string())
}

/// The format of names is published as rules about metadata, which objects are held to otherwise.
fn take_name_format(whole: &mut Value) -> Option<Text> {
    let Value::Map(map) = whole else { return None };
    let rules = map.get("x-kubernetes-validations")?.as_list()?.clone();
    let text = |rule: &Value| rule.get("rule").and_then(Value::as_str).map(str::to_owned);
    let first = rules.iter().find_map(text)?;
    let format = first.rsplit_once(".isFormat('")?.1.strip_suffix("')")?.to_owned();
    let own: Vec<String> =
        name_format_rules(&format).iter().map(|it| it.rule.to_string()).collect();
    let others: Vec<Value> = rules
        .iter()
        .filter(|it| !text(it).is_some_and(|text| own.contains(&text)))
        .cloned()
        .collect();
    if others.len() == rules.len() {
        return None;
    }
    match others.is_empty() {
        true => map.remove("x-kubernetes-validations"),
        false => map.insert("x-kubernetes-validations", Value::from(others)),
    };
    Some(format.into())
}

struct Expanding<'a> {
    models: &'a Map,
    /// The models that are being put in their places, outermost first.
    open: Vec<Text>,
    /// Those of them that hold themselves.
    again: BTreeSet<Text>,
}

/// Whether a place is a model that holds itself, or the way back to one.
fn is_marked(place: &Map) -> bool {
    let said = place.get("description").and_then(Value::as_str).unwrap_or_default();
    said.starts_with('\u{0}')
}

impl Expanding<'_> {
    /// A place with the models that it refers to put in.
    fn place(&mut self, place: &Value, depth: usize) -> Result<Value, String> {
        let Value::Map(given) = place else { return Ok(place.clone()) };
        if depth > DEPTH_MAX {
            return Err(format!("the models are nested deeper than {DEPTH_MAX} levels"));
        }
        let mut out = match target(place) {
            Some(name) => self.model(&name.into(), depth)?,
            None => Map::new(),
        };
        let referred = !out.is_empty();
        let is_union = |it: &Value| it.get_path(&["x-kubernetes-unions", "fieldMembers"]).is_some();
        let properties = given.get("properties").and_then(Value::as_map);
        let has_union = properties.is_some_and(|it| it.values().any(is_union));
        for (key, value) in given.iter() {
            let value = match key.as_str() {
                "$ref" | "x-kubernetes-group-version-kind" => continue,
                // The mark of a model stands before what it says of itself.
                "description" if is_marked(&out) => continue,
                "allOf" if referred => continue,
                // Written beside the extension for tools that do not know it.
                "oneOf" if has_union => continue,
                "properties" => {
                    let mut properties = Map::new();
                    for (name, property) in value.as_map().into_iter().flat_map(Map::iter) {
                        properties.insert(name.clone(), self.place(property, depth + 1)?);
                    }
                    Value::Map(properties)
                }
                "items" | "additionalProperties" => self.place(value, depth + 1)?,
                _ => value.clone(),
            };
            out.insert(key.clone(), value);
        }
        Ok(Value::Map(out))
    }

    /// A place, with the name of its model if that one holds itself.
    fn anchored(&self, name: &Text, place: Value) -> Value {
        let Value::Map(mut map) = place else { return place };
        if self.again.contains(name) {
            let said = map.get("description").and_then(Value::as_str).unwrap_or_default();
            map.insert("description", Value::from(format!("{ANCHOR}{name}\n{said}")));
        }
        Value::Map(map)
    }

    fn model(&mut self, name: &Text, depth: usize) -> Result<Map, String> {
        if self.open.contains(name) {
            self.again.insert(name.clone());
            let mut out = Map::new();
            out.insert("type", Value::from("object"));
            out.insert("description", Value::from(format!("{BACK}{name}")));
            return Ok(out);
        }
        let model = self.models.get(name).ok_or_else(|| format!("the model {name} is missing"))?;
        self.open.push(name.clone());
        let place = self.place(model, depth + 1)?;
        self.open.pop();
        let place = self.anchored(name, place);
        match place {
            Value::Map(map) => Ok(map),
            _ => Err(format!("the model {name} is no schema")),
        }
    }
}
