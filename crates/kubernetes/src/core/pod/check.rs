//! Small rules that most parts of a pod share.

use ordain_value::field::{BadValue, Error, ErrorList, Path};
use ordain_value::{Value, json};

use crate::shared::access::{int_of, some, text};

/// A text that must be given.
pub(super) fn required(value: &Value, field: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if text(value, field).is_empty() {
        errors.push(Error::required(&path.child(field), ""));
    }
}

/// A text that must be given and be one of a few; they are shown in the given order.
pub(super) fn required_one_of(
    value: &Value,
    field: &str,
    supported: &[&str],
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    match text(value, field) {
        "" => errors.push(Error::required(&path.child(field), "")),
        given => one_of(given, supported, &path.child(field), errors),
    }
}

/// A pointer to one of a few texts.
pub(super) fn optional_one_of(
    value: &Value,
    field: &str,
    supported: &[&str],
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    if some(value, field).is_some() {
        one_of(text(value, field), supported, &path.child(field), errors);
    }
}

/// A text is one of a few.
pub(super) fn one_of(given: &str, supported: &[&str], path: &Path<'_>, errors: &mut ErrorList) {
    if !supported.contains(&given) {
        errors.push(Error::not_supported(path, named(given), supported));
    }
}

/// A text of a type with a name, which messages show as JSON that is safe in a page.
pub(super) fn named(text: &str) -> BadValue {
    if !text.contains(['<', '>', '&']) {
        return text.into();
    }
    let json = json::encode_string(&Value::from(text));
    let safe = json.replace('<', "\\u003c").replace('>', "\\u003e");
    BadValue::Json(safe.replace('&', "\\u0026"))
}

/// A number behind a pointer is between bounds.
pub(super) fn between(
    value: &Value,
    field: &str,
    (least, greatest): (i64, i64),
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    if let Some(number) = int_of(value, field)
        && !(least..=greatest).contains(&number)
    {
        let problem = format!("must be between {least} and {greatest}, inclusive");
        errors.push(Error::invalid(&path.child(field), number, problem));
    }
}

/// File modes are nine bits.
pub(super) fn mode(value: &Value, field: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(mode) = int_of(value, field)
        && !(0..=0o777).contains(&mode)
    {
        let problem = "must be a number between 0 and 0777 (octal), both inclusive";
        errors.push(Error::invalid(&path.child(field), mode, problem));
    }
}
