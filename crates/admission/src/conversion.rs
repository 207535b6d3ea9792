//! Conversion webhooks without the network: what one is sent, and what its answer means.
//!
//! INVARIANT: an object that comes back is the object that was sent, in the wanted version: same
//! kind, name, namespace and uid. Of its metadata labels and annotations may be others; the rest is
//! taken from what was sent.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ordain_meta::gvk::{GroupVersion, GroupVersionKind};
use ordain_meta::object_meta::{self, ObjectMeta};
use ordain_meta::status::aggregate;
use ordain_schema::crd::WebhookClient;
use ordain_value::field::{ErrorList, Path};
use ordain_value::go_format::{cannot_unmarshal, json_type, type_name};
use ordain_value::{Map, Value, go_quote, json, value};

use crate::webhook::envelope::{Envelope, Typed, check_types};
use crate::webhook::{ClientConfig, ReviewVersion, Service};

/// The reviews of conversion.
const ENVELOPE: Envelope = Envelope {
    group: "apiextensions.k8s.io",
    kind: "ConversionReview",
    registered: &["CustomResourceDefinition", "CustomResourceDefinitionList"],
};

const TYPED: [Typed; 4] = [
    (&["uid"], "ConversionResponse.response.uid", "types.UID"),
    (
        &["convertedObjects"],
        "ConversionResponse.response.convertedObjects",
        "[]runtime.RawExtension",
    ),
    (&["result", "status"], "Status.response.result.status", "string"),
    (&["result", "message"], "Status.response.result.message", "string"),
];

/// Where the webhook of a definition is.
pub fn client_config(client: &WebhookClient) -> ClientConfig {
    const HTTPS: i64 = 443;
    let service = client.service.as_ref().map(|service| Service {
        namespace: service.namespace.clone(),
        name: service.name.clone(),
        path: service.path.clone().unwrap_or_default(),
        port: service.port.unwrap_or(HTTPS),
    });
    ClientConfig {
        url: client.url.clone().unwrap_or_default(),
        service,
        ca_bundle: STANDARD.decode(client.ca_bundle.as_str()).unwrap_or_default(),
    }
}

/// Objects of one kind and version that are wanted in another version.
#[derive(Debug)]
pub struct Asked<'a> {
    pub objects: &'a [Value],
    pub wanted: &'a GroupVersion,
    pub version: ReviewVersion,
    pub uid: &'a str,
}

/// What is wrong with a conversion, by what metrics tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The webhook was not reached, or it did not answer.
    Call,
    /// What came is no answer to the review.
    Malformed,
    /// There are more or fewer objects than were sent.
    Partial,
    /// An object is not the one that was sent.
    Object,
}

impl Fault {
    /// The name that metrics have for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Call => "conversion_webhook_call_failure",
            Self::Malformed => "conversion_webhook_malformed_response_failure",
            Self::Partial => "conversion_webhook_partial_response_failure",
            Self::Object => "conversion_webhook_invalid_converted_object_failure",
        }
    }
}

/// A conversion that failed, in the words of Kubernetes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub fault: Fault,
    pub message: String,
}

impl Asked<'_> {
    /// The review to send.
    pub fn review(&self) -> Value {
        value!({
            "apiVersion": (ENVELOPE.api_version(self.version)),
            "kind": (ENVELOPE.kind),
            "request": {
                "uid": (self.uid),
                "desiredAPIVersion": (self.wanted.to_string()),
                "objects": (Value::from(self.objects.to_vec()))
            }
        })
    }

    /// The failure of a call, with its reason in words.
    pub fn failed(&self, fault: Fault, why: &str) -> Failure {
        Failure { fault, message: format!("{} failed: {why}", self.subject()) }
    }

    fn subject(&self) -> String {
        let gvk = self.objects.first().map(gvk).unwrap_or_default();
        format!("conversion webhook for {}/{}, Kind={}", gvk.group, gvk.version, gvk.kind)
    }

    /// Reads the body of an answer: the objects in the wanted version, in their order.
    ///
    /// # Errors
    /// When it is no answer, or an object is not the one that was sent.
    pub fn read(&self, bytes: &[u8]) -> Result<Vec<Value>, Failure> {
        let review = ENVELOPE.decode(bytes, self.version);
        let review = review.map_err(|why| self.failed(Fault::Call, &why))?;
        let response = review.get("response").filter(|it| !it.is_null());
        if let Some(response) = response {
            check_types(response, &TYPED).map_err(|why| self.failed(Fault::Call, &why))?;
        }
        let objects = self
            .objects_of(&review, response)
            .map_err(|why| self.failed(Fault::Malformed, &why))?;
        let (found, expected) = (objects.len(), self.objects.len());
        if found != expected {
            let subject = self.subject();
            let message = format!("{subject} returned {found} objects, expected {expected}");
            return Err(Failure { fault: Fault::Partial, message });
        }
        let pairs = self.objects.iter().zip(objects);
        let checked = pairs.map(|(original, converted)| self.checked(original, converted));
        let invalid = |message: String| Failure { fault: Fault::Object, message };
        checked.collect::<Result<_, _>>().map_err(invalid)
    }

    /// The objects of a response that says it succeeded.
    fn objects_of<'v>(
        &self,
        review: &Value,
        response: Option<&'v Value>,
    ) -> Result<&'v [Value], String> {
        let text = |value: &Value, path: &[&str]| {
            value.get_path(path).and_then(Value::as_str).unwrap_or("").to_owned()
        };
        if self.version == ReviewVersion::V1 {
            let (api_version, kind) = (text(review, &["apiVersion"]), text(review, &["kind"]));
            let wanted = ENVELOPE.api_version(self.version);
            if api_version != wanted || kind != ENVELOPE.kind {
                let found = GroupVersion::decode(&api_version).unwrap_or_default();
                return Err(format!(
                    "expected webhook response of {wanted}, Kind={}, got {}/{}, Kind={kind}",
                    ENVELOPE.kind, found.group, found.version
                ));
            }
        }
        let response = response.ok_or("no response provided")?;
        let uid = text(response, &["uid"]);
        // Old reviews are not checked for whose answer they are.
        if self.version == ReviewVersion::V1 && uid != self.uid {
            return Err(format!(
                "expected response.uid={}, got {}",
                go_quote(self.uid),
                go_quote(&uid)
            ));
        }
        let status = text(response, &["result", "status"]);
        if status != "Success" {
            let message = text(response, &["result", "message"]);
            return Err(if message.is_empty() {
                format!("response.result.status was '{status}', not 'Success'")
            } else {
                message
            });
        }
        let objects = response.get("convertedObjects").and_then(Value::as_list);
        Ok(objects.map(|list| list.as_slice()).unwrap_or_default())
    }

    /// An object that came back, if it is the one that was sent.
    fn checked(&self, original: &Value, converted: &Value) -> Result<Value, String> {
        if converted.is_null() {
            return Err("unexpected end of JSON input".to_owned());
        }
        if converted.as_map().is_none() {
            return Err(cannot_unmarshal(json_type(converted), "map[string]interface {}"));
        }
        let (from, to) = (gvk(original), gvk(converted));
        if to.kind.is_empty() {
            let text = json::encode_string(converted);
            return Err(format!("Object 'Kind' is missing in '{text}'"));
        }
        let subject = self.subject();
        if to.group_version() != *self.wanted {
            return Err(format!(
                "{subject} returned invalid object at index 0: invalid groupVersion (expected {}, \
                 received {})",
                self.wanted,
                to.group_version()
            ));
        }
        if to.kind != from.kind {
            return Err(format!(
                "{subject} returned invalid object at index 0: invalid kind (expected {}, received \
                 {})",
                from.kind, to.kind
            ));
        }
        check_identity(original, converted)
            .map_err(|why| format!("{subject} returned invalid object: {why}"))?;
        with_metadata(original, converted)
            .map_err(|why| format!("{subject} returned invalid metadata: {why}"))
    }
}

fn gvk(object: &Value) -> GroupVersionKind {
    let text = |field: &str| object.get(field).and_then(Value::as_str).unwrap_or_default();
    let version = GroupVersion::decode(text("apiVersion")).unwrap_or_default();
    version.with_kind(text("kind"))
}

fn check_identity(original: &Value, converted: &Value) -> Result<(), String> {
    let (before, after) = (ObjectMeta::of(original), ObjectMeta::of(converted));
    let pairs = [
        ("name", before.name(), after.name()),
        ("namespace", before.namespace(), after.namespace()),
        ("UID", before.uid(), after.uid()),
    ];
    match pairs.iter().find(|(_, before, after)| before != after) {
        Some((what, before, after)) => {
            Err(format!("must have the same {what}: {before} != {after}"))
        }
        None => Ok(()),
    }
}

/// The converted object with the metadata of the original, labels and annotations excepted.
fn with_metadata(original: &Value, converted: &Value) -> Result<Value, String> {
    let given = match converted.get("metadata") {
        None => return Err("missing metadata in converted object".to_owned()),
        Some(Value::Map(given)) => given,
        Some(other) => {
            let ty = type_name(other);
            return Err(format!("invalid metadata of type {ty} in converted object"));
        }
    };
    let mut metadata =
        original.get("metadata").and_then(Value::as_map).cloned().unwrap_or_default();
    for field in ["labels", "annotations"] {
        let texts = match given.get(field).filter(|it| !it.is_null()) {
            None => {
                metadata.remove(field);
                continue;
            }
            Some(Value::Map(texts)) => texts.clone(),
            Some(other) => {
                let ty = type_name(other);
                return Err(format!("invalid metadata.{field} of type {ty} in converted object"));
            }
        };
        check_texts(field, metadata.get(field).and_then(Value::as_map), &texts)?;
        metadata.insert(field, Value::Map(texts));
    }
    let mut out = converted.clone();
    out.set_path(&["metadata"], Value::Map(metadata));
    Ok(out)
}

/// Labels and annotations are judged only if the webhook changed them.
fn check_texts(field: &str, before: Option<&Map>, texts: &Map) -> Result<(), String> {
    for (key, value) in texts.iter() {
        if value.as_str().is_none() {
            let ty = type_name(value);
            return Err(format!(
                "metadata.{field}[{key}] must be a string, but is {ty} in converted object"
            ));
        }
    }
    if before.map_or(texts.is_empty(), |before| before == texts) {
        return Ok(());
    }
    let entries = texts.iter().filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)));
    let mut errors = ErrorList::new();
    if field == "labels" {
        object_meta::labels(entries, &Path::new("metadata.labels"), &mut errors);
    } else {
        // Upstream's path lacks the last letter.
        object_meta::annotations(entries, &Path::new("metadata.annotation"), &mut errors);
    }
    aggregate(&errors).map_or(Ok(()), Err)
}
