//! Why a write is refused, before anything is rendered.

use ordain_meta::gvk::GroupKind;
use ordain_meta::status::Status;
use ordain_value::Value;
use ordain_value::field::ErrorList;

use crate::object;

/// A refusal with all it knows; servers turn it into a [`Status`], files into findings at lines.
#[derive(Debug, Clone)]
pub enum Refusal {
    /// The object breaks rules (422).
    Invalid {
        /// The kind that the refusal names.
        kind: GroupKind,
        /// All that is wrong.
        errors: ErrorList,
        /// The object as it was judged.
        object: Box<Value>,
    },
    /// Anything else.
    Other(Box<Status>),
}

impl From<Status> for Refusal {
    fn from(status: Status) -> Self {
        Refusal::Other(Box::new(status))
    }
}

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Invalid { kind, errors, object } => {
                Status::invalid(&kind, object::name(&object), &errors)
            }
            Refusal::Other(status) => *status,
        }
    }
}
