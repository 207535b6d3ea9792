//! What changed between two declarations of an API, place by place.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use ordain_value::{Text, Value, json};

use crate::declared::{Api, Kind, Version};
use crate::folding::fold;
use crate::model::{Node, NodeId, Schema};

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// `<kind>.<group>`
    pub kind: String,
    /// The version, when it is about one.
    pub version: Text,
    /// The field, when it is about one.
    pub path: String,
    /// What is different there.
    pub what: What,
}

/// What is different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Only the new declaration has the kind.
    KindAdded,
    /// Only the old declaration has the kind.
    KindRemoved,
    /// Only the new declaration has the version.
    VersionAdded,
    /// Only the old declaration has the version.
    VersionRemoved,
    /// Objects are stored in another version: the old one and the new one.
    StorageVersion(Text, Text),
    /// The plural, singular or short names, or the scope.
    Names,
    /// A new field, with the gates it stands behind.
    FieldAdded(Vec<Text>),
    /// Only the old declaration has the field.
    FieldRemoved,
    /// The value has another type.
    TypeChanged,
    /// The field must be given now.
    RequiredAdded,
    /// The field may be left out now.
    RequiredRemoved,
    /// Another default, in words.
    DefaultChanged(String),
    /// Other limits: one sentence for each, or none where words fail.
    ConstraintsChanged(Vec<String>),
    /// The CEL rules differ.
    RulesChanged,
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.kind)?;
        if !self.version.is_empty() {
            write!(f, "/{}", self.version)?;
        }
        if !self.path.is_empty() {
            write!(f, " {}", self.path)?;
        }
        match &self.what {
            What::KindAdded => f.write_str(": new kind"),
            What::KindRemoved => f.write_str(": kind is gone"),
            What::VersionAdded => f.write_str(": new version"),
            What::VersionRemoved => f.write_str(": version is gone"),
            What::StorageVersion(old, new) => write!(f, ": stored as {new}, was {old}"),
            What::Names => f.write_str(": other names or scope"),
            What::FieldAdded(gates) if gates.is_empty() => f.write_str(": new field"),
            What::FieldAdded(gates) => write!(f, ": new field behind {}", gates.join(", ")),
            What::FieldRemoved => f.write_str(": field is gone"),
            What::TypeChanged => f.write_str(": other type"),
            What::RequiredAdded => f.write_str(": is required now"),
            What::RequiredRemoved => f.write_str(": is no longer required"),
            What::DefaultChanged(words) => write!(f, ": {words}"),
            What::ConstraintsChanged(words) if words.is_empty() => f.write_str(": other limits"),
            What::ConstraintsChanged(words) => write!(f, ": {}", words.join("; ")),
            What::RulesChanged => f.write_str(": other rules"),
        }
    }
}

/// All differences, in order of kinds and fields.
#[must_use]
pub fn changes(old: &Api, new: &Api) -> Vec<Change> {
    let mut out = Vec::new();
    for kind in &old.kinds {
        if new.kind(&kind.group, &kind.kind).is_none() {
            out.push(about(kind, "", "", What::KindRemoved));
        }
    }
    for kind in &new.kinds {
        match old.kind(&kind.group, &kind.kind) {
            None => out.push(about(kind, "", "", What::KindAdded)),
            Some(before) => kinds(before, kind, &mut out),
        }
    }
    out
}

/// New fields of kinds and versions that existed before, which no gate stands before: KEP-5975
/// wants none.
#[must_use]
pub fn ungated_fields(changes: &[Change]) -> Vec<&Change> {
    changes.iter().filter(|it| it.what == What::FieldAdded(Vec::new())).collect()
}

/// More fields than this are not reported: a type that contains itself several times has many paths.
const FIELDS_MAX: usize = 20_000;

/// The fields of a schema by path (`[]` for items, `{}` for values of maps), and whether a gate
/// stands before them. What contains itself is reported once on each path.
#[must_use]
pub fn fields(schema: &Schema) -> BTreeMap<String, bool> {
    let mut out = BTreeMap::new();
    put_fields(schema, schema.root(), &mut String::new(), &mut Vec::new(), &mut out);
    out
}

fn put_fields(
    schema: &Schema,
    id: NodeId,
    path: &mut String,
    above: &mut Vec<NodeId>,
    out: &mut BTreeMap<String, bool>,
) {
    if above.contains(&id) || out.len() >= FIELDS_MAX {
        return;
    }
    above.push(id);
    let node = schema.node(id);
    let length = path.len();
    for (name, child) in &node.properties {
        path.push_str(if length == 0 { "" } else { "." });
        path.push_str(name);
        let declared = schema.node(*child).declared.as_ref();
        out.insert(path.clone(), declared.is_some_and(|it| !it.gates.is_empty()));
        put_fields(schema, *child, path, above, out);
        path.truncate(length);
    }
    for (inside, mark) in [(node.items, "[]"), (node.additional_node(), "{}")] {
        if let Some(inside) = inside {
            path.push_str(mark);
            put_fields(schema, inside, path, above, out);
            path.truncate(length);
        }
    }
    above.pop();
}

fn about(kind: &Kind, version: &str, path: &str, what: What) -> Change {
    let kind = format!("{}.{}", kind.kind, kind.group);
    Change { kind, version: version.into(), path: path.into(), what }
}

fn kinds(old: &Kind, new: &Kind, out: &mut Vec<Change>) {
    let names = |kind: &Kind| {
        (kind.plural.clone(), kind.singular.clone(), kind.short_names.clone(), kind.namespaced)
    };
    if names(old) != names(new) {
        out.push(about(new, "", "", What::Names));
    }
    if old.storage_version != new.storage_version {
        let what = What::StorageVersion(old.storage_version.clone(), new.storage_version.clone());
        out.push(about(new, "", "", what));
    }
    for version in &old.versions {
        if new.version(&version.name).is_none() {
            out.push(about(new, &version.name, "", What::VersionRemoved));
        }
    }
    for version in &new.versions {
        match old.version(&version.name) {
            None => out.push(about(new, &version.name, "", What::VersionAdded)),
            Some(before) => versions(new, before, version, out),
        }
    }
}

fn versions(kind: &Kind, old: &Version, new: &Version, out: &mut Vec<Change>) {
    let before = out.len();
    let (old_schema, new_schema) = (whole(old), whole(new));
    let mut walk = Walk {
        kind,
        version: &new.name,
        old: &old_schema,
        new: &new_schema,
        seen: HashSet::new(),
        out,
    };
    walk.node(old_schema.root(), new_schema.root(), String::new());
    if old.native != new.native && out.len() == before {
        out.push(about(kind, &new.name, "", What::RulesChanged));
    }
}

/// The schema with the rules of `+k8s:` tags in it, which are reported where they stand.
fn whole(version: &Version) -> Cow<'_, Schema> {
    match &version.native {
        Some(native) => Cow::Owned(fold(&version.schema, native)),
        None => Cow::Borrowed(&version.schema),
    }
}

struct Walk<'a> {
    kind: &'a Kind,
    version: &'a str,
    old: &'a Schema,
    new: &'a Schema,
    seen: HashSet<(NodeId, NodeId)>,
    out: &'a mut Vec<Change>,
}

impl Walk<'_> {
    fn say(&mut self, path: &str, what: What) {
        self.out.push(about(self.kind, self.version, path, what));
    }

    fn node(&mut self, old: NodeId, new: NodeId, path: String) {
        // Pairs wait on a list: declared types are deep and recursive.
        let mut pending = vec![(old, new, path)];
        while let Some((old, new, path)) = pending.pop() {
            if !self.seen.insert((old, new)) {
                continue;
            }
            let (before, after) = (self.old.node(old), self.new.node(new));
            self.place(before, after, &path);
            if before.ty != after.ty {
                continue;
            }
            let join = |name: &str| {
                if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
            };
            for (name, _) in &before.properties {
                if after.property(name).is_none() {
                    self.say(&join(name), What::FieldRemoved);
                }
            }
            for (name, child) in after.properties.iter().rev() {
                match before.property(name) {
                    Some(old) => pending.push((old, *child, join(name))),
                    None => {
                        let declared = self.new.node(*child).declared.as_ref();
                        let gates = declared.map(|it| it.gates.clone()).unwrap_or_default();
                        self.say(&join(name), What::FieldAdded(gates));
                    }
                }
            }
            if let (Some(old), Some(new)) = (before.items, after.items) {
                pending.push((old, new, format!("{path}[]")));
            }
            if let (Some(old), Some(new)) = (before.additional_node(), after.additional_node()) {
                pending.push((old, new, format!("{path}{{}}")));
            }
        }
    }

    fn place(&mut self, old: &Node, new: &Node, path: &str) {
        if old.ty != new.ty || old.items.is_some() != new.items.is_some() {
            self.say(path, What::TypeChanged);
            return;
        }
        if old.default != new.default {
            let shown = |it: &Option<Value>| it.as_ref().map(json::encode_string);
            let words = compare("default", shown(&old.default), shown(&new.default));
            self.say(path, What::DefaultChanged(words));
        }
        if old.rules != new.rules {
            self.say(path, What::RulesChanged);
        }
        let required = |node: &Node| -> Vec<Text> {
            node.validation.as_ref().map(|it| it.required.clone()).unwrap_or_default()
        };
        let (before, after) = (required(old), required(new));
        let join =
            |name: &Text| if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
        for name in after.iter().filter(|it| !before.contains(it)) {
            self.say(&join(name), What::RequiredAdded);
        }
        for name in before.iter().filter(|it| !after.contains(it)) {
            self.say(&join(name), What::RequiredRemoved);
        }
        let limits = |node: &Node| {
            let mut validation = node.validation.as_deref().cloned().unwrap_or_default();
            validation.required.clear();
            // Branches go by numbers that mean nothing elsewhere.
            let branches =
                [validation.all_of.len(), validation.any_of.len(), validation.one_of.len()];
            (validation.all_of, validation.any_of, validation.one_of) = Default::default();
            validation.not = None;
            let declared = node.declared.as_deref();
            let unions = declared.map(|it| it.unions.clone()).unwrap_or_default();
            let notes = declared.map(|it| it.notes.clone()).unwrap_or_default();
            (validation, branches, node.list_type, node.list_map_keys.clone(), unions, notes)
        };
        if limits(old) != limits(new) {
            self.say(path, What::ConstraintsChanged(limit_changes(old, new)));
        }
    }
}

/// `maximum is 5, was 9`
fn compare(name: &str, old: Option<String>, new: Option<String>) -> String {
    match (old, new) {
        (None, Some(new)) => format!("{name} {new} is new"),
        (Some(old), None) => format!("{name} {old} is gone"),
        (old, new) => {
            format!("{name} is {}, was {}", new.unwrap_or_default(), old.unwrap_or_default())
        }
    }
}

/// The limits that differ, each in words.
fn limit_changes(old: &Node, new: &Node) -> Vec<String> {
    let (before, after) = (named_limits(old), named_limits(new));
    let mut out: Vec<String> = before
        .into_iter()
        .zip(after)
        .filter(|((_, old), (_, new))| old != new)
        .map(|((name, old), (_, new))| compare(name, old, new))
        .collect();
    let notes = |node: &Node| -> Vec<Text> {
        node.declared.as_ref().map(|it| it.notes.clone()).unwrap_or_default()
    };
    let (before, after) = (notes(old), notes(new));
    let new_notes = after.iter().filter(|it| !before.contains(it));
    out.extend(new_notes.map(|it| format!("new rule \"{it}\"")));
    let gone = before.iter().filter(|it| !after.contains(it));
    out.extend(gone.map(|it| format!("no more rule \"{it}\"")));
    out
}

fn named_limits(node: &Node) -> Vec<(&'static str, Option<String>)> {
    let it = node.validation.as_deref().cloned().unwrap_or_default();
    let number = |value: Option<f64>| value.map(|it| it.to_string());
    let size = |value: Option<i64>| value.map(|it| it.to_string());
    let flag = |value: bool| value.then(|| "true".to_owned());
    let text = |value: &Text| (!value.is_empty()).then(|| value.to_string());
    let shown: Vec<String> = it.enumeration.iter().map(json::encode_string).collect();
    let keys: Vec<&str> = node.list_map_keys.iter().map(Text::as_str).collect();
    vec![
        ("minimum", number(it.minimum)),
        ("exclusiveMinimum", flag(it.exclusive_minimum)),
        ("maximum", number(it.maximum)),
        ("exclusiveMaximum", flag(it.exclusive_maximum)),
        ("multipleOf", number(it.multiple_of)),
        ("minLength", size(it.min_length)),
        ("maxLength", size(it.max_length)),
        ("minItems", size(it.min_items)),
        ("maxItems", size(it.max_items)),
        ("minProperties", size(it.min_properties)),
        ("maxProperties", size(it.max_properties)),
        ("uniqueItems", flag(it.unique_items)),
        ("format", text(&it.format)),
        ("pattern", text(&it.pattern)),
        ("enum", (!shown.is_empty()).then(|| format!("[{}]", shown.join(", ")))),
        ("listType", node.list_type.map(|it| format!("{it:?}").to_lowercase())),
        ("listMapKeys", (!keys.is_empty()).then(|| keys.join(", "))),
    ]
}
