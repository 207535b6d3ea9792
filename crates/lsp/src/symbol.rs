//! Outlines: the objects of a text with their fields, and the objects of the folders.

use ordain_check::workspace::Object;
use ordain_check::{Manifest, Source, manifest};
use ordain_value::yaml::{Mark, Marks};
use ordain_value::{Map, Value, value};

use crate::text::{Text, int};
use crate::uri;

/// Sorts of symbols.
const CLASS: i64 = 5;
const FIELD: i64 = 8;
const ARRAY: i64 = 18;
const OBJECT: i64 = 19;

/// Levels of fields that are listed.
const DEPTH_MAX: usize = 8;

/// Symbols that are answered to a query at most.
const ANSWERED_MAX: usize = 500;

/// The objects of a text.
pub(crate) fn of_text(text: &Text) -> Value {
    let contents = manifest::read(0, &Source::new("a.yaml", text.content.as_bytes()));
    let symbols: Vec<Value> =
        contents.manifests.iter().filter_map(|it| of_manifest(text, it)).collect();
    symbols.into()
}

fn of_manifest(text: &Text, manifest: &Manifest) -> Option<Value> {
    let marks = &manifest.marks;
    let place = marks.find(&manifest.prefix)?;
    let bytes = place.mark.value.bytes.clone();
    let mut children = Vec::new();
    for (key, mark) in marks.keys(place.mark) {
        children.push(field(text, marks, key, mark, 1));
    }
    let kind = manifest.gvk.kind.as_str();
    let kind = if kind.is_empty() { "object" } else { kind };
    let name = format!("{kind} {}", manifest.name());
    let mut map = Map::new();
    map.insert("name", name.trim_end().into());
    map.insert("detail", manifest.gvk.group_version().to_string().into());
    map.insert("kind", Value::Int(CLASS));
    map.insert("range", text.range(bytes.clone()));
    map.insert("selectionRange", text.range(bytes.start..bytes.start));
    map.insert("children", Value::from(children));
    Some(Value::Map(map))
}

fn field(text: &Text, marks: &Marks, name: &str, mark: &Mark, depth: usize) -> Value {
    let key = mark.key.as_ref().unwrap_or(&mark.value).bytes.clone();
    let end = mark.value.bytes.end.max(key.end);
    let (mut children, mut sort) = (Vec::new(), FIELD);
    if depth < DEPTH_MAX {
        for (key, child) in marks.keys(mark) {
            sort = OBJECT;
            children.push(field(text, marks, key, child, depth + 1));
        }
        for (at, item) in marks.items(mark).enumerate() {
            sort = ARRAY;
            children.push(field(text, marks, &format!("[{at}]"), item, depth + 1));
        }
    }
    value!({
        "name": name,
        "kind": sort,
        "range": text.range(key.start..end),
        "selectionRange": text.range(key),
        "children": Value::from(children)
    })
}

/// The objects of the folders whose kind or name has the query in it.
pub(crate) fn of_workspace(objects: &[Object], query: &str) -> Value {
    let query = query.to_lowercase();
    let fits = |it: &&Object| {
        let words = format!("{} {} {}", it.gvk.kind, it.namespace, it.name);
        words.to_lowercase().contains(&query)
    };
    let symbol = |it: &Object| {
        let name = format!("{} {}", it.gvk.kind, it.name);
        value!({
            "name": (name.trim_end()),
            "kind": CLASS,
            "containerName": (it.namespace.as_str()),
            "location": location(it)
        })
    };
    objects.iter().filter(fits).take(ANSWERED_MAX).map(symbol).collect::<Vec<Value>>().into()
}

/// Where an object is.
pub(crate) fn location(object: &Object) -> Value {
    let at = value!({"line": int(object.line.saturating_sub(1)), "character": 0});
    value!({"uri": (uri::of(&object.file)), "range": {"start": at.clone(), "end": at}})
}
