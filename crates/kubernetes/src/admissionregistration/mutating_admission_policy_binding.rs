//! MutatingAdmissionPolicyBinding: where a policy changes what is written, and with which
//! parameters.

use super::binding;
use crate::native::Native;

pub(crate) fn native() -> Native {
    binding::native("MutatingAdmissionPolicyBinding")
}
