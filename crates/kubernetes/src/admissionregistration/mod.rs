//! Kinds of the group `admissionregistration.k8s.io`: who is asked about writes, and when.
//!
//! Expressions are compiled elsewhere: see [`expressions`].

mod binding;
pub mod expressions;
mod mutating_admission_policy;
mod mutating_admission_policy_binding;
mod mutating_webhook_configuration;
mod policy;
mod validating_admission_policy;
mod validating_admission_policy_binding;
mod validating_webhook_configuration;
pub(crate) mod webhook;

use ordain_meta::name;
use ordain_meta::object_meta::{self, ObjectMeta};
use ordain_strategy::typed::{Hooks, Lifecycle};
use ordain_strategy::{Change, Policy, Warnings, object};
use ordain_value::field::{self, Path};

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

const GROUP: &str = "admissionregistration.k8s.io";

/// What all kinds of the group have in common.
fn native(
    kind: &'static str,
    counted: &'static [&'static [&'static str]],
    validate: fn(&Change<'_>) -> field::ErrorList,
) -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.lifecycle = Lifecycle::Counted(counted);
    hooks.warn = warn_of_suffix;
    Native { policy: Policy::default(), hooks, reset: &[], ..Native::new(GROUP, kind) }
}

/// The rules of metadata; unlike other groups this one repeats all of them on updates.
fn metadata(change: &Change<'_>) -> field::ErrorList {
    let meta = ObjectMeta::of(change.object);
    object_meta::validate(meta, false, name::subdomain_rule, &Path::new("metadata"))
}

/// Names of objects that are read from files; the API may not use them for long.
const STATIC_SUFFIX: &str = ".static.k8s.io";

fn warn_of_suffix(change: &Change<'_>, warnings: &mut Warnings) {
    if object::name(change.object).ends_with(STATIC_SUFFIX) {
        warnings.add(format!(
            "metadata.name: names ending with \"{STATIC_SUFFIX}\" are reserved for static \
             manifest-based configurations and cannot be managed via the API"
        ));
    }
}
