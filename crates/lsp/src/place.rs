//! Places of a text in the schema of its kind.

use std::sync::Arc;

use ordain_check::{Catalog, Kind, Source, manifest};
use ordain_meta::GroupVersion;
use ordain_schema::{Node, Schema};
use ordain_value::yaml::{Mark, Marks};

use crate::{object, outline};

/// One step into an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Key(String),
    Item(usize),
}

/// A key or value of a text, and the way to it.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) steps: Vec<Step>,
    /// Bytes of the key, or of the value when there is no key.
    pub(crate) bytes: std::ops::Range<usize>,
}

/// The kind of the object around a byte.
pub(crate) fn kind(catalog: &Catalog, text: &str, offset: usize) -> Option<Arc<Kind>> {
    let object = object::around(text, offset);
    let version = object::top_value(&object.text, "apiVersion")?;
    let kind = object::top_value(&object.text, "kind")?;
    let gvk = GroupVersion::decode(&version).ok()?.with_kind(kind.as_str());
    catalog.find(&gvk).ok()
}

/// What stands at a byte: by the marks of the parsed text, else by indentation.
pub(crate) fn at(text: &str, offset: usize) -> Option<Place> {
    let contents = manifest::read(0, &Source::new("a.yaml", text));
    for manifest in &contents.manifests {
        let Some(root) = manifest.marks.root() else { continue };
        if let Some(place) = within(&manifest.marks, root, offset) {
            return Some(place);
        }
    }
    let range = outline::document(text, offset);
    let outline = outline::outline(&text[range.clone()], offset - range.start);
    let mut steps = outline.parents;
    steps.extend(outline.key.map(Step::Key));
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let end = text[offset..].find('\n').map_or(text.len(), |at| offset + at);
    (!steps.is_empty()).then_some(Place { steps, bytes: start..end })
}

/// The deepest mark whose key or value holds a byte.
fn within(marks: &Marks, root: &Mark, offset: usize) -> Option<Place> {
    let holds = |range: &std::ops::Range<usize>| {
        range.start <= offset && offset < range.end.max(range.start + 1)
    };
    let (mut at, mut steps) = (root, Vec::new());
    let mut found = None;
    // Documents are never deeper than the decoder allows.
    for _ in 0..10_000 {
        let mut next = None;
        for (key, mark) in marks.keys(at) {
            let on_key = mark.key.as_ref().is_some_and(|it| holds(&it.bytes));
            if on_key || holds(&mark.value.bytes) {
                steps.push(Step::Key(key.to_string()));
                let bytes = mark.key.as_ref().unwrap_or(&mark.value).bytes.clone();
                found = Some(Place { steps: steps.clone(), bytes });
                if on_key {
                    return found;
                }
                next = Some(mark);
                break;
            }
        }
        if next.is_none() {
            for (index, mark) in marks.items(at).enumerate() {
                if holds(&mark.value.bytes) {
                    steps.push(Step::Item(index));
                    next = Some(mark);
                    break;
                }
            }
        }
        match next {
            Some(mark) => at = mark,
            None => break,
        }
    }
    found
}

/// The node that a way leads to.
pub(crate) fn node<'s>(schema: &'s Schema, steps: &[Step]) -> Option<&'s Node> {
    let mut node = schema.root_node();
    for step in steps {
        let next = match step {
            Step::Key(key) => node.property(key).or_else(|| node.additional_node())?,
            Step::Item(_) => node.items?,
        };
        node = schema.node(next);
    }
    Some(node)
}

/// A way as text: `spec.ports[0].name`.
pub(crate) fn path(steps: &[Step]) -> String {
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Key(key) if path.is_empty() => path.push_str(key),
            Step::Key(key) => path.push_str(&format!(".{key}")),
            Step::Item(at) => path.push_str(&format!("[{at}]")),
        }
    }
    path
}
