//! ReplicationController: a number of pods of one template, from before there were ReplicaSets.

use ordain_meta::name;
use ordain_strategy::strategy::GarbageCollection;
use ordain_strategy::typed::{COUNT_SPEC, Hooks, rules};
use ordain_strategy::{Change, Part, Warnings, object};
use ordain_value::field::{ErrorList, Path};
use ordain_value::{Map, Value};

use super::pod::template;
use crate::apps::workload;
use crate::native::Native;
use crate::shared::access::{part, some};
use crate::shared::table::Cell::Of;
use crate::shared::table::{
    self, AGE, CONTAINERS, CURRENT_PODS, DESIRED_PODS, IMAGES, NAME, READY_PODS, SELECTOR,
};

pub(crate) fn native() -> Native {
    let mut native = Native::new("", "ReplicationController");
    native.policy.garbage_collection = GarbageCollection::OrphanDependents;
    native.key = "/registry/controllers";
    native.scale = Some(workload::scale());
    native.selectable_fields = &["status.replicas"];
    native.columns = &[
        NAME,
        DESIRED_PODS,
        CURRENT_PODS,
        READY_PODS,
        AGE,
        CONTAINERS,
        IMAGES,
        const { table::with(SELECTOR, Of(selected)) },
    ];
    native.hooks = Hooks {
        default,
        prepare_for_create: workload::drop_disabled,
        prepare_for_update: workload::drop_disabled_in_update,
        lifecycle: COUNT_SPEC,
        warn,
        field: workload::pods_field,
        selectable: true,
        ..Hooks::new(validate)
    };
    native
}

/// A controller without labels or a selector takes those of its template.
fn default(controller: &mut Value) {
    workload::default_template(controller);
    let template = part(part(controller, "spec"), "template");
    let labels = part(part(template, "metadata"), "labels").clone();
    if labels.as_map().is_none_or(Map::is_empty) {
        return;
    }
    for path in [["spec", "selector"], ["metadata", "labels"]] {
        let given = controller.get_path(&path).and_then(Value::as_map);
        if given.is_none_or(Map::is_empty) {
            controller.set_path(&path, labels.clone());
        }
    }
}

fn validate(change: &Change<'_>) -> ErrorList {
    let mut errors = rules::metadata(change, true, name::declared_subdomain_rule);
    if change.part == Part::Status {
        return errors;
    }
    let Some(template) = some(part(change.object, "spec"), "template") else { return errors };
    let path = Path::new("spec");
    let path = path.child("template");
    errors.extend(template::validate(template, &path, &workload::options(change)));
    workload::restarts_always(template, "ReplicationController", &path, &mut errors);
    errors
}

/// Advice on the name and template of a new controller. On updates the real server looks at the
/// template that is replaced, and so is done here.
fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    let path = Path::new("spec");
    let path = path.child("template");
    let of = |controller| some(part(controller, "spec"), "template");
    match change.old {
        None => workload::warn_of_name_and_template(change, warnings),
        Some(old) if change.part == Part::Main => {
            if object::generation(old) != object::generation(change.object)
                && let Some(template) = of(old)
            {
                template::warn(template, &path, of(change.object), warnings);
            }
        }
        Some(_) => {}
    }
}

fn selected(controller: &Value) -> Value {
    table::labels(part(part(controller, "spec"), "selector").as_map()).into()
}
