//! Conditions of the common form (`metav1.Condition`).

use std::collections::BTreeSet;

use ordain_meta::name;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::fields;

const REASON_BYTES_MAX: i64 = 1024;
const MESSAGE_BYTES_MAX: i64 = 32 * 1024;

/// Judges a list of conditions.
pub(crate) fn validate(conditions: &[Value], path: &Path<'_>, errors: &mut field::ErrorList) {
    const STATUSES: [&str; 3] = ["False", "True", "Unknown"];
    let mut types = BTreeSet::new();
    for (at, condition) in conditions.iter().enumerate() {
        let path = path.index(at);
        let text = |name: &str| fields::text(condition, &[name]);
        let (ty, status) = (text("type"), text("status"));
        if !types.insert(ty) {
            errors.push(field::Error::duplicate(&path.child("type"), ty));
        }
        for why in name::qualified_name(ty) {
            errors.push(field::Error::invalid(&path.child("type"), ty, why));
        }
        if !STATUSES.contains(&status) {
            errors.push(field::Error::not_supported(&path.child("status"), status, &STATUSES));
        }
        let observed = fields::count(condition, &["observedGeneration"]);
        if observed < 0 {
            let why = "must be greater than or equal to zero";
            errors.push(field::Error::invalid(&path.child("observedGeneration"), observed, why));
        }
        if text("lastTransitionTime").is_empty() {
            errors.push(field::Error::required(&path.child("lastTransitionTime"), ""));
        }
        reason(text("reason"), &path.child("reason"), errors);
        if too_long(text("message"), MESSAGE_BYTES_MAX) {
            errors.push(field::Error::too_long(&path.child("message"), MESSAGE_BYTES_MAX));
        }
    }
}

fn too_long(text: &str, max: i64) -> bool {
    i64::try_from(text.len()).unwrap_or(i64::MAX) > max
}

/// A word in the style of constants: letters first, no mark at the end.
fn reason(text: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    if text.is_empty() {
        errors.push(field::Error::required(path, ""));
        return;
    }
    let letter = |it: u8| it.is_ascii_alphabetic();
    let inner = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b',' | b':');
    let bytes = text.as_bytes();
    let ends = bytes.first().is_some_and(|it| letter(*it))
        && bytes.last().is_some_and(|it| it.is_ascii_alphanumeric() || *it == b'_');
    if !ends || !bytes.iter().all(|it| inner(*it)) {
        let why = name::pattern_message(
            "a condition reason must start with alphabetic character, optionally followed by a \
             string of alphanumeric characters or '_,:', and must end with an alphanumeric \
             character or '_'",
            "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?",
            &["my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"],
        );
        errors.push(field::Error::invalid(path, text, why));
    }
    if too_long(text, REASON_BYTES_MAX) {
        errors.push(field::Error::too_long(path, REASON_BYTES_MAX));
    }
}
