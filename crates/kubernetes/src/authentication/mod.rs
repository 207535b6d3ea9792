//! Kinds of the group `authentication.k8s.io`: questions that are answered and not stored.

use ordain_strategy::Verbs;

use crate::native::Native;

pub(crate) fn all() -> Vec<Native> {
    ["SelfSubjectReview", "TokenReview"].map(review).into()
}

/// The answer comes from the server, which knows who asks.
fn review(kind: &'static str) -> Native {
    Native { verbs: Verbs::CREATE_ONLY, reset: &[], ..Native::new("authentication.k8s.io", kind) }
}
