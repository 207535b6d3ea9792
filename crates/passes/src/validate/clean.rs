//! One walk for nearly every new object: nothing in it is unknown or a disallowed null, and the schema has
//! nothing against it. Then pruning, nulls and the schema's checks need no walk of their own.
//!
//! The verdict is about what the object will be when it is validated: a server still drops the status and fills
//! in metadata. Where a check could see that, and in all rare cases, the answer is no.

use ordain_schema::Type;
use ordain_value::{List, Map, Value};

use super::sound::sound_scalar;
use crate::plan::{Additional, DEPTH_MAX, Plan, PlanNode};
use crate::prune::is_meta_field;

/// What one walk tells of a new object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clean {
    /// Surely nothing in it is unknown or a disallowed null.
    pub(crate) pruned: bool,
    /// Surely the schema has nothing against it.
    pub(crate) sound: bool,
}

impl Plan {
    /// Looks at a new object that has its defaults.
    pub(crate) fn clean(&self, object: &Value) -> Clean {
        let mut walk = Walk { plan: self, sound: true };
        let pruned = match object {
            Value::Map(map) => !self.node(self.root).embedded && walk.root(map),
            _ => false,
        };
        Clean { pruned, sound: pruned && walk.sound }
    }
}

struct Walk<'p> {
    plan: &'p Plan,
    sound: bool,
}

/// All of it tells whether what was seen is free of unknown fields and nulls; the walk ends when it is not.
impl Walk<'_> {
    /// The fields that every resource has are passed over where the schema does not look at them.
    fn root(&mut self, map: &Map) -> bool {
        let root = self.plan.node(self.plan.root);
        self.sound = root.plain && root.ty == Type::Object;
        let mut required = 0;
        let mut sweep = root.properties.sweep();
        for (key, value) in map {
            let Some(property) = sweep.find(key) else {
                if is_meta_field(key) {
                    continue;
                }
                return false;
            };
            required += usize::from(property.required);
            match key.as_str() {
                "metadata" => self.sound &= property.glance.free.has(value),
                _ if !self.value(self.plan.node(property.node), value, 1) => return false,
                "status" => self.sound &= !property.required,
                _ => {}
            }
        }
        // A field may still come or go.
        self.object(root, [map.len().saturating_sub(1), map.len() + 1], required);
        true
    }

    fn value(&mut self, node: &PlanNode, value: &Value, depth: usize) -> bool {
        match value {
            Value::Null => {
                self.sound &= node.glance.passes(value);
                node.nullable
            }
            Value::Map(map) => {
                self.of_type(node, Type::Object, value);
                // An embedded resource has metadata of its own, which takes its shape.
                depth < DEPTH_MAX && !node.embedded && self.map(node, map, depth)
            }
            Value::List(list) => {
                self.of_type(node, Type::Array, value);
                depth < DEPTH_MAX && self.list(node, list, depth)
            }
            _ => {
                self.sound = self.sound && sound_scalar(self.plan, node, value);
                true
            }
        }
    }

    /// Whether there is more to check of a map or a list than what is in it.
    fn of_type(&mut self, node: &PlanNode, ty: Type, value: &Value) {
        self.sound &= (node.plain && node.ty == ty) || node.glance.free.has(value);
    }

    /// How many fields there are, at least and at most, and how many of the required ones.
    fn object(&mut self, node: &PlanNode, lengths: [usize; 2], required: usize) {
        if let Some(checks) = node.checks.as_deref().and_then(|it| it.object.as_deref()) {
            self.sound &= lengths.iter().all(|it| checks.len.pass(*it));
            self.sound &= checks.required_declared == Some(required);
        }
    }

    fn map(&mut self, node: &PlanNode, map: &Map, depth: usize) -> bool {
        let mut required = 0;
        let mut sweep = node.properties.sweep();
        for (key, value) in map {
            let is_nested = matches!(value, Value::Map(_) | Value::List(_) | Value::Null);
            let passes = match (sweep.find(key), node.additional) {
                (Some(property), _) => {
                    required += usize::from(property.required);
                    (!is_nested && property.glance.passes(value))
                        || self.value(self.plan.node(property.node), value, depth + 1)
                }
                (None, Additional::Node(id)) => self.value(self.plan.node(id), value, depth + 1),
                (None, Additional::Any) => !is_nested,
                (None, Additional::Absent) => node.preserve_unknown,
                (None, Additional::Forbidden) => false,
            };
            if !passes {
                return false;
            }
        }
        self.object(node, [map.len(), map.len()], required);
        true
    }

    fn list(&mut self, node: &PlanNode, list: &List, depth: usize) -> bool {
        if let Some(checks) = node.checks.as_deref().and_then(|it| it.list.as_ref()) {
            self.sound &= !checks.unique_items && checks.len.pass(list.len());
        }
        match node.items.map(|id| self.plan.node(id)) {
            Some(items) => list.iter().all(|it| self.value(items, it, depth + 1)),
            None => !list.iter().any(|it| matches!(it, Value::Map(_) | Value::List(_))),
        }
    }
}
