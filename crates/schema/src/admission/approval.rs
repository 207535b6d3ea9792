//! Groups that belong to the Kubernetes community need an approval annotation.

use ordain_value::field::{Error, ErrorList, Path};
use ordain_value::go_quote;

use super::url;
use crate::crd::{APPROVAL_ANNOTATION, Crd};

/// What the approval annotation says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approval {
    /// The annotation is neither a link nor a statement that approval was not asked for.
    Invalid,
    /// The annotation links to the review.
    Approved,
    /// The annotation says that there was no review.
    Bypassed,
    /// There is no annotation.
    Missing,
}

/// Whether definitions in this group need approval.
#[must_use]
pub fn is_protected_group(group: &str) -> bool {
    ["k8s.io", "kubernetes.io"].iter().any(|domain| {
        group.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

/// The state of approval, and why.
#[must_use]
pub fn approval(crd: &Crd) -> (Approval, String) {
    let annotation = crd.annotation(APPROVAL_ANNOTATION).unwrap_or_default();
    let needs =
        format!("protected groups must have approval annotation {}", go_quote(APPROVAL_ANNOTATION));
    let see = "see https://github.com/kubernetes/enhancements/pull/1111";
    if annotation.is_empty() {
        (Approval::Missing, format!("{needs}, {see}"))
    } else if annotation.starts_with("unapproved") {
        (Approval::Bypassed, format!("not approved: {}", go_quote(annotation)))
    } else if url::is_absolute(annotation) {
        (Approval::Approved, format!("approved in {annotation}"))
    } else {
        let or = "with either a URL or a reason starting with \"unapproved\"";
        (Approval::Invalid, format!("{needs} {or}, {see}"))
    }
}

/// Refuses a missing or malformed annotation, unless the stored definition was in the same state.
pub(super) fn validate(crd: &Crd, old: Option<&Crd>, errors: &mut ErrorList) {
    if !is_protected_group(&crd.spec.group) {
        return;
    }
    let (state, reason) = approval(crd);
    if old.is_some_and(|old| approval(old).0 == state) {
        return;
    }
    let metadata = Path::new("metadata");
    let annotations = metadata.child("annotations");
    let path = annotations.key(APPROVAL_ANNOTATION);
    match state {
        Approval::Missing => errors.push(Error::required(&path, reason)),
        Approval::Invalid => {
            let given = crd.annotation(APPROVAL_ANNOTATION).unwrap_or_default();
            errors.push(Error::invalid(&path, given, reason));
        }
        Approval::Approved | Approval::Bypassed => {}
    }
}
