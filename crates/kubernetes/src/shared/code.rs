//! The rules in code that declarations name (`+rule:code=`): arithmetic, parsing and the like, which
//! neither a tag nor an expression says well.

use ordain_passes::declared::written::Code;

use super::{node_selector, selector};
use crate::admissionregistration::webhook;
use crate::apiregistration::api_service;
use crate::apps::controller_revision;
use crate::authorization::access_review;
use crate::batch::{cron_job, job_status, success_policy};
use crate::certificates::{certificate_signing_request, condition};
use crate::core::pod::{
    affinity, claim, containers, projected, resources, security, topology, update,
};
use crate::core::service::{ports, traffic};
use crate::core::{config_map, node, persistent_volume, persistent_volume_claim, secret};
use crate::discovery::endpoint_slice;
use crate::flowcontrol::{flow_schema, priority_level_configuration};
use crate::networking::network_policy;
use crate::resource::{device, name as device_name, request};
use crate::scheduling::priority_class;
use crate::storage::{csi_node, volume_attachment};

/// Every rule in code, sorted by name.
const ALL: &[(&str, Code)] = &[
    ("annotated-source-ranges", traffic::check_annotation),
    ("attachment-stays", volume_attachment::check_spec),
    ("certificate-request", certificate_signing_request::check_request),
    ("claim-changes", persistent_volume_claim::update::check),
    ("claim-template", claim::check_template),
    ("completed-indexes", job_status::check_completed),
    ("config-map-size", config_map::check_size),
    ("container-resources", resources::check_container),
    ("cron-schedule", cron_job::check_schedule),
    ("decisions-stay", condition::check_decisions),
    ("device-attributes", device::check_attributes),
    ("device-capacity", device::check_capacity),
    ("device-expression", request::check_expression),
    ("device-parameters", request::check_parameters),
    ("docker-config", secret::check_json),
    ("driver-stays", csi_node::check_driver),
    ("duplicate-service-ports", ports::check_duplicates),
    ("ephemeral-container-changes", update::check_ephemeral),
    ("failed-indexes", job_status::check_failed),
    ("fully-qualified-device-name", device_name::check_fully_qualified),
    ("gated-node-affinity", update::check_node_affinity),
    ("hand-size-entropy", priority_level_configuration::check_entropy),
    ("host-ports", containers::check_host_ports),
    ("host-sysctl", security::check_host_sysctl),
    ("init-host-ports", containers::check_init_host_ports),
    ("ip-block-except", network_policy::check_except),
    ("issued-certificate", certificate_signing_request::check_certificate),
    ("labels", endpoint_slice::check_labels),
    ("local-ca-bundle", api_service::check_bundle),
    ("mandatory-flow-schema", flow_schema::mandatory),
    ("mandatory-priority-level", priority_level_configuration::mandatory),
    ("match-label-keys", affinity::check_keys),
    ("node-amounts", node::check_amounts),
    ("node-annotations", node::annotations::check),
    ("node-pod-cidrs", node::check_pod_cidrs),
    ("overlapping-indexes", job_status::check_overlap),
    ("pod-changes", update::check_rest),
    ("pod-overhead", resources::check_overhead),
    ("pod-resources", resources::check_pod),
    ("pool-name", device_name::check_pool),
    ("projected-paths", projected::check_files),
    ("readable-selector", selector::check_readable),
    ("repeated-topologies", node_selector::check_repeated),
    ("request-reference", request::check_reference),
    ("resource-amounts", super::resources::check_amounts),
    ("revision-data", controller_revision::check_data),
    ("secret-size", secret::check_size),
    ("selector-labels", access_review::check_labels),
    ("spread-label-keys", topology::check_keys),
    ("spread-pairs", topology::check_pairs),
    ("succeeded-count", success_policy::check_count),
    ("succeeded-indexes", success_policy::check_indexes),
    ("system-priority-class", priority_class::check_system),
    ("time-zone", cron_job::check_zone),
    ("tokens-without-account", projected::check_no_tokens),
    ("volume-affinity-changes", persistent_volume::update::check_affinity),
    ("volume-source-changes", persistent_volume::update::check_source),
    ("webhook-service", webhook::check_service),
    ("webhook-url", webhook::check_url),
];

/// The rule with this name.
pub fn find(name: &str) -> Option<Code> {
    let at = ALL.binary_search_by(|it| it.0.cmp(name)).ok()?;
    ALL.get(at).map(|it| it.1)
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn rules_have_names_in_order() {
        assert!(ALL.windows(2).all(|it| it[0].0 < it[1].0));
    }
}
