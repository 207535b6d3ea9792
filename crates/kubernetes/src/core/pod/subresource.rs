//! The subresources of pods besides status, by their place in the configuration.

use ordain_strategy::typed::Fields;

pub(super) const EPHEMERAL_CONTAINERS: usize = 0;
pub(super) const RESIZE: usize = 1;
pub(super) const BINDING: usize = 2;

/// Each with the fields that it does not take from requests.
pub(super) const SUBRESOURCES: &[(&str, Fields)] =
    &[("ephemeralcontainers", &[]), ("resize", &[]), ("binding", &[]), ("eviction", &[])];
