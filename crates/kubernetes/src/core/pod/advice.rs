//! Advice on pods and their templates.

use std::collections::{BTreeMap, BTreeSet};

use ordain_meta::name;
use ordain_meta::quantity::Quantity;
use ordain_strategy::Warnings;
use ordain_value::field::Path;
use ordain_value::{Text, Value, go_quote};

use super::{annotations, containers, overlaps};
use crate::core::persistent_volume_claim;
use crate::shared::access::{
    annotation, annotation_for, entries, has_annotations, int, int_of, items, part, some, text,
    texts,
};
use crate::shared::{net, node_selector, reference, resources};

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

const DEPRECATED_ANNOTATIONS: [(&str, &str); 3] = [
    (
        "scheduler.alpha.kubernetes.io/critical-pod",
        r#"non-functional in v1.16+; use the "priorityClassName" field instead"#,
    ),
    (
        "security.alpha.kubernetes.io/sysctls",
        r#"non-functional in v1.11+; use the "sysctls" field instead"#,
    ),
    (
        "security.alpha.kubernetes.io/unsafe-sysctls",
        r#"non-functional in v1.11+; use the "sysctls" field instead"#,
    ),
];

const DEPRECATED_SOURCES: [(&str, &str, &str); 9] = [
    (
        "photonPersistentDisk",
        "photonPersistentDisk",
        "deprecated in v1.11, non-functional in v1.16+",
    ),
    ("gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"),
    ("scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"),
    ("storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"),
    ("quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"),
    ("glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    ("cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    ("rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"),
];

/// Advice on a new pod.
pub(super) fn of_pod(pod: &Value, warnings: &mut Warnings) {
    let problems = name::dns_1123_label(ordain_strategy::object::name(pod));
    if !problems.is_empty() {
        warnings.add(format!(
            "metadata.name: this is used in the Pod's hostname, which can result in surprising \
             behavior; a DNS label is recommended: [{}]",
            problems.join(" ")
        ));
    }
    let root = Path::root();
    warn(pod, &root, false, warnings);
}

/// Advice on a template.
pub(super) fn of_template(
    template: &Value,
    path: &Path<'_>,
    _old: Option<&Value>,
    warnings: &mut Warnings,
) {
    warn(template, path, true, warnings);
}

/// Fields of a spec that few pods have, each with advice of its own.
fn has_rare_field(spec: &Value) -> bool {
    let is_rare = |key: &Text| {
        matches!(
            key.as_str(),
            "affinity"
                | "dnsConfig"
                | "hostAliases"
                | "imagePullSecrets"
                | "nodeSelector"
                | "overhead"
                | "topologySpreadConstraints"
        )
    };
    spec.as_map().is_some_and(|it| it.keys().any(is_rare))
}

fn warn(template: &Value, path: &Path<'_>, is_template: bool, warnings: &mut Warnings) {
    let spec = part(template, "spec");
    let spec_path = path.child("spec");
    let meta_path = path.child("metadata.annotations");
    let (has_rare_field, has_annotations) = (has_rare_field(spec), has_annotations(template));
    if has_rare_field {
        warn_nodes(spec, &spec_path, warnings);
    }
    for (key, message) in DEPRECATED_ANNOTATIONS.iter().filter(|_| has_annotations) {
        if annotation(template, key).is_some() {
            warnings.add(format!("{}: {message}", meta_path.key(key)));
        }
    }
    warn_volumes(spec, &spec_path, warnings);
    overlaps::warn(spec, warnings);
    if has_rare_field {
        warn_lists(spec, &spec_path, warnings);
    }
    warn_profiles(template, spec, &meta_path, is_template, warnings);
    containers::each(spec, &spec_path, &mut |container, path| {
        let own = part(container, "resources");
        for kind in ["limits", "requests"] {
            warn_fractions(own, kind, &path.child("resources"), warnings);
        }
        warn_hidden_variables(container, &path.child("env"), warnings);
    });
    warn_ports(spec, &spec_path, warnings);
    if int_of(spec, "terminationGracePeriodSeconds").is_some_and(|it| it < 0) {
        warnings.add(format!(
            "{}: must be >= 0; negative values are invalid and will be treated as 1",
            spec_path.child("terminationGracePeriodSeconds")
        ));
    }
    if has_rare_field {
        warn_selectors(spec, &spec_path, warnings);
        warn_addresses(spec, &spec_path, warnings);
    }
}

/// Advice on lists of names, and on what a pod takes besides its containers.
fn warn_lists(spec: &Value, path: &Path<'_>, warnings: &mut Warnings) {
    warn_duplicates(spec, "hostAliases", "ip", path, warnings);
    warn_duplicates(spec, "imagePullSecrets", "name", path, warnings);
    let list = path.child("imagePullSecrets");
    for (at, secret) in items(spec, "imagePullSecrets").iter().enumerate() {
        if text(secret, "name").is_empty() {
            warnings.add(format!("{}: invalid empty name \"\"", list.index(at).child("name")));
        }
    }
    warn_fractions(spec, "overhead", path, warnings);
}

fn warn_nodes(spec: &Value, path: &Path<'_>, warnings: &mut Warnings) {
    for (key, _) in entries(spec, "nodeSelector") {
        if let Some(message) = reference::deprecated_node_label(key) {
            warnings.add(format!("{}: {message}", path.child("nodeSelector").key(key)));
        }
    }
    if let Some(nodes) = some(part(spec, "affinity"), "nodeAffinity") {
        let path = path.child("affinity.nodeAffinity");
        let list = path.child(REQUIRED);
        let list = list.child("nodeSelectorTerms");
        let terms = items(part(nodes, REQUIRED), "nodeSelectorTerms");
        for (at, term) in terms.iter().enumerate() {
            warn_node_term(term, false, &list.index(at), warnings);
        }
        let list = path.child(PREFERRED);
        for (at, term) in items(nodes, PREFERRED).iter().enumerate() {
            let path = list.index(at);
            warn_node_term(part(term, "preference"), true, &path.child("preference"), warnings);
        }
    }
    let list = path.child("topologySpreadConstraints");
    for (at, constraint) in items(spec, "topologySpreadConstraints").iter().enumerate() {
        let path = list.index(at);
        let key = text(constraint, "topologyKey");
        if let Some(message) = reference::deprecated_node_label(key) {
            warnings.add(format!("{}: {key} is {message}", path.child("topologyKey")));
        }
        warn_no_selector(constraint, &path, warnings);
    }
}

/// Advice on a term of a selector of nodes; wishes are not refused for values that no label has.
fn warn_node_term(term: &Value, check_values: bool, path: &Path<'_>, warnings: &mut Warnings) {
    node_selector::warn(term, path, warnings);
    let list = path.child("matchExpressions");
    let expressions = if check_values { items(term, "matchExpressions") } else { &[] };
    for (at, expression) in expressions.iter().enumerate() {
        let path = list.index(at);
        let path = path.child("values");
        for (at, value) in texts(expression, "values").into_iter().enumerate() {
            for problem in name::label_value(value) {
                warnings.add(format!("{}: {value} is invalid, {problem}", path.index(at)));
            }
        }
    }
}

fn warn_no_selector(term: &Value, path: &Path<'_>, warnings: &mut Warnings) {
    if some(term, "labelSelector").is_none() {
        let path = path.child("labelSelector");
        warnings.add(format!("{path}: a null labelSelector results in matching no pod"));
    }
}

fn warn_volumes(spec: &Value, path: &Path<'_>, warnings: &mut Warnings) {
    let list = path.child("volumes");
    // Nearly all volumes have one field beside their name, and it is none of these.
    let is_rare = |key: &Text| {
        key == "ephemeral" || DEPRECATED_SOURCES.iter().any(|(field, ..)| key == field)
    };
    for (at, volume) in items(spec, "volumes").iter().enumerate() {
        if !volume.as_map().is_some_and(|it| it.keys().any(is_rare)) {
            continue;
        }
        let path = list.index(at);
        for (field, shown, message) in DEPRECATED_SOURCES {
            if some(volume, field).is_some() {
                warnings.add(format!("{}: {message}", path.child(shown)));
            }
        }
        let template = part(part(volume, "ephemeral"), "volumeClaimTemplate");
        let path = path.child("ephemeral.volumeClaimTemplate.spec");
        persistent_volume_claim::spec::warn(part(template, "spec"), &path, warnings);
    }
}

fn warn_duplicates(
    spec: &Value,
    list: &str,
    field: &str,
    path: &Path<'_>,
    warnings: &mut Warnings,
) {
    let path = path.child(list);
    let mut seen = BTreeSet::new();
    for (at, item) in items(spec, list).iter().enumerate() {
        let value = text(item, field);
        if !seen.insert(value) {
            let path = path.index(at);
            warnings.add(format!("{}: duplicate {field} {}", path.child(field), go_quote(value)));
        }
    }
}

/// Bytes are whole.
fn fraction(list: &Value, name: &str) -> Option<Quantity> {
    let value = some(list, name)?;
    // Of canonical texts only those with thousandths may be no whole number.
    if value.as_str().is_some_and(|it| Quantity::is_canonical(it) && !it.ends_with('m')) {
        return None;
    }
    let amount = resources::quantity(value);
    let whole = Quantity::from_i64(amount.value(), amount.format());
    (amount.rounded_to_milli() != whole).then_some(amount)
}

fn fraction_message(path: &Path<'_>, amount: &Quantity) -> String {
    let amount = go_quote(&amount.to_string());
    format!("{path}: fractional byte value {amount} is invalid, must be an integer")
}

fn warn_fractions(holder: &Value, field: &str, path: &Path<'_>, warnings: &mut Warnings) {
    let list = part(holder, field);
    for name in ["memory", "ephemeral-storage"] {
        if let Some(amount) = fraction(list, name) {
            let path = path.child(field);
            warnings.add(fraction_message(&path.key(name), &amount));
        }
    }
}

/// Profiles that are still given by annotations.
fn warn_profiles(
    template: &Value,
    spec: &Value,
    path: &Path<'_>,
    is_template: bool,
    warnings: &mut Warnings,
) {
    const SECCOMP: &str = r#"non-functional in v1.27+; use the "seccompProfile" field instead"#;
    if !has_annotations(template) {
        return;
    }
    let context = part(spec, "securityContext");
    let of_pod = annotations::SECCOMP_POD;
    let has = |context: &Value, field: &str| some(context, field).is_some();
    if !has(context, "seccompProfile") && annotation(template, of_pod).is_some() {
        warnings.add(format!("{}: {SECCOMP}", path.key(of_pod)));
    }
    let armor = some(context, "appArmorProfile");
    containers::each(spec, &Path::root(), &mut |container, _| {
        let context = part(container, "securityContext");
        let name = text(container, "name");
        let given = annotation_for(template, annotations::SECCOMP_CONTAINER, name);
        if !has(context, "seccompProfile") && given.is_some() {
            let key = format!("{}{name}", annotations::SECCOMP_CONTAINER);
            warnings.add(format!("{}: {SECCOMP}", path.key(&key)));
        }
        let given = annotation_for(template, annotations::APP_ARMOR, name);
        if let (true, false, Some(given)) = (is_template, has(context, "appArmorProfile"), given) {
            let same = armor.is_some() && annotations::profile_of(given).as_ref() == armor;
            if !same {
                let key = format!("{}{name}", annotations::APP_ARMOR);
                warnings.add(format!("{}: {APP_ARMOR}", path.key(&key)));
            }
        }
    });
}

const APP_ARMOR: &str = r#"deprecated since v1.30; use the "appArmorProfile" field instead"#;

/// A new pod, before annotations for AppArmor become fields: whether it is accepted or not.
pub(super) fn of_app_armor(pod: &Value, warnings: &mut Warnings) {
    let spec = part(pod, "spec");
    if text(part(spec, "os"), "name") == "windows" {
        return;
    }
    let of_pod = some(part(spec, "securityContext"), "appArmorProfile");
    let metadata = Path::new("metadata");
    let path = metadata.child("annotations");
    containers::each(spec, &Path::root(), &mut |container, _| {
        let name = text(container, "name");
        let Some(given) = annotation_for(pod, annotations::APP_ARMOR, name) else { return };
        let has_own = some(part(container, "securityContext"), "appArmorProfile").is_some();
        let meant = annotations::profile_of(given);
        if !has_own && (meant.is_none() || meant.as_ref() != of_pod) {
            let key = format!("{}{name}", annotations::APP_ARMOR);
            warnings.add(format!("{}: {APP_ARMOR}", path.key(&key)));
        }
    });
}

/// Whether no two of a list have one name.
fn are_named_apart(list: &[Value]) -> bool {
    /// So many are compared with each other one by one.
    const FEW: usize = 8;
    if list.len() <= FEW {
        let is_new = |(at, it): (usize, &Value)| {
            let name = text(it, "name");
            list.iter().take(at).all(|other| text(other, "name") != name)
        };
        return list.iter().enumerate().all(is_new);
    }
    let mut names: Vec<&str> = list.iter().map(|it| text(it, "name")).collect();
    names.sort_unstable();
    names.windows(2).all(|pair| pair[0] != pair[1])
}

fn warn_hidden_variables(container: &Value, path: &Path<'_>, warnings: &mut Warnings) {
    if are_named_apart(items(container, "env")) {
        return;
    }
    let mut seen = BTreeSet::new();
    for (at, variable) in items(container, "env").iter().enumerate() {
        let (name, value) = (text(variable, "name"), text(variable, "value"));
        if seen.insert(name) {
            continue;
        }
        let reference = format!("$({name})");
        let extends = some(variable, "valueFrom").is_none()
            && value != reference
            && value.contains(&reference);
        if !extends {
            warnings.add(format!(
                "{}: hides previous definition of {}, which may be dropped when using apply",
                path.index(at),
                go_quote(name)
            ));
        }
    }
}

/// Whether no two ports of a pod have a number or a name in common, and none has an address of the
/// host alone: then nothing is to be said about them, and no path has to be written.
fn are_ports_apart(spec: &Value) -> bool {
    let lists = containers::KINDS.iter().flat_map(|kind| items(spec, kind));
    let ports: Vec<&Value> = lists.flat_map(|it| items(it, "ports")).collect();
    let mut numbers: Vec<_> =
        ports.iter().map(|it| (int(it, "containerPort"), text(it, "protocol"))).collect();
    let mut names: Vec<_> = ports.iter().map(|it| text(it, "name")).collect();
    numbers.sort_unstable();
    names.retain(|it| !it.is_empty());
    names.sort_unstable();
    ports.iter().all(|it| text(it, "hostIP").is_empty())
        && numbers.windows(2).all(|pair| pair[0] != pair[1])
        && names.windows(2).all(|pair| pair[0] != pair[1])
}

/// Ports that are declared twice, in one container or in several.
fn warn_ports(spec: &Value, path: &Path<'_>, warnings: &mut Warnings) {
    if are_ports_apart(spec) {
        return;
    }
    let mut seen: BTreeMap<(i64, String), Vec<(String, String, i64)>> = BTreeMap::new();
    containers::each(spec, path, &mut |container, path| {
        let list = path.child("ports");
        for (at, port) in items(container, "ports").iter().enumerate() {
            let place = list.index(at).to_string();
            let (ip, host) = (text(port, "hostIP").to_owned(), int(port, "hostPort"));
            if !ip.is_empty() && host == 0 {
                warnings.add(format!(
                    "{place}: hostIP set without hostPort: {{Name:{} HostPort:{host} \
                     ContainerPort:{} Protocol:{} HostIP:{ip}}}",
                    text(port, "name"),
                    int(port, "containerPort"),
                    text(port, "protocol"),
                ));
            }
            let key = (int(port, "containerPort"), text(port, "protocol").to_owned());
            let others = seen.entry(key).or_default();
            for (other, other_ip, other_host) in &*others {
                let message = if ip == *other_ip && host == *other_host {
                    "duplicate"
                } else if host == 0 || *other_host == 0 {
                    "overlapping"
                } else if host == *other_host && ip.is_empty() != other_ip.is_empty() {
                    "dangerously ambiguous"
                } else {
                    continue;
                };
                warnings.add(format!("{place}: {message} port definition with {other}"));
            }
            others.push((place, ip, host));
        }
    });
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    containers::each(spec, path, &mut |container, path| {
        let list = path.child("ports");
        for (at, port) in items(container, "ports").iter().enumerate() {
            let (name, place) = (text(port, "name"), list.index(at).to_string());
            if name.is_empty() {
                continue;
            }
            match names.get(name) {
                Some(other) => warnings.add(format!(
                    "{place}: duplicate port name {} with {other}, services and probes that \
                     select ports by name will use {other}",
                    go_quote(name)
                )),
                None => {
                    names.insert(name.to_owned(), place);
                }
            }
        }
    });
}

fn warn_selectors(spec: &Value, path: &Path<'_>, warnings: &mut Warnings) {
    let path = path.child("affinity");
    for kind in ["podAffinity", "podAntiAffinity"] {
        let pods = part(part(spec, "affinity"), kind);
        let path = path.child(kind);
        let list = path.child(REQUIRED);
        for (at, term) in items(pods, REQUIRED).iter().enumerate() {
            warn_no_selector(term, &list.index(at), warnings);
        }
        let list = path.child(PREFERRED);
        for (at, term) in items(pods, PREFERRED).iter().enumerate() {
            let path = list.index(at);
            warn_no_selector(
                part(term, "podAffinityTerm"),
                &path.child("podAffinityTerm"),
                warnings,
            );
        }
    }
}

fn warn_addresses(spec: &Value, path: &Path<'_>, warnings: &mut Warnings) {
    let list = path.child("dnsConfig.nameservers");
    for (at, server) in texts(part(spec, "dnsConfig"), "nameservers").into_iter().enumerate() {
        if let Some(warning) = net::ip_warning(&list.index(at), server) {
            warnings.add(warning);
        }
    }
    let list = path.child("hostAliases");
    for (at, alias) in items(spec, "hostAliases").iter().enumerate() {
        let path = list.index(at);
        if let Some(warning) = net::ip_warning(&path.child("ip"), text(alias, "ip")) {
            warnings.add(warning);
        }
    }
}
