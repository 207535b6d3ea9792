//! ReplicaSet: a number of pods of one template.

use super::workload;
use crate::native::Native;
use crate::shared::fields;
use crate::shared::table::Cell::Int;
use crate::shared::table::{AGE, CONTAINERS, IMAGES, NAME, SELECTOR};

pub(crate) fn native() -> Native {
    let mut native = workload::native("ReplicaSet", workload::validate_selected);
    native.hooks.warn = workload::warn_of_name_and_template;
    native.hooks.field = |object, field| {
        let is_count = field == "status.replicas";
        is_count.then(|| fields::count(object, &["status", "replicas"]).to_string().into())
    };
    native.hooks.selectable = true;
    native.selectable_fields = &["status.replicas"];
    native.scale = Some(workload::scale());
    native.columns = &[
        NAME,
        ("Desired", "integer", 0, "Pods that are wanted.", Int("spec.replicas")),
        ("Current", "integer", 0, "Pods that exist.", Int("status.replicas")),
        ("Ready", "integer", 0, "Pods that are ready.", Int("status.readyReplicas")),
        AGE,
        CONTAINERS,
        IMAGES,
        SELECTOR,
    ];
    native
}
