//! `+default` of typed kinds: a Go zero value counts as absent (KEP-1929).

use ordain_schema::{Additional, Node, Schema};
use ordain_value::Value;

/// Declarations may be recursive; no object that was decoded is deeper than this.
const DEPTH_MAX: usize = 64;

/// Fills in the defaults that the declaration of a kind has.
pub fn default(schema: &Schema, object: &mut Value) {
    fill(schema, schema.root_node(), object, 0);
}

fn fill(schema: &Schema, node: &Node, value: &mut Value, depth: usize) {
    if depth > DEPTH_MAX {
        return;
    }
    match value {
        Value::Map(map) if !node.properties.is_empty() => {
            for (name, id) in &node.properties {
                let field = schema.node(*id);
                if let Some(default) = &field.default
                    && is_absent(field, map.get(name))
                    && !is_absent(field, Some(default))
                {
                    map.insert(name.clone(), default.clone());
                }
                if has_inside(field)
                    && let Some(inner) = map.get_mut(name)
                {
                    fill(schema, field, inner, depth + 1);
                }
            }
        }
        Value::Map(map) => {
            let Additional::Node(id) = node.additional else { return };
            let element = schema.node(id);
            if has_inside(element) {
                map.iter_mut().for_each(|(_, inner)| fill(schema, element, inner, depth + 1));
            }
        }
        Value::List(list) => {
            let Some(id) = node.items else { return };
            let element = schema.node(id);
            if has_inside(element) {
                list.to_mut().iter_mut().for_each(|inner| fill(schema, element, inner, depth + 1));
            }
        }
        _ => {}
    }
}

fn has_inside(node: &Node) -> bool {
    !node.properties.is_empty() || node.items.is_some() || node.additional_node().is_some()
}

/// Absent, or the zero value of a field that is no pointer. A default that is absent in this
/// sense changes nothing.
fn is_absent(field: &Node, value: Option<&Value>) -> bool {
    let pointer = field.declared.as_ref().is_some_and(|it| it.pointer);
    match value {
        None | Some(Value::Null) => true,
        Some(_) if pointer => false,
        Some(Value::Bool(flag)) => !flag,
        Some(Value::Int(number)) => *number == 0,
        Some(Value::Float(number)) => *number == 0.0,
        Some(Value::Str(text)) => text.is_empty(),
        Some(Value::List(list)) => list.is_empty(),
        Some(Value::Map(map)) => map.is_empty(),
    }
}
