//! What storing forgets: protobuf does not tell an empty list or map from a missing one.

use ordain_schema::{Additional, Node, Schema, Type};
use ordain_value::Value;

use super::codec::is_structure;
use super::special::Special;

/// Declarations may be recursive; no object that was decoded is deeper than this.
const DEPTH_MAX: usize = 64;

/// Takes empty lists and maps out of an object, as reading it back from storage would.
pub(super) fn forget_empty(schema: &Schema, object: &mut Value) {
    forget(schema, schema.root_node(), object, 0);
}

fn forget(schema: &Schema, node: &Node, value: &mut Value, depth: usize) {
    if depth > DEPTH_MAX || Special::of(node).is_some() {
        return;
    }
    match value {
        Value::Map(map) if is_structure(node) => {
            for (name, id) in &node.properties {
                let field = schema.node(*id);
                if !matches!(field.ty, Type::Object | Type::Array) || name == "metadata" {
                    continue;
                }
                let Some(inner) = map.get_mut(name) else { continue };
                forget(schema, field, inner, depth + 1);
                if is_forgotten(field, inner) {
                    *inner = Value::Null;
                    if field.declared.as_ref().is_some_and(|it| it.strip_zero) {
                        map.remove(name);
                    }
                }
            }
        }
        Value::Map(map) => {
            let Additional::Node(id) = node.additional else { return };
            let element = schema.node(id);
            if matches!(element.ty, Type::Object | Type::Array) {
                map.iter_mut().for_each(|(_, inner)| forget(schema, element, inner, depth + 1));
            }
        }
        Value::List(list) => {
            let Some(id) = node.items else { return };
            let element = schema.node(id);
            if matches!(element.ty, Type::Object | Type::Array) {
                list.to_mut()
                    .iter_mut()
                    .for_each(|inner| forget(schema, element, inner, depth + 1));
            }
        }
        _ => {}
    }
}

fn is_forgotten(field: &Node, value: &Value) -> bool {
    match value {
        Value::List(list) => list.is_empty(),
        Value::Map(map) => map.is_empty() && !is_structure(field) && Special::of(field).is_none(),
        _ => false,
    }
}
