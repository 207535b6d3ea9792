//! Deployment: replicas of a pod, replaced step by step when their template changes.

use ordain_meta::name;
use ordain_strategy::typed::{Lifecycle, printer};
use ordain_strategy::{Change, object};
use ordain_value::field::{self, Path};
use ordain_value::{Map, Value};

use super::{rolling_update, workload};
use crate::native::Native;
use crate::shared::table::{CONTAINERS, IMAGES, SELECTOR};
use crate::shared::{amount, fields, selector, table};

type Errors = field::ErrorList;

const ROLLBACK: [&str; 3] = ["metadata", "annotations", "deprecated.deployment.rollback.to"];

pub(crate) fn native() -> Native {
    let mut native = workload::native("Deployment", |change| {
        workload::validate(change, name::subdomain_rule, spec, status)
    });
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

fn spec(change: &Change<'_>, spec: &Value, path: &Path<'_>, errors: &mut Errors) {
    workload::replicated(change, spec, path, errors);
    let given = fields::at(spec, &["strategy"]).unwrap_or(&Value::Null);
    strategy(given, &path.child("strategy"), errors);
    // Older versions of the API had a field for it.
    let rollback = fields::text(change.object, &ROLLBACK).parse().ok();
    amount::not_negative(rollback, &path.child("rollback.version"), errors);
    if let Some(deadline) = fields::int(spec, &["progressDeadlineSeconds"])
        && deadline <= fields::count(spec, &["minReadySeconds"])
    {
        let why = "must be greater than minReadySeconds";
        let path = path.child("progressDeadlineSeconds");
        errors.push(field::Error::invalid(&path, deadline, why));
    }
}

fn strategy(strategy: &Value, path: &Path<'_>, errors: &mut Errors) {
    let update_path = path.child("rollingUpdate");
    let update = fields::at(strategy, &["rollingUpdate"]);
    match (fields::text(strategy, &["type"]), update) {
        ("Recreate", Some(_)) => {
            let why = "may not be specified when strategy `type` is 'Recreate'";
            errors.push(field::Error::forbidden(&update_path, why));
        }
        ("Recreate", None) => {}
        ("RollingUpdate", None) => {
            let why = "this should be defaulted and never be nil";
            errors.push(field::Error::required(&update_path, why));
        }
        ("RollingUpdate", Some(update)) => {
            rolling_update::amounts(update, &update_path, errors);
            let number = |name| rolling_update::number(update, name);
            if number("maxUnavailable") == 0 && number("maxSurge") == 0 {
                let value = update.get("maxUnavailable").cloned().unwrap_or(Value::Int(0));
                let why = "may not be 0 when `maxSurge` is 0";
                let path = update_path.child("maxUnavailable");
                errors.push(field::Error::invalid(&path, value, why));
            }
            rolling_update::at_most_all(update, "maxUnavailable", &update_path, errors);
        }
        _ => {
            let known = ["Recreate", "RollingUpdate"];
            let shown = rolling_update::shown(strategy);
            errors.push(field::Error::not_supported(path, shown, &known));
        }
    }
}

const TOO_MANY: &str = "cannot be greater than status.replicas";

fn status(status: &Value, path: &Path<'_>, errors: &mut Errors) {
    let pairs = [
        ("updatedReplicas", "replicas", TOO_MANY),
        ("readyReplicas", "replicas", TOO_MANY),
        ("availableReplicas", "replicas", TOO_MANY),
        ("availableReplicas", "readyReplicas", "cannot be greater than readyReplicas"),
    ];
    workload::at_most(status, &pairs, path, errors);
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
