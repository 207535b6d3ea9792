//! What can be written at the cursor: fields that the mapping does not have yet, values of enums.

use ordain_check::{Catalog, help};
use ordain_schema::{Node, Schema, Type};
use ordain_value::{Map, Value, json};

use crate::outline::{self, Outline};
use crate::place::{self, Step};
use crate::text::Text;

/// Fields of metadata that people write.
const METADATA: [(&str, &str); 6] = [
    ("name", "string"),
    ("namespace", "string"),
    ("labels", "object"),
    ("annotations", "object"),
    ("generateName", "string"),
    ("finalizers", "array"),
];

/// Kinds of completion items.
const FIELD: i64 = 5;
const VALUE: i64 = 12;
const CLASS: i64 = 7;

pub(crate) fn at(catalog: &Catalog, text: &Text, offset: usize) -> Vec<Value> {
    let content = &text.content;
    let range = outline::document(content, offset);
    let (document, inside) = (&content[range.clone()], offset.saturating_sub(range.start));
    let around = outline::outline(document, inside);
    let line_start = content[..offset].rfind('\n').map_or(0, |at| at + 1);
    let before = &content[line_start..offset];
    let word_start = offset
        - before.chars().rev().take_while(|it| is_word(*it)).map(char::len_utf8).sum::<usize>();
    let here = Here { text, range: word_start..offset, indent: around.indent };
    let on_value = around.key.is_some() && before.contains(':');
    let root = around.parents.is_empty();
    match (on_value, around.key.as_deref()) {
        (true, Some("apiVersion")) if root => return here.versions(catalog, document),
        (true, Some("kind")) if root => return here.kinds(catalog, document),
        _ => {}
    }
    let Some(kind) = place::kind(catalog, content, offset) else {
        return if root && !on_value { here.frame(&around) } else { Vec::new() };
    };
    if on_value {
        let mut steps = around.parents.clone();
        steps.extend(around.key.clone().map(Step::Key));
        return here.values(place::node(kind.schema(), &steps));
    }
    let node = place::node(kind.schema(), &around.parents);
    // The item of a list of scalars is a value.
    if let Some(node) = node.filter(|it| !matches!(it.ty, Type::Object | Type::Any)) {
        return here.values(Some(node));
    }
    let mut items = here.fields(kind.schema(), node, &around);
    if around.parents == [Step::Key("metadata".to_owned())] && items.is_empty() {
        items = here.metadata(&around);
    }
    if root {
        items.extend(here.frame(&around));
    }
    items
}

fn is_word(it: char) -> bool {
    it.is_alphanumeric() || matches!(it, '_' | '-' | '.' | '/')
}

/// Where something is inserted.
struct Here<'a> {
    text: &'a Text,
    /// What of the word is there already.
    range: std::ops::Range<usize>,
    indent: usize,
}

impl Here<'_> {
    fn item(&self, label: &str, kind: i64, insert: &str, detail: &str, docs: &str) -> Value {
        let mut map = Map::new();
        map.insert("label", label.into());
        map.insert("kind", Value::Int(kind));
        if !detail.is_empty() {
            map.insert("detail", detail.into());
        }
        if !docs.is_empty() {
            let docs = ordain_value::value!({"kind": "markdown", "value": docs});
            map.insert("documentation", docs);
        }
        let edit =
            ordain_value::value!({"range": self.text.range(self.range.clone()), "newText": insert});
        map.insert("textEdit", edit);
        // Indentation is part of the text.
        map.insert("insertTextMode", Value::Int(1));
        Value::Map(map)
    }

    /// How a key of a type goes on.
    fn key(&self, name: &str, ty: &str) -> String {
        let pad = " ".repeat(self.indent);
        match ty {
            "object" => format!("{name}:\n{pad}  "),
            "array" => format!("{name}:\n{pad}- "),
            _ => format!("{name}: "),
        }
    }

    fn fields(&self, schema: &Schema, node: Option<&Node>, around: &Outline) -> Vec<Value> {
        let Some(node) = node else { return Vec::new() };
        let required =
            node.validation.as_ref().map(|it| it.required.as_slice()).unwrap_or_default();
        let mut items = Vec::new();
        for (name, id) in &node.properties {
            if around.siblings.iter().any(|it| it == name.as_str()) {
                continue;
            }
            let place = schema.node(*id);
            let is_required = required.contains(name);
            let note = if is_required { ", required" } else { "" };
            let docs = place.docs.as_ref().map(|it| it.description.as_str()).unwrap_or_default();
            let detail = format!("{}{note}", help::describe(place));
            let mut item = self.item(name, FIELD, &self.key(name, place.ty.name()), &detail, docs);
            // What is needed comes first.
            let sort = format!("{}{name}", if is_required { "0" } else { "1" });
            item.set_path(&["sortText"], sort.into());
            items.push(item);
        }
        items
    }

    fn metadata(&self, around: &Outline) -> Vec<Value> {
        METADATA
            .iter()
            .filter(|(name, _)| !around.siblings.iter().any(|it| it == name))
            .map(|(name, ty)| self.item(name, FIELD, &self.key(name, ty), ty, ""))
            .collect()
    }

    /// The fields that every object starts with.
    fn frame(&self, around: &Outline) -> Vec<Value> {
        [("apiVersion", "string"), ("kind", "string"), ("metadata", "object")]
            .iter()
            .filter(|(name, _)| !around.siblings.iter().any(|it| it == name))
            .map(|(name, ty)| self.item(name, FIELD, &self.key(name, ty), ty, ""))
            .collect()
    }

    fn values(&self, node: Option<&Node>) -> Vec<Value> {
        let Some(node) = node else { return Vec::new() };
        let mut values: Vec<Value> = Vec::new();
        if let Some(checks) = &node.validation {
            values.extend(checks.enumeration.iter().cloned());
        }
        if node.ty == Type::Boolean {
            values.extend([Value::Bool(true), Value::Bool(false)]);
        }
        if let Some(default) = &node.default
            && !values.contains(default)
            && !matches!(default, Value::Map(_) | Value::List(_))
        {
            values.push(default.clone());
        }
        let mut items = Vec::new();
        for value in values {
            let is_default = node.default.as_ref() == Some(&value);
            let shown = scalar(&value);
            let detail = if is_default { "the default" } else { "" };
            items.push(self.item(&shown, VALUE, &shown, detail, ""));
        }
        items
    }

    fn versions(&self, catalog: &Catalog, document: &str) -> Vec<Value> {
        let kind = outline::top_value(document, "kind");
        let mut versions: Vec<String> = catalog
            .names()
            .iter()
            .filter(|it| kind.is_none_or(|kind| it.kind == kind))
            .map(|it| it.group_version().to_string())
            .collect();
        versions.sort();
        versions.dedup();
        versions.iter().map(|it| self.item(it, CLASS, it, "", "")).collect()
    }

    fn kinds(&self, catalog: &Catalog, document: &str) -> Vec<Value> {
        let version = outline::top_value(document, "apiVersion");
        catalog
            .names()
            .iter()
            .filter(|it| version.is_none_or(|version| it.group_version().to_string() == version))
            .map(|it| self.item(&it.kind, CLASS, &it.kind, &it.group_version().to_string(), ""))
            .collect()
    }
}

/// A scalar as YAML reads it back.
fn scalar(value: &Value) -> String {
    match value {
        Value::Str(text) => {
            ordain_value::yaml::encode(&Value::Str(text.clone())).trim_end().to_owned()
        }
        other => json::encode_string(other),
    }
}
