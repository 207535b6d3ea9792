//! Access reviews: whether an identity may do something. Only the question is validated here.

use ordain_meta::name;
use ordain_passes::declared::written::Asked;
use ordain_strategy::Change;
use ordain_value::field::{self, Path};

use crate::shared::access::{part, text, texts};
use crate::shared::{diff, net};

/// About anybody or oneself, anywhere.
pub(super) fn validate(change: &Change<'_>) -> field::ErrorList {
    metadata(change, &[], "must be empty")
}

/// About anybody in one namespace.
pub(super) fn local(change: &Change<'_>) -> field::ErrorList {
    metadata(change, &["namespace"], "must be empty except for namespace")
}

/// Questions have no metadata of their own; errors show it in the order of its Go type.
fn metadata(change: &Change<'_>, allowed: &[&str], why: &str) -> field::ErrorList {
    let mut errors = field::ErrorList::new();
    let metadata = part(change.object, "metadata");
    let given = metadata.as_map().is_some_and(|map| {
        map.iter().any(|(key, value)| {
            key != "managedFields" && !allowed.contains(&key.as_str()) && !value.is_null()
        })
    });
    if given {
        let shown = diff::shown(metadata, "=ObjectMeta");
        errors.push(field::Error::invalid(&Path::new("metadata"), shown, why));
    }
    errors
}

/// Labels of a selector in parts, whose operators may be ones that are not known here.
pub(crate) fn check_labels(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let requirement = asked.value();
    errors.extend(net::qualified_name(&path.child("key"), text(&requirement, "key")));
    let list = path.child("values");
    for (at, value) in texts(&requirement, "values").into_iter().enumerate() {
        errors.extend(net::invalid(&list.index(at), value, name::label_value(value)));
    }
}
