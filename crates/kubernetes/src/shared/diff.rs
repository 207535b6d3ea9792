//! Values as upstream's internal types write them, with the names and the order of the Go types,
//! which `internal.txt` declares; refusals show them whole, or what changed in them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use ordain_value::field::BadValue;
use ordain_value::{Map, Value, json};

use super::access::some;
use super::unified::unified;

/// The unified difference of two values with three lines of context, without a header. The form is
/// that of a field: `=T` for a structure, `[]T` for a list.
pub(crate) fn diff(old: &Value, new: &Value, form: &str) -> String {
    let text = |value: &Value| Tree::of(Some(value), form, 0).pretty();
    unified(&text(old), &text(new))
}

/// A value as a refusal shows it: the same on one line.
pub(crate) fn shown(value: &Value, form: &str) -> BadValue {
    BadValue::Json(text(value, form))
}

/// The same as a text.
pub(crate) fn text(value: &Value, form: &str) -> String {
    Tree::of(Some(value), form, 0).compact()
}

/// The names that the fields of a type have in the API.
pub(crate) fn field_names(ty: &str) -> impl Iterator<Item = &'static str> {
    let fields = TYPES.get(ty).into_iter().flatten().filter_map(|word| word.split_once(':'));
    fields.map(|(_, rest)| rest.split(['=', '*', '[', '?']).next().unwrap_or(rest))
}

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
pub(crate) enum Tree {
    Leaf(String),
    Fields(Vec<(String, Tree)>),
    Items(Vec<Tree>),
}

impl Tree {
    /// A value of an internal type.
    pub(crate) fn typed(value: &Value, ty: &str, depth: usize) -> Self {
        let mut fields = Vec::new();
        if depth < DEPTH_MAX {
            collect(value, ty, depth, &mut fields);
        }
        Tree::Fields(fields)
    }

    /// A field by the mark that its declaration has.
    fn of(value: Option<&Value>, form: &str, depth: usize) -> Self {
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

    /// A value that writes itself as in the API.
    pub(crate) fn plain(value: &Value) -> Self {
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

    pub(crate) fn compact(&self) -> String {
        let mut out = String::new();
        self.write(None, &mut out);
        out
    }

    pub(crate) fn pretty(&self) -> String {
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
        let end = rest.find(['=', '*', '[', '?']).unwrap_or(rest.len());
        let (api, form) = rest.split_at(end);
        let given = some(value, api);
        if form.starts_with('?') && given.is_none_or(is_empty) {
            continue;
        }
        let form = form.trim_start_matches('?');
        fields.push((go.to_owned(), Tree::of(given, form, depth + 1)));
    }
}

pub(crate) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Map(map) => map.is_empty(),
        Value::List(list) => list.is_empty(),
        other => other.is_null(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_value::value;

    #[test]
    fn changes_are_shown_with_three_lines_around_them() {
        let old = value!({"volumeName": "a", "accessModes": ["x", "y"]});
        let new = value!({"volumeName": "a", "accessModes": ["x"],
            "selector": {"matchExpressions": [], "matchLabels": {"k": "v"}}});
        let expected = "@@ -1,9 +1,12 @@\n {\n  \"AccessModes\": [\n-  \"x\",\n-  \"y\"\n+  \
                        \"x\"\n  ],\n- \"Selector\": null,\n+ \"Selector\": {\n+  \
                        \"matchLabels\": {\n+   \"k\": \"v\"\n+  }\n+ },\n  \"Resources\": \
                        {\n   \"Limits\": null,\n   \"Requests\": null\n";
        assert_eq!(diff(&old, &new, "=PersistentVolumeClaimSpec"), expected);
    }

    #[test]
    fn every_type_that_is_named_is_declared() {
        for word in TYPES.values().flatten() {
            let (ty, marked) = match word.split_once(':') {
                None => (word.trim_start_matches('+'), true),
                Some((_, rest)) => match rest.find(['*', ']']) {
                    Some(at) => (&rest[at + 1..], true),
                    None => (rest.split_once('=').map_or("", |it| it.1), false),
                },
            };
            let is_name = marked || ty.starts_with(|it: char| it.is_ascii_uppercase());
            assert!(!is_name || TYPES.contains_key(ty), "{word}");
        }
    }
}
