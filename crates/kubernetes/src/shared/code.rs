//! The rules in code that declarations name (`+rule:code=`): arithmetic, parsing and the like, which
//! neither a tag nor an expression says well.

use ordain_passes::declared::written::Code;

use crate::apiregistration::api_service;
use crate::core::limit_range;
use crate::core::pod::{
    affinity, claim, containers, projected, resources, security, topology, windows,
};
use crate::core::service::{ports, traffic};
use crate::discovery::endpoint_slice;
use crate::flowcontrol::{flow_schema, priority_level_configuration};
use crate::networking::network_policy;
use crate::scheduling::priority_class;

/// Every rule in code by its name.
const ALL: &[(&str, Code)] = &[
    ("annotated-source-ranges", traffic::check_annotation),
    ("duplicate-service-ports", ports::check_duplicates),
    ("endpoint-addresses", endpoint_slice::check_addresses),
    ("hand-size-entropy", priority_level_configuration::check_entropy),
    ("claim-template", claim::check_template),
    ("container-resources", resources::check_container),
    ("host-ports", containers::check_host_ports),
    ("host-sysctl", security::check_host_sysctl),
    ("init-host-ports", containers::check_init_host_ports),
    ("ip-block-except", network_policy::check_except),
    ("labels", endpoint_slice::check_labels),
    ("limit-range-amounts", limit_range::compare),
    ("limit-resource-name", limit_range::check_name),
    ("local-ca-bundle", api_service::check_bundle),
    ("mandatory-flow-schema", flow_schema::mandatory),
    ("mandatory-priority-level", priority_level_configuration::mandatory),
    ("system-priority-class", priority_class::check_system),
    ("match-label-keys", affinity::check_keys),
    ("pod-overhead", resources::check_overhead),
    ("pod-resources", resources::check_pod),
    ("projected-paths", projected::check_files),
    ("spread-label-keys", topology::check_keys),
    ("spread-pairs", topology::check_pairs),
    ("windows-host-process", windows::check_host_process),
];

/// The rule with this name.
pub fn find(name: &str) -> Option<Code> {
    ALL.iter().find(|it| it.0 == name).map(|it| it.1)
}
