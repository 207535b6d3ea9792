//! APIService: who serves a version of a group, this server or another one.

use ordain_meta::name;
use ordain_passes::declared::written::Asked;
use ordain_strategy::typed::{Hooks, Lifecycle, printer};
use ordain_strategy::{Change, Context, Part, Policy, object};
use ordain_value::field::{self, Path};
use ordain_value::{Value, value};

use crate::native::Native;
use crate::shared::{fields, metadata, table};

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.lifecycle = Lifecycle::Reset;
    hooks.stamp = stamp;
    hooks.cells = cells;
    let columns = table::columns(
        &[
            ("Service", "string", "The reference to the service that hosts this API endpoint."),
            ("Available", "string", "Whether this service is available."),
        ],
        &[],
    );
    Native {
        hooks,
        columns,
        policy: Policy::default(),
        key: "/registry/apiregistration.k8s.io/apiservices",
        ..Native::new("apiregistration.k8s.io", "APIService")
    }
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    match change.part {
        Part::Status => metadata::changed(change),
        _ => metadata::either(change, false, name::path_segment_rule),
    }
}

/// What this server serves itself needs no trust; the error says how large the bundle is.
pub(crate) fn check_bundle(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let (bundle, spec) = (asked.value(), asked.ask("parent"));
    let bundle = bundle.as_str().unwrap_or("");
    if !bundle.is_empty() && fields::at(&spec, &["service"]).is_none() {
        let bytes = bundle.trim_end_matches('=').len() * 3 / 4;
        let why = "local APIServices may not have a caBundle";
        errors.push(field::Error::invalid(path, format!("{bytes} bytes"), why));
    }
}

/// What this server serves itself is available from the beginning.
fn stamp(context: &Context<'_>, part: Part, service: &mut Value, old: Option<&Value>) {
    let is_new = old.is_none() && part == Part::Main;
    if !is_new || fields::at(service, &["spec", "service"]).is_some() {
        return;
    }
    let condition = value!({
        "type": "Available",
        "status": "True",
        "lastTransitionTime": (context.now().encode()),
        "reason": "Local",
        "message": "Local APIServices are always available"
    });
    service.set_path(&["status", "conditions"], vec![condition].into());
}

fn cells(service: &Value, now: i64) -> Vec<Value> {
    let place = match fields::at(service, &["spec", "service"]) {
        Some(it) => format!("{}/{}", fields::text(it, &["namespace"]), fields::text(it, &["name"])),
        None => "Local".to_owned(),
    };
    let conditions = fields::list(service, &["status", "conditions"]);
    let available = conditions.iter().find(|it| fields::text(it, &["type"]) == "Available");
    let shown = available.map_or_else(
        || "Unknown".to_owned(),
        |it| match (fields::text(it, &["status"]), fields::text(it, &["reason"])) {
            ("True", _) => "True".to_owned(),
            (status, reason) => format!("{status} ({reason})"),
        },
    );
    vec![object::name(service).into(), place.into(), shown.into(), printer::age(service, now)]
}
