//! Objects that a kube-apiserver makes at its first start, as they are declared; servers begin with
//! what became of them (`registry/initial`).

mod flow_control;
mod own;
mod rbac;

use ordain_value::{Value, value};

pub use own::{endpoint_slice, endpoints, service, service_cidr};
pub use rbac::roles;

/// Flow control: group, plural and object, the levels before the schemas that name them.
pub fn flow_control() -> Vec<(&'static str, &'static str, Value)> {
    const GROUP: &str = "flowcontrol.apiserver.k8s.io";
    let levels = flow_control::levels().into_iter();
    let levels = levels.map(|object| (GROUP, "prioritylevelconfigurations", object));
    let schemas = flow_control::schemas().into_iter();
    levels.chain(schemas.map(|object| (GROUP, "flowschemas", object))).collect()
}

/// Group, plural and object of what has to be there before anything else, in the order of creation.
pub fn objects() -> Vec<(&'static str, &'static str, Value)> {
    let class = |name: &str, number: i64, about: &str| {
        let object = value!({
            "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
            "metadata": {"name": name},
            "value": number, "description": about, "preemptionPolicy": "PreemptLowerPriority",
        });
        ("scheduling.k8s.io", "priorityclasses", object)
    };
    let namespace = |name: &str| {
        let object = value!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        ("", "namespaces", object)
    };
    vec![
        namespace("default"),
        namespace("kube-node-lease"),
        namespace("kube-public"),
        namespace("kube-system"),
        class(
            "system-node-critical",
            2_000_001_000,
            "Used for system critical pods that must not be moved from their current node.",
        ),
        class(
            "system-cluster-critical",
            2_000_000_000,
            "Used for system critical pods that must run in the cluster, but can be moved to \
             another node if necessary.",
        ),
    ]
}

fn system_map(name: &str) -> Value {
    value!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "kube-system"}
    })
}

/// Since when the use of old tokens of service accounts is noted.
pub fn token_tracking(now: &str) -> Value {
    let mut map = system_map("kube-apiserver-legacy-service-account-token-tracking");
    map.set_path(&["data", "since"], now.split('T').next().unwrap_or("").into());
    map
}

/// By which authority clients are known, in PEM: what extension servers look up.
pub fn authentication(client_authority: &str) -> Value {
    let mut map = system_map("extension-apiserver-authentication");
    map.set_path(&["data", "client-ca-file"], client_authority.into());
    map
}
