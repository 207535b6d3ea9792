//! Kinds of the group `node.k8s.io`.

mod runtime_class;

use crate::native::Native;

pub(crate) fn all() -> Vec<Native> {
    vec![runtime_class::native()]
}
