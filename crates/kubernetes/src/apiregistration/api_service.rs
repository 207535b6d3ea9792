//! APIService: who serves a version of a group, this server or another one.

use ordain_meta::name;
use ordain_strategy::typed::{Hooks, Lifecycle, printer};
use ordain_strategy::{Change, Context, Part, Policy, object};
use ordain_value::field::{self, Path};
use ordain_value::{Value, go_quote, value};

use crate::native::Native;
use crate::shared::{fields, metadata, table};

const GROUP_PRIORITY_MAX: i64 = 20_000;
const VERSION_PRIORITY_MAX: i64 = 1000;

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
    if change.part == Part::Status {
        return validate_status(change);
    }
    let service = change.object;
    let spec = |name: &str| fields::text(service, &["spec", name]);
    let (group, version) = (spec("group"), spec("version"));
    let mut errors = metadata::either(change, false, name::path_segment_rule);
    let required = format!("{version}.{group}");
    let own = object::name(service);
    if !own.is_empty() && name::path_segment_rule(own, false).is_empty() && own != required {
        let why = format!("must be `spec.version+\".\"+spec.group`: {}", go_quote(&required));
        errors.push(field::Error::invalid(&Path::new("metadata.name"), own, why));
    }
    let path = Path::new("spec");
    if group.is_empty() && version != "v1" {
        let why = "only v1 may have an empty group and it better be legacy kube";
        errors.push(field::Error::required(&path.child("group"), why));
    }
    if !group.is_empty() {
        for why in name::subdomain_rule(group, false) {
            errors.push(field::Error::invalid(&path.child("group"), group, why));
        }
    }
    for why in name::label_1035_rule(version, false) {
        errors.push(field::Error::invalid(&path.child("version"), version, why));
    }
    let priorities =
        [("groupPriorityMinimum", GROUP_PRIORITY_MAX), ("versionPriority", VERSION_PRIORITY_MAX)];
    for (field, max) in priorities {
        let priority = fields::count(service, &["spec", field]);
        if !(1..=max).contains(&priority) {
            let why = format!("must be positive and less than {max}");
            errors.push(field::Error::invalid(&path.child(field), priority, why));
        }
    }
    validate_place(service, &path, &mut errors);
    errors
}

/// Where the service is, and by what it is trusted.
fn validate_place(service: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let insecure = fields::flag(service, &["spec", "insecureSkipTLSVerify"]);
    let bundle = fields::text(service, &["spec", "caBundle"]);
    let skip = path.child("insecureSkipTLSVerify");
    let Some(reference) = fields::at(service, &["spec", "service"]) else {
        if !bundle.is_empty() {
            let bytes = bundle.trim_end_matches('=').len() * 3 / 4;
            let why = "local APIServices may not have a caBundle";
            let shown = format!("{bytes} bytes");
            errors.push(field::Error::invalid(&path.child("caBundle"), shown, why));
        }
        if insecure {
            let why = "local APIServices may not have insecureSkipTLSVerify";
            errors.push(field::Error::invalid(&skip, insecure, why));
        }
        return;
    };
    let path = path.child("service");
    for field in ["namespace", "name"] {
        if fields::text(reference, &[field]).is_empty() {
            errors.push(field::Error::required(&path.child(field), ""));
        }
    }
    let port = fields::count(reference, &["port"]);
    if !(1..=65_535).contains(&port) {
        let why = "port is not valid: must be between 1 and 65535, inclusive";
        errors.push(field::Error::invalid(&path.child("port"), port, why));
    }
    if insecure && !bundle.is_empty() {
        errors.push(field::Error::invalid(
            &skip,
            insecure,
            "may not be true if caBundle is present",
        ));
    }
}

fn validate_status(change: &Change<'_>) -> field::ErrorList {
    let mut errors = metadata::changed(change);
    let path = Path::new("status.conditions");
    let conditions = fields::list(change.object, &["status", "conditions"]);
    for (at, condition) in conditions.iter().enumerate() {
        let status = fields::text(condition, &["status"]);
        let known = ["True", "False", "Unknown"];
        if !known.contains(&status) {
            let path = path.index(at);
            errors.push(field::Error::not_supported(&path.child("status"), status, &known));
        }
    }
    errors
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
