//! Labels and label selectors inside objects (`metav1.LabelSelector`).
//!
//! Invariant: [`parse`] gives a selector exactly when a selector has no errors that matter to
//! matching; wrong values of labels are such errors, too.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use ordain_meta::selector::{LabelSelector, Operator, Requirement};
use ordain_meta::{name, object_meta};
use ordain_value::field::{self, Path};
use ordain_value::{Map, Text, Value};

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

/// Whether an expression of the selector names a value that no label can have.
pub(crate) fn has_invalid_value(selector: Option<&Value>) -> bool {
    let expressions = selector.map_or(&[][..], |it| fields::list(it, &["matchExpressions"]));
    let values = expressions.iter().flat_map(|it| fields::texts(it, &["values"]));
    values.into_iter().any(|value| !name::label_value(value).is_empty())
}

/// How wrong values are judged in a change of an object that has such a selector.
pub(crate) fn values_allowed(old: Option<&Value>) -> Values {
    if has_invalid_value(old) { Values::Any } else { Values::Checked }
}

/// The selector itself. `Err` for one that cannot be used; an absent one selects nothing.
pub(crate) fn parse(selector: Option<&Value>) -> Result<Option<LabelSelector>, ()> {
    let Some(selector) = selector else { return Ok(None) };
    let mut requirements = Vec::new();
    for (key, value) in fields::map(selector, &["matchLabels"]).into_iter().flat_map(Map::iter) {
        let values = BTreeSet::from([value.as_text().cloned().unwrap_or_default()]);
        requirements.push(checked(key.clone(), Operator::Equals, values)?);
    }
    for expression in fields::list(selector, &["matchExpressions"]) {
        let operator = match fields::text(expression, &["operator"]) {
            "In" => Operator::In,
            "NotIn" => Operator::NotIn,
            "Exists" => Operator::Exists,
            "DoesNotExist" => Operator::DoesNotExist,
            _ => return Err(()),
        };
        let values = fields::texts(expression, &["values"]).into_iter().map(Text::from).collect();
        let key = Text::from(fields::text(expression, &["key"]));
        requirements.push(checked(key, operator, values)?);
    }
    requirements.sort_by(|a: &Requirement, b| a.key.cmp(&b.key));
    Ok(Some(LabelSelector { requirements }))
}

fn checked(key: Text, operator: Operator, values: BTreeSet<Text>) -> Result<Requirement, ()> {
    let counted = match operator {
        Operator::In | Operator::NotIn => !values.is_empty(),
        Operator::Exists | Operator::DoesNotExist => values.is_empty(),
        _ => true,
    };
    let sound = counted
        && name::qualified_name(&key).is_empty()
        && values.iter().all(|value| name::label_value(value).is_empty());
    if sound { Ok(Requirement { key, operator, values }) } else { Err(()) }
}

/// A selector in the text form that tables show.
pub(crate) fn show(selector: Option<&Value>) -> String {
    match parse(selector) {
        Err(()) => "<error>".to_owned(),
        Ok(None) => "<none>".to_owned(),
        Ok(Some(selector)) if selector.is_everything() => "<none>".to_owned(),
        Ok(Some(selector)) => text_form(&selector),
    }
}

/// `a=b,c in (d,e),!f`
pub(crate) fn text_form(selector: &LabelSelector) -> String {
    let mut out = String::new();
    for (at, requirement) in selector.requirements.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        let key = &requirement.key;
        let values = requirement.values.iter().map(Text::as_str).collect::<Vec<_>>().join(",");
        let written = match requirement.operator {
            Operator::Equals => write!(out, "{comma}{key}={values}"),
            Operator::NotEquals => write!(out, "{comma}{key}!={values}"),
            Operator::In => write!(out, "{comma}{key} in ({values})"),
            Operator::NotIn => write!(out, "{comma}{key} notin ({values})"),
            Operator::Exists => write!(out, "{comma}{key}"),
            Operator::DoesNotExist => write!(out, "{comma}!{key}"),
            Operator::GreaterThan => write!(out, "{comma}{key}>{values}"),
            Operator::LessThan => write!(out, "{comma}{key}<{values}"),
        };
        debug_assert!(written.is_ok(), "writing to a string does not fail");
    }
    out
}
