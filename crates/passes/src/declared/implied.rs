//! Defaults that follow from Go's shapes rather than from a tag: a struct that is no pointer is
//! always there. They hold whether or not declared defaults are switched on.

use std::sync::Arc;

use ordain_schema::{Node, Presence, Schema, Type};
use ordain_value::Value;

/// The schema with no defaults but the implied `{}` of structs; what a tag wrote is left out.
#[must_use]
pub fn implied_defaults_only(schema: &Arc<Schema>) -> Arc<Schema> {
    let written = |node: &Node| node.default.is_some() && !is_implied(node);
    if !schema.nodes().iter().any(written) {
        return Arc::clone(schema);
    }
    let ids: Vec<_> = schema.iter().filter(|(_, node)| written(node)).map(|it| it.0).collect();
    let mut out = Schema::clone(schema);
    ids.into_iter().for_each(|id| out.node_mut(id).default = None);
    Arc::new(out)
}

/// A map's zero value counts as absent and a pointer may be nil; a plain struct is neither.
fn is_implied(node: &Node) -> bool {
    let is_struct = node
        .declared
        .as_ref()
        .is_some_and(|it| it.presence == Presence::GoZero && !it.pointer && !it.strip_zero);
    let empty = matches!(&node.default, Some(Value::Map(map)) if map.is_empty());
    node.ty == Type::Object && is_struct && empty
}
