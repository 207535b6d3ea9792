//! Kinds of the group `authorization.k8s.io`: questions that are answered and not stored.

pub(crate) mod access_review;

use ordain_strategy::Change;
use ordain_strategy::Verbs;
use ordain_strategy::typed::Hooks;
use ordain_value::field;

use crate::native::Native;

pub(crate) fn all() -> Vec<Native> {
    vec![
        review("SubjectAccessReview", access_review::validate),
        review("SelfSubjectAccessReview", access_review::validate),
        review("LocalSubjectAccessReview", access_review::local),
        review("SelfSubjectRulesReview", |_| field::ErrorList::new()),
    ]
}

fn review(kind: &'static str, validate: fn(&Change<'_>) -> field::ErrorList) -> Native {
    Native {
        verbs: Verbs::CREATE_ONLY,
        hooks: Hooks::new(validate),
        reset: &[],
        ..Native::new("authorization.k8s.io", kind)
    }
}
