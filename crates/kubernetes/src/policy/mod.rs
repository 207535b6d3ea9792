//! Kinds of the group `policy`.

mod pod_disruption_budget;

use crate::native::Native;

pub(crate) fn all() -> Vec<Native> {
    vec![pod_disruption_budget::native()]
}
