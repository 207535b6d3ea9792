//! MutatingAdmissionPolicyBinding: where a policy changes what is written, and with which
//! parameters.

use ordain_strategy::Change;
use ordain_value::field::{ErrorList, Path};

use super::{binding, matching};
use crate::native::Native;
use crate::shared::fields;

pub(crate) fn native() -> Native {
    binding::native("MutatingAdmissionPolicyBinding", validate)
}

fn validate(change: &Change<'_>) -> ErrorList {
    let mut errors = binding::validate(change);
    if let Some(resources) = fields::at(change.object, &["spec", "matchResources"]) {
        let path = Path::new("spec.matchResources");
        matching::mutable_operations(resources, &path, &mut errors);
    }
    errors
}
