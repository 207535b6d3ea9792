//! The question to a webhook: an `AdmissionReview` with its request.

use ordain_meta::gvk::{GroupVersionKind, GroupVersionResource};
use ordain_value::{Value, json};

use crate::request::{Addressed, Request};

/// The versions of `AdmissionReview`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewVersion {
    V1,
    V1Beta1,
}

impl ReviewVersion {
    /// The version of this name, if it is known.
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "v1" => Some(Self::V1),
            "v1beta1" => Some(Self::V1Beta1),
            _ => None,
        }
    }

    /// The name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V1Beta1 => "v1beta1",
        }
    }
}

/// The review of a request as it is posted, whose objects are in the matched version.
///
/// It is what [`Request::describe`] says, written without making an object of it first: a webhook
/// costs little more than its round trip.
pub fn review(
    request: &Request,
    matched: &Addressed,
    version: ReviewVersion,
    uid: &str,
) -> Vec<u8> {
    let mut text = Text(Vec::with_capacity(BYTES_EXPECTED));
    text.open("");
    text.string("apiVersion", &format!("admission.k8s.io/{}", version.as_str()));
    text.string("kind", "AdmissionReview");
    text.open("request");
    text.value("dryRun", &Value::Bool(request.dry_run));
    text.kind("kind", &matched.kind);
    text.given("name", &request.name);
    text.given("namespace", &request.namespace);
    text.value("object", request.object.as_ref().unwrap_or(&Value::Null));
    text.value("oldObject", request.old.as_ref().unwrap_or(&Value::Null));
    text.string("operation", request.operation.as_str());
    text.value("options", request.options.as_ref().unwrap_or(&Value::Null));
    text.kind("requestKind", &request.addressed.kind);
    text.resource("requestResource", &request.addressed.resource);
    text.given("requestSubResource", &request.subresource);
    text.resource("resource", &matched.resource);
    text.given("subResource", &request.subresource);
    text.string("uid", uid);
    text.value("userInfo", &request.user.encode());
    text.close();
    text.close();
    text.0
}

/// Most reviews fit into this.
const BYTES_EXPECTED: usize = 8 * 1024;

/// A JSON text that grows field by field. The keys are plain words.
struct Text(Vec<u8>);

impl Text {
    fn key(&mut self, key: &str) {
        if !matches!(self.0.last(), None | Some(b'{')) {
            self.0.push(b',');
        }
        if !key.is_empty() {
            self.0.push(b'"');
            self.0.extend_from_slice(key.as_bytes());
            self.0.extend_from_slice(b"\":");
        }
    }

    fn open(&mut self, key: &str) {
        self.key(key);
        self.0.push(b'{');
    }

    fn close(&mut self) {
        self.0.push(b'}');
    }

    fn string(&mut self, key: &str, text: &str) {
        self.key(key);
        json::encode_string_to(text, &mut self.0);
    }

    /// A field that is left out when it is empty.
    fn given(&mut self, key: &str, text: &str) {
        if !text.is_empty() {
            self.string(key, text);
        }
    }

    fn value(&mut self, key: &str, value: &Value) {
        self.key(key);
        json::encode_to(value, &mut self.0);
    }

    fn kind(&mut self, key: &str, kind: &GroupVersionKind) {
        self.open(key);
        self.string("group", &kind.group);
        self.string("kind", &kind.kind);
        self.string("version", &kind.version);
        self.close();
    }

    fn resource(&mut self, key: &str, resource: &GroupVersionResource) {
        self.open(key);
        self.string("group", &resource.group);
        self.string("resource", &resource.resource);
        self.string("version", &resource.version);
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use ordain_strategy::User;
    use ordain_value::value;

    use super::*;
    use crate::request::Operation;

    #[test]
    fn a_review_is_what_the_request_says() {
        let addressed = |version: &str| Addressed {
            resource: GroupVersionResource::new("apps", version, "deployments"),
            kind: GroupVersionKind::new("apps", version, "Deployment"),
        };
        let object = value!({"metadata": {"name": "a\u{7}<b>"}, "spec": {"list": [1, null, {}]}});
        let plain = Request {
            operation: Operation::Create,
            addressed: addressed("v1"),
            subresource: "".into(),
            name: "".into(),
            namespace: "".into(),
            user: User::default(),
            dry_run: false,
            options: None,
            object: Some(object.clone()),
            old: None,
        };
        let full = Request {
            operation: Operation::Update,
            subresource: "status".into(),
            name: "a\"b".into(),
            namespace: "here".into(),
            user: User { name: "ann".into(), groups: vec!["devs".into()], ..User::default() },
            dry_run: true,
            options: Some(value!({"kind": "UpdateOptions"})),
            object: None,
            old: Some(object),
            ..plain.clone()
        };
        for request in [plain, full] {
            let matched = addressed("v1beta1");
            let mut described = request.describe(&matched, "the uid");
            described.insert("object", request.object.clone().unwrap_or_default());
            described.insert("oldObject", request.old.clone().unwrap_or_default());
            let expected = value!({
                "apiVersion": "admission.k8s.io/v1beta1", "kind": "AdmissionReview",
                "request": (Value::Map(described))
            });
            let written = review(&request, &matched, ReviewVersion::V1Beta1, "the uid");
            assert_eq!(String::from_utf8_lossy(&written), json::encode_string(&expected));
        }
    }
}
