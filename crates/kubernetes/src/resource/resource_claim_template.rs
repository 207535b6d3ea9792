//! ResourceClaimTemplate: the claims that pods get of their own.

use ordain_meta::name;
use ordain_meta::object_meta::{self, ObjectMeta};
use ordain_strategy::Change;
use ordain_strategy::typed::{Hooks, rules};
use ordain_value::field::{self, Path};

use super::request;
use crate::native::Native;
use crate::shared::access::{entries, part};

pub(crate) fn native() -> Native {
    let mut native = Native::new("resource.k8s.io", "ResourceClaimTemplate");
    native.policy.returns_deleted = true;
    native.reset = &[];
    native.hooks = Hooks {
        default: |object| {
            if let Some(spec) = object.get_mut("spec").and_then(|it| it.get_mut("spec")) {
                request::default(spec);
            }
        },
        ..Hooks::new(validate)
    };
    native
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let whole = Change { old: None, ..*change };
    let mut errors = rules::metadata(&whole, true, name::subdomain_rule);
    let (template, path) = (part(change.object, "spec"), Path::new("spec"));
    let (meta, at) = (ObjectMeta::of(template), path.child("metadata"));
    // Of a template's metadata only labels and annotations pass on to the objects it makes.
    for (field, value) in entries(template, "metadata") {
        if !value.is_null() && !["labels", "annotations"].contains(&field.as_str()) {
            // Refusals name the fields of the Go type.
            let field = if field == "uid" { "uID" } else { field };
            errors.push(field::Error::forbidden(&at.child(field), "cannot be set"));
        }
    }
    object_meta::annotations(meta.annotations(), &at.child("annotations"), &mut errors);
    object_meta::labels(meta.labels(), &at.child("labels"), &mut errors);
    if change.old.is_some() {
        errors.extend(rules::metadata(change, true, name::subdomain_rule));
    }
    errors
}
