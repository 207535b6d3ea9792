//! Declared warnings: what clients that set a field are told (KEP-5975).

use ordain_value::Value;

use super::DeclaredPlan;
use super::strip_zero::is_zero;
use super::walk::walk;

/// The warnings of the set fields, each with its place, in order and once.
#[must_use]
pub fn warnings(plan: &DeclaredPlan, object: &Value) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    if !plan.warnings.any(&plan.schema) {
        return out;
    }
    walk(&plan.schema, &plan.warnings, object, None, false, &mut |visit| {
        visit.own(|name, child, value| {
            let Some(declared) = plan.schema.node(child).declared.as_ref() else { return };
            if value.is_null() || (!declared.pointer && is_zero(value)) {
                return;
            }
            let place = visit.location().field(name).to_string();
            for text in &declared.warnings {
                let warning = format!("{place}: {text}");
                if !out.contains(&warning) {
                    out.push(warning);
                }
            }
        });
    });
    out
}
