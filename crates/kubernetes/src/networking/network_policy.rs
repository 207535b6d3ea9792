//! NetworkPolicy.

use crate::native::Native;

pub(crate) fn native() -> Native {
    Native::new("networking.k8s.io", "NetworkPolicy")
}
