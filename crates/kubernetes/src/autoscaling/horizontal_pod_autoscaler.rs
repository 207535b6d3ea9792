//! HorizontalPodAutoscaler: a count of replicas that follows metrics.

use ordain_meta::name;
use ordain_strategy::typed::{Hooks, printer, rules};
use ordain_strategy::{Change, Part, object};
use ordain_value::field::{self, Path};
use ordain_value::{Value, value};

use super::metric::{self, References};
use super::{behavior, conversion, targets};
use crate::native::Native;
use crate::shared::{fields, table};

type Errors = field::ErrorList;

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
    hooks.cells = cells;
    hooks.convert = Some(conversion::convert);
    Native {
        hooks,
        columns: table::columns(
            &[
                ("Reference", "string", "What is scaled."),
                ("Targets", "string", "What is measured, beside what is wanted."),
                ("MinPods", "string", "The least count."),
                ("MaxPods", "string", "The greatest count."),
                ("Replicas", "string", "The count now."),
            ],
            &[],
        ),
        ..Native::new("autoscaling", "HorizontalPodAutoscaler")
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
    if change.part == Part::Status {
        return errors;
    }
    let new = conversion::to_v2_form(change.object);
    let old = change.old.map(conversion::to_v2_form);
    let path = Path::new("spec");
    let spec = fields::at(&new, &["spec"]).unwrap_or(&Value::Null);
    replicas(spec, old.as_ref(), &path, &mut errors);
    let target = fields::at(spec, &["scaleTargetRef"]).unwrap_or(&Value::Null);
    let target_path = path.child("scaleTargetRef");
    metric::reference(target, target_rules(spec, old.as_ref()), &target_path, &mut errors);
    metric::validate(spec, described_rules(old.as_ref()), &path, &mut errors);
    behavior::validate(spec, &path, &mut errors);
    errors
}

fn replicas(spec: &Value, old: Option<&Value>, path: &Path<'_>, errors: &mut Errors) {
    let (least, most) =
        (fields::int(spec, &["minReplicas"]), fields::count(spec, &["maxReplicas"]));
    let was_zero = old.is_some_and(|old| fields::int(old, &["spec", "minReplicas"]) == Some(0));
    let bound = i64::from(!was_zero);
    if let Some(least) = least.filter(|least| *least < bound) {
        let why = format!("must be greater than or equal to {bound}");
        errors.push(field::Error::invalid(&path.child("minReplicas"), least, why));
    }
    let path = path.child("maxReplicas");
    if most == 0 {
        errors.push(field::Error::required(&path, "must be set and greater than 0"));
    } else if most < 0 {
        let why = "must be greater than or equal to 1";
        errors.push(field::Error::invalid(&path, most, why));
    }
    if least.is_some_and(|least| most < least) {
        let why = "must be greater than or equal to `minReplicas`";
        errors.push(field::Error::invalid(&path, most, why));
    }
}

/// A target that stays is not judged again; the only kind of the core group may name none.
fn target_rules(spec: &Value, old: Option<&Value>) -> References {
    let text = |spec: &Value, name: &str| fields::text(spec, &["scaleTargetRef", name]).to_owned();
    let stays = old.and_then(|old| old.get("spec")).is_some_and(|old| {
        ["apiVersion", "kind"].into_iter().all(|name| text(old, name) == text(spec, name))
    });
    References { allow_any: stays, allow_core: text(spec, "kind") == "ReplicationController" }
}

fn described_rules(old: Option<&Value>) -> References {
    let references = References { allow_any: false, allow_core: true };
    let metrics = old.map_or(&[][..], |old| fields::list(old, &["spec", "metrics"]));
    let broken = metrics.iter().any(|it| {
        let version = fields::text(it, &["object", "describedObject", "apiVersion"]);
        metric::api_version(version, references).is_err()
    });
    References { allow_any: broken, ..references }
}

fn cells(autoscaler: &Value, now: i64) -> Vec<Value> {
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
