//! A device: its attributes and capacity.

use ordain_passes::declared::written::Asked;
use ordain_value::field::{self, Path};
use ordain_value::{Map, Value};

use super::{capacity, name};
use crate::shared::access::{entries, flag_of, items, some, text_of, texts};
use crate::shared::{diff, internal};

const VALUE_BYTES_MAX: usize = 64;
/// A domain, a slash and an identifier.
const KEY_BYTES_MAX: usize = 63 + 1 + name::ID_BYTES_MAX;
const LISTS: [&str; 4] = ["bools", "ints", "strings", "versions"];

/// Whether an attribute has a list of values.
pub(super) fn has_lists(device: &Value) -> bool {
    let mut attributes = entries(device, "attributes");
    attributes.any(|(_, it)| LISTS.iter().any(|list| some(it, list).is_some()))
}

pub(super) fn has_mappings(device: &Value) -> bool {
    entries(device, "nodeAllocatableResourceMappings").next().is_some()
}

pub(super) fn drop_lists(device: &mut Value) {
    let Some(attributes) = device.get_mut("attributes").and_then(Value::as_map_mut) else { return };
    for (_, attribute) in attributes.iter_mut() {
        for list in LISTS {
            attribute.remove_path(&[list]);
        }
    }
}

/// Keys of attributes have a form of their own, and paths leave out the middle of long ones.
pub(crate) fn check_attributes(
    asked: &Asked<'_, '_>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let value = asked.value();
    for (key, attribute) in value.as_map().into_iter().flat_map(Map::iter) {
        name::qualified(key, path, errors);
        validate_attribute(attribute, &path.key(&name::shown_key(key, KEY_BYTES_MAX)), errors);
    }
}

/// Capacities have such keys, too; what requests may take of them is arithmetic.
pub(crate) fn check_capacity(
    asked: &Asked<'_, '_>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let (value, device) = (asked.value(), asked.ask("device"));
    let shared = flag_of(&device, "allowMultipleAllocations").unwrap_or(false);
    for (key, capacity) in value.as_map().into_iter().flat_map(Map::iter) {
        name::qualified(key, path, errors);
        let shown = name::shown_key(key, KEY_BYTES_MAX);
        capacity::validate(capacity, shared, &path.key(&shown), errors);
    }
}

fn validate_attribute(attribute: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    if let Some(text) = text_of(attribute, "string") {
        value(text, false, &path.child("string"), errors);
    }
    if let Some(text) = text_of(attribute, "version") {
        value(text, true, &path.child("version"), errors);
    }
    for list in LISTS {
        let path = path.child(list);
        if some(attribute, list).is_some() && items(attribute, list).is_empty() {
            let shown = internal::given(attribute, list);
            let why = "must not be empty if specified";
            errors.push(field::Error::invalid(&path, shown, why));
        }
        if matches!(list, "strings" | "versions") {
            for (at, text) in texts(attribute, list).into_iter().enumerate() {
                value(text, list == "versions", &path.index(at), errors);
            }
        }
    }
    const WHY: &str = "exactly one value must be specified";
    match diff::field_names("DeviceAttribute").filter(|it| some(attribute, it).is_some()).count() {
        0 => errors.push(field::Error::invalid(path, "", WHY)),
        1 => {}
        _ => {
            let shown = diff::shown(attribute, "=DeviceAttribute");
            errors.push(field::Error::invalid(path, shown, WHY));
        }
    }
}

fn value(text: &str, version: bool, path: &Path<'_>, errors: &mut field::ErrorList) {
    if version && !is_semver(text) {
        let why = "must be a string compatible with semver.org spec 2.0.0";
        errors.push(field::Error::invalid(path, text, why));
    }
    if text.len() > VALUE_BYTES_MAX {
        errors.push(field::Error::too_long(path, 64));
    }
}

/// Three numbers, perhaps with a pre-release and a build.
fn is_semver(text: &str) -> bool {
    let (text, build) = match text.split_once('+') {
        Some((text, build)) => (text, Some(build)),
        None => (text, None),
    };
    let (core, pre) = match text.split_once('-') {
        Some((core, pre)) => (core, Some(pre)),
        None => (text, None),
    };
    let digits = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    let number = |it: &str| digits(it) && (it == "0" || !it.starts_with('0'));
    let word =
        |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-');
    let parts: Vec<&str> = core.split('.').collect();
    parts.len() == 3
        && parts.into_iter().all(number)
        && pre.is_none_or(|it| it.split('.').all(|it| word(it) && (!digits(it) || number(it))))
        && build.is_none_or(|it| it.split('.').all(word))
}
