//! ValidatingAdmissionPolicy: conditions in CEL that writes must meet.

use ordain_strategy::{Change, Part};
use ordain_value::field::ErrorList;

use super::policy::{self, PARAM_KIND};
use crate::native::Native;
use crate::shared::table::Cell::Len;
use crate::shared::table::{AGE, NAME};

pub(crate) fn native() -> Native {
    let mut native = super::native("ValidatingAdmissionPolicy", &[&["spec"]], validate);
    native.reset = &[&["status"]];
    native.columns = &[
        NAME,
        ("Validations", "integer", 0, "How many conditions there are.", Len("spec.validations")),
        PARAM_KIND,
        AGE,
    ];
    native
}

fn validate(change: &Change<'_>) -> ErrorList {
    match change.part {
        Part::Status => ErrorList::new(),
        _ => policy::validate(change),
    }
}
