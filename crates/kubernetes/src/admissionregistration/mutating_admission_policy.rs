//! MutatingAdmissionPolicy: changes in CEL that are made to what is written.

use super::policy::{self, PARAM_KIND};
use crate::native::Native;
use crate::shared::table::Cell::Len;
use crate::shared::table::{AGE, NAME};

pub(crate) fn native() -> Native {
    let mut native = super::native("MutatingAdmissionPolicy", &[&["spec"]], policy::validate);
    native.columns = &[
        NAME,
        ("Mutations", "integer", 0, "How many changes there are.", Len("spec.mutations")),
        PARAM_KIND,
        AGE,
    ];
    native
}
