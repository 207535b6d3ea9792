//! Pods as workloads describe them: a template of metadata and spec.

use ordain_strategy::Warnings;
use ordain_value::Value;
use ordain_value::field::{BadValue, ErrorList, Path};

pub(crate) use super::options::PodOptions;
use super::{advice, default, gates, shown, spec};
use crate::shared::access::part;

/// Fills in the defaults of a template that depend on other fields.
pub(crate) fn default(template: &mut Value) {
    if let Some(spec) = template.get_mut("spec") {
        default::spec(spec);
    }
}

/// Drops fields whose gate is off, unless the old template has them.
pub(crate) fn drop_disabled(template: &mut Value, old: Option<&Value>) {
    if let Some(spec) = template.get_mut("spec") {
        gates::drop_disabled(spec, old.map(|it| part(it, "spec")));
    }
}

/// Everything that is wrong with a template.
pub(crate) fn validate(template: &Value, path: &Path<'_>, options: &PodOptions) -> ErrorList {
    spec::check_template(template, path, options)
}

/// Advice on a template.
pub(crate) fn warn(
    template: &Value,
    path: &Path<'_>,
    old: Option<&Value>,
    warnings: &mut Warnings,
) {
    advice::of_template(template, path, old, warnings);
}

/// A template as messages show it.
pub(crate) fn shown(template: &Value) -> BadValue {
    shown::template(template)
}

/// The spec of a template as messages show it.
pub(crate) fn shown_spec(spec: &Value) -> BadValue {
    shown::spec(spec)
}
