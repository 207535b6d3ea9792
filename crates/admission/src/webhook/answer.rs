//! The answer of a webhook: an `AdmissionReview` with its response, read as strictly as
//! Kubernetes does.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ordain_meta::gvk::GroupVersion;
use ordain_value::{Map, Text, Value, go_quote};

use super::ReviewVersion;
use super::envelope::{Envelope, Typed, check_types};

/// What a webhook answered.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    pub allowed: bool,
    /// The `status` of the response.
    pub status: Option<Value>,
    /// A JSON patch; empty for none.
    pub patch: Vec<u8>,
    pub patch_type: Text,
    pub warnings: Vec<Text>,
    pub annotations: BTreeMap<Text, Text>,
}

/// The reviews of admission.
const ENVELOPE: Envelope =
    Envelope { group: "admission.k8s.io", kind: "AdmissionReview", registered: &[] };

/// A refusal, ready to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Denied(pub Map);

impl Answer {
    /// Reads the body of an answer.
    ///
    /// # Errors
    /// When it is no answer to the review with this uid, in words; they begin with what was tried.
    pub fn read(
        bytes: &[u8],
        version: ReviewVersion,
        uid: &str,
        mutating: bool,
    ) -> Result<Self, String> {
        let review = ENVELOPE
            .decode(bytes, version)
            .map_err(|why| format!("failed to call webhook: {why}"))?;
        let invalid = |why: String| format!("received invalid webhook response: {why}");
        let response = review.get("response").filter(|it| !it.is_null());
        let Some(response) = response else {
            return Err(invalid("webhook response was absent".to_owned()));
        };
        let answer = Self::of(response).map_err(|why| format!("failed to call webhook: {why}"))?;
        if version == ReviewVersion::V1Beta1 {
            return Ok(answer.pinned(mutating));
        }
        check_v1(&review, response, uid).map_err(invalid)?;
        answer.check_patch(response, mutating).map_err(invalid)?;
        Ok(answer)
    }

    fn of(response: &Value) -> Result<Self, String> {
        check_types(response, &TYPED)?;
        let texts = |field: &str| {
            let list = response.get(field).and_then(Value::as_list);
            list.into_iter().flat_map(|list| list.iter()).filter_map(Value::as_text).cloned()
        };
        let annotations = response.get("auditAnnotations").and_then(Value::as_map);
        let annotation =
            |(key, value): (&Text, &Value)| Some((key.clone(), value.as_text()?.clone()));
        let patch = response.get("patch").and_then(Value::as_str).unwrap_or("");
        Ok(Self {
            allowed: response.get("allowed").and_then(Value::as_bool).unwrap_or(false),
            status: response.get("status").filter(|it| !it.is_null()).cloned(),
            patch: decode_base64(patch)?,
            patch_type: response
                .get("patchType")
                .and_then(Value::as_text)
                .cloned()
                .unwrap_or_default(),
            warnings: texts("warnings").collect(),
            annotations: annotations
                .into_iter()
                .flat_map(Map::iter)
                .filter_map(annotation)
                .collect(),
        })
    }

    /// Old reviews are checked for nothing: a patch is a JSON patch.
    fn pinned(mut self, mutating: bool) -> Self {
        if !mutating {
            self.patch.clear();
        }
        self.patch_type = if self.patch.is_empty() { "".into() } else { "JSONPatch".into() };
        self
    }

    fn check_patch(&self, response: &Value, mutating: bool) -> Result<(), String> {
        let typed = response.get("patchType").is_some_and(|it| !it.is_null());
        let why = match (mutating, self.patch.is_empty(), typed) {
            (true, false, false) => "webhook returned response.patch but not response.patchType",
            (true, true, true) => "webhook returned response.patchType but not response.patch",
            (true, false, true) if self.patch_type.is_empty() => {
                return Err("webhook returned invalid response.patchType of \"\"".to_owned());
            }
            (false, false, _) => "validating webhook may not return response.patch",
            (false, true, true) => "validating webhook may not return response.patchType",
            _ => return Ok(()),
        };
        Err(why.to_owned())
    }

    /// The refusal of a webhook that said no.
    pub fn denied(&self, webhook: &str) -> Denied {
        let mut map = match &self.status {
            Some(Value::Map(status)) => status.clone(),
            _ => Map::new(),
        };
        map.retain(|_, value| !value.is_null());
        let denied = format!("admission webhook {} denied the request", go_quote(webhook));
        let text = |map: &Map, field: &str| {
            map.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let (message, reason) = (text(&map, "message"), text(&map, "reason"));
        let message = match (message.as_str(), reason.as_str()) {
            ("", "") => format!("{denied} without explanation"),
            ("", reason) => format!("{denied}: {reason}"),
            (message, _) => format!("{denied}: {message}"),
        };
        map.insert("message", message.into());
        if map.get("code").and_then(Value::as_int).unwrap_or(0) < 400 {
            map.insert("code", Value::Int(400));
        }
        if matches!(text(&map, "status").as_str(), "" | "Success") {
            map.insert("status", "Failure".into());
        }
        map.insert("apiVersion", "v1".into());
        map.insert("kind", "Status".into());
        if map.get("metadata").is_none() {
            map.insert("metadata", Value::Map(Map::new()));
        }
        Denied(map)
    }
}

fn check_v1(review: &Value, response: &Value, uid: &str) -> Result<(), String> {
    let own = response.get("uid").and_then(Value::as_str).unwrap_or("");
    if own != uid {
        return Err(format!("expected response.uid={}, got {}", go_quote(uid), go_quote(own)));
    }
    let text = |field: &str| review.get(field).and_then(Value::as_str).unwrap_or("");
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    if api_version != "admission.k8s.io/v1" || kind != "AdmissionReview" {
        let group = GroupVersion::decode(api_version).unwrap_or_default();
        return Err(format!(
            "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got {}/{}, \
             Kind={kind}",
            group.group, group.version
        ));
    }
    Ok(())
}

/// The fields of a response that have to be of one type, and what Go calls it.
const TYPED: [Typed; 8] = [
    (&["uid"], "AdmissionResponse.response.uid", "types.UID"),
    (&["allowed"], "AdmissionResponse.response.allowed", "bool"),
    (&["patchType"], "AdmissionResponse.response.patchType", "v1.PatchType"),
    (&["status", "code"], "Status.response.status.code", "int32"),
    (&["status", "message"], "Status.response.status.message", "string"),
    (&["status", "reason"], "Status.response.status.reason", "v1.StatusReason"),
    (&["status", "status"], "Status.response.status.status", "string"),
    (&["warnings"], "AdmissionResponse.response.warnings", "[]string"),
];

fn decode_base64(text: &str) -> Result<Vec<u8>, String> {
    STANDARD.decode(text).map_err(|error| {
        let at = match error {
            base64::DecodeError::InvalidByte(at, _)
            | base64::DecodeError::InvalidLastSymbol(at, _) => at,
            base64::DecodeError::InvalidLength(at) => at,
            base64::DecodeError::InvalidPadding => text.len(),
        };
        format!("illegal base64 data at input byte {at}")
    })
}
