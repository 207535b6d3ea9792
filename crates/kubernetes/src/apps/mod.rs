//! Kinds of the group `apps`.

pub(crate) mod controller_revision;
mod daemon_set;
mod deployment;
mod replica_set;
mod stateful_set;
pub(crate) mod workload;

use crate::native::Native;
pub(crate) use workload::warn_of_name;

pub(crate) fn all() -> Vec<Native> {
    vec![
        controller_revision::native(),
        daemon_set::native(),
        deployment::native(),
        replica_set::native(),
        stateful_set::native(),
    ]
}
