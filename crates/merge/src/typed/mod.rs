//! Walks over values with their types.

mod atomics;
mod compare;
mod field_set;
mod list_item;
mod merge;
mod reconcile;
mod remove;
mod validate;

pub use atomics::{Unmergeable, unmergeable};
pub use compare::{Comparison, compare};
pub use field_set::field_set;
pub use merge::merge;
pub use reconcile::reconcile;
pub use remove::remove;
pub use validate::{Duplicates, TypedError, TypedErrors, validate};

use ordain_value::{List, Map, Value};

/// The map in a value; null, absent and other kinds have none.
fn as_map(value: Option<&Value>) -> Option<&Map> {
    value.and_then(Value::as_map)
}

/// The list in a value; null, absent and other kinds have none.
fn as_list(value: Option<&Value>) -> Option<&List> {
    value.and_then(Value::as_list)
}
