//! Kinds of the group `flowcontrol.apiserver.k8s.io`.

mod condition;
mod flow_schema;
mod priority_level_configuration;

use crate::native::Native;

pub(crate) fn all() -> Vec<Native> {
    vec![flow_schema::native(), priority_level_configuration::native()]
}
