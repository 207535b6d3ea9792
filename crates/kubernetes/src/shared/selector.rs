//! Labels and label selectors inside objects (`metav1.LabelSelector`).
//!
//! Invariant: a selector without errors can be parsed.

use ordain_meta::selector::{LabelSelector, SelectorError};
use ordain_meta::{name, object_meta};
use ordain_value::field::{self, Path};
use ordain_value::{Map, Value, json};

use super::fields;

/// Whether wrong values of labels in expressions are let through: only where the old object has
/// some, which older releases took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    Checked,
    Any,
}

/// Keys and values of a map of labels.
pub(crate) fn labels(labels: Option<&Map>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let entries = labels.into_iter().flat_map(Map::iter);
    let texts = entries.map(|(key, value)| (key.as_str(), value.as_str().unwrap_or("")));
    object_meta::labels(texts, path, errors);
}

/// The rules of a selector; an absent one has none.
pub(crate) fn validate(
    selector: Option<&Value>,
    values: Values,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let Some(selector) = selector else { return };
    labels(fields::map(selector, &["matchLabels"]), &path.child("matchLabels"), errors);
    let list = path.child("matchExpressions");
    for (at, expression) in fields::list(selector, &["matchExpressions"]).iter().enumerate() {
        requirement(expression, values, &list.index(at), errors);
    }
}

fn requirement(expression: &Value, values: Values, path: &Path<'_>, errors: &mut field::ErrorList) {
    let operator = fields::text(expression, &["operator"]);
    let given = fields::texts(expression, &["values"]);
    let list = path.child("values");
    match operator {
        "In" | "NotIn" => {
            if given.is_empty() {
                let why = "must be specified when `operator` is 'In' or 'NotIn'";
                errors.push(field::Error::required(&list, why));
            }
        }
        "Exists" | "DoesNotExist" => {
            if !given.is_empty() {
                let why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                errors.push(field::Error::forbidden(&list, why));
            }
        }
        _ => errors.push(field::Error::invalid(
            &path.child("operator"),
            operator,
            "not a valid selector operator",
        )),
    }
    let key = fields::text(expression, &["key"]);
    for message in name::qualified_name(key) {
        errors.push(field::Error::invalid(&path.child("key"), key, message));
    }
    if values == Values::Checked {
        for (at, value) in given.iter().enumerate() {
            for message in name::label_value(value) {
                errors.push(field::Error::invalid(&list.index(at), *value, message));
            }
        }
    }
}

/// Whether a selector breaks a rule.
pub(crate) fn is_invalid(selector: Option<&Value>) -> bool {
    let mut errors = field::ErrorList::new();
    validate(selector, Values::Checked, &Path::root(), &mut errors);
    !errors.is_empty()
}

/// The selector itself. An absent one selects nothing.
pub(crate) fn parse(selector: Option<&Value>) -> Result<Option<LabelSelector>, SelectorError> {
    selector.map(LabelSelector::read).transpose()
}

/// A selector as messages show it: labels before expressions.
pub(crate) fn shown(selector: Option<&Value>) -> field::BadValue {
    let Some(selector) = selector else { return Value::Null.into() };
    let member = |name: &str| {
        fields::at(selector, &[name]).map(|it| format!("\"{name}\":{}", json::encode_string(it)))
    };
    let members = ["matchLabels", "matchExpressions"].into_iter().filter_map(member);
    field::BadValue::Json(format!("{{{}}}", members.collect::<Vec<_>>().join(",")))
}

/// A selector in the text form that tables show.
pub(crate) fn show(selector: Option<&Value>) -> String {
    match parse(selector) {
        Err(_) => "<error>".to_owned(),
        Ok(Some(selector)) if !selector.is_everything() => selector.to_string(),
        Ok(_) => "<none>".to_owned(),
    }
}
