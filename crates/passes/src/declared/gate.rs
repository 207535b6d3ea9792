//! Fields behind a feature gate: dropped while the gate is off, unless the stored object already
//! uses the field. Fields without a gate are never dropped.

use std::collections::BTreeSet;

use ordain_schema::NodeId;
use ordain_value::Value;

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
