//! TokenReview.

use crate::native::Native;

pub(crate) fn native() -> Native {
    Native::new("authentication.k8s.io", "TokenReview")
}
