//! What a job does: what jobs and the templates of cron jobs share.

use ordain_strategy::Warnings;
use ordain_value::Value;
use ordain_value::field::Path;

use crate::core::pod::template;
use crate::shared::fields;

/// Whether the pods of a job have indexes.
fn is_indexed(spec: &Value) -> bool {
    fields::text(spec, &["completionMode"]) == "Indexed"
}

/// Advice on a spec at a path.
pub(super) fn warn(spec: &Value, path: &str, old: Option<&Value>, warnings: &mut Warnings) {
    let above = |name: &str, limit: i64| fields::count(spec, &[name]) > limit;
    if is_indexed(spec) && above("completions", 100_000) && above("parallelism", 10_000) {
        warnings.add(format!(
            "{path}: In Indexed Jobs with a number of completions higher than 10^5 and a \
             parallelism higher than 10^4, Kubernetes might not be able to track \
             completedIndexes when a big number of indexes fail"
        ));
    }
    if let Some(template) = fields::at(spec, &["template"]) {
        let old = old.and_then(|old| fields::at(old, &["template"]));
        let path = Path::new(path);
        template::warn(template, &path.child("template"), old, warnings);
    }
}
