//! DaemonSet: a pod on every node that fits.
//!
//! The version of the template is counted in an annotation; older versions of the API had a field
//! for it.

use ordain_meta::name;
use ordain_strategy::typed::printer;
use ordain_strategy::{Change, Part, Warnings, object};
use ordain_value::field::{self, Path};
use ordain_value::{Map, Value};

use super::{rolling_update, workload};
use crate::core::pod::template;
use crate::native::Native;
use crate::shared::table::{CONTAINERS, IMAGES, SELECTOR};
use crate::shared::{fields, selector, table};

type Errors = field::ErrorList;

const GENERATION: [&str; 3] =
    ["metadata", "annotations", "deprecated.daemonset.template.generation"];

pub(crate) fn native() -> Native {
    let mut native = workload::native("DaemonSet", |change| {
        workload::validate(change, name::subdomain_rule, spec, |_, _, _| {})
    });
    native.hooks.default = default;
    native.hooks.prepare_for_create = |set| {
        workload::drop_disabled(set);
        let generation = generation(set).max(1);
        set_generation(set, generation);
    };
    native.hooks.prepare_for_update = count_template;
    native.hooks.warn = warn;
    native.hooks.cells = cells;
    native.columns = table::columns(
        &[
            ("Desired", "integer", "Nodes that should run the pod."),
            ("Current", "integer", "Nodes that run the pod."),
            ("Ready", "integer", "Nodes whose pod is ready."),
            ("Up-to-date", "integer", "Nodes with a pod of the current template."),
            ("Available", "integer", "Nodes whose pod has been ready for long enough."),
            ("Node Selector", "string", "Which nodes fit."),
        ],
        &[CONTAINERS, IMAGES, SELECTOR],
    );
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

fn spec(change: &Change<'_>, spec: &Value, path: &Path<'_>, errors: &mut Errors) {
    let given = fields::at(spec, &["selector"]);
    let selector_path = path.child("selector");
    let old = change.old.and_then(|old| fields::at(old, &["spec", "selector"]));
    selector::validate(given, selector::values_allowed(old), &selector_path, errors);
    let template = fields::at(spec, &["template"]).unwrap_or(&Value::Null);
    let template_path = path.child("template");
    if let Ok(chosen) = selector::parse(given) {
        workload::selects_template(chosen.as_ref(), template, &template_path, errors);
    }
    workload::not_empty(given, "daemonset", &selector_path, errors);
    errors.extend(template::validate(template, &template_path, &workload::options(change)));
    workload::restarts_always(template, "DaemonSet", &template_path, errors);
    let given = fields::at(spec, &["updateStrategy"]).unwrap_or(&Value::Null);
    strategy(given, &path.child("updateStrategy"), errors);
    if let Some(old) = change.old {
        let steps = ["spec", "selector"];
        selector::immutable(change.object, old, &steps, &selector_path, errors);
    }
}

fn strategy(strategy: &Value, path: &Path<'_>, errors: &mut Errors) {
    let update_path = path.child("rollingUpdate");
    match (fields::text(strategy, &["type"]), fields::at(strategy, &["rollingUpdate"])) {
        ("OnDelete", _) => {}
        ("RollingUpdate", None) => errors.push(field::Error::required(&update_path, "")),
        ("RollingUpdate", Some(update)) => rolling(update, &update_path, errors),
        _ => {
            let known = ["RollingUpdate", "OnDelete"];
            let shown = rolling_update::shown(strategy);
            errors.push(field::Error::not_supported(path, shown, &known));
        }
    }
}

fn rolling(update: &Value, path: &Path<'_>, errors: &mut Errors) {
    rolling_update::amounts(update, path, errors);
    rolling_update::at_most_all(update, "maxUnavailable", path, errors);
    rolling_update::at_most_all(update, "maxSurge", path, errors);
    let is_set = |name| rolling_update::number(update, name) != 0;
    match (is_set("maxUnavailable"), is_set("maxSurge")) {
        (true, true) => {
            let value = update.get("maxSurge").cloned().unwrap_or(Value::Null);
            let why = "may not be set when maxUnavailable is non-zero";
            errors.push(field::Error::invalid(&path.child("maxSurge"), value, why));
        }
        (false, false) => {
            let why = "cannot be 0 when maxSurge is 0";
            errors.push(field::Error::required(&path.child("maxUnavailable"), why));
        }
        _ => {}
    }
}

fn cells(set: &Value, now: i64) -> Vec<Value> {
    let status = |name: &str| Value::from(fields::count(set, &["status", name]));
    let nodes = fields::map(set, &["spec", "template", "spec", "nodeSelector"]);
    let mut cells = vec![
        object::name(set).into(),
        status("desiredNumberScheduled"),
        status("currentNumberScheduled"),
        status("numberReady"),
        status("updatedNumberScheduled"),
        status("numberAvailable"),
        table::labels(nodes).into(),
        printer::age(set, now),
    ];
    cells.extend(table::containers(fields::at(set, &["spec", "template", "spec"])));
    cells.push(selector::show(fields::at(set, &["spec", "selector"])).into());
    cells
}
