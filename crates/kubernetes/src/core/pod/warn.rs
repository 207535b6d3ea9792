//! Advice on pods and their templates.

use ordain_strategy::Warnings;
use ordain_value::Value;
use ordain_value::field::Path;

/// Advice on a template.
pub(super) fn of_template(
    _template: &Value,
    _path: &Path<'_>,
    _old: Option<&Value>,
    _warnings: &mut Warnings,
) {
}
