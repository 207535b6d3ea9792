//! The groups and versions of the reference server, whether this one serves them or not: in which
//! order discovery lists them, and which names `--runtime-config` may use.

use ordain_meta::{GroupVersionKind, gvk::GroupVersion};

use crate::declarations;

/// The release that is built in.
pub const RELEASE: &str = "1.36";

/// What the reference knows, by group. Those with `alpha` or `beta` in their name are off unless
/// they are asked for.
const KNOWN: &[(&str, &[&str])] = &[
    ("", &["v1"]),
    ("admissionregistration.k8s.io", &["v1", "v1alpha1", "v1beta1"]),
    ("apiregistration.k8s.io", &["v1"]),
    ("apps", &["v1", "v1beta1", "v1beta2"]),
    ("authentication.k8s.io", &["v1", "v1alpha1", "v1beta1"]),
    ("authorization.k8s.io", &["v1", "v1beta1"]),
    ("autoscaling", &["v1", "v2"]),
    ("batch", &["v1", "v1beta1"]),
    ("certificates.k8s.io", &["v1", "v1alpha1", "v1beta1"]),
    ("coordination.k8s.io", &["v1", "v1alpha2", "v1beta1"]),
    ("discovery.k8s.io", &["v1", "v1beta1"]),
    ("events.k8s.io", &["v1", "v1beta1"]),
    ("extensions", &["v1beta1"]),
    ("flowcontrol.apiserver.k8s.io", &["v1", "v1beta1", "v1beta2", "v1beta3"]),
    ("internal.apiserver.k8s.io", &["v1alpha1"]),
    ("networking.k8s.io", &["v1", "v1beta1"]),
    ("node.k8s.io", &["v1", "v1alpha1", "v1beta1"]),
    ("policy", &["v1", "v1beta1"]),
    ("rbac.authorization.k8s.io", &["v1", "v1alpha1", "v1beta1"]),
    ("resource.k8s.io", &["v1", "v1alpha3", "v1beta1", "v1beta2"]),
    ("scheduling.k8s.io", &["v1", "v1alpha2", "v1beta1"]),
    ("storage.k8s.io", &["v1", "v1alpha1", "v1beta1"]),
    ("storagemigration.k8s.io", &["v1beta1"]),
];

/// Groups of the server itself as discovery lists them, the most important first. Custom groups
/// follow by name.
const IN_ORDER: &[&str] = &[
    "apiregistration.k8s.io",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "discovery.k8s.io",
    "resource.k8s.io",
    "flowcontrol.apiserver.k8s.io",
];

/// Every version of every group that the reference knows, by name.
pub fn known() -> impl Iterator<Item = GroupVersion> {
    let pairs =
        KNOWN.iter().flat_map(|(group, versions)| versions.iter().map(move |it| (group, it)));
    pairs.map(|(group, version)| GroupVersion::new(*group, *version))
}

/// Whether a version of a group is declared here.
pub fn is_built_in(version: &GroupVersion) -> bool {
    let own = declarations::all().iter().filter(|it| version.group == it.group);
    own.flat_map(|it| it.versions).any(|(name, _)| version.version == *name)
}

/// Checks that a release is built in: `1.36`, `v1.36` or `1.36.4`.
///
/// # Errors
/// With the releases that are, for every other text.
pub fn release(text: &str) -> Result<&'static str, String> {
    let minor = text.trim_start_matches('v').split('.').take(2).collect::<Vec<_>>().join(".");
    if minor == RELEASE {
        return Ok(RELEASE);
    }
    Err(format!("Kubernetes {text} is not built in; built in: {RELEASE}"))
}

/// The place of a group in discovery: first by this, then by name.
pub fn rank(group: &str) -> usize {
    IN_ORDER.iter().position(|it| *it == group).unwrap_or(IN_ORDER.len())
}

/// The kind that a published model is of: `io.k8s.api.policy.v1.Eviction` is policy's Eviction.
pub fn kind_of_model(model: &str) -> Option<GroupVersionKind> {
    let mut parts = model.strip_prefix("io.k8s.api.")?.splitn(3, '.');
    let (group, version, kind) = (parts.next()?, parts.next()?, parts.next()?);
    let group = if group == "core" { "" } else { group };
    let found = declarations::all().iter().find(|it| {
        it.kind == kind
            && it.group.split('.').next() == Some(group)
            && it.versions.iter().any(|(name, _)| *name == version)
    })?;
    Some(GroupVersionKind::new(found.group, version, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_of_kinds_are_told_from_those_of_parts() {
        let kind = |model| kind_of_model(model).map(|it| format!("{}/{}", it.group, it.kind));
        assert_eq!(kind("io.k8s.api.core.v1.Binding").as_deref(), Some("/Binding"));
        assert_eq!(kind("io.k8s.api.policy.v1.Eviction").as_deref(), Some("policy/Eviction"));
        assert_eq!(kind("io.k8s.api.core.v1.PodSpec"), None);
        assert_eq!(kind("io.k8s.api.core.v9.Pod"), None);
    }

    #[test]
    fn releases_that_are_not_built_in_are_refused_with_those_that_are() {
        for text in ["1.36", "v1.36", "1.36.4"] {
            assert_eq!(release(text), Ok(RELEASE));
        }
        let refused = release("1.31.0").unwrap_err();
        assert_eq!(refused, "Kubernetes 1.31.0 is not built in; built in: 1.36");
        assert!(release("1.3").is_err() && release("").is_err());
    }

    #[test]
    fn every_served_version_is_known() {
        for resource in crate::all() {
            for version in &resource.versions {
                let own = resource.group_version(&version.name);
                assert!(known().any(|it| it == own), "{own}");
            }
        }
    }
}
