//! ValidatingAdmissionPolicyBinding: where a policy judges, with which parameters, and what
//! follows from a violation.

use super::binding;
use crate::native::Native;

pub(crate) fn native() -> Native {
    binding::native("ValidatingAdmissionPolicyBinding")
}
