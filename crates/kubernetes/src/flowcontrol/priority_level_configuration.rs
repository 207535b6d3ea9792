//! PriorityLevelConfiguration.

use crate::native::Native;

pub(crate) fn native() -> Native {
    Native::new("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration")
}
