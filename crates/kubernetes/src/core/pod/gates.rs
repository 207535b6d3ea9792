//! Fields of gates that are off in this release: dropped, unless the old object has them.

use ordain_value::Value;

/// Drops what no gate lets pass.
pub(super) fn drop_disabled(_spec: &mut Value, _old: Option<&Value>) {}
