//! Deployment: replicas of a pod, replaced step by step when their template changes.

use ordain_strategy::typed::Lifecycle;
use ordain_value::{Map, Value};

use super::workload;
use crate::native::Native;
use crate::shared::table::Cell::{self, Int, Of};
use crate::shared::table::{self, AGE, CONTAINERS, IMAGES, NAME, SELECTOR};
use crate::shared::{fields, selector};

const UPDATED: Cell = Int("status.updatedReplicas");
const AVAILABLE: Cell = Int("status.availableReplicas");

pub(crate) fn native() -> Native {
    let mut native = workload::native("Deployment", workload::validate_selected);
    native.hooks.default = default;
    // Annotations are copied to the replica sets, so they count as desired state.
    native.hooks.lifecycle = Lifecycle::Counted(&[&["spec"], &["metadata", "annotations"]]);
    native.hooks.warn = workload::warn_of_name_and_template;
    native.status_reset = &[&["spec"], &["metadata", "labels"]];
    native.scale = Some(workload::scale());
    native.columns = &[
        NAME,
        ("Ready", "string", 0, "Pods that are ready, of those wanted.", Of(workload::ready)),
        ("Up-to-date", "string", 0, "Pods of the current template.", UPDATED),
        ("Available", "string", 0, "Pods that have been ready for long enough.", AVAILABLE),
        AGE,
        CONTAINERS,
        IMAGES,
        const { table::with(SELECTOR, Of(selected)) },
    ];
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

fn selected(deployment: &Value) -> Value {
    match selector::parse(fields::at(deployment, &["spec", "selector"])) {
        Err(_) => "<invalid>".into(),
        Ok(chosen) => chosen.map_or_else(String::new, |it| it.to_string()).into(),
    }
}
