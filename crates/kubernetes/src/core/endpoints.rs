//! Endpoints.

use crate::native::Native;

pub(crate) fn native() -> Native {
    Native::new("", "Endpoints")
}
