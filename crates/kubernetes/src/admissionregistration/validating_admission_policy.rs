//! ValidatingAdmissionPolicy: conditions in CEL that writes must meet.

use ordain_strategy::{Change, Part};
use ordain_value::field::ErrorList;

use super::policy;
use crate::native::Native;

pub(crate) fn native() -> Native {
    let rules = ("Validations", "integer", "How many conditions there are.");
    let mut native = policy::native("ValidatingAdmissionPolicy", rules, validate);
    native.reset = &[&["status"]];
    native.hooks.cells = |object, now| policy::cells(object, "validations", now);
    native
}

fn validate(change: &Change<'_>) -> ErrorList {
    match change.part {
        Part::Status => ErrorList::new(),
        _ => policy::validate(change),
    }
}
