//! MutatingAdmissionPolicy: changes in CEL that are made to what is written.

use super::policy;
use crate::native::Native;

pub(crate) fn native() -> Native {
    let rules = ("Mutations", "integer", "How many changes there are.");
    let mut native = policy::native("MutatingAdmissionPolicy", rules, policy::validate);
    native.hooks.cells = |object, now| policy::cells(object, "mutations", now);
    native
}
