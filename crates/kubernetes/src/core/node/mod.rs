//! Node: a machine that runs pods.

pub(crate) mod annotations;
mod table;

use ordain_meta::name;
use ordain_passes::declared::written::Asked;
use ordain_strategy::typed::{Hooks, rules};
use ordain_strategy::{Change, Part, Warnings};
use ordain_value::field::{self, Path};
use ordain_value::{Map, Value};

use crate::native::Native;
use crate::shared::access::{flag, keep, part, part_mut, some, text, texts};
use crate::shared::{net, resources};

pub(crate) fn native() -> Native {
    let mut native = Native::new("", "Node");
    native.key = "/registry/minions";
    native.columns = table::COLUMNS;
    native.selectable_fields = &["spec.unschedulable"];
    native.hooks = Hooks {
        default,
        prepare_for_create: |object| {
            object.remove_path(&["spec", "configSource"]);
            object.remove_path(&["status", "config"]);
        },
        prepare_for_update,
        warn,
        selectable: true,
        field: |object, field| match field {
            "spec.unschedulable" => {
                Some(flag(part(object, "spec"), "unschedulable").to_string().into())
            }
            _ => None,
        },
        ..Hooks::new(validate)
    };
    native
}

fn default(object: &mut Value) {
    mirror_pod_cidr(object);
    let Some(status) = part_mut(object, "status") else { return };
    if status.get("allocatable").is_none_or(Value::is_null)
        && let Some(capacity) = status.get("capacity").cloned()
    {
        status.insert("allocatable", capacity);
    }
    if let Some(status) = object.get_mut("status") {
        resources::round(status, "capacity");
        resources::round(status, "allocatable");
    }
}

/// `podCIDR` is the first of `podCIDRs`; a client that changes it alone means both.
fn mirror_pod_cidr(object: &mut Value) {
    let spec = part(object, "spec");
    let (one, all) = (text(spec, "podCIDR").to_owned(), texts(spec, "podCIDRs"));
    match all.first() {
        Some(first) if one.is_empty() => {
            let first = Value::from(*first);
            object.set_path(&["spec", "podCIDR"], first);
        }
        Some(first) if one == *first => {}
        None if one.is_empty() => {}
        _ => {
            object.set_path(&["spec", "podCIDRs"], vec![Value::from(one)].into());
        }
    }
}

fn prepare_for_update(of: Part, object: &mut Value, old: &Value) {
    let unused = |path: &[&str]| old.get_path(path).is_none_or(Value::is_null);
    if of == Part::Status {
        keep(object, old, "spec");
        if unused(&["status", "config"]) {
            object.remove_path(&["status", "config"]);
        }
        return;
    }
    keep(object, old, "status");
    if unused(&["spec", "configSource"]) {
        object.remove_path(&["spec", "configSource"]);
    }
}

fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    if change.part == Part::Status {
        return;
    }
    let (spec, root) = (part(change.object, "spec"), Path::new("spec"));
    if some(spec, "configSource").is_some() {
        warnings.add("spec.configSource: the feature is removed".to_owned());
    }
    if !text(spec, "externalID").is_empty() {
        let why = "spec.externalID: this field is deprecated, and is unused by Kubernetes";
        warnings.add(why.to_owned());
    }
    let path = root.child("podCIDRs");
    for (at, cidr) in texts(spec, "podCIDRs").into_iter().enumerate() {
        net::cidr_warnings(&path.index(at), cidr).into_iter().for_each(|it| warnings.add(it));
    }
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = field::ErrorList::new();
    if change.part != Part::Status {
        let whole = Change { old: None, ..*change };
        errors.extend(rules::metadata(&whole, false, name::subdomain_rule));
    }
    if change.old.is_some() {
        errors.extend(rules::metadata(change, false, name::subdomain_rule));
    }
    errors
}

/// The amounts of a node's resources, each reported as a field.
pub(crate) fn check_amounts(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let list = asked.value();
    for (resource, amount) in list.as_map().into_iter().flat_map(Map::iter) {
        let amount = resources::quantity(amount);
        resources::check_amount(resource, &amount, &path.child(resource), errors);
    }
}

/// One range for each family of addresses.
pub(crate) fn check_pod_cidrs(
    asked: &Asked<'_, '_>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let list = asked.value();
    let given: Vec<&str> = list.as_list().into_iter().flatten().filter_map(Value::as_str).collect();
    if given.len() < 2 || asked.part() == "status" {
        return;
    }
    let parsed: Option<Vec<net::Cidr>> = given.iter().map(|it| net::parse_cidr(it)).collect();
    let both = match &parsed {
        None => {
            let wrong = given.iter().enumerate().find(|it| net::parse_cidr(it.1).is_none());
            let (at, wrong) = wrong.unwrap_or((0, &""));
            let why = format!(
                "invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[{at}]: \
                 <nil> (invalid CIDR address: {wrong})"
            );
            errors.push(field::Error::internal(path, why));
            false
        }
        Some(all) => all.iter().any(|it| it.ip.is_ipv4()) && all.iter().any(|it| it.ip.is_ipv6()),
    };
    if !both || given.len() > 2 {
        let why = "may specify no more than one CIDR for each IP family";
        errors.push(field::Error::invalid(path, list.clone(), why));
    }
}
