//! Service: a stable address for what changes behind it.

mod addresses;
mod allocate;
mod default;
mod ports;
mod range;
mod read;
pub(crate) mod table;
pub(crate) mod traffic;
mod update;
mod warnings;

use ordain_meta::{name, object_meta};
use ordain_strategy::typed::{Hooks, rules};
use ordain_strategy::{Change, Part, Policy};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::native::Native;
use crate::shared::access::{annotation, entries, text, text_of};
use crate::shared::net;
use read::Service;

pub use allocate::{addresses_of, ip_address, node_ports_of};
pub use range::AddressRange;

const TOPOLOGY_HINTS: &str = "service.kubernetes.io/topology-aware-hints";
const TOPOLOGY_MODE: &str = "service.kubernetes.io/topology-mode";
const TYPES: [&str; 4] = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

pub(crate) fn native() -> Native {
    let mut native = Native::new("", "Service");
    native.key = "/registry/services/specs";
    native.policy = Policy {
        create_on_update: true,
        unconditional_update: true,
        returns_deleted: true,
        ..Policy::default()
    };
    native.columns = table::columns();
    native.selectable_fields = &["spec.clusterIP", "spec.type"];
    native.hooks = Hooks {
        default: default::default,
        allocate: Some(allocate::allocate),
        prepare_for_create: update::prepare_new,
        prepare_for_update: update::prepare,
        canonicalize: update::canonicalize,
        warn: warnings::warn,
        selectable: true,
        field: |object, field| match field {
            "spec.clusterIP" | "spec.type" => {
                let value = object.get_path(&field.split('.').collect::<Vec<_>>());
                Some(value.and_then(Value::as_text).cloned().unwrap_or_default())
            }
            _ => None,
        },
        cells: table::cells,
        ..Hooks::new(validate)
    };
    native
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let service = Service::of(change.object);
    let old = change.old.map(Service::of);
    let mut errors = rules::metadata(change, true, name::label_rule);
    if let (Part::Status, Some(old)) = (change.part, old) {
        errors.extend(traffic::status(service, old));
        return errors;
    }
    if let Some(old) = old {
        errors.extend(addresses::validate_update(service, old));
        errors.extend(traffic::validate_update(service, old));
    }
    topology(service, &mut errors);
    kind(service, &mut errors);
    errors.extend(ports::validate(service));
    let spec = Path::new("spec");
    let selector = entries(service.spec, "selector");
    let selector = selector.map(|(key, value)| (key.as_str(), value.as_str().unwrap_or("")));
    object_meta::labels(selector, &spec.child("selector"), &mut errors);
    errors.extend(addresses::validate(service, old));
    errors.extend(traffic::validate(service, old));
    errors
}

fn topology(service: Service<'_>, errors: &mut field::ErrorList) {
    let mode = annotation(service.object, TOPOLOGY_MODE);
    let hints = annotation(service.object, TOPOLOGY_HINTS);
    if let (Some(mode), Some(hints)) = (mode, hints)
        && mode != hints
    {
        let metadata = Path::new("metadata");
        let annotations = metadata.child("annotations");
        let why = format!("must match annotations[{TOPOLOGY_HINTS}] when both are specified");
        errors.push(field::Error::invalid(&annotations.key(TOPOLOGY_MODE), mode, why));
    }
}

/// The type, and what it forbids.
fn kind(service: Service<'_>, errors: &mut field::ErrorList) {
    let spec = Path::new("spec");
    match service.ty() {
        "" => errors.push(field::Error::required(&spec.child("type"), "")),
        ty @ ("LoadBalancer" | "NodePort") if service.is_headless() => {
            let path = spec.child("clusterIPs");
            let why = format!("may not be set to 'None' for {ty} services");
            errors.push(field::Error::invalid(&path.index(0), read::NONE, why));
        }
        "ExternalName" => external_name(service, &spec, errors),
        ty if !TYPES.contains(&ty) => {
            errors.push(field::Error::not_supported(&spec.child("type"), ty, &TYPES));
        }
        _ => {}
    }
}

fn external_name(service: Service<'_>, spec: &Path<'_>, errors: &mut field::ErrorList) {
    let set = [
        (!service.cluster_ips().is_empty(), "clusterIPs"),
        (!service.families().is_empty(), "ipFamilies"),
        (text_of(service.spec, "ipFamilyPolicy").is_some(), "ipFamilyPolicy"),
    ];
    for (_, field) in set.into_iter().filter(|it| it.0) {
        let why = "may not be set for ExternalName services";
        errors.push(field::Error::forbidden(&spec.child(field), why));
    }
    let name = text(service.spec, "externalName");
    let path = spec.child("externalName");
    match name.strip_suffix('.').unwrap_or(name) {
        "" => errors.push(field::Error::required(&path, "")),
        name => errors.extend(net::subdomain(&path, name)),
    }
}
