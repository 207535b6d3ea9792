//! CSIDriver: what a driver of volumes can do and asks for.

use std::collections::BTreeSet;

use ordain_meta::name;
use ordain_strategy::typed::{Hooks, printer};
use ordain_strategy::{Change, Part, Policy, Warnings, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::native::Native;
use crate::shared::access::{differs, drop_field, flag, int_of, items, part, some, text, texts};
use crate::shared::{fields, metadata, table};

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.prepare_for_create = |driver| drop_disabled(driver, None);
    hooks.prepare_for_update = prepare_for_update;
    hooks.warn = warn;
    hooks.cells = cells;
    Native {
        policy: Policy { returns_deleted: true, ..Policy::default() },
        hooks,
        columns: table::columns(
            &[
                ("AttachRequired", "boolean", "Whether volumes are attached to nodes."),
                ("PodInfoOnMount", "boolean", "Whether the driver wants to know the pod."),
                ("StorageCapacity", "boolean", "Whether the scheduler asks for capacity."),
                ("TokenRequests", "string", "Audiences of the tokens that the driver gets."),
                ("RequiresRepublish", "boolean", "Whether volumes are published repeatedly."),
                ("Modes", "string", "Which volumes the driver serves."),
            ],
            &[],
        ),
        ..Native::new("storage.k8s.io", "CSIDriver")
    }
}

/// Fields of gates that are off stay only where the old object has them.
fn drop_disabled(driver: &mut Value, old: Option<&Value>) {
    let path = ["spec", "preventPodSchedulingIfMissing"];
    if old.is_none_or(|old| fields::at(old, &path).is_none()) {
        drop_field(driver, &path);
    }
}

fn prepare_for_update(_part: Part, driver: &mut Value, old: &Value) {
    drop_disabled(driver, Some(old));
    if differs(driver, old, &["spec"]) {
        object::set_generation(driver, object::generation(old).saturating_add(1));
    }
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = metadata::either(change, false, name::subdomain_rule);
    let (path, spec) = (Path::new("spec"), part(change.object, "spec"));
    let policies = ["File", "None", "ReadWriteOnceWithFSType"];
    fields::one_of(spec, &["fsGroupPolicy"], &policies, &path.child("fsGroupPolicy"), &mut errors);
    token_requests(items(spec, "tokenRequests"), &path.child("tokenRequests"), &mut errors);
    for mode in texts(spec, "volumeLifecycleModes") {
        let modes = ["Persistent", "Ephemeral"];
        if !modes.contains(&mode) {
            let path = path.child("volumeLifecycleModes");
            errors.push(field::Error::not_supported(&path, mode, &modes));
        }
    }
    if let Some(old) = change.old {
        let old = part(old, "spec");
        // The first of the two is misspelt in the answers of upstream.
        let reported = path.child("attachedRequired");
        fields::immutable(spec, old, &["attachRequired"], &reported, &mut errors);
        let reported = path.child("volumeLifecycleModes");
        fields::immutable(spec, old, &["volumeLifecycleModes"], &reported, &mut errors);
    }
    errors
}

fn token_requests(requests: &[Value], path: &Path<'_>, errors: &mut field::ErrorList) {
    const SECONDS_MIN: i64 = 600;
    const SECONDS_MAX: i64 = 1 << 32;
    let mut audiences = BTreeSet::new();
    for (at, request) in requests.iter().enumerate() {
        let path = path.index(at);
        let audience = text(request, "audience");
        if !audiences.insert(audience) {
            errors.push(field::Error::duplicate(&path.child("audience"), audience));
            continue;
        }
        let Some(seconds) = int_of(request, "expirationSeconds") else { continue };
        let path = path.child("expirationSeconds");
        if seconds < SECONDS_MIN {
            let why = "may not specify a duration less than 10 minutes";
            errors.push(field::Error::invalid(&path, seconds, why));
        }
        if seconds > SECONDS_MAX {
            let why = "may not specify a duration larger than 2^32 seconds";
            errors.push(field::Error::invalid(&path, seconds, why));
        }
    }
}

fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    let spec = part(change.object, "spec");
    let old = change.old.map(|old| items(part(old, "spec"), "tokenRequests"));
    let requests = items(spec, "tokenRequests");
    if !requests.is_empty()
        && old != Some(requests)
        && some(spec, "serviceAccountTokenInSecrets").is_none()
    {
        warnings.add(
            "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to \
             true to prevent possible logging of tokens in volume attributes",
        );
    }
}

fn cells(driver: &Value, now: i64) -> Vec<Value> {
    let spec = part(driver, "spec");
    let modes = texts(spec, "volumeLifecycleModes").join(",");
    let audiences = match some(spec, "tokenRequests") {
        None => "<unset>".to_owned(),
        Some(_) => {
            let requests = items(spec, "tokenRequests").iter();
            requests.map(|it| text(it, "audience")).collect::<Vec<_>>().join(",")
        }
    };
    vec![
        object::name(driver).into(),
        flag(spec, "attachRequired").into(),
        flag(spec, "podInfoOnMount").into(),
        flag(spec, "storageCapacity").into(),
        audiences.into(),
        flag(spec, "requiresRepublish").into(),
        if modes.is_empty() { "<none>".into() } else { modes.into() },
        printer::age(driver, now),
    ]
}
