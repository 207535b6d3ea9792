//! Names of resources that quantities are counted of, such as `cpu` and `example.com/gpu`.

use crate::name;

/// What the names of huge pages begin with; their size follows.
pub const HUGE_PAGES: &str = "hugepages-";
const REQUESTS: &str = "requests.";

const COUNTED: [&str; 9] = [
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
];

const MEASURED: [&str; 11] = [
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "storage",
    "requests.storage",
];

/// Whether a name is that of huge pages of some size.
#[must_use]
pub fn is_huge_pages(name: &str) -> bool {
    name.starts_with(HUGE_PAGES)
}

/// Whether the resource is one of Kubernetes itself.
#[must_use]
pub fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

/// Whether some vendor defines the resource.
#[must_use]
pub fn is_extended(name: &str) -> bool {
    !is_native(name)
        && !name.starts_with(REQUESTS)
        && name::qualified_name(&format!("{REQUESTS}{name}")).is_empty()
}

/// Whether the resource is counted in whole numbers.
#[must_use]
pub fn is_integer(name: &str) -> bool {
    COUNTED.contains(&name) || is_extended(name)
}

/// Whether the resource has one of the well known names.
#[must_use]
pub fn is_standard(name: &str) -> bool {
    COUNTED.contains(&name)
        || MEASURED.contains(&name)
        || is_huge_pages(name)
        || name.strip_prefix(REQUESTS).is_some_and(is_huge_pages)
}

/// What is wrong with the name of a resource.
#[must_use]
pub fn problems(name: &str) -> Vec<String> {
    let mut problems = name::qualified_name(name);
    if problems.is_empty() && !name.contains('/') && !is_standard(name) {
        problems.push("must be a standard resource type or fully qualified".to_owned());
    }
    problems
}

/// What is wrong with the name of a resource that containers request.
#[must_use]
pub fn container_problems(name: &str) -> Vec<String> {
    // Standard names that are qualified names too.
    if matches!(name, "cpu" | "memory" | "ephemeral-storage") {
        return Vec::new();
    }
    let mut problems = problems(name);
    if !name.contains('/') && !is_huge_pages(name) {
        problems.push("must be a standard resource for containers".to_owned());
    } else if !is_native(name) && !is_extended(name) {
        problems.push("doesn't follow extended resource name standard".to_owned());
    }
    problems
}

/// What is wrong with the name of a resource that a quota limits. Plain storage is limited by
/// request only.
#[must_use]
pub fn quota_problems(name: &str) -> Vec<String> {
    let mut problems = problems(name);
    if !name.contains('/') && (name == "storage" || !is_standard(name)) {
        problems.push("must be a standard resource for quota".to_owned());
    }
    problems
}
