//! What admission sees of a write, and the `request` that expressions and webhooks get to see.

use ordain_meta::gvk::{GroupVersionKind, GroupVersionResource};
use ordain_strategy::{User, object};
use ordain_value::{Map, Text, Value};

use crate::state::Configuration;

/// What a request does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Create,
    Update,
    Delete,
    Connect,
}

impl Operation {
    /// The word that rules and reviews use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
            Self::Connect => "CONNECT",
        }
    }
}

/// A resource of a version and the kind of its objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addressed {
    pub resource: GroupVersionResource,
    pub kind: GroupVersionKind,
}

/// A write on its way to the store.
#[derive(Debug, Clone)]
pub struct Request {
    pub operation: Operation,
    /// What the client addressed. The kind of a subresource may be another than its object's.
    pub addressed: Addressed,
    /// Empty for the object itself.
    pub subresource: Text,
    /// Empty while the server has yet to make one up.
    pub name: Text,
    /// Empty for cluster-scoped resources; a namespace is in itself.
    pub namespace: Text,
    pub user: User,
    pub dry_run: bool,
    /// The options of the operation, as an object; none for connects.
    pub options: Option<Value>,
    /// The object as it would be written; none on deletes.
    pub object: Option<Value>,
    /// The object as it is; none on creates.
    pub old: Option<Value>,
}

impl Request {
    /// Whether no policy judges the request: one that refuses everything could otherwise never be
    /// taken away, and questions about access must be answered.
    pub fn is_exempt_from_policies(&self) -> bool {
        let resource = &self.addressed.resource;
        let is_review = match resource.group.as_str() {
            "authentication.k8s.io" => true,
            "authorization.k8s.io" => resource.resource.ends_with("reviews"),
            _ => false,
        };
        let configured = Configuration::of(&resource.group, &resource.resource);
        is_review
            || configured.is_some_and(|it| {
                !matches!(it, Configuration::ValidatingWebhooks | Configuration::MutatingWebhooks)
            })
    }

    /// Whether no webhook is asked about the request: it configures admission.
    pub fn is_exempt_from_webhooks(&self) -> bool {
        let resource = &self.addressed.resource;
        Configuration::of(&resource.group, &resource.resource).is_some()
    }

    /// Whether the request is about a namespace itself.
    pub fn is_namespace(&self) -> bool {
        let kind = &self.addressed.kind;
        kind.group.is_empty() && kind.version == "v1" && kind.kind == "Namespace"
    }

    /// The namespace whose object expressions see; none for cluster-scoped resources.
    pub fn namespace_seen(&self) -> Option<&Text> {
        (!self.namespace.is_empty() && !self.is_namespace()).then_some(&self.namespace)
    }

    /// The name under which refusals speak of the object.
    pub fn shown_name(&self) -> String {
        let object = self.object.as_ref();
        let generated = object.map_or("", |object| object::text(object, "generateName"));
        match (self.name.as_str(), generated) {
            ("", "") => "Unknown".to_owned(),
            ("", generated) => generated.to_owned(),
            (name, _) => name.to_owned(),
        }
    }

    /// The `AdmissionRequest` for whoever matched the request as `matched`, without objects.
    pub fn describe(&self, matched: &Addressed, uid: &str) -> Map {
        let mut map = Map::new();
        let mut put = |key: &str, value: Value| {
            map.insert(key, value);
        };
        let asked = &self.addressed;
        put("uid", uid.into());
        put("kind", kind_value(&matched.kind));
        put("resource", resource_value(&matched.resource));
        put("requestKind", kind_value(&asked.kind));
        put("requestResource", resource_value(&asked.resource));
        for (key, text) in [
            ("subResource", &self.subresource),
            ("requestSubResource", &self.subresource),
            ("name", &self.name),
            ("namespace", &self.namespace),
        ] {
            if !text.is_empty() {
                put(key, Value::Str(text.clone()));
            }
        }
        put("operation", self.operation.as_str().into());
        put("userInfo", self.user.encode());
        put("object", Value::Null);
        put("oldObject", Value::Null);
        put("dryRun", Value::Bool(self.dry_run));
        put("options", self.options.clone().unwrap_or(Value::Null));
        map
    }
}

fn kind_value(kind: &GroupVersionKind) -> Value {
    ordain_value::value!({
        "group": (kind.group.as_str()),
        "version": (kind.version.as_str()),
        "kind": (kind.kind.as_str())
    })
}

fn resource_value(resource: &GroupVersionResource) -> Value {
    ordain_value::value!({
        "group": (resource.group.as_str()),
        "version": (resource.version.as_str()),
        "resource": (resource.resource.as_str())
    })
}
