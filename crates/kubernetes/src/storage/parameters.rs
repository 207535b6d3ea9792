//! What a class hands to its driver.

use ordain_meta::name;
use ordain_value::field::{self, Path};
use ordain_value::{Map, Value};

const ENTRIES_MAX: i64 = 512;
const BYTES_MAX: i64 = 256 * 1024;

/// Whether a class may have no parameters at all.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Parameters {
    Optional,
    Required,
}

/// The name of the driver, with an optional domain, in any case.
pub(super) fn driver(text: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    if text.is_empty() {
        errors.push(field::Error::required(path, ""));
        return;
    }
    let text = text.to_lowercase();
    for problem in name::qualified_name(&text) {
        errors.push(field::Error::invalid(path, text.as_str(), problem));
    }
}

/// Keys are not empty, and everything together has a limit.
pub(super) fn validate(
    object: &Value,
    required: Parameters,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let empty = Map::new();
    let map = object.get("parameters").and_then(Value::as_map).unwrap_or(&empty);
    if i64::try_from(map.len()).unwrap_or(i64::MAX) > ENTRIES_MAX {
        errors.push(field::Error::too_long(path, ENTRIES_MAX));
        return;
    }
    if map.contains_key("") {
        errors.push(field::Error::invalid(path, "", "field can not be empty."));
    }
    let texts = map.iter().map(|(key, value)| key.len() + value.as_str().map_or(0, str::len));
    if i64::try_from(texts.sum::<usize>()).unwrap_or(i64::MAX) > BYTES_MAX {
        errors.push(field::Error::too_long(path, BYTES_MAX));
    }
    if required == Parameters::Required && map.is_empty() {
        let why = "must contain at least one key/value pair";
        errors.push(field::Error::required(path, why));
    }
}
