//! DeviceClass.

use crate::native::Native;

pub(crate) fn native() -> Native {
    Native::new("resource.k8s.io", "DeviceClass")
}
