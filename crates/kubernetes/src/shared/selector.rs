//! Labels and label selectors inside objects (`metav1.LabelSelector`); the rules of selectors are
//! declared.
//!
//! Invariant: a selector without errors can be parsed.

use ordain_meta::object_meta;
use ordain_meta::selector::{LabelSelector, SelectorError};
use ordain_passes::declared::written::Asked;
use ordain_value::field::{self, Path};
use ordain_value::{Map, Value, json};

use super::fields;

/// Keys and values of a map of labels.
pub(crate) fn labels(labels: Option<&Map>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let entries = labels.into_iter().flat_map(Map::iter);
    let texts = entries.map(|(key, value)| (key.as_str(), value.as_str().unwrap_or("")));
    object_meta::labels(texts, path, errors);
}

/// The selector itself. An absent one selects nothing.
pub(crate) fn parse(selector: Option<&Value>) -> Result<Option<LabelSelector>, SelectorError> {
    selector.map(LabelSelector::read).transpose()
}

/// A selector that cannot be read; the refusal shows what reading gave, which is nothing.
pub(crate) fn check_readable(
    asked: &Asked<'_, '_>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    if parse(Some(&asked.value())).is_err() {
        let nothing = field::BadValue::Json("null".to_owned());
        errors.push(field::Error::invalid(path, nothing, "invalid label selector."));
    }
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
