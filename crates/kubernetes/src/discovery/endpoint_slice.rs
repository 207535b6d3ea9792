//! EndpointSlice.

use crate::native::Native;

pub(crate) fn native() -> Native {
    Native::new("discovery.k8s.io", "EndpointSlice")
}
