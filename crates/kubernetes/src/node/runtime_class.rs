//! RuntimeClass.

use crate::native::Native;

pub(crate) fn native() -> Native {
    Native::new("node.k8s.io", "RuntimeClass")
}
