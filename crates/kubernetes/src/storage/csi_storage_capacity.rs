//! CSIStorageCapacity.

use crate::native::Native;

pub(crate) fn native() -> Native {
    Native::new("storage.k8s.io", "CSIStorageCapacity")
}
