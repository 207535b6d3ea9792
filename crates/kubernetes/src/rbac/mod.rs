//! Kinds of the group `rbac.authorization.k8s.io`.

mod role;
mod role_binding;

use crate::native::Native;

const GROUP: &str = "rbac.authorization.k8s.io";

pub(crate) fn all() -> Vec<Native> {
    vec![
        role::native(),
        role::cluster_native(),
        role_binding::native(),
        role_binding::cluster_native(),
    ]
}
