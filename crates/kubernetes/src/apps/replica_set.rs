//! ReplicaSet: a number of pods of one template.

use ordain_meta::name;
use ordain_strategy::typed::printer;
use ordain_strategy::{Change, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::workload;
use crate::native::Native;
use crate::shared::table::{CONTAINERS, IMAGES, SELECTOR};
use crate::shared::{fields, selector, table};

pub(crate) fn native() -> Native {
    let mut native = workload::native("ReplicaSet", |change| {
        workload::validate(change, name::subdomain_rule, spec, status)
    });
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

fn spec(change: &Change<'_>, spec: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    workload::replicated(change, spec, path, errors);
}

const TOO_MANY: &str = "cannot be greater than status.replicas";

fn status(status: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let pairs = [
        ("fullyLabeledReplicas", "replicas", TOO_MANY),
        ("readyReplicas", "replicas", TOO_MANY),
        ("availableReplicas", "replicas", TOO_MANY),
        ("availableReplicas", "readyReplicas", "cannot be greater than readyReplicas"),
    ];
    workload::at_most(status, &pairs, path, errors);
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
