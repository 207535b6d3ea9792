//! The question to a webhook: an `AdmissionReview` with its request.

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

/// Writes the review of a request, whose objects are in the matched version, as JSON. `object` is
/// the JSON of its object, if somebody has written it already.
pub fn write_review(
    request: &Request,
    object: Option<&[u8]>,
    matched: &Addressed,
    version: ReviewVersion,
    uid: &str,
    out: &mut Vec<u8>,
) {
    out.extend_from_slice(b"{\"apiVersion\":\"admission.k8s.io/");
    out.extend_from_slice(version.as_str().as_bytes());
    out.extend_from_slice(b"\",\"kind\":\"AdmissionReview\",\"request\":");
    request.write(object, matched, uid, out);
    out.push(b'}');
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ordain_meta::gvk::{GroupVersionKind, GroupVersionResource};
    use ordain_strategy::User;
    use ordain_value::{Value, json, value};

    use super::*;
    use crate::request::Operation;

    fn addressed(version: &str) -> Addressed {
        Addressed {
            resource: GroupVersionResource::new("apps", version, "deployments"),
            kind: GroupVersionKind::new("apps", version, "Deployment"),
        }
    }

    /// What is written is what expressions see, with the objects, in the order of its names.
    #[test]
    fn a_review_is_what_expressions_see_with_the_objects() {
        let extra = BTreeMap::from([("<key>".into(), vec!["\"a\"".into(), "b".into()])]);
        let (asked, matched) = (addressed("v1"), addressed("v1beta1"));
        for (subresource, name, object) in
            [("", "n", Some(value!({"b": [1, null], "a": "\u{2028}"}))), ("scale", "", None)]
        {
            let request = Request {
                operation: Operation::Update,
                addressed: asked.clone(),
                subresource: subresource.into(),
                name: name.into(),
                namespace: "some".into(),
                user: User { extra: extra.clone(), ..User::everybody() },
                dry_run: true,
                options: object.clone(),
                object: object.clone(),
                old: Some(value!({"c": 1.5})),
            };
            let mut described = request.describe(&matched, "<uid>");
            described.insert("object", object.unwrap_or(Value::Null));
            described.insert("oldObject", value!({"c": 1.5}));
            let whole = value!({
                "apiVersion": "admission.k8s.io/v1beta1", "kind": "AdmissionReview",
                "request": (Value::Map(described))
            });
            let mut out = Vec::new();
            write_review(&request, None, &matched, ReviewVersion::V1Beta1, "<uid>", &mut out);
            assert_eq!(String::from_utf8_lossy(&out), json::encode_string(&whole));
            let written = request.object.as_ref().map(json::encode);
            let mut again = Vec::new();
            let version = ReviewVersion::V1Beta1;
            write_review(&request, written.as_deref(), &matched, version, "<uid>", &mut again);
            assert_eq!(out, again);
        }
    }
}
