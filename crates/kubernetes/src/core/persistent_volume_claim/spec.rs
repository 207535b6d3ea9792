//! The specification of a claim, which templates of claims have, too.

use ordain_passes::declared::written::Write;
use ordain_strategy::Warnings;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::shared::access::part;
use crate::shared::resources::{self, quantity};
use crate::shared::{fields, written};

/// What the rules of a specification in a template have against it.
pub(crate) fn validate(spec: &Value, path: &Path<'_>) -> field::ErrorList {
    let write = Write { kind: "PersistentVolumeClaim", old: None, part: "main" };
    written::structure("v1.PersistentVolumeClaimSpec", spec, write, path)
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
