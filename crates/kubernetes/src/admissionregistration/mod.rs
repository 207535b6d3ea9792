//! Kinds of the group `admissionregistration.k8s.io`.

mod mutating_admission_policy;
mod mutating_admission_policy_binding;
mod mutating_webhook_configuration;
mod validating_admission_policy;
mod validating_admission_policy_binding;
mod validating_webhook_configuration;

use crate::native::Native;

pub(crate) fn all() -> Vec<Native> {
    vec![
        mutating_admission_policy::native(),
        mutating_admission_policy_binding::native(),
        mutating_webhook_configuration::native(),
        validating_admission_policy::native(),
        validating_admission_policy_binding::native(),
        validating_webhook_configuration::native(),
    ]
}
