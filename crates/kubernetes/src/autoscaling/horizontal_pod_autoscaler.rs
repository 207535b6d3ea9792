//! HorizontalPodAutoscaler: a count of replicas that follows metrics.

use ordain_meta::name;
use ordain_passes::declared::written::Write;
use ordain_strategy::typed::{Hooks, printer, rules};
use ordain_strategy::{Change, Part, object};
use ordain_value::field;
use ordain_value::{Value, value};

use super::{behavior, conversion, targets};
use crate::native::Native;
use crate::shared::table::Cell::Row;
use crate::shared::table::{AGE, NAME};
use crate::shared::{fields, written};

type Errors = field::ErrorList;

const KIND: &str = "HorizontalPodAutoscaler";

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.default = default;
    hooks.prepare_for_create = |autoscaler| {
        let empty = value!({"currentMetrics": null, "desiredReplicas": 0});
        replace_part(autoscaler, "status", Some(&empty));
    };
    hooks.prepare_for_update = |part, autoscaler, old| {
        let kept = if part == Part::Status { "spec" } else { "status" };
        let old = conversion::to_v2_form(old);
        replace_part(autoscaler, kept, old.get(kept));
    };
    hooks.convert = Some(conversion::convert);
    Native {
        hooks,
        columns: &[
            NAME,
            ("Reference", "string", 0, "What is scaled.", Row),
            ("Targets", "string", 0, "What is measured, beside what is wanted.", Row),
            ("MinPods", "string", 0, "The least count.", Row),
            ("MaxPods", "string", 0, "The greatest count.", Row),
            ("Replicas", "string", 0, "The count now.", Row),
            AGE,
        ],
        row: Some(row),
        ..Native::new("autoscaling", KIND)
    }
}

/// Gives a part another value. Version 1 keeps some of both parts in annotations, so the exchange
/// happens in version 2.
fn replace_part(autoscaler: &mut Value, part: &str, value: Option<&Value>) {
    let version = object::gvk(autoscaler).version;
    let mut whole = conversion::to_v2_form(autoscaler);
    match value {
        Some(value) => whole.set_path(&[part], value.clone()),
        None => drop(whole.remove_path(&[part])),
    }
    *autoscaler = conversion::convert(&whole, &version);
}

fn default(autoscaler: &mut Value) {
    if conversion::is_v1(autoscaler) {
        // What is defaulted on the way to version 2 shows up in version 1, too.
        let whole = conversion::to_v2_form(autoscaler);
        *autoscaler = conversion::convert(&whole, "v1");
        return;
    }
    conversion::drop_carriers(autoscaler);
    if fields::list(autoscaler, &["spec", "metrics"]).is_empty() {
        let cpu = value!({"type": "Resource", "resource":
            {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}});
        autoscaler.set_path(&["spec", "metrics"], value!([cpu]));
    }
    behavior::default(autoscaler);
}

fn validate(change: &Change<'_>) -> Errors {
    let mut errors = rules::metadata(change, true, name::subdomain_rule);
    if change.part == Part::Status || !conversion::is_v1(change.object) {
        return errors;
    }
    // The first version is judged as the one that has everything.
    let new = conversion::to_v2_form(change.object);
    let old = change.old.map(conversion::to_v2_form);
    let write = Write { kind: KIND, old: old.as_ref(), part: "main" };
    errors.extend(written::kind("autoscaling", "v2", &new, write));
    errors
}

fn row(autoscaler: &Value, now: i64) -> Vec<Value> {
    let whole = conversion::to_v2_form(autoscaler);
    let target = |name: &str| fields::text(&whole, &["spec", "scaleTargetRef", name]).to_owned();
    let least = fields::int(&whole, &["spec", "minReplicas"]);
    vec![
        object::name(&whole).into(),
        format!("{}/{}", target("kind"), target("name")).into(),
        targets::show(&whole).into(),
        least.map_or_else(|| "<unset>".to_owned(), |it| it.to_string()).into(),
        fields::count(&whole, &["spec", "maxReplicas"]).into(),
        fields::count(&whole, &["status", "currentReplicas"]).into(),
        printer::age(&whole, now),
    ]
}
