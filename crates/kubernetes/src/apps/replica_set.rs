//! ReplicaSet: a number of pods of one template.

use super::workload;
use crate::native::Native;
use crate::shared::table::{
    AGE, CONTAINERS, CURRENT_PODS, DESIRED_PODS, IMAGES, NAME, READY_PODS, SELECTOR,
};

pub(crate) fn native() -> Native {
    let mut native = workload::native("ReplicaSet", workload::validate_selected);
    native.hooks.warn = workload::warn_of_name_and_template;
    native.hooks.field = workload::pods_field;
    native.hooks.selectable = true;
    native.selectable_fields = &["status.replicas"];
    native.scale = Some(workload::scale());
    native.columns =
        &[NAME, DESIRED_PODS, CURRENT_PODS, READY_PODS, AGE, CONTAINERS, IMAGES, SELECTOR];
    native
}
