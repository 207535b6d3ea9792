//! What admission sees of a write, and the `request` that expressions and webhooks get to see.

use ordain_meta::gvk::{GroupVersionKind, GroupVersionResource};
use ordain_strategy::{User, object};
use ordain_value::{Map, Text, Value, json};

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
        let members = self.members(matched, uid);
        let members = members.into_iter().filter(|(_, member)| !member.is_absent());
        Map::from_sorted(members.map(|(key, member)| (key.into(), member.value())).collect())
    }

    /// Writes the `AdmissionRequest` with its objects as JSON; that of the object itself may be
    /// there already.
    pub(crate) fn write(
        &self,
        object: Option<&[u8]>,
        matched: &Addressed,
        uid: &str,
        out: &mut Vec<u8>,
    ) {
        let mut begin = b'{';
        for (key, member) in self.members(matched, uid) {
            if member.is_absent() {
                continue;
            }
            out.push(begin);
            json::encode_string_to(key, out);
            out.push(b':');
            match key {
                "object" => match object {
                    Some(json) => out.extend_from_slice(json),
                    None => write_or_null(self.object.as_ref(), out),
                },
                "oldObject" => write_or_null(self.old.as_ref(), out),
                _ => member.write(out),
            }
            begin = b',';
        }
        out.push(b'}');
    }

    /// The members of an `AdmissionRequest` in the order of their names.
    fn members<'a>(
        &'a self,
        matched: &'a Addressed,
        uid: &'a str,
    ) -> [(&'static str, Member<'a>); 15] {
        let asked = &self.addressed;
        [
            ("dryRun", Member::Bool(self.dry_run)),
            ("kind", Member::kind(&matched.kind)),
            ("name", Member::Given(&self.name)),
            ("namespace", Member::Given(&self.namespace)),
            ("object", Member::Value(None)),
            ("oldObject", Member::Value(None)),
            ("operation", Member::Text(self.operation.as_str())),
            ("options", Member::Value(self.options.as_ref())),
            ("requestKind", Member::kind(&asked.kind)),
            ("requestResource", Member::resource(&asked.resource)),
            ("requestSubResource", Member::Given(&self.subresource)),
            ("resource", Member::resource(&matched.resource)),
            ("subResource", Member::Given(&self.subresource)),
            ("uid", Member::Text(uid)),
            ("userInfo", Member::User(&self.user)),
        ]
    }
}

/// What a member of an `AdmissionRequest` says.
#[derive(Clone, Copy)]
enum Member<'a> {
    Text(&'a str),
    /// A text that is left out when it is empty.
    Given(&'a str),
    Bool(bool),
    /// Null if there is none.
    Value(Option<&'a Value>),
    User(&'a User),
    /// Three texts, in the order of their names.
    Named([(&'static str, &'a str); 3]),
}

impl<'a> Member<'a> {
    fn kind(kind: &'a GroupVersionKind) -> Self {
        Self::Named([("group", &kind.group), ("kind", &kind.kind), ("version", &kind.version)])
    }

    fn resource(resource: &'a GroupVersionResource) -> Self {
        let GroupVersionResource { group, version, resource } = resource;
        Self::Named([("group", group), ("resource", resource), ("version", version)])
    }

    fn is_absent(self) -> bool {
        matches!(self, Self::Given(""))
    }

    fn value(self) -> Value {
        match self {
            Self::Text(text) | Self::Given(text) => text.into(),
            Self::Bool(bool) => Value::Bool(bool),
            Self::Value(value) => value.cloned().unwrap_or(Value::Null),
            Self::User(user) => user.encode(),
            Self::Named(texts) => {
                let texts = texts.into_iter().map(|(key, text)| (key.into(), text.into()));
                Value::Map(Map::from_sorted(texts.collect()))
            }
        }
    }

    fn write(self, out: &mut Vec<u8>) {
        match self {
            Self::Text(text) | Self::Given(text) => json::encode_string_to(text, out),
            Self::Value(value) => write_or_null(value, out),
            Self::Named(texts) => {
                for (at, (key, text)) in texts.into_iter().enumerate() {
                    out.push(if at == 0 { b'{' } else { b',' });
                    json::encode_string_to(key, out);
                    out.push(b':');
                    json::encode_string_to(text, out);
                }
                out.push(b'}');
            }
            Self::Bool(_) | Self::User(_) => json::encode_to(&self.value(), out),
        }
    }
}

fn write_or_null(value: Option<&Value>, out: &mut Vec<u8>) {
    json::encode_to(value.unwrap_or(&Value::Null), out);
}
