//! Admission policies: the rules that both kinds share.

use ordain_strategy::Change;
use ordain_value::Value;
use ordain_value::field;

use super::{expressions, metadata};
use crate::shared::fields;
use crate::shared::table::Cell::Of;
use crate::shared::table::Described;

type Errors = field::ErrorList;

/// The column of parameters, which both kinds have.
pub(super) const PARAM_KIND: Described =
    ("ParamKind", "string", 0, "The kind of objects that give parameters.", Of(param_kind));

fn param_kind(policy: &Value) -> Value {
    let Some(kind) = fields::at(policy, &["spec", "paramKind"]) else { return "<unset>".into() };
    let text = |name: &str| fields::text(kind, &[name]);
    format!("{}/{}", text("apiVersion"), text("kind")).into()
}

/// The rules of metadata and expressions. Match conditions that stayed are not judged again.
pub(super) fn validate(change: &Change<'_>) -> Errors {
    let mut errors = metadata(change);
    let same = same_conditions(change);
    let judged = |path: &str| !same || !path.starts_with("spec.matchConditions");
    errors.extend(expressions::validate(change, judged));
    errors
}

/// Whether the conditions and what they are given stayed.
fn same_conditions(change: &Change<'_>) -> bool {
    let Some(old) = change.old else { return false };
    let same =
        |name: &str| fields::at(change.object, &["spec", name]) == fields::at(old, &["spec", name]);
    same("paramKind") && same("matchConditions")
}
