//! Kinds of the group `discovery.k8s.io`.

pub(crate) mod endpoint_slice;

use crate::native::Native;

pub(crate) fn all() -> Vec<Native> {
    vec![endpoint_slice::native()]
}
