//! Kinds of the group `flowcontrol.apiserver.k8s.io`.

pub(crate) mod flow_schema;
pub(crate) mod priority_level_configuration;

use crate::native::Native;

pub(crate) fn all() -> Vec<Native> {
    vec![flow_schema::native(), priority_level_configuration::native()]
}
