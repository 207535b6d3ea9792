//! What volumes and claims share.

use ordain_value::Value;

use crate::shared::resources::quantity;

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
