//! The formats that `+k8s:format` names, apart from what the passes make of them.

/// The named formats of `+k8s:format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Format {
    /// `example.com/gpu`: a resource beyond those of Kubernetes.
    ExtendedResourceName,
    /// The key of a label, with or without a prefix.
    LabelKey,
    /// The value of a label.
    LabelValue,
    /// A DNS subdomain.
    LongName,
    /// A DNS subdomain in letters of either case.
    LongNameCaseless,
    /// A name that can be part of a path in a URL.
    PathSegmentName,
    /// A DNS subdomain, a slash and a C identifier.
    ResourceFullyQualifiedName,
    /// DNS subdomains separated by slashes.
    ResourcePoolName,
    /// A DNS label.
    ShortName,
    /// A UUID in its usual form.
    Uuid,
}

impl Format {
    /// Name and origin of every format.
    pub const ALL: [(&'static str, &'static str, Format); 10] = [
        (
            "k8s-extended-resource-name",
            "format=k8s-extended-resource-name",
            Format::ExtendedResourceName,
        ),
        ("k8s-label-key", "format=k8s-label-key", Format::LabelKey),
        ("k8s-label-value", "format=k8s-label-value", Format::LabelValue),
        ("k8s-long-name", "format=k8s-long-name", Format::LongName),
        ("k8s-long-name-caseless", "format=k8s-long-name-caseless", Format::LongNameCaseless),
        ("k8s-path-segment-name", "format=k8s-path-segment-name", Format::PathSegmentName),
        (
            "k8s-resource-fully-qualified-name",
            "format=k8s-resource-fully-qualified-name",
            Format::ResourceFullyQualifiedName,
        ),
        ("k8s-resource-pool-name", "format=k8s-resource-pool-name", Format::ResourcePoolName),
        ("k8s-short-name", "format=k8s-short-name", Format::ShortName),
        ("k8s-uuid", "format=k8s-uuid", Format::Uuid),
    ];

    /// The format with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Format> {
        Self::ALL.iter().find(|it| it.0 == name).map(|it| it.2)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|it| it.2 == self).map_or("", |it| it.0)
    }

    /// The origin of its errors.
    #[must_use]
    pub fn origin(self) -> &'static str {
        Self::ALL.iter().find(|it| it.2 == self).map_or("format", |it| it.1)
    }
}
