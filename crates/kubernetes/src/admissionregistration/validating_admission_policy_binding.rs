//! ValidatingAdmissionPolicyBinding.

use crate::native::Native;

pub(crate) fn native() -> Native {
    Native::new("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding")
}
