//! Names of API types: group, version, kind, resource, and the order of versions.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;

use ordain_value::Text;

/// A group and a version, as `apiVersion` writes them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupVersion {
    /// The API group; empty for the core group.
    pub group: Text,
    /// The version, such as `v1beta1`.
    pub version: Text,
}

/// An `apiVersion` text with more than one slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupVersionError(pub String);

impl fmt::Display for GroupVersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unexpected GroupVersion string: {}", self.0)
    }
}

impl std::error::Error for GroupVersionError {}

impl GroupVersion {
    /// A version of a group.
    pub fn new(group: impl Into<Text>, version: impl Into<Text>) -> Self {
        Self { group: group.into(), version: version.into() }
    }

    /// Reads `v1` or `group/v1`; the empty text is the empty group and version.
    pub fn decode(text: &str) -> Result<Self, GroupVersionError> {
        if text.is_empty() || text == "/" {
            return Ok(Self::default());
        }
        match text.matches('/').count() {
            0 => Ok(Self::new("", text)),
            1 => {
                let (group, version) = text.split_once('/').unwrap_or(("", text));
                Ok(Self::new(group, version))
            }
            _ => Err(GroupVersionError(text.to_owned())),
        }
    }

    /// A kind of this version.
    pub fn with_kind(&self, kind: impl Into<Text>) -> GroupVersionKind {
        GroupVersionKind {
            group: self.group.clone(),
            version: self.version.clone(),
            kind: kind.into(),
        }
    }
}

impl fmt::Display for GroupVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.group.is_empty() {
            f.write_str(&self.version)
        } else {
            write!(f, "{}/{}", self.group, self.version)
        }
    }
}

/// A kind within a group, whatever its version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupKind {
    /// The API group; empty for the core group.
    pub group: Text,
    /// The kind, such as `Deployment`.
    pub kind: Text,
}

impl GroupKind {
    /// A kind of a group.
    pub fn new(group: impl Into<Text>, kind: impl Into<Text>) -> Self {
        Self { group: group.into(), kind: kind.into() }
    }
}

impl fmt::Display for GroupKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        qualified(f, &self.kind, &self.group)
    }
}

/// A plural resource name within a group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupResource {
    /// The API group; empty for the core group.
    pub group: Text,
    /// The plural name, such as `deployments`.
    pub resource: Text,
}

/// The name of a resource in parts that somebody else holds, to find one in a map without making a
/// [`GroupResource`] of them.
pub trait ResourceName {
    /// The group and the plural name.
    fn parts(&self) -> (&str, &str);
}

impl ResourceName for GroupResource {
    fn parts(&self) -> (&str, &str) {
        (&self.group, &self.resource)
    }
}

impl ResourceName for (&str, &str) {
    fn parts(&self) -> (&str, &str) {
        *self
    }
}

impl<'a> Borrow<dyn ResourceName + 'a> for GroupResource {
    fn borrow(&self) -> &(dyn ResourceName + 'a) {
        self
    }
}

// In the order of `GroupResource`, which is derived from its parts in the same order.
impl Ord for dyn ResourceName + '_ {
    fn cmp(&self, other: &Self) -> Ordering {
        self.parts().cmp(&other.parts())
    }
}

impl PartialOrd for dyn ResourceName + '_ {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for dyn ResourceName + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl Eq for dyn ResourceName + '_ {}

impl GroupResource {
    /// A resource of a group.
    pub fn new(group: impl Into<Text>, resource: impl Into<Text>) -> Self {
        Self { group: group.into(), resource: resource.into() }
    }

    /// Whether it names nothing.
    pub fn is_empty(&self) -> bool {
        self.group.is_empty() && self.resource.is_empty()
    }
}

impl fmt::Display for GroupResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        qualified(f, &self.resource, &self.group)
    }
}

fn qualified(f: &mut fmt::Formatter<'_>, name: &str, group: &str) -> fmt::Result {
    if group.is_empty() { f.write_str(name) } else { write!(f, "{name}.{group}") }
}

/// Group, version and kind of an object.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupVersionKind {
    /// The API group; empty for the core group.
    pub group: Text,
    /// The version, such as `v1beta1`.
    pub version: Text,
    /// The kind, such as `Deployment`.
    pub kind: Text,
}

impl GroupVersionKind {
    /// A kind in a version of its group.
    pub fn new(group: impl Into<Text>, version: impl Into<Text>, kind: impl Into<Text>) -> Self {
        Self { group: group.into(), version: version.into(), kind: kind.into() }
    }

    /// Group and version without the kind.
    pub fn group_version(&self) -> GroupVersion {
        GroupVersion { group: self.group.clone(), version: self.version.clone() }
    }

    /// Group and kind without the version.
    pub fn group_kind(&self) -> GroupKind {
        GroupKind { group: self.group.clone(), kind: self.kind.clone() }
    }
}

impl fmt::Display for GroupVersionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}, Kind={}", self.group, self.version, self.kind)
    }
}

/// Group, version and plural of a served resource.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupVersionResource {
    /// The API group; empty for the core group.
    pub group: Text,
    /// The version, such as `v1beta1`.
    pub version: Text,
    /// The plural name, such as `deployments`.
    pub resource: Text,
}

impl GroupVersionResource {
    /// A resource in a version of its group.
    pub fn new(
        group: impl Into<Text>,
        version: impl Into<Text>,
        resource: impl Into<Text>,
    ) -> Self {
        Self { group: group.into(), version: version.into(), resource: resource.into() }
    }

    /// Group and version without the resource.
    pub fn group_version(&self) -> GroupVersion {
        GroupVersion { group: self.group.clone(), version: self.version.clone() }
    }

    /// Group and resource without the version.
    pub fn group_resource(&self) -> GroupResource {
        GroupResource { group: self.group.clone(), resource: self.resource.clone() }
    }
}

impl fmt::Display for GroupVersionResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}, Resource={}", self.group, self.version, self.resource)
    }
}

/// How stable a version of the form `v1`, `v1beta2` or `v1alpha1` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stability {
    Alpha,
    Beta,
    Stable,
}

/// Compares versions by stability, then major, then minor number; names of another form come
/// below all of them, in reverse alphabetical order.
///
/// The greater version is the preferred one.
pub fn compare_versions(a: &str, b: &str) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    match (kube_version(a), kube_version(b)) {
        (Some(left), Some(right)) => left.cmp(&right),
        (Some(_), None) => Ordering::Greater,
        (None, Some(_)) => Ordering::Less,
        (None, None) => b.cmp(a),
    }
}

fn kube_version(text: &str) -> Option<(Stability, u64, u64)> {
    let rest = text.strip_prefix('v')?;
    let (major, rest) = number(rest)?;
    if rest.is_empty() {
        return Some((Stability::Stable, major, 0));
    }
    let (stability, rest) = match rest.strip_prefix("alpha") {
        Some(rest) => (Stability::Alpha, rest),
        None => (Stability::Beta, rest.strip_prefix("beta")?),
    };
    let (minor, rest) = number(rest)?;
    rest.is_empty().then_some((stability, major, minor))
}

/// A decimal number without leading zero, and what follows it.
fn number(text: &str) -> Option<(u64, &str)> {
    let len = text.bytes().take_while(u8::is_ascii_digit).count();
    if len == 0 || text.starts_with('0') {
        return None;
    }
    let (digits, rest) = text.split_at(len);
    Some((digits.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_sort_by_stability_then_number() {
        let mut versions = vec![
            "foo1",
            "v10beta3",
            "v3",
            "v11alpha2",
            "foo10",
            "v12alpha1",
            "v2",
            "v1",
            "v3beta1",
            "v11beta2",
            "v0",
            "v01",
            "v10",
        ];
        versions.sort_by(|a, b| compare_versions(b, a));
        assert_eq!(
            versions,
            [
                "v10",
                "v3",
                "v2",
                "v1",
                "v11beta2",
                "v10beta3",
                "v3beta1",
                "v12alpha1",
                "v11alpha2",
                "foo1",
                "foo10",
                "v0",
                "v01",
            ]
        );
    }

    #[test]
    fn group_version_reads_both_forms() {
        assert_eq!(GroupVersion::decode("v1"), Ok(GroupVersion::new("", "v1")));
        assert_eq!(GroupVersion::decode("a.b/v1"), Ok(GroupVersion::new("a.b", "v1")));
        assert_eq!(GroupVersion::decode(""), Ok(GroupVersion::default()));
        let error = GroupVersion::decode("a/b/c").unwrap_err();
        assert_eq!(error.to_string(), "unexpected GroupVersion string: a/b/c");
    }

    #[test]
    fn names_print_as_kubernetes_prints_them() {
        assert_eq!(GroupResource::new("g.io", "things").to_string(), "things.g.io");
        assert_eq!(GroupResource::new("", "pods").to_string(), "pods");
        assert_eq!(GroupVersionKind::new("g", "v1", "K").to_string(), "g/v1, Kind=K");
        assert_eq!(GroupVersionKind::new("", "v1", "K").to_string(), "/v1, Kind=K");
    }
}
