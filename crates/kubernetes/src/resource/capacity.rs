//! How much of a device's capacity requests may take.

use ordain_meta::quantity::Quantity;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::name;
use crate::shared::access::{items, some};
use crate::shared::resources::quantity;

const OPTIONS_MAX: usize = 10;

pub(super) fn validate(
    capacity: &Value,
    shared: bool,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let Some(policy) = some(capacity, "requestPolicy") else { return };
    let path = path.child("requestPolicy");
    if !shared {
        errors.push(field::Error::forbidden(&path, "allowMultipleAllocations must be true"));
        return;
    }
    let total = quantity(capacity.get("value").unwrap_or(&Value::Null));
    let default = some(policy, "default").map(quantity);
    let (options, range) = (items(policy, "validValues"), some(policy, "validRange"));
    match (options.is_empty(), range, default) {
        (false, Some(_), _) => {
            let why = "exactly one policy can be specified, cannot specify \"validValues\" and \
                       \"validRange\" at the same time";
            errors.push(field::Error::forbidden(&path, why));
        }
        (false, None, None) => {
            let why = "required when validValues is defined";
            errors.push(field::Error::required(&path.child("default"), why));
        }
        (false, None, Some(default)) => {
            let options: Vec<Quantity> = options.iter().map(quantity).collect();
            validate_options(&options, &default, &total, &path.child("validValues"), errors);
        }
        (true, Some(_), None) => {
            let why = "required when validRange is defined";
            errors.push(field::Error::required(&path.child("default"), why));
        }
        (true, Some(range), Some(default)) => {
            validate_range(range, &default, &total, &path.child("validRange"), errors);
        }
        (true, None, _) => {}
    }
}

fn validate_options(
    options: &[Quantity],
    default: &Quantity,
    total: &Quantity,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    for (at, pair) in options.windows(2).enumerate() {
        if let [one, next] = pair
            && one > next
        {
            let why = "values must be sorted in ascending order";
            errors.push(field::Error::invalid(&path.index(at + 1), next.to_string(), why));
        }
    }
    let mut found = false;
    if name::fits(options.len(), OPTIONS_MAX, path, errors) {
        for (at, option) in options.iter().enumerate() {
            if option > total {
                let why = format!("option is larger than capacity value: {total}");
                errors.push(field::Error::invalid(&path.index(at), option.to_string(), why));
            }
            found |= option == default;
        }
        let keys: Vec<String> = options.iter().map(|it| it.value().to_string()).collect();
        for (at, key) in keys.iter().enumerate().filter(|it| keys[..it.0].contains(it.1)) {
            errors.push(field::Error::duplicate(&path.index(at), key.as_str()));
        }
    }
    if !found {
        let why = "default value is not valid according to the requestPolicy";
        errors.push(field::Error::invalid(path, default.to_string(), why));
    }
}

fn validate_range(
    range: &Value,
    default: &Quantity,
    total: &Quantity,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let bound = |field: &str| some(range, field).map(quantity);
    let (min_path, max_path) = (path.child("min"), path.child("max"));
    let Some(min) = bound("min") else {
        errors.push(field::Error::required(&min_path, "required when validRange is defined"));
        return;
    };
    let mut report = |wrong: bool, path: &Path<'_>, shown: &Quantity, why: String| {
        if wrong {
            errors.push(field::Error::invalid(path, shown.to_string(), why));
        }
    };
    let over = |what: &str| format!("{what} is larger than capacity value: {total}");
    report(min > *total, &min_path, &min, over("min"));
    report(*default < min, &min_path, default, format!("default is less than min: {min}"));
    let max = bound("max");
    if let Some(max) = &max {
        report(min > *max, &max_path, &min, format!("min is larger than max: {max}"));
        report(max > total, &max_path, max, over("max"));
        report(default > max, &max_path, default, format!("default is more than max: {max}"));
    }
    let Some(step) = bound("step") else { return };
    let path = path.child("step");
    if let Ok(added) = min.add(&step) {
        report(added > *total, &path, &step, over(&format!("one step {added}")));
    }
    for value in [Some(default), max.as_ref()].into_iter().flatten() {
        let added = value.value().saturating_sub(min.value());
        let rest = added.checked_rem(step.value()).unwrap_or(0);
        let why = format!("value is not a multiple of a given step ({step}) from ({min})");
        report(rest != 0, &path, value, why);
    }
}
