//! Another name for a key, wherever the same field stands in the object.

use std::ops::Range;

use ordain_check::{Source, manifest};
use ordain_value::yaml::{Mark, Marks};
use ordain_value::{Map, Value, json, value};

use crate::place::{self, Step};
use crate::text::Text;

/// The key under the cursor, when there is one to rename.
pub(crate) fn prepare(text: &Text, offset: usize) -> Option<Value> {
    let (bytes, _) = key(text, offset)?;
    let name = text.content.get(bytes.clone())?.trim_matches(['"', '\'']);
    Some(value!({"range": text.range(bytes), "placeholder": name}))
}

/// The edits that rename the key under the cursor, and the same key of all items beside its own.
pub(crate) fn rename(uri: &str, text: &Text, offset: usize, name: &str) -> Option<Value> {
    let (_, shape) = key(text, offset)?;
    if name.is_empty() || name.contains('\n') {
        return None;
    }
    let contents = manifest::read(0, &Source::new("a.yaml", text.content.as_bytes()));
    let around = contents.manifests.iter().find(|it| {
        it.marks
            .root()
            .is_some_and(|it| it.value.bytes.start <= offset && offset < it.value.bytes.end)
    })?;
    let mut found = Vec::new();
    same(&around.marks, around.marks.root()?, &mut Vec::new(), &shape, &mut found);
    let edit = |bytes: Range<usize>| {
        let was_quoted =
            text.content.get(bytes.clone()).is_some_and(|it| it.starts_with(['"', '\'']));
        let is_plain = name.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_./".contains(&it));
        let quoted = json::encode_string(&Value::str(name));
        let name = if was_quoted || !is_plain { quoted } else { name.to_owned() };
        value!({"range": text.range(bytes), "newText": (name.as_str())})
    };
    let edits: Vec<Value> = found.into_iter().map(edit).collect();
    let mut changes = Map::new();
    changes.insert(uri, Value::from(edits));
    Some(value!({"changes": Value::Map(changes)}))
}

/// The bytes of the key at an offset, and its way without the places of items.
fn key(text: &Text, offset: usize) -> Option<(Range<usize>, Vec<String>)> {
    let place = place::at(&text.content, offset)?;
    let on_it = place.bytes.start <= offset && offset <= place.bytes.end;
    let is_key = matches!(place.steps.last(), Some(Step::Key(_)));
    (on_it && is_key).then(|| (place.bytes, shape(&place.steps)))
}

fn shape(steps: &[Step]) -> Vec<String> {
    let step = |it: &Step| match it {
        Step::Key(key) => key.clone(),
        Step::Item(_) => "[]".to_owned(),
    };
    steps.iter().map(step).collect()
}

/// Levels that are looked at.
const DEPTH_MAX: usize = 200;

/// The keys at the end of a way, in all items that it leads through.
fn same(
    marks: &Marks,
    at: &Mark,
    way: &mut Vec<String>,
    wanted: &[String],
    out: &mut Vec<Range<usize>>,
) {
    if way.len() > DEPTH_MAX {
        return;
    }
    let Some(next) = wanted.get(way.len()) else { return };
    let is_last = way.len() + 1 == wanted.len();
    for (key, child) in marks.keys(at).filter(|it| it.0.as_str() == next) {
        if is_last {
            out.extend(child.key.as_ref().map(|it| it.bytes.clone()));
            continue;
        }
        way.push(key.to_string());
        same(marks, child, way, wanted, out);
        way.pop();
    }
    for item in marks.items(at).filter(|_| next == "[]") {
        way.push("[]".to_owned());
        same(marks, item, way, wanted, out);
        way.pop();
    }
}
