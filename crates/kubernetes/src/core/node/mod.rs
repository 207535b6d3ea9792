//! Node: a machine that runs pods.

mod annotations;
mod config;
mod table;

use std::collections::BTreeSet;

use ordain_meta::name;
use ordain_strategy::typed::{Hooks, rules};
use ordain_strategy::{Change, Part, Warnings};
use ordain_value::field::{self, Path};
use ordain_value::{Value, go_quote, json};

use crate::native::Native;
use crate::shared::access::{
    entries, flag, int_of, items, keep, part, part_mut, some, text, texts,
};
use crate::shared::{internal, net, resources};

const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const FEATURE_BYTES_MAX: usize = 253;

pub(crate) fn native() -> Native {
    let mut native = Native::new("", "Node");
    native.key = "/registry/minions";
    native.columns = table::columns();
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
        cells: table::cells,
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
        common(change.object, &mut errors);
        swap(change.object, &mut errors);
        pod_cidrs(change.object, &mut errors);
    }
    if let Some(old) = change.old {
        errors.extend(rules::metadata(change, false, name::subdomain_rule));
        common(change.object, &mut errors);
        update(change.object, old, &mut errors);
    }
    errors
}

/// Rules that new nodes and changed ones have.
fn common(node: &Value, errors: &mut field::ErrorList) {
    let metadata = Path::new("metadata");
    annotations::validate(node, &metadata.child("annotations"), errors);
    let taints = items(part(node, "spec"), "taints");
    validate_taints(taints, &metadata.child("taints"), errors);
    let (status, root) = (part(node, "status"), Path::new("status"));
    for field in ["capacity", "allocatable"] {
        let path = root.child(field);
        for (resource, amount) in entries(status, field) {
            let amount = resources::quantity(amount);
            resources::check_amount(resource, &amount, &path.child(resource), errors);
        }
    }
    features(&texts(status, "declaredFeatures"), &root.child("declaredFeatures"), errors);
}

/// Taints, each key and effect once. Their errors are told at `metadata`, as ever.
fn validate_taints(taints: &[Value], path: &Path<'_>, errors: &mut field::ErrorList) {
    let mut seen = BTreeSet::new();
    for (at, taint) in taints.iter().enumerate() {
        let path = path.index(at);
        let (key, value, effect) =
            (text(taint, "key"), text(taint, "value"), text(taint, "effect"));
        errors.extend(net::qualified_name(&path.child("key"), key));
        let problems = name::label_value(value);
        if !problems.is_empty() {
            let why = problems.join(";");
            errors.push(field::Error::invalid(&path.child("value"), value, why));
        }
        if effect.is_empty() {
            errors.push(field::Error::required(&path.child("effect"), ""));
        } else if !EFFECTS.contains(&effect) {
            errors.push(field::Error::not_supported(&path.child("effect"), effect, &EFFECTS));
        }
        if !seen.insert((key, effect)) {
            let shown = |text: &str| json::encode_string(&text.into());
            let shown = internal::structure(&[
                ("Key", shown(key)),
                ("Value", shown(value)),
                ("Effect", shown(effect)),
                ("TimeAdded", internal::plain(taint.get("timeAdded"))),
            ]);
            let why = "taints must be unique by key and effect pair";
            errors.push(field::Error::new(field::Kind::Duplicate, &path, shown, why));
        }
    }
}

/// Names of features, sorted, each once.
fn features(features: &[&str], path: &Path<'_>, errors: &mut field::ErrorList) {
    for (at, feature) in features.iter().enumerate() {
        if let Some(why) = feature_problem(feature) {
            errors.push(field::Error::invalid(&path.index(at), *feature, why));
        }
        let Some(next) = features.get(at + 1) else { continue };
        if next == feature {
            errors.push(field::Error::duplicate(&path.index(at + 1), *next));
        } else if next < feature {
            let why = "list must be sorted alphabetically";
            errors.push(field::Error::invalid(&path.index(at + 1), *next, why));
        }
    }
}

fn feature_problem(name: &str) -> Option<String> {
    let quoted = go_quote(name);
    if name.len() > FEATURE_BYTES_MAX {
        return Some(format!(
            "invalid feature name {quoted}: must be no more than {FEATURE_BYTES_MAX} characters"
        ));
    }
    let segment = |text: &str| {
        text.starts_with(|it: char| it.is_ascii_alphabetic())
            && text.bytes().all(|it| it.is_ascii_alphanumeric())
    };
    let sound =
        name.starts_with(|it: char| it.is_ascii_uppercase()) && name.split('/').all(segment);
    (!sound).then(|| {
        format!(
            "invalid feature name {quoted}: must start with an UpperCamelCase segment, with \
             subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and \
             contain only alphanumeric characters and slashes"
        )
    })
}

fn swap(node: &Value, errors: &mut field::ErrorList) {
    let swap = part(part(part(node, "status"), "nodeInfo"), "swap");
    if let Some(capacity) = int_of(swap, "capacity").filter(|it| *it <= 0) {
        let path = Path::new("metadata.nodeSwapStatus.capacity");
        errors.push(field::Error::invalid(&path, capacity, "must be greater than zero"));
    }
}

fn pod_cidrs(node: &Value, errors: &mut field::ErrorList) {
    let (spec, root) = (part(node, "spec"), Path::new("spec"));
    let (path, given) = (root.child("podCIDRs"), texts(spec, "podCIDRs"));
    for (at, cidr) in given.iter().enumerate() {
        errors.extend(net::legacy_cidr(&path.index(at), cidr, &[]));
    }
    if given.len() < 2 {
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
            errors.push(field::Error::internal(&path, why));
            false
        }
        Some(all) => all.iter().any(|it| it.ip.is_ipv4()) && all.iter().any(|it| it.ip.is_ipv6()),
    };
    if !both || given.len() > 2 {
        let shown = internal::given(spec, "podCIDRs");
        let why = "may specify no more than one CIDR for each IP family";
        errors.push(field::Error::invalid(&path, shown, why));
    }
}

fn update(node: &Value, old: &Value, errors: &mut field::ErrorList) {
    let (status, spec) = (Path::new("status"), Path::new("spec"));
    let mut seen = BTreeSet::new();
    let list = status.child("addresses");
    for (at, address) in items(part(node, "status"), "addresses").iter().enumerate() {
        let (ty, host) = (text(address, "type"), text(address, "address"));
        if !seen.insert((ty, host)) {
            let shown = |text: &str| json::encode_string(&text.into());
            let shown = internal::structure(&[("Type", shown(ty)), ("Address", shown(host))]);
            errors.push(field::Error::duplicate(&list.index(at), shown));
        }
    }
    let (new, before) = (part(node, "spec"), part(old, "spec"));
    let (now, then) = (texts(new, "podCIDRs"), texts(before, "podCIDRs"));
    let changed = if now.len() == then.len() {
        now.iter().zip(&then).filter(|(now, then)| now != then).count()
    } else {
        usize::from(!then.is_empty())
    };
    for _ in 0..changed {
        let why = "node updates may not change podCIDR except from \"\" to valid";
        errors.push(field::Error::forbidden(&spec.child("podCIDRs"), why));
    }
    let provider = text(before, "providerID");
    if !provider.is_empty() && provider != text(new, "providerID") {
        let why = "node updates may not change providerID except from \"\" to valid";
        errors.push(field::Error::forbidden(&spec.child("providerID"), why));
    }
    if let Some(source) = some(new, "configSource") {
        config::spec(source, &spec.child("configSource"), errors);
    }
    if let Some(config) = some(part(node, "status"), "config") {
        config::status(config, &status.child("config"), errors);
    }
    if text(new, "externalID") != text(before, "externalID") {
        errors.push(field::Error::forbidden(&spec.child("externalID"), "may not be updated"));
    }
}
