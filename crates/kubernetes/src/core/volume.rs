//! What volumes and claims share.

use ordain_strategy::object;
use ordain_value::Value;

use crate::shared::access::{annotation, part, text, text_of};
use crate::shared::resources::quantity;
use crate::shared::table::Cell::{self, Of};
use crate::shared::table::Described;

/// The annotation that once named the storage class.
pub(crate) const CLASS: &str = "volume.beta.kubernetes.io/storage-class";

/// Modes in their short form, each once.
pub(super) fn short_modes(modes: &[Value]) -> Value {
    let short = [
        ("ReadWriteOnce", "RWO"),
        ("ReadOnlyMany", "ROX"),
        ("ReadWriteMany", "RWX"),
        ("ReadWriteOncePod", "RWOP"),
    ];
    let has = |name: &str| modes.iter().any(|mode| mode.as_str() == Some(name));
    let found: Vec<&str> = short.iter().filter(|it| has(it.0)).map(|it| it.1).collect();
    found.join(",").into()
}

/// An amount in the form that the server writes; zero when absent.
pub(super) fn shown_amount(value: Option<&Value>) -> Value {
    quantity(value.unwrap_or(&Value::Null)).to_string().into()
}

pub(super) const ATTRIBUTES: Cell = Of(|it| set_in_spec(it, "volumeAttributesClassName"));
pub(super) const MODE: Described = (
    "VolumeMode",
    "string",
    1,
    "File system or block device.",
    Of(|it| set_in_spec(it, "volumeMode")),
);

fn set_in_spec(object: &Value, field: &str) -> Value {
    text_of(part(object, "spec"), field).unwrap_or("<unset>").into()
}

pub(super) fn phase(object: &Value) -> Value {
    if object::is_deleting(object) {
        return "Terminating".into();
    }
    text(part(object, "status"), "phase").into()
}

pub(super) fn class(object: &Value) -> Value {
    let named = || text(part(object, "spec"), "storageClassName");
    annotation(object, CLASS).unwrap_or_else(named).into()
}
