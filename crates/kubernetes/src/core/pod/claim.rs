//! Claims of storage that a pod makes for itself.

use ordain_meta::{ObjectMeta, object_meta};
use ordain_passes::declared::written::Asked;
use ordain_value::field::{Error, ErrorList, Path};

use crate::core::persistent_volume_claim::spec;
use crate::shared::access::part;

/// The template of a claim: labels, annotations and a spec.
pub(crate) fn check_template(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut ErrorList) {
    let template = &asked.value();
    let metadata = part(template, "metadata");
    let meta = ObjectMeta::new(metadata);
    let path_of_metadata = path.child("metadata");
    object_meta::annotations(meta.annotations(), &path_of_metadata.child("annotations"), errors);
    object_meta::labels(meta.labels(), &path_of_metadata.child("labels"), errors);
    for (field, value) in metadata.as_map().into_iter().flat_map(ordain_value::Map::iter) {
        let allowed = matches!(field.as_str(), "labels" | "annotations");
        if !allowed && !value.is_null() {
            // Refusals name the fields of the Go type.
            let field = if field == "uid" { "uID" } else { field };
            errors.push(Error::forbidden(&path_of_metadata.child(field), "cannot be set"));
        }
    }
    errors.extend(spec::validate(part(template, "spec"), &path.child("spec")));
}
