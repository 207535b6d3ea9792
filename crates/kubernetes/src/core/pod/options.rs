//! What the old object used already, and may go on using.

use ordain_value::Value;

use super::{affinity, annotations, containers, projected, security, topology};
use crate::shared::access::{entries, flag, flag_of, items, part, some, text};
use crate::shared::resources;

/// Rules that are relaxed because the object that is replaced broke them before.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a rule of its own")]
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
    pub(crate) allow_any_selinux_change_policy: bool,
}

impl PodOptions {
    /// What an old pod or template (metadata and spec) lets a new one do.
    pub(crate) fn of(_new: Option<&Value>, old: Option<&Value>) -> Self {
        let Some(old) = old else { return Self::default() };
        let spec = part(old, "spec");
        let own_users = flag_of(spec, "hostUsers") == Some(false);
        let sysctls = items(part(spec, "securityContext"), "sysctls");
        Self {
            is_pod: false,
            allow_indivisible_huge_pages: has_indivisible_huge_pages(spec),
            allow_invalid_selector_value: affinity::has_invalid_pod_value(spec),
            allow_invalid_node_affinity_value: affinity::has_invalid_node_value(spec),
            allow_invalid_spread_selector: topology::has_invalid_selector(spec),
            old_breaks_match_label_keys: topology::breaks_label_keys(spec),
            allow_nonlocal_token_path: items(spec, "volumes")
                .iter()
                .any(projected::has_nonlocal_token),
            allow_host_sysctls: sysctls
                .iter()
                .any(|it| security::host_sysctl_problem(spec, text(it, "name")).is_some()),
            allow_devices_with_user_namespaces: own_users
                && any_container(spec, |it| !items(it, "volumeDevices").is_empty()),
            allow_invalid_deletion_cost: annotations::has_invalid_deletion_cost(old),
            allow_comparing_tolerations: items(spec, "tolerations")
                .iter()
                .any(|it| matches!(text(it, "operator"), "Lt" | "Gt")),
            allow_host_network_user_namespaces: own_users && flag(spec, "hostNetwork"),
            allow_init_restart_container: restarts_on_resize(spec),
            allow_any_selinux_change_policy: {
                let context = part(spec, "securityContext");
                some(context, "seLinuxChangePolicy").is_some()
            },
        }
    }
}

fn any_container(spec: &Value, test: impl Fn(&Value) -> bool) -> bool {
    let mut found = false;
    let root = ordain_value::field::Path::root();
    containers::each(spec, &root, &mut |container, _| found |= test(container));
    found
}

fn has_indivisible_huge_pages(spec: &Value) -> bool {
    let indivisible = |holder: &Value, field: &str| {
        entries(holder, field).any(|(name, value)| {
            resources::is_huge_pages(name)
                && !resources::is_divisible(name, &resources::quantity(value))
        })
    };
    indivisible(spec, "overhead")
        || any_container(spec, |container| {
            let own = part(container, "resources");
            indivisible(own, "limits") || indivisible(own, "requests")
        })
}

fn restarts_on_resize(spec: &Value) -> bool {
    items(spec, "initContainers").iter().filter(|it| !containers::restarts_always(it)).any(|it| {
        let policies = items(it, "resizePolicy").iter();
        policies.map(|it| text(it, "restartPolicy")).any(|it| it == "RestartContainer")
    })
}
