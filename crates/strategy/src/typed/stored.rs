//! What becomes of empty lists and maps: JSON leaves out those of fields with `omitempty`, and storing
//! forgets all of them, since protobuf does not tell an empty one from a missing one.

use ordain_schema::{NodeId, Type};
use ordain_value::{List, Value};

use super::form::{DEPTH_MAX, Edited, Forms, Shape};

/// Whose empty lists and maps are taken out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Empty {
    /// Those that JSON leaves out.
    Omitted,
    /// All of them, as reading an object back from storage would.
    Any,
}

/// The object without them; nothing if it has none.
pub(super) fn without(empty: Empty, forms: &Forms, object: &Value) -> Option<Value> {
    // Nearly all objects have none, which their values tell faster than their types.
    if !has_any(forms, object, &Place::Root, 0) {
        return None;
    }
    Forgetting { empty, forms }.forget(forms.schema().root(), object, 0)
}

/// Where a value stands, from the root.
enum Place<'p> {
    Root,
    Entry(&'p Place<'p>, &'p str),
    Item(&'p Place<'p>),
}

impl Place<'_> {
    /// Its node, where the types describe it.
    fn node(&self, forms: &Forms) -> Option<NodeId> {
        match self {
            Self::Root => Some(forms.schema().root()),
            Self::Entry(holder, name) => {
                let id = holder.node(forms)?;
                match forms.form(id).shape {
                    Shape::Structure => {
                        let node = forms.schema().node(id);
                        forms.form(id).property(node, name).map(|at| node.properties[at].1)
                    }
                    Shape::Map(of) => of,
                    _ => None,
                }
            }
            Self::Item(list) => match forms.form(list.node(forms)?).shape {
                Shape::List(of) => of,
                _ => None,
            },
        }
    }
}

/// Whether a list or map in an object is empty and may be taken out.
fn has_any(forms: &Forms, value: &Value, place: &Place<'_>, depth: usize) -> bool {
    if depth > DEPTH_MAX {
        return false;
    }
    let is_forgotten = || place.node(forms).is_some_and(|id| forms.form(id).is_forgotten(value));
    match value {
        Value::Map(map) if map.is_empty() => is_forgotten(),
        Value::List(list) if list.is_empty() => is_forgotten(),
        Value::Map(map) => map.iter().filter(|it| is_container(it.1)).any(|(name, inner)| {
            (depth > 0 || name != "metadata")
                && has_any(forms, inner, &Place::Entry(place, name), depth + 1)
        }),
        Value::List(list) => list
            .iter()
            .filter(|it| is_container(it))
            .any(|inner| has_any(forms, inner, &Place::Item(place), depth + 1)),
        _ => false,
    }
}

fn is_container(value: &Value) -> bool {
    matches!(value, Value::Map(_) | Value::List(_))
}

struct Forgetting<'a> {
    empty: Empty,
    forms: &'a Forms,
}

impl Forgetting<'_> {
    /// The value without them; nothing if it has none.
    fn forget(&self, id: NodeId, value: &Value, depth: usize) -> Option<Value> {
        let forms = self.forms;
        if depth > DEPTH_MAX {
            return None;
        }
        match (forms.form(id).shape, value) {
            (Shape::Structure, Value::Map(map)) => {
                let (form, node) = (forms.form(id), forms.schema().node(id));
                let mut out = Edited::new(map.entries(), 0);
                for (at, (name, inner)) in map.iter().enumerate() {
                    if !is_container(inner) {
                        out.keep(at);
                        continue;
                    }
                    let field = form.property(node, name).map(|at| node.properties[at].1);
                    match field.filter(|id| {
                        (depth > 0 || name != "metadata") && is_deep(forms, *id, inner)
                    }) {
                        Some(field) => self.forget_field(field, inner, &mut out, at, depth),
                        None => out.keep(at),
                    }
                }
                out.finish().map(Value::Map)
            }
            (Shape::Map(Some(of)), Value::Map(map)) => {
                let mut out = Edited::new(map.entries(), 0);
                for (at, (_, inner)) in map.iter().enumerate() {
                    match is_deep(forms, of, inner)
                        .then(|| self.forget(of, inner, depth + 1))
                        .flatten()
                    {
                        Some(changed) => out.replace(at, changed),
                        None => out.keep(at),
                    }
                }
                out.finish().map(Value::Map)
            }
            (Shape::List(Some(of)), Value::List(list)) => {
                let mut out: Option<List> = None;
                for (at, inner) in list.iter().enumerate().filter(|it| is_deep(forms, of, it.1)) {
                    if let Some(changed) = self.forget(of, inner, depth + 1) {
                        let items = out.get_or_insert_with(|| list.clone()).to_mut();
                        items[at] = changed;
                    }
                }
                out.map(Value::List)
            }
            _ => None,
        }
    }

    fn forget_field(
        &self,
        id: NodeId,
        value: &Value,
        out: &mut Edited<'_>,
        at: usize,
        depth: usize,
    ) {
        let (form, changed) = (self.forms.form(id), self.forget(id, value, depth + 1));
        let forgotten = form.is_forgotten(changed.as_ref().unwrap_or(value));
        match changed {
            _ if forgotten && form.is_stripped() => out.drop(at),
            _ if forgotten && self.empty == Empty::Any => out.replace(at, Value::Null),
            Some(changed) => out.replace(at, changed),
            None => out.keep(at),
        }
    }
}

/// Whether there may be empty lists and maps in a value.
fn is_deep(forms: &Forms, id: NodeId, value: &Value) -> bool {
    is_container(value) && matches!(forms.schema().node(id).ty, Type::Object | Type::Array)
}
