//! Objects that a kube-apiserver makes at its first start.

use ordain_value::{Value, value};

/// Group, plural and object of everything that has to be there, in the order of creation.
pub fn objects() -> Vec<(&'static str, &'static str, Value)> {
    let class = |name: &str, number: i64, about: &str| {
        let object = value!({
            "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
            "metadata": {"name": name},
            "value": number, "description": about, "preemptionPolicy": "PreemptLowerPriority",
        });
        ("scheduling.k8s.io", "priorityclasses", object)
    };
    vec![
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
