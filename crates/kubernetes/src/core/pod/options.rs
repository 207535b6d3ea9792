//! What the old object used already, and may go on using.

use ordain_value::Value;

/// Rules that are relaxed because the object that is replaced broke them before.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PodOptions {
    /// The object is a pod itself, not a template of one.
    pub(crate) is_pod: bool,
    pub(crate) allow_indivisible_huge_pages: bool,
    pub(crate) allow_invalid_selector_value: bool,
    pub(crate) allow_invalid_node_affinity_value: bool,
    pub(crate) allow_invalid_spread_selector: bool,
    pub(crate) old_breaks_match_label_keys: bool,
    pub(crate) allow_nonlocal_token_path: bool,
    pub(crate) allow_host_sysctls: bool,
    pub(crate) allow_devices_with_user_namespaces: bool,
    pub(crate) allow_invalid_deletion_cost: bool,
    pub(crate) allow_comparing_tolerations: bool,
    pub(crate) allow_host_network_user_namespaces: bool,
    pub(crate) allow_init_restart_container: bool,
}

impl PodOptions {
    /// What an old pod or template (metadata and spec) lets a new one do.
    pub(crate) fn of(_new: Option<&Value>, _old: Option<&Value>) -> Self {
        Self::default()
    }
}
