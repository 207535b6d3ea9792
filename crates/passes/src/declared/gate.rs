//! Fields behind a feature gate: dropped while the gate is off, unless the stored object already
//! uses the field. Fields without a gate are never dropped.

use std::collections::BTreeSet;

use std::sync::Arc;

use ordain_schema::{NodeId, Schema};
use ordain_value::{Text, Value};

use super::DeclaredPlan;
use super::strip_zero::is_zero;
use super::walk::{Location, walk};

/// Drops the set fields whose gates are not all on; fields that `old` uses anywhere stay.
/// Returns what was dropped.
pub fn drop_disabled(
    plan: &DeclaredPlan,
    is_on: &dyn Fn(&str) -> bool,
    new: &mut Value,
    old: Option<&Value>,
) -> Vec<Location> {
    if !plan.has_gates() {
        return Vec::new();
    }
    let mut dropped: Vec<(NodeId, Location)> = Vec::new();
    disabled_in_use(plan, is_on, new, &mut |id, location| dropped.push((id, location())));
    if dropped.is_empty() {
        return Vec::new();
    }
    let mut in_use = BTreeSet::new();
    if let Some(old) = old {
        disabled_in_use(plan, is_on, old, &mut |id, _| {
            in_use.insert(id);
        });
    }
    dropped.retain(|(id, _)| !in_use.contains(id));
    // Children come after their parents, so removing in reverse never misses one.
    for (_, location) in dropped.iter().rev() {
        location.remove_from(new);
    }
    dropped.into_iter().map(|(_, location)| location).collect()
}

/// The schema while some gates are off: their fields are neither defaulted nor required, since
/// nobody may be expected to set them and nothing may bring them into being. The same schema when
/// there are none.
#[must_use]
pub fn while_off(schema: &Arc<Schema>, is_on: &dyn Fn(&str) -> bool) -> Arc<Schema> {
    let is_off = |id: NodeId| {
        let declared = schema.node(id).declared.as_ref();
        declared.is_some_and(|it| !it.gates.iter().all(|gate| is_on(gate)))
    };
    let mut closed: Vec<(NodeId, &Text, NodeId)> = Vec::new();
    for (owner, node) in schema.iter() {
        let fields = node.properties.iter().filter(|(_, id)| is_off(*id));
        closed.extend(fields.map(|(name, id)| (owner, name, *id)));
    }
    if closed.is_empty() {
        return Arc::clone(schema);
    }
    let mut out = Schema::clone(schema);
    for (owner, name, id) in closed {
        out.node_mut(id).default = None;
        if let Some(validation) = out.node_mut(owner).validation.as_mut() {
            validation.required.retain(|it| it != name);
        }
    }
    Arc::new(out)
}

/// Reports every set field of an object that a gate disables.
fn disabled_in_use(
    plan: &DeclaredPlan,
    is_on: &dyn Fn(&str) -> bool,
    object: &Value,
    report: &mut dyn FnMut(NodeId, &dyn Fn() -> Location),
) {
    walk(&plan.schema, &plan.gates, object, None, false, &mut |visit| {
        visit.own(|name, id, value| {
            let Some(declared) = plan.schema.node(id).declared.as_ref() else { return };
            // A pointer is used as soon as it is set; a plain field only with a non-zero value.
            let in_use = !value.is_null() && (declared.pointer || !is_zero(value));
            if in_use && !declared.gates.iter().all(|it| is_on(it)) {
                report(id, &|| visit.location().field(name));
            }
        });
    });
}
