//! Admission policies: the rules that both kinds share.

use ordain_strategy::typed::printer;
use ordain_strategy::{Change, object};
use ordain_value::Value;
use ordain_value::field;

use super::{expressions, metadata};
use crate::native::Native;
use crate::shared::table::Described;
use crate::shared::{fields, table};

type Errors = field::ErrorList;

/// The column of parameters, which both kinds have.
pub(super) const PARAM_KIND: Described =
    ("ParamKind", "string", "The kind of objects that give parameters.");

pub(super) fn native(
    kind: &'static str,
    rules: Described,
    validate: fn(&Change<'_>) -> Errors,
) -> Native {
    let mut native = super::native(kind, &[&["spec"]], validate);
    native.columns = table::columns(&[rules, PARAM_KIND], &[]);
    native
}

/// The cells of a policy whose rules are in the given list.
pub(super) fn cells(policy: &Value, rules: &str, now: i64) -> Vec<Value> {
    let count = fields::list(policy, &["spec", rules]).len();
    let kind = match fields::at(policy, &["spec", "paramKind"]) {
        None => "<unset>".to_owned(),
        Some(kind) => {
            let text = |name: &str| fields::text(kind, &[name]);
            format!("{}/{}", text("apiVersion"), text("kind"))
        }
    };
    vec![
        object::name(policy).into(),
        i64::try_from(count).unwrap_or(i64::MAX).into(),
        kind.into(),
        printer::age(policy, now),
    ]
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
