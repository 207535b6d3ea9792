//! A verdict without words: whether a value surely passes.
//!
//! Nearly every value does, so this is the walk that counts. It keeps no place and renders nothing. When it stops
//! it leaves behind the way to where it stopped, and the walk that explains takes over from there: what stands
//! before is known to be sound and is not looked at again.

use ordain_schema::Type;
use ordain_value::{List, Map, Value};

use super::checks::Checks;
use crate::plan::{Additional, DEPTH_MAX, Plan, PlanNode};

/// As many branches of a scalar are tried without being counted.
const BRANCHES_MAX: usize = 64;

/// The way from a value down to what stopped the verdict; the innermost first.
#[derive(Debug, Default)]
pub(super) struct Trail(Vec<Stop>);

/// Where in an object or list the verdict stopped: what stands before is sound.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stop {
    /// The position; beyond the last when it is something about the whole that is not sound.
    pub(super) at: usize,
    /// Required properties before it.
    pub(super) required: usize,
    /// Declared properties that were passed.
    pub(super) swept: usize,
}

impl Trail {
    /// Where to go on in this value; at its start when nothing is known.
    pub(super) fn next(&mut self) -> Option<Stop> {
        self.0.pop()
    }

    #[cold]
    fn stop(&mut self, stop: Stop) -> bool {
        self.0.push(stop);
        false
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Whether a value surely passes. No means only that it has to be looked at with care.
#[inline]
pub(super) fn sound(
    plan: &Plan,
    node: &PlanNode,
    value: &Value,
    depth: usize,
    trail: &mut Trail,
) -> bool {
    match value {
        Value::Map(map) => {
            node.glance.free.has(value)
                || (node.plain
                    && node.ty == Type::Object
                    && depth < DEPTH_MAX
                    && sound_object(plan, node, map, depth, trail))
        }
        Value::List(list) => {
            node.glance.free.has(value)
                || (node.plain
                    && node.ty == Type::Array
                    && depth < DEPTH_MAX
                    && sound_list(plan, node, list, depth, trail))
        }
        _ => sound_scalar(plan, node, value),
    }
}

fn sound_object(plan: &Plan, node: &PlanNode, map: &Map, depth: usize, trail: &mut Trail) -> bool {
    let entries = map.entries();
    let checks = node.checks.as_deref().and_then(|it| it.object.as_deref());
    if checks.is_some_and(|it| !it.len.pass(entries.len())) {
        return false;
    }
    let mut required = 0_usize;
    let mut sweep = node.properties.sweep();
    for (at, (key, value)) in entries.iter().enumerate() {
        let (child, is_required, before) = match sweep.find(key) {
            Some(property) => {
                if property.glance.passes(value) {
                    required += usize::from(property.required);
                    continue;
                }
                (property.node, property.required, 1)
            }
            None => match node.additional {
                Additional::Node(id) => (id, false, 0),
                Additional::Absent | Additional::Any => continue,
                Additional::Forbidden => {
                    let swept = node.properties.entries().len() - sweep.ahead();
                    return trail.stop(Stop { at, required, swept });
                }
            },
        };
        if !sound(plan, plan.node(child), value, depth + 1, trail) {
            // The walk that explains finds the property of this value again.
            let swept = node.properties.entries().len() - sweep.ahead() - before;
            return trail.stop(Stop { at, required, swept });
        }
        required += usize::from(is_required);
    }
    if checks.is_some_and(|it| it.required_declared != Some(required)) {
        let swept = node.properties.entries().len();
        return trail.stop(Stop { at: entries.len(), required, swept });
    }
    true
}

fn sound_list(plan: &Plan, node: &PlanNode, list: &List, depth: usize, trail: &mut Trail) -> bool {
    let items = list.as_slice();
    let checks = node.checks.as_deref().and_then(|it| it.list.as_ref());
    if checks.is_some_and(|it| it.unique_items || !it.len.pass(items.len())) {
        return false;
    }
    let Some(node) = node.items.map(|id| plan.node(id)) else {
        return true;
    };
    for (at, item) in items.iter().enumerate() {
        if !sound(plan, node, item, depth + 1, trail) {
            return trail.stop(Stop { at, ..Stop::default() });
        }
    }
    true
}

#[inline]
pub(super) fn sound_scalar(plan: &Plan, node: &PlanNode, value: &Value) -> bool {
    match value {
        Value::Int(int) if node.ints.0 <= *int && *int <= node.ints.1 => return true,
        _ if node.glance.passes(value) => return true,
        _ => {}
    }
    let Some(checks) = node.checks.as_deref() else {
        return false;
    };
    match value {
        Value::Str(text) if matches!(node.ty, Type::String | Type::IntOrString) => {
            checks.pass_text(text)
                && checks.enumeration.as_deref().is_none_or(|it| it.has(value))
                && sound_branches(plan, checks, value)
        }
        Value::Int(_) if node.ty == Type::IntOrString => {
            checks.number.is_none()
                && checks.enumeration.is_none()
                && sound_branches(plan, checks, value)
        }
        Value::Int(_) if matches!(node.ty, Type::Integer | Type::Number) => {
            checks.number.is_none()
                && checks.enumeration.as_deref().is_some_and(|it| it.has(value))
                && checks.junctors.is_none()
        }
        _ => false,
    }
}

/// Junctors of a scalar that are settled by branches which surely pass.
fn sound_branches(plan: &Plan, checks: &Checks, value: &Value) -> bool {
    let Some(junctors) = checks.junctors.as_deref() else {
        return true;
    };
    let passes = |id: &crate::plan::Id| {
        let branch = plan.node(*id);
        branch.plain && sound_branch(branch, value)
    };
    // More branches are counted while they are tried.
    junctors.any_of.len() + junctors.all_of.len() <= BRANCHES_MAX
        && junctors.one_of.is_empty()
        && junctors.not.is_none()
        && (junctors.any_of.is_empty() || junctors.any_of.iter().any(passes))
        && junctors.all_of.iter().all(passes)
}

/// Branches often have no type of their own.
fn sound_branch(branch: &PlanNode, value: &Value) -> bool {
    branch.glance.passes(value)
        || match value {
            Value::Str(text) => {
                matches!(branch.ty, Type::Any | Type::String)
                    && branch.checks.as_deref().is_some_and(|it| it.pass_text(text))
            }
            _ => false,
        }
}
