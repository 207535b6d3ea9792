//! The subresources of built-in kinds besides status and scale: what may be done with each, and
//! what it answers with.

use ordain_meta::GroupVersionKind;

use crate::rest_config::RestConfig;

/// What clients do with a subresource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Replace a part of the object.
    Update,
    /// Read and change a part of the object.
    Edit,
    /// Ask for something to happen to the object, by an object of another kind.
    Create,
    /// Talk to what runs behind the object.
    Connect,
    /// Talk to what runs behind the object, by any method.
    Proxy,
    /// Read what the object said.
    Read,
}

impl Access {
    /// How the subresource with this name is used.
    pub fn of(name: &str) -> Self {
        match name {
            "approval" | "ephemeralcontainers" | "resize" => Self::Edit,
            "binding" | "eviction" | "token" => Self::Create,
            "attach" | "exec" | "portforward" => Self::Connect,
            "proxy" => Self::Proxy,
            "log" => Self::Read,
            _ => Self::Update,
        }
    }

    /// Its verbs as discovery lists them.
    pub fn verbs(self) -> &'static [&'static str] {
        match self {
            Self::Update => &["update"],
            Self::Edit => &["get", "patch", "update"],
            Self::Create => &["create"],
            Self::Connect => &["create", "get"],
            Self::Proxy => &["create", "delete", "get", "patch", "update"],
            Self::Read => &["get"],
        }
    }
}

/// The kind that a subresource takes or answers with; group and version are empty where they are
/// those of the resource.
pub fn kind(resource: &RestConfig, name: &str) -> GroupVersionKind {
    let own = |kind: String| GroupVersionKind::new("", "", kind);
    let options = |what: &str| own(format!("{}{what}Options", resource.kind));
    match name {
        "scale" => GroupVersionKind::new("autoscaling", "v1", "Scale"),
        "eviction" => GroupVersionKind::new("policy", "v1", "Eviction"),
        "token" => GroupVersionKind::new("authentication.k8s.io", "v1", "TokenRequest"),
        "binding" => own("Binding".to_owned()),
        "attach" => options("Attach"),
        "exec" => options("Exec"),
        "portforward" => options("PortForward"),
        "proxy" => options("Proxy"),
        _ => own(resource.kind.to_string()),
    }
}
