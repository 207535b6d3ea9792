//! ReplicaSet: a number of pods of one template.

use ordain_strategy::object;
use ordain_strategy::typed::printer;
use ordain_value::Value;

use super::workload;
use crate::native::Native;
use crate::shared::table::{CONTAINERS, IMAGES, SELECTOR};
use crate::shared::{fields, selector, table};

pub(crate) fn native() -> Native {
    let mut native = workload::native("ReplicaSet", workload::validate_selected);
    native.hooks.warn = workload::warn_of_name_and_template;
    native.hooks.cells = cells;
    native.hooks.field = |object, field| {
        let is_count = field == "status.replicas";
        is_count.then(|| fields::count(object, &["status", "replicas"]).to_string().into())
    };
    native.hooks.selectable = true;
    native.selectable_fields = &["status.replicas"];
    native.scale = Some(workload::scale());
    native.columns = table::columns(
        &[
            ("Desired", "integer", "Pods that are wanted."),
            ("Current", "integer", "Pods that exist."),
            ("Ready", "integer", "Pods that are ready."),
        ],
        &[CONTAINERS, IMAGES, SELECTOR],
    );
    native
}

fn cells(set: &Value, now: i64) -> Vec<Value> {
    let mut cells = vec![
        object::name(set).into(),
        fields::count(set, &["spec", "replicas"]).into(),
        fields::count(set, &["status", "replicas"]).into(),
        fields::count(set, &["status", "readyReplicas"]).into(),
        printer::age(set, now),
    ];
    cells.extend(table::containers(fields::at(set, &["spec", "template", "spec"])));
    cells.push(selector::show(fields::at(set, &["spec", "selector"])).into());
    cells
}
