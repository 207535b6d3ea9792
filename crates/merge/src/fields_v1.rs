//! Sets in the `fieldsV1` form that `metadata.managedFields` stores.

use ordain_value::{Map, Text, Value};

use crate::DEPTH_MAX;
use crate::path::PathElement;
use crate::set::{Node, Set};

/// The `fieldsV1` object of a set.
pub(crate) fn encode(set: &Set) -> Value {
    Value::Map(encode_level(set, false))
}

fn encode_level(set: &Set, owned: bool) -> Map {
    let mut entries: Vec<(Text, Value)> = Vec::with_capacity(set.nodes.len() + usize::from(owned));
    if owned && !set.is_empty() {
        entries.push((Text::new_static("."), Value::Map(Map::new())));
    }
    for node in &set.nodes {
        let children = encode_level(&node.children, node.member);
        entries.push((node.element.encode(), Value::Map(children)));
    }
    Map::from_entries(entries)
}

/// Reads a `fieldsV1` object. Unknown kinds of path elements are dropped, as upstream drops them.
pub(crate) fn decode(value: &Value) -> Result<Set, String> {
    match value {
        Value::Null => Ok(Set::new()),
        Value::Map(map) => Ok(decode_level(map, 0)?.0),
        other => Err(format!("fieldsV1 must be an object, not {}", other.kind_name())),
    }
}

/// The paths below, and whether the level itself is a member.
fn decode_level(map: &Map, depth: usize) -> Result<(Set, bool), String> {
    if depth > DEPTH_MAX {
        return Err("fieldsV1 is nested too deeply".to_owned());
    }
    let mut nodes: Vec<Node> = Vec::with_capacity(map.len());
    let mut member = false;
    for (key, value) in map {
        if key == "." {
            member = true;
            continue;
        }
        let Some(element) = PathElement::decode(key)? else { continue };
        let (children, child_member) = match value {
            Value::Map(map) => decode_level(map, depth + 1)?,
            Value::Null => (Set::new(), true),
            other => return Err(format!("expected an object, not {}", other.kind_name())),
        };
        if child_member || !children.is_empty() {
            nodes.push(Node { element, member: child_member, children });
        }
    }
    let set = Set::from_nodes(nodes);
    let member = member || set.is_empty();
    Ok((set, member))
}
