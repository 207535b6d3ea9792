//! The rules of a template of pods: those of its spec are declared.

use ordain_meta::{ObjectMeta, object_meta};
use ordain_passes::declared::written::Write;
use ordain_value::Value;
use ordain_value::field::{ErrorList, Path};

use super::annotations;
use super::options::PodOptions;
use crate::shared::access::part;
use crate::shared::written;

/// The rules of a template: metadata that its pods get, and their spec.
pub(super) fn check_template(template: &Value, path: &Path<'_>, options: &PodOptions) -> ErrorList {
    let mut errors = ErrorList::new();
    let meta = ObjectMeta::of(template);
    object_meta::labels(meta.labels(), &path.child("labels"), &mut errors);
    let path_of_annotations = path.child("annotations");
    object_meta::annotations(meta.annotations(), &path_of_annotations, &mut errors);
    annotations::check(template, &path_of_annotations, options, &mut errors);
    let spec = part(template, "spec");
    let spec_path = path.child("spec");
    let write = Write { kind: "PodTemplate", old: options.old.as_ref(), part: "main" };
    errors.extend(written::structure("v1.PodSpec", spec, write, &spec_path));
    annotations::check_agreement(template, &spec_path, &mut errors);
    errors
}
