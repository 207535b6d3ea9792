//! What only declared kinds (Go types, Rust types) and gated CRD extensions do to an object:
//! strip zero values, normalize and check unions, drop fields whose feature gate is off, check
//! the formats of KEP-4153, give warnings and custom error texts.
//!
//! Each pass first reads the object and lists what it would change, then changes just that: an
//! object with nothing to change is not copied, and subtrees whose schema has nothing to say are
//! not visited at all.

pub mod format;
pub mod gate;
pub mod native;
pub mod strip_zero;
pub mod text;
pub mod union;
mod walk;
pub mod warning;

use std::sync::Arc;

use ordain_schema::{Node, NodeId, Schema};

pub use walk::{Location, Step};

/// Which parts of a schema the declared passes have to visit; compiled once per kind and version.
#[derive(Clone, Debug)]
pub struct DeclaredPlan {
    schema: Arc<Schema>,
    unions: Interest,
    gates: Interest,
    zeros: Interest,
    formats: Interest,
    warnings: Interest,
    texts: Interest,
}

/// For every node: is there something to do at it or below it?
#[derive(Clone, Debug)]
pub(crate) struct Interest(Vec<bool>);

impl Interest {
    /// Spreads the interest of nodes to their ancestors, through recursive types too.
    fn compile(schema: &Schema, wanted: impl Fn(&Schema, &Node) -> bool) -> Self {
        let mut parents: Vec<Vec<NodeId>> = vec![Vec::new(); schema.nodes().len()];
        let mut marked = vec![false; schema.nodes().len()];
        let mut pending = Vec::new();
        for (id, node) in schema.iter() {
            for child in node.children() {
                parents[child.index()].push(id);
            }
            if wanted(schema, node) {
                marked[id.index()] = true;
                pending.push(id);
            }
        }
        while let Some(id) = pending.pop() {
            for parent in &parents[id.index()] {
                if !std::mem::replace(&mut marked[parent.index()], true) {
                    pending.push(*parent);
                }
            }
        }
        Interest(marked)
    }

    fn any(&self, schema: &Schema) -> bool {
        self.has(schema.root())
    }

    pub(crate) fn has(&self, id: NodeId) -> bool {
        self.0.get(id.index()).copied().unwrap_or(false)
    }
}

impl DeclaredPlan {
    /// Finds what the declared passes have to visit.
    pub fn compile(schema: &Arc<Schema>) -> Self {
        let any_property = |schema: &Schema, node: &Node, wanted: fn(&Node) -> bool| {
            node.properties.iter().any(|(_, id)| wanted(schema.node(*id)))
        };
        DeclaredPlan {
            unions: Interest::compile(schema, |_, node| {
                node.declared.as_ref().is_some_and(|it| !it.unions.is_empty())
            }),
            gates: Interest::compile(schema, |schema, node| {
                any_property(schema, node, |it| {
                    it.declared.as_ref().is_some_and(|it| !it.gates.is_empty())
                })
            }),
            formats: Interest::compile(schema, |_, node| format::of(node).is_some()),
            warnings: Interest::compile(schema, |schema, node| {
                any_property(schema, node, |it| {
                    it.declared.as_ref().is_some_and(|it| !it.warnings.is_empty())
                })
            }),
            texts: Interest::compile(schema, |_, node| {
                node.declared.as_ref().is_some_and(|it| !it.texts.is_empty())
            }),
            zeros: Interest::compile(schema, |schema, node| {
                any_property(schema, node, |it| {
                    it.declared.as_ref().is_some_and(|it| it.strip_zero)
                })
            }),
            schema: Arc::clone(schema),
        }
    }

    /// True if none of the declared passes has anything to do for this schema.
    pub fn is_idle(&self) -> bool {
        !(self.has_unions() || self.has_gates() || self.zeros.any(&self.schema))
    }

    /// The schema that was compiled.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// True if the schema has unions.
    pub fn has_unions(&self) -> bool {
        self.unions.any(&self.schema)
    }

    /// True if the schema has gated fields.
    pub fn has_gates(&self) -> bool {
        self.gates.any(&self.schema)
    }
}
