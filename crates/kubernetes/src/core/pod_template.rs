//! PodTemplate: a template of pods that stands on its own.

use ordain_meta::name;
use ordain_strategy::typed::{Hooks, rules};
use ordain_strategy::{Change, Part, Warnings, object};
use ordain_value::Value;
use ordain_value::field::{ErrorList, Path};

use super::pod::template::{self, PodOptions};
use crate::native::Native;
use crate::shared::access::{part, some};
use crate::shared::table::Cell::Of;
use crate::shared::table::{self, CONTAINERS, IMAGES, NAME};

pub(crate) fn native() -> Native {
    let mut native = Native::new("", "PodTemplate");
    native.policy.returns_deleted = true;
    native.reset = &[];
    native.columns = &[
        NAME,
        ("Containers", "string", 0, CONTAINERS.3, Of(|it| containers(it, "name"))),
        ("Images", "string", 0, IMAGES.3, Of(|it| containers(it, "image"))),
        ("Pod Labels", "string", 0, "Labels that pods of the template get.", Of(labels)),
    ];
    native.hooks = Hooks {
        default: |object| {
            if let Some(template) = object.get_mut("template") {
                template::default(template);
            }
        },
        prepare_for_create,
        prepare_for_update,
        warn,
        ..Hooks::new(validate)
    };
    native
}

fn prepare_for_create(object: &mut Value) {
    object::set_generation(object, 1);
    if let Some(template) = object.get_mut("template") {
        template::drop_disabled(template, None);
    }
}

fn prepare_for_update(_part: Part, object: &mut Value, old: &Value) {
    if let Some(template) = object.get_mut("template") {
        template::drop_disabled(template, some(old, "template"));
    }
    if part(object, "template") != part(old, "template") {
        object::set_generation(object, object::generation(old) + 1);
    }
}

fn validate(change: &Change<'_>) -> ErrorList {
    let mut errors = rules::metadata(change, true, name::subdomain_rule);
    let template = part(change.object, "template");
    let old = change.old.map(|old| part(old, "template"));
    let options = PodOptions::of(Some(template), old);
    errors.extend(template::validate(template, &Path::new("template"), &options));
    errors
}

fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    let same = |old| object::generation(old) == object::generation(change.object);
    if !change.old.is_some_and(same) {
        let old = change.old.map(|old| part(old, "template"));
        let template = part(change.object, "template");
        template::warn(template, &Path::new("template"), old, warnings);
    }
}

fn containers(object: &Value, field: &str) -> Value {
    table::containers(some(part(object, "template"), "spec"), field)
}

fn labels(object: &Value) -> Value {
    table::labels(part(part(part(object, "template"), "metadata"), "labels").as_map()).into()
}
