//! Running the steps on a value.

use super::Defaults;
use super::tree::{CallNode, DefaultValue};
use crate::gojson::{self, GoValue};

/// Steps inside steps. Calls of root types by root types follow the value, whose depth is bounded.
const DEPTH_MAX: u32 = 2000;

impl Defaults<'_> {
    /// Runs a step and those below it; upstream's `WriteMethod`.
    pub(super) fn run(
        &self,
        node: &CallNode,
        owner: &mut GoValue,
        depth: u32,
    ) -> Result<(), String> {
        if depth > DEPTH_MAX {
            return Err("defaults nested too deeply".into());
        }
        let variable = match node.field {
            None => owner,
            Some(position) => match gojson::field_mut(owner, position) {
                Some(field) => field,
                // The owner is nil or opaque: nothing to default.
                None => return Ok(()),
            },
        };
        if node.elem && !node.index && depth > 0 && matches!(variable, GoValue::Nil) {
            return Ok(());
        }
        if node.index {
            if let GoValue::List(items) = variable {
                for item in items {
                    apply_default(node, item);
                    self.below(node, item, depth)?;
                }
            }
            return Ok(());
        }
        if node.key {
            if let GoValue::Map(entries) = variable {
                for value in entries.values_mut() {
                    apply_default(node, value);
                }
            }
            return Ok(());
        }
        apply_default(node, variable);
        self.below(node, variable, depth)
    }

    fn below(&self, node: &CallNode, variable: &mut GoValue, depth: u32) -> Result<(), String> {
        if let Some(named) = node.call
            && let Some(root) = self.roots.get(&self.universe.qualified(named))
        {
            self.run(&root.tree, variable, depth + 1)?;
        }
        for child in node.children.iter() {
            self.run(child, variable, depth + 1)?;
        }
        Ok(())
    }
}

fn apply_default(node: &CallNode, variable: &mut GoValue) {
    let Some(default) = &node.default else { return };
    match default.as_ref() {
        DefaultValue::Scalar { value, pointers: 0 } => {
            if gojson::is_zero(variable) {
                *variable = value.clone();
            }
        }
        DefaultValue::Scalar { value, pointers } => {
            if matches!(variable, GoValue::Nil) {
                let mut made = value.clone();
                for _ in 0..*pointers {
                    made = GoValue::Pointer(Box::new(made));
                }
                *variable = made;
            }
        }
        DefaultValue::Whole(value) => {
            if matches!(variable, GoValue::Nil | GoValue::Raw(ordain_value::Value::Null)) {
                *variable = value.clone();
            }
        }
    }
}
