//! What can be written at the cursor: fields that the mapping does not have yet, values of enums.

use ordain_check::{Catalog, help};
use ordain_schema::{Node, Schema, Type};
use ordain_value::{Map, Value, json};

use crate::flow::{self, Flow};
use crate::object::{self, Object};
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
    let object = object::around(content, offset);
    if flow::in_comment(&object.text, object.offset) {
        return Vec::new();
    }
    let flow = flow::scan(&object.text, object.offset);
    let around = match &flow {
        Some(flow) => in_flow(&object.text, flow),
        None => outline::outline(&object.text, object.offset),
    };
    let here = Here::new(text, offset, &object, flow.as_ref(), &around);
    let on_value = match &flow {
        Some(flow) => flow.key.is_some() || flow.in_list,
        None => around.key.is_some() && here.before().contains(':'),
    };
    let root = around.parents.is_empty();
    match (on_value, around.key.as_deref()) {
        (true, Some("apiVersion")) if root => return here.versions(catalog, &object.text),
        (true, Some("kind")) if root => return here.kinds(catalog, &object.text),
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

/// What stands around a place in brackets: the way to the first of them, and on from there.
fn in_flow(text: &str, flow: &Flow) -> Outline {
    let mut out = Outline::default();
    if !text[..flow.open].trim().is_empty() {
        let before = outline::outline(&text[..flow.open], flow.open);
        out.parents = before.parents;
        out.parents.extend(before.key.map(Step::Key));
    }
    out.parents.extend(flow.parents.iter().cloned());
    out.key.clone_from(&flow.key);
    out.siblings.clone_from(&flow.siblings);
    out
}

fn is_word(it: char) -> bool {
    it.is_alphanumeric() || matches!(it, '_' | '-' | '.' | '/')
}

/// How something is written where it is inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Block,
    /// In brackets.
    Flow,
    /// In JSON, with or without quotes around it already.
    Json {
        quoted: bool,
    },
}

/// Where something is inserted.
struct Here<'a> {
    text: &'a Text,
    /// The word that is there already.
    range: std::ops::Range<usize>,
    indent: usize,
    style: Style,
    /// Whether a colon follows, so that the key alone is missing.
    has_colon: bool,
    offset: usize,
}

impl<'a> Here<'a> {
    fn new(
        text: &'a Text,
        offset: usize,
        object: &Object,
        flow: Option<&Flow>,
        around: &Outline,
    ) -> Here<'a> {
        let content = &text.content;
        let line_start = content[..offset].rfind('\n').map_or(0, |at| at + 1);
        let line_end = content[offset..].find('\n').map_or(content.len(), |at| offset + at);
        let word = |it: &char| is_word(*it);
        let before = content[line_start..offset].chars().rev().take_while(word);
        let start = offset - before.map(char::len_utf8).sum::<usize>();
        let behind = content[offset..line_end].chars().take_while(word);
        let end = offset + behind.map(char::len_utf8).sum::<usize>();
        let rest = content[end..line_end].trim_start_matches(['"', '\'']).trim_start();
        let is_json = object.text.trim_start().starts_with('{');
        let style = match flow {
            Some(flow) if is_json => Style::Json { quoted: flow.quoted },
            Some(_) => Style::Flow,
            None => Style::Block,
        };
        Here {
            text,
            range: start..end,
            indent: around.indent + object.indent,
            style,
            has_colon: rest.starts_with(':'),
            offset,
        }
    }

    /// What stands before the cursor on its line.
    fn before(&self) -> &str {
        let content = &self.text.content;
        &content[content[..self.offset].rfind('\n').map_or(0, |at| at + 1)..self.offset]
    }
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
        match (self.style, ty) {
            (Style::Json { quoted: true }, _) => name.to_owned(),
            (Style::Json { quoted: false }, _) => format!("\"{name}\": "),
            _ if self.has_colon => name.to_owned(),
            (Style::Flow, _) => format!("{name}: "),
            (Style::Block, "object") => format!("{name}:\n{pad}  "),
            (Style::Block, "array") => format!("{name}:\n{pad}- "),
            (Style::Block, _) => format!("{name}: "),
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
            items.push(self.item(&shown, VALUE, &self.value(&value), detail, ""));
        }
        items
    }

    /// A value as it is written here.
    fn value(&self, value: &Value) -> String {
        let written = match (self.style, value) {
            (Style::Json { quoted: true }, Value::Str(text)) => text.to_string(),
            (Style::Json { .. }, value) => json::encode_string(value),
            _ => scalar(value),
        };
        // A value needs a blank behind the colon.
        let bare = self.style == Style::Block && self.before().ends_with(':');
        if bare { format!(" {written}") } else { written }
    }

    fn versions(&self, catalog: &Catalog, document: &str) -> Vec<Value> {
        let kind = object::top_value(document, "kind");
        let mut versions: Vec<String> = catalog
            .names()
            .iter()
            .filter(|it| kind.as_ref().is_none_or(|kind| it.kind == *kind))
            .map(|it| it.group_version().to_string())
            .collect();
        versions.sort();
        versions.dedup();
        versions
            .iter()
            .map(|it| self.item(it, CLASS, &self.value(&it.as_str().into()), "", ""))
            .collect()
    }

    fn kinds(&self, catalog: &Catalog, document: &str) -> Vec<Value> {
        let version = object::top_value(document, "apiVersion");
        catalog
            .names()
            .iter()
            .filter(|it| {
                version.as_ref().is_none_or(|version| it.group_version().to_string() == *version)
            })
            .map(|it| {
                let written = self.value(&it.kind.as_str().into());
                self.item(&it.kind, CLASS, &written, &it.group_version().to_string(), "")
            })
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
