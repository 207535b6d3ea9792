//! Kinds of the group `scheduling.k8s.io`.

pub(crate) mod priority_class;

use crate::native::Native;

pub(crate) fn all() -> Vec<Native> {
    vec![priority_class::native()]
}
