//! ValidatingAdmissionPolicyBinding: where a policy judges, with which parameters, and what
//! follows from a violation.

use ordain_strategy::Change;
use ordain_value::field::{self, Path};

use super::binding;
use crate::native::Native;
use crate::shared::{fields, internal};

const ACTIONS: [&str; 3] = ["Audit", "Deny", "Warn"];

pub(crate) fn native() -> Native {
    binding::native("ValidatingAdmissionPolicyBinding", validate)
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = binding::validate(change);
    let Some(spec) = fields::at(change.object, &["spec"]) else { return errors };
    let path = Path::new("spec");
    let path = path.child("validationActions");
    let actions = fields::texts(spec, &["validationActions"]);
    for (at, action) in actions.iter().enumerate() {
        if !ACTIONS.contains(action) {
            errors.push(field::Error::not_supported(&path.index(at), *action, &ACTIONS));
        }
        if actions.iter().take(at).any(|earlier| earlier == action) {
            errors.push(field::Error::duplicate(&path.index(at), *action));
        }
    }
    if actions.is_empty() {
        let why = "at least one validation action is required";
        errors.push(field::Error::required(&path, why));
    }
    if actions.contains(&"Deny") && actions.contains(&"Warn") {
        let why = "must not contain both Deny and Warn (repeating the same validation failure \
                   information in the API response and headers serves no purpose)";
        let value = internal::given(spec, "validationActions");
        errors.push(field::Error::invalid(&path, value, why));
    }
    errors
}
