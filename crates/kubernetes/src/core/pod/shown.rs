//! Pods as messages show them: with the field names and the order of Go's internal types, which
//! `internal.txt` declares.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use ordain_value::field::BadValue;
use ordain_value::{Map, Value, json};

use crate::shared::access::some;

static TYPES: LazyLock<BTreeMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let mut types: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut current = "";
    for line in include_str!("internal.txt").lines().filter(|it| !it.starts_with('#')) {
        let mut words = line.split_whitespace();
        // Lines that begin with a space go on with the type before.
        if !line.starts_with(' ') {
            current = words.next().unwrap_or_default();
        }
        types.entry(current).or_default().extend(words);
    }
    types
});

/// No type is nested deeper.
const DEPTH_MAX: usize = 24;

/// What is shown, in order.
enum Tree {
    Leaf(String),
    Fields(Vec<(String, Tree)>),
    Items(Vec<Tree>),
}

impl Tree {
    /// A value of an internal type.
    fn typed(value: &Value, ty: &str, depth: usize) -> Self {
        let mut fields = Vec::new();
        if depth < DEPTH_MAX {
            collect(value, ty, depth, &mut fields);
        }
        Tree::Fields(fields)
    }

    /// A value that writes itself as in the API.
    fn plain(value: &Value) -> Self {
        match value {
            Value::Map(map) => {
                let fields = map.iter().map(|(name, it)| (name.to_string(), Tree::plain(it)));
                Tree::Fields(fields.collect())
            }
            Value::List(list) => Tree::Items(list.iter().map(Tree::plain).collect()),
            other => Tree::Leaf(json::escape_html(&json::encode_string(other))),
        }
    }

    fn write(&self, indent: Option<usize>, out: &mut String) {
        let line = |out: &mut String, depth: usize| {
            if indent.is_some() {
                out.push('\n');
                out.extend(std::iter::repeat_n(' ', depth));
            }
        };
        let depth = indent.unwrap_or(0);
        let inner = indent.map(|depth| depth + 1);
        let (open, close, count) = match self {
            Tree::Leaf(text) => return out.push_str(text),
            Tree::Fields(fields) => ('{', '}', fields.len()),
            Tree::Items(items) => ('[', ']', items.len()),
        };
        out.push(open);
        for at in 0..count {
            if at > 0 {
                out.push(',');
            }
            line(out, depth + 1);
            match self {
                Tree::Fields(fields) => {
                    let (name, tree) = &fields[at];
                    out.push_str(&json::encode_string(&Value::from(name.as_str())));
                    out.push_str(if indent.is_some() { ": " } else { ":" });
                    tree.write(inner, out);
                }
                Tree::Items(items) => items[at].write(inner, out),
                Tree::Leaf(_) => {}
            }
        }
        if count > 0 {
            line(out, depth);
        }
        out.push(close);
    }

    fn compact(&self) -> String {
        let mut out = String::new();
        self.write(None, &mut out);
        out
    }

    fn pretty(&self) -> String {
        let mut out = String::new();
        self.write(Some(0), &mut out);
        out
    }
}

fn collect(value: &Value, ty: &str, depth: usize, fields: &mut Vec<(String, Tree)>) {
    for word in TYPES.get(ty).into_iter().flatten() {
        if let Some(api) = word.strip_prefix("+:") {
            let inner = some(value, api).and_then(Value::as_map);
            let plain = inner.into_iter().flat_map(Map::iter);
            fields.extend(plain.map(|(name, it)| (name.to_string(), Tree::plain(it))));
            continue;
        }
        if let Some(inner) = word.strip_prefix('+') {
            collect(value, inner, depth, fields);
            continue;
        }
        let Some((go, rest)) = word.split_once(':') else { continue };
        let end = rest.find(['=', '*', '[']).unwrap_or(rest.len());
        let (api, form) = rest.split_at(end);
        fields.push((go.to_owned(), shown(some(value, api), form, depth + 1)));
    }
}

/// A field by the mark that its declaration has.
fn shown(value: Option<&Value>, form: &str, depth: usize) -> Tree {
    let null = || Tree::Leaf("null".to_owned());
    if let Some(ty) = form.strip_prefix('*') {
        return value.map_or_else(null, |it| Tree::typed(it, ty, depth));
    }
    if let Some(ty) = form.strip_prefix("[]") {
        let items = value.and_then(Value::as_list);
        let typed = |it: &Value| Tree::typed(it, ty, depth);
        return items.map_or_else(null, |it| Tree::Items(it.iter().map(typed).collect()));
    }
    let absent = form.strip_prefix('=');
    if let Some(ty) = absent.filter(|it| TYPES.contains_key(it)) {
        return Tree::typed(value.unwrap_or(&Value::Null), ty, depth);
    }
    match value {
        Some(value) => Tree::plain(value),
        None => Tree::Leaf(absent.unwrap_or("null").to_owned()),
    }
}

/// A spec. What the API has beside the security context is a part of it.
fn spec_tree(spec: &Value) -> Tree {
    let mut spec = spec.clone();
    let moved = ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"];
    for field in moved {
        if let Some(value) = some(&spec, field).cloned()
            && some(&spec, "securityContext").is_some()
        {
            spec.set_path(&["securityContext", field], value);
        }
    }
    Tree::typed(&spec, "PodSpec", 0)
}

/// A spec over several lines.
pub(super) fn pod_spec(spec: &Value) -> String {
    spec_tree(spec).pretty()
}

/// A spec on one line.
pub(super) fn spec(spec: &Value) -> BadValue {
    BadValue::Json(spec_tree(spec).compact())
}

/// A template on one line; its metadata has the names of the API and what is set only.
pub(super) fn template(template: &Value) -> BadValue {
    let order = ["name", "generateName", "namespace", "labels", "annotations", "finalizers"];
    let set = order.into_iter().filter_map(|name| {
        let value = template.get_path(&["metadata", name])?;
        let is_empty = match value {
            Value::Map(map) => map.is_empty(),
            Value::List(list) => list.is_empty(),
            other => other.is_null(),
        };
        if is_empty {
            return None;
        }
        Some((name.to_owned(), Tree::plain(value)))
    });
    let mut fields: Vec<(String, Tree)> = set.collect();
    fields.push(("Spec".to_owned(), spec_tree(template.get("spec").unwrap_or(&Value::Null))));
    BadValue::Json(Tree::Fields(fields).compact())
}

/// An ephemeral container over several lines.
pub(super) fn ephemeral_container(container: &Value) -> String {
    Tree::typed(container, "EphemeralContainer", 0).pretty()
}

pub(super) fn node_selector_term(value: &Value) -> BadValue {
    BadValue::Json(Tree::typed(value, "NodeSelectorTerm", 0).compact())
}

pub(super) fn node_selector_terms(terms: &[Value]) -> BadValue {
    if terms.is_empty() {
        return BadValue::Value(Value::Null);
    }
    let terms = terms.iter().map(|it| Tree::typed(it, "NodeSelectorTerm", 0));
    BadValue::Json(Tree::Items(terms.collect()).compact())
}

/// Addresses, whose internal type has the one field `IP`.
pub(super) fn ips(list: &[Value]) -> BadValue {
    let address = |it: &Value| {
        Tree::Fields(vec![("IP".to_owned(), Tree::plain(it.get("ip").unwrap_or(&Value::Null)))])
    };
    BadValue::Json(Tree::Items(list.iter().map(address).collect()).compact())
}
