//! Declared warnings (KEP-5975): what clients that set a field, or use a type or a kind, are warned of.

use ordain_value::Value;

use super::DeclaredPlan;
use super::strip_zero::is_zero;
use super::walk::walk_values;

/// The warnings of what is set, each with its place, in order and once. A warning of a type is
/// given wherever the type is used: by fields, items of lists, values of maps, and the kind itself.
#[must_use]
pub fn warnings(plan: &DeclaredPlan, object: &Value) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    if !plan.warnings.any(&plan.schema) {
        return out;
    }
    walk_values(&plan.schema, &plan.warnings, object, None, &mut |node, value, _, place| {
        let Some(declared) = node.declared.as_deref().filter(|it| !it.warnings.is_empty()) else {
            return;
        };
        let place = place();
        if value.is_null() || (place.is_field() && !declared.pointer && is_zero(value)) {
            return;
        }
        for text in &declared.warnings {
            let warning = match place.0.is_empty() {
                true => text.to_string(),
                false => format!("{place}: {text}"),
            };
            if !out.contains(&warning) {
                out.push(warning);
            }
        }
    });
    out
}
