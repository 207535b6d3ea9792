//! What a claim asks for: counts, references to requests, parameters of drivers.

use ordain_passes::declared::written::Asked;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::selector;
use crate::shared::access::{int, items_mut, text};
use crate::shared::net;

const PARAMETERS_BYTES_MAX: usize = 10 * 1024;
const NOT_A_REQUEST: &str = "must be the name of a request in the claim or the name of a request \
                             and a subrequest separated by '/'";

/// A request for an exact number asks for one device, unless it says how many.
pub(super) fn default(spec: &mut Value) {
    let Some(devices) = spec.get_mut("devices") else { return };
    for request in items_mut(devices, "requests") {
        if let Some(exactly) = request.get_mut("exactly") {
            default_count(exactly);
        }
        items_mut(request, "firstAvailable").for_each(default_count);
    }
}

fn default_count(request: &mut Value) {
    if text(request, "allocationMode") == "ExactCount" && int(request, "count") == 0 {
        request.set_path(&["count"], Value::Int(1));
    }
}

/// Whether what is looked at was accepted before.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stored {
    Yes,
    No,
}

impl Stored {
    fn of(asked: &Asked<'_, '_>) -> Self {
        if asked.is("isStored") { Stored::Yes } else { Stored::No }
    }
}

/// A reference to a request of the claim, perhaps to one of its alternatives. Its parts are judged
/// and shown by themselves.
pub(crate) fn check_reference(
    asked: &Asked<'_, '_>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let (value, names) = (asked.value(), asked.ask("requestNames"));
    let text = value.as_str().unwrap_or("");
    let segments: Vec<&str> = text.split('/').collect();
    let known = names.as_list().is_some_and(|it| it.iter().any(|it| it.as_str() == Some(text)));
    if segments.len() <= 2 {
        segments.iter().for_each(|segment| errors.extend(net::label(path, segment)));
    }
    if segments.len() > 2 || !known {
        errors.push(field::Error::invalid(path, text, NOT_A_REQUEST));
    }
}

/// An expression that chooses devices is compiled.
pub(crate) fn check_expression(
    asked: &Asked<'_, '_>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let value = asked.value();
    let found = selector::check(value.as_str().unwrap_or(""), Stored::of(asked), path);
    errors.extend(found);
}

/// Parameters are a JSON object of limited size, which only the driver understands.
pub(crate) fn check_parameters(
    asked: &Asked<'_, '_>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let value = asked.value();
    if value.is_null() {
        errors.push(field::Error::required(path, ""));
        return;
    }
    let bytes = ordain_value::json::encode(&value).len();
    if Stored::of(asked) == Stored::No && bytes > PARAMETERS_BYTES_MAX {
        errors.push(field::Error::too_long(path, 10_240));
    } else if value.as_map().is_none() {
        let why = "must be a valid JSON object";
        errors.push(field::Error::invalid(path, "<value omitted>", why));
    }
}
