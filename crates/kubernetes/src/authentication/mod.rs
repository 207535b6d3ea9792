//! Kinds of the group `authentication.k8s.io`.

mod token_review;

use crate::native::Native;

pub(crate) fn all() -> Vec<Native> {
    vec![token_review::native()]
}
