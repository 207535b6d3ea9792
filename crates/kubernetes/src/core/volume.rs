//! What volumes and claims share.

use ordain_meta::quantity::Quantity;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::shared::access::texts;
use crate::shared::resources::quantity;

/// The annotation that once named the storage class.
pub(crate) const CLASS: &str = "volume.beta.kubernetes.io/storage-class";

pub(crate) const MODES: [&str; 2] = ["Block", "Filesystem"];

const ACCESS_MODES: [&str; 4] =
    ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/// Known modes only, and the one for a single pod alone.
pub(super) fn access_modes(spec: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let path = path.child("accessModes");
    let (mut single, mut others) = (false, false);
    for mode in texts(spec, "accessModes") {
        if !ACCESS_MODES.contains(&mode) {
            errors.push(field::Error::not_supported(&path, mode, &ACCESS_MODES));
        } else if mode == "ReadWriteOncePod" {
            single = true;
        } else {
            others = true;
        }
    }
    if single && others {
        let why = "may not use ReadWriteOncePod with other access modes";
        errors.push(field::Error::forbidden(&path, why));
    }
}

/// An amount that is no debt.
pub(super) fn amount(value: &Quantity, path: &Path<'_>, errors: &mut field::ErrorList) {
    if value.value() < 0 {
        let why = "must be a valid resource quantity";
        errors.push(field::Error::invalid(path, value.value(), why));
    }
}

/// An amount above zero; tells whether it is.
pub(super) fn positive(value: &Quantity, path: &Path<'_>, errors: &mut field::ErrorList) -> bool {
    let positive = value.sign() > 0;
    if !positive {
        let why = "must be greater than zero";
        errors.push(field::Error::invalid(path, value.to_string(), why));
    }
    positive
}

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
