//! APIService: who serves a version of a group, this server or another one.

use ordain_meta::name;
use ordain_passes::declared::written::Asked;
use ordain_strategy::typed::{Hooks, Lifecycle};
use ordain_strategy::{Change, Context, Part, Policy};
use ordain_value::field::{self, Path};
use ordain_value::{Value, value};

use crate::native::Native;
use crate::shared::table::Cell::Of;
use crate::shared::table::{AGE, NAME};
use crate::shared::{fields, metadata};

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.lifecycle = Lifecycle::Reset;
    hooks.stamp = stamp;
    const HOST: &str = "The reference to the service that hosts this API endpoint.";
    Native {
        hooks,
        columns: &[
            NAME,
            ("Service", "string", 0, HOST, Of(host)),
            ("Available", "string", 0, "Whether this service is available.", Of(available)),
            AGE,
        ],
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

fn host(service: &Value) -> Value {
    let Some(host) = fields::at(service, &["spec", "service"]) else { return "Local".into() };
    format!("{}/{}", fields::text(host, &["namespace"]), fields::text(host, &["name"])).into()
}

fn available(service: &Value) -> Value {
    let conditions = fields::list(service, &["status", "conditions"]);
    let available = conditions.iter().find(|it| fields::text(it, &["type"]) == "Available");
    match available.map(|it| (fields::text(it, &["status"]), fields::text(it, &["reason"]))) {
        None => "Unknown".into(),
        Some(("True", _)) => "True".into(),
        Some((status, reason)) => format!("{status} ({reason})").into(),
    }
}
