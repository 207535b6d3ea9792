//! The specification of a claim, which templates of claims have, too.

use ordain_strategy::Warnings;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::super::volume;
use super::data_source;
use crate::shared::access::{items, part, some, text};
use crate::shared::resources::{self, quantity};
use crate::shared::selector::Values;
use crate::shared::{fields, reference, selector};

/// What is let through because the old object has it.
pub(crate) struct Rules {
    values: Values,
    any_group: bool,
}

impl Rules {
    /// The rules for a change of an old specification, or for a new one.
    pub(crate) fn of(old: Option<&Value>) -> Self {
        let selector = old.and_then(|old| some(old, "selector"));
        let group = |old: &Value, name: &str| fields::at(old, &[name, "apiGroup"]).is_some();
        Self {
            values: if selector::is_invalid(selector) { Values::Any } else { Values::Checked },
            any_group: old
                .is_some_and(|old| group(old, "dataSource") || group(old, "dataSourceRef")),
        }
    }
}

/// The rules of a specification.
pub(crate) fn validate(
    spec: &Value,
    rules: &Rules,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    if items(spec, "accessModes").is_empty() {
        let why = "at least 1 access mode is required";
        errors.push(field::Error::required(&path.child("accessModes"), why));
    }
    let place = path.child("selector");
    selector::validate(some(spec, "selector"), rules.values, &place, errors);
    volume::access_modes(spec, path, errors);
    storage(spec, path, errors);
    let class = text(spec, "storageClassName");
    reference::class_name(class, &path.child("storageClassName"), errors);
    fields::one_of(spec, &["volumeMode"], &volume::MODES, &path.child("volumeMode"), errors);
    data_source::validate(spec, rules.any_group, path, errors);
    let class = text(spec, "volumeAttributesClassName");
    reference::class_name(class, &path.child("volumeAttributesClassName"), errors);
}

fn storage(spec: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let path = path.child("resources");
    let path = path.key("storage");
    let Some(size) = fields::at(spec, &["resources", "requests", "storage"]).map(quantity) else {
        errors.push(field::Error::required(&path, ""));
        return;
    };
    if volume::positive(&size, &path, errors) {
        resources::check_amount("storage", &size, &path, errors);
    }
}

/// Advice on sizes that are no whole number of bytes.
pub(crate) fn warn(spec: &Value, path: &Path<'_>, warnings: &mut Warnings) {
    let path = path.child("resources");
    for list in ["requests", "limits"] {
        let size = fields::at(part(spec, "resources"), &[list, "storage"]).map(quantity);
        if let Some(size) = size.filter(|it| !resources::is_whole(it)) {
            let path = path.child(list);
            let size = ordain_value::go_quote(&size.to_string());
            warnings.add(format!(
                "{}: fractional byte value {size} is invalid, must be an integer",
                path.key("storage")
            ));
        }
    }
}
