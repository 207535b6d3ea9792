//! DaemonSet: a pod on every node that fits.
//!
//! The version of the template is counted in an annotation; older versions of the API had a field
//! for it.

use ordain_strategy::{Change, Part, Warnings};
use ordain_value::{Map, Value};

use super::workload;
use crate::native::Native;
use crate::shared::fields;
use crate::shared::table::Cell::{self, Int, Of};
use crate::shared::table::{self, AGE, CONTAINERS, IMAGES, NAME, SELECTOR};

const GENERATION: [&str; 3] =
    ["metadata", "annotations", "deprecated.daemonset.template.generation"];

const DESIRED: Cell = Int("status.desiredNumberScheduled");
const CURRENT: Cell = Int("status.currentNumberScheduled");
const UPDATED: Cell = Int("status.updatedNumberScheduled");
const AVAILABLE: Cell = Int("status.numberAvailable");

pub(crate) fn native() -> Native {
    let mut native = workload::native("DaemonSet", workload::validate);
    native.hooks.default = default;
    native.hooks.prepare_for_create = |set| {
        workload::drop_disabled(set);
        let generation = generation(set).max(1);
        set_generation(set, generation);
    };
    native.hooks.prepare_for_update = count_template;
    native.hooks.warn = warn;
    // The server holds the count as the field of old.
    native.hooks.row_metadata = |metadata| {
        metadata.remove_path(&GENERATION[1..]);
        if metadata.get("annotations").and_then(Value::as_map).is_some_and(Map::is_empty) {
            metadata.remove_path(&["annotations"]);
        }
    };
    native.columns = &[
        NAME,
        ("Desired", "integer", 0, "Nodes that should run the pod.", DESIRED),
        ("Current", "integer", 0, "Nodes that run the pod.", CURRENT),
        ("Ready", "integer", 0, "Nodes whose pod is ready.", Int("status.numberReady")),
        ("Up-to-date", "integer", 0, "Nodes with a pod of the current template.", UPDATED),
        ("Available", "integer", 0, "Nodes whose pod has been ready for long enough.", AVAILABLE),
        ("Node Selector", "string", 0, "Which nodes fit.", Of(nodes)),
        AGE,
        CONTAINERS,
        IMAGES,
        SELECTOR,
    ];
    native
}

fn generation(set: &Value) -> i64 {
    fields::text(set, &GENERATION).parse().unwrap_or(0)
}

fn set_generation(set: &mut Value, generation: i64) {
    set.set_path(&GENERATION, generation.to_string().into());
}

fn default(set: &mut Value) {
    if fields::text(set, &["spec", "updateStrategy", "type"]) == "RollingUpdate" {
        let steps = ["spec", "updateStrategy", "rollingUpdate"];
        fields::default(set, &steps, Map::new());
        for (name, value) in [("maxUnavailable", 1), ("maxSurge", 0)] {
            fields::default(set, &["spec", "updateStrategy", "rollingUpdate", name], value);
        }
    }
    if fields::at(set, &["spec", "updateStrategy", "rollingUpdate"]).is_some() {
        // Upstream's own type has no absent amounts.
        for name in ["maxUnavailable", "maxSurge"] {
            fields::default(set, &["spec", "updateStrategy", "rollingUpdate", name], 0);
        }
    }
    workload::default_template(set);
    let generation = generation(set);
    set_generation(set, generation);
}

fn count_template(part: Part, set: &mut Value, old: &Value) {
    workload::drop_disabled_in_update(part, set, old);
    let steps = ["spec", "template"];
    let changed = part != Part::Status && set.get_path(&steps) != old.get_path(&steps);
    set_generation(set, generation(old).saturating_add(i64::from(changed)));
}

fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    if change.old.is_none_or(|old| generation(old) != generation(change.object)) {
        workload::warn_of_template(change, warnings);
    }
}

fn nodes(set: &Value) -> Value {
    table::labels(fields::map(set, &["spec", "template", "spec", "nodeSelector"])).into()
}
