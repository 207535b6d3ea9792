//! Deployment: replicas of a pod, replaced step by step when their template changes.

use ordain_strategy::object;
use ordain_strategy::typed::{Lifecycle, printer};
use ordain_value::{Map, Value};

use super::workload;
use crate::native::Native;
use crate::shared::table::{CONTAINERS, IMAGES, SELECTOR};
use crate::shared::{fields, selector, table};

pub(crate) fn native() -> Native {
    let mut native = workload::native("Deployment", workload::validate_selected);
    native.hooks.default = default;
    // Annotations are copied to the replica sets, so they count as desired state.
    native.hooks.lifecycle = Lifecycle::Counted(&[&["spec"], &["metadata", "annotations"]]);
    native.hooks.warn = workload::warn_of_name_and_template;
    native.hooks.cells = cells;
    native.status_reset = &[&["spec"], &["metadata", "labels"]];
    native.scale = Some(workload::scale());
    native.columns = table::columns(
        &[
            ("Ready", "string", "Pods that are ready, of those wanted."),
            ("Up-to-date", "string", "Pods of the current template."),
            ("Available", "string", "Pods that have been ready for long enough."),
        ],
        &[CONTAINERS, IMAGES, SELECTOR],
    );
    native
}

fn default(deployment: &mut Value) {
    if fields::text(deployment, &["spec", "strategy", "type"]) == "RollingUpdate" {
        fields::default(deployment, &["spec", "strategy", "rollingUpdate"], Map::new());
        for name in ["maxUnavailable", "maxSurge"] {
            fields::default(deployment, &["spec", "strategy", "rollingUpdate", name], "25%");
        }
    }
    workload::default_template(deployment);
}

fn cells(deployment: &Value, now: i64) -> Vec<Value> {
    let status = |name: &str| fields::count(deployment, &["status", name]);
    let wanted = fields::count(deployment, &["spec", "replicas"]);
    let chosen = match selector::parse(fields::at(deployment, &["spec", "selector"])) {
        Err(_) => "<invalid>".to_owned(),
        Ok(chosen) => chosen.map_or_else(String::new, |it| it.to_string()),
    };
    let mut cells = vec![
        object::name(deployment).into(),
        format!("{}/{wanted}", status("readyReplicas")).into(),
        status("updatedReplicas").into(),
        status("availableReplicas").into(),
        printer::age(deployment, now),
    ];
    cells.extend(table::containers(fields::at(deployment, &["spec", "template", "spec"])));
    cells.push(chosen.into());
    cells
}
