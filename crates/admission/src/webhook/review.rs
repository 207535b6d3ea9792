//! The question to a webhook: an `AdmissionReview` with its request.

use ordain_value::{Value, value};

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

/// The review of a request, whose objects are in the matched version.
pub fn review(request: &Request, matched: &Addressed, version: ReviewVersion, uid: &str) -> Value {
    let mut described = request.describe(matched, uid);
    let object = |object: &Option<Value>| object.clone().unwrap_or(Value::Null);
    described.insert("object", object(&request.object));
    described.insert("oldObject", object(&request.old));
    let api_version = format!("admission.k8s.io/{}", version.as_str());
    value!({
        "apiVersion": (api_version),
        "kind": "AdmissionReview",
        "request": (Value::Map(described))
    })
}
