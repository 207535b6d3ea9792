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
    Forgetting { empty, forms }.forget(forms.schema().root(), object, 0)
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
                    if !matches!(inner, Value::Map(_) | Value::List(_)) {
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
    matches!(value, Value::Map(_) | Value::List(_))
        && matches!(forms.schema().node(id).ty, Type::Object | Type::Array)
}
