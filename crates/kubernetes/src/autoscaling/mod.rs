//! Kinds of the group `autoscaling`.

mod horizontal_pod_autoscaler;

use crate::native::Native;

pub(crate) fn all() -> Vec<Native> {
    vec![horizontal_pod_autoscaler::native()]
}
