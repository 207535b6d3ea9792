//! Kinds of the group `autoscaling`.

mod behavior;
mod conversion;
mod horizontal_pod_autoscaler;
mod metric_v1;
mod targets;

use crate::native::Native;

pub(crate) fn all() -> Vec<Native> {
    vec![horizontal_pod_autoscaler::native()]
}
