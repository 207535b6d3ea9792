//! Kinds of the group `coordination.k8s.io`.

mod lease;

use crate::native::Native;

pub(crate) fn all() -> Vec<Native> {
    vec![lease::native()]
}
