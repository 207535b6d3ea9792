//! PriorityClass.

use crate::native::Native;

pub(crate) fn native() -> Native {
    Native::new("scheduling.k8s.io", "PriorityClass")
}
