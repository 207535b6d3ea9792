//! How many pods a rolling update may add or take away at a time.

use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::shared::{amount, fields, internal};

type Errors = field::ErrorList;

/// The rules of both amounts by themselves.
pub(super) fn amounts(update: &Value, path: &Path<'_>, errors: &mut Errors) {
    for name in ["maxUnavailable", "maxSurge"] {
        if let Some(value) = fields::at(update, &[name]) {
            amount::count_or_percent(value, &path.child(name), errors);
        }
    }
}

/// Reports an amount above 100 percent.
pub(super) fn at_most_all(update: &Value, name: &str, path: &Path<'_>, errors: &mut Errors) {
    if let Some(value) = fields::at(update, &[name]) {
        amount::at_most_all(value, &path.child(name), errors);
    }
}

/// The number of an amount.
pub(super) fn number(update: &Value, name: &str) -> i64 {
    amount::number(fields::at(update, &[name]))
}

/// An update strategy of an unknown type as messages show it.
pub(super) fn shown(strategy: &Value) -> field::BadValue {
    let update = fields::at(strategy, &["rollingUpdate"]).map_or("null".to_owned(), |update| {
        let zero = Value::Int(0);
        let amount = |name| internal::plain(Some(fields::at(update, &[name]).unwrap_or(&zero)));
        internal::structure_text(&[
            ("MaxUnavailable", amount("maxUnavailable")),
            ("MaxSurge", amount("maxSurge")),
        ])
    });
    let ty = Value::from(fields::text(strategy, &["type"]));
    internal::structure(&[("Type", internal::plain(Some(&ty))), ("RollingUpdate", update)])
}
