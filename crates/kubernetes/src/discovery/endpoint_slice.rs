//! EndpointSlice: a part of the addresses behind a service.

use std::collections::BTreeSet;

use ordain_meta::{name, object_meta};
use ordain_strategy::typed::{Hooks, printer, rules};
use ordain_strategy::{Change, Part, Warnings, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::native::Native;
use crate::shared::access::{
    differs, entries, int_of, items, items_mut, label, some, text, text_of, texts,
};
use crate::shared::net;

const MANAGED_BY: &str = "endpointslice.kubernetes.io/managed-by";
const CONTROLLERS: [&str; 2] =
    ["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"];
const HOSTNAME: &str = "kubernetes.io/hostname";
const TYPES: [&str; 3] = ["FQDN", "IPv4", "IPv6"];
const TOPOLOGY_LABELS_MAX: usize = 16;
const PORTS_MAX: usize = 20_000;
const ENDPOINTS_MAX: usize = 1000;
const HINTS_MAX: usize = 8;
const SHOWN: usize = 3;

pub(crate) fn native() -> Native {
    let mut native = Native::new("discovery.k8s.io", "EndpointSlice");
    native.reset = &[];
    native.columns = printer::columns(&[
        ("AddressType", "What the addresses are."),
        ("Ports", "The ports of all endpoints."),
        ("Endpoints", "The addresses."),
    ]);
    native.hooks = Hooks {
        prepare_for_create: |object| {
            object::set_generation(object, 1);
            drop_topology(object, None);
        },
        prepare_for_update: |_: Part, object, old| {
            count_changes(object, old);
            drop_topology(object, Some(old));
        },
        warn,
        cells,
        ..Hooks::new(validate)
    };
    native
}

/// A generation counts changes of everything but metadata, and of labels. It counts what was sent,
/// before anything of it is dropped.
fn count_changes(object: &mut Value, old: &Value) {
    let same = |field: &str| items(object, field) == items(old, field);
    let labels = |it: &Value| object::labels(it).cloned().unwrap_or_default();
    let kept = same("endpoints")
        && same("ports")
        && text(object, "addressType") == text(old, "addressType")
        && labels(object) == labels(old);
    if !kept {
        object::set_generation(object, object::generation(old).saturating_add(1));
    }
}

/// The topology of old is not taken any more. A node that only it named is kept as `nodeName`.
fn drop_topology(object: &mut Value, old: Option<&Value>) {
    if old.is_some_and(|old| !differs(object, old, &["endpoints"])) {
        return;
    }
    let node = |endpoint: &Value| {
        let name = endpoint.get("deprecatedTopology")?.get(HOSTNAME)?.as_str()?;
        Some(name.to_owned()).filter(|it| !it.is_empty())
    };
    let known: BTreeSet<String> =
        old.into_iter().flat_map(|it| items(it, "endpoints")).filter_map(node).collect();
    for endpoint in items_mut(object, "endpoints") {
        let named = node(endpoint).filter(|it| known.contains(it));
        if let Some(name) = named
            && text_of(endpoint, "nodeName").is_none()
            && name::dns_1123_subdomain(&name).is_empty()
        {
            endpoint.set_path(&["nodeName"], name.into());
        }
        endpoint.remove_path(&["deprecatedTopology"]);
    }
}

fn cells(object: &Value, now: i64) -> Vec<Value> {
    let ports = items(object, "ports").iter().map(|port| match int_of(port, "port") {
        Some(number) => number.to_string(),
        None => text_of(port, "name").unwrap_or("*").to_owned(),
    });
    let addresses =
        items(object, "endpoints").iter().flat_map(|it| texts(it, "addresses")).map(str::to_owned);
    vec![
        object::name(object).into(),
        text(object, "addressType").into(),
        shown(ports.collect()).into(),
        shown(addresses.collect()).into(),
        printer::age(object, now),
    ]
}

fn shown(all: Vec<String>) -> String {
    let more = all.len().saturating_sub(SHOWN);
    let joined = all.into_iter().take(SHOWN).collect::<Vec<_>>().join(",");
    match more {
        0 if joined.is_empty() => "<unset>".to_owned(),
        0 => joined,
        more => format!("{joined} + {more} more..."),
    }
}

fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    if change.old.is_none() && text(change.object, "addressType") == "FQDN" {
        warnings.add("spec.addressType: FQDN endpoints are deprecated".to_owned());
    }
    if label(change.object, MANAGED_BY).is_some_and(|it| CONTROLLERS.contains(&it)) {
        return;
    }
    let root = Path::new("endpoints");
    for (at, endpoint) in items(change.object, "endpoints").iter().enumerate() {
        let path = root.index(at);
        let list = path.child("addresses");
        for (at, address) in texts(endpoint, "addresses").into_iter().enumerate() {
            let found = net::ip_warning(&list.index(at), address);
            found.into_iter().for_each(|it| warnings.add(it));
        }
    }
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let whole = Change { old: None, ..*change };
    let mut errors = rules::metadata(&whole, true, name::subdomain_rule);
    let ty = text(change.object, "addressType");
    if !ty.is_empty() && !TYPES.contains(&ty) {
        errors.push(field::Error::not_supported(&Path::new("addressType"), ty, &TYPES));
    }
    ports(change.object, &mut errors);
    let same = |old: &Value| items(old, "endpoints") == items(change.object, "endpoints");
    if !change.old.is_some_and(same) {
        endpoints(change.object, &mut errors);
    }
    errors
}

fn ports(object: &Value, errors: &mut field::ErrorList) {
    let (root, ports) = (Path::new("ports"), items(object, "ports"));
    if too_many(ports.len(), PORTS_MAX, &root, errors) {
        return;
    }
    let mut names = BTreeSet::new();
    for (at, port) in ports.iter().enumerate() {
        let (path, name) = (root.index(at), text(port, "name"));
        if !name.is_empty() {
            errors.extend(net::label(&path.child("name"), name));
        }
        if !names.insert(name) {
            errors.push(field::Error::duplicate(&path.child("name"), name));
        }
        match text_of(port, "protocol") {
            Some(protocol) if !net::PROTOCOLS.contains(&protocol) => errors.push(
                field::Error::not_supported(&path.child("protocol"), protocol, &net::PROTOCOLS),
            ),
            Some(_) => {}
            None => errors.push(field::Error::required(&path.child("protocol"), "")),
        }
        if let Some(protocol) = text_of(port, "appProtocol") {
            errors.extend(net::qualified_name(&path.child("appProtocol"), protocol));
        }
    }
}

fn too_many(count: usize, max: usize, path: &Path<'_>, errors: &mut field::ErrorList) -> bool {
    if count > max {
        let number = |it: usize| i64::try_from(it).unwrap_or(i64::MAX);
        errors.push(field::Error::too_many(path, number(count), number(max)));
    }
    count > max
}

fn endpoints(object: &Value, errors: &mut field::ErrorList) {
    let (root, endpoints) = (Path::new("endpoints"), items(object, "endpoints"));
    if too_many(endpoints.len(), ENDPOINTS_MAX, &root, errors) {
        return;
    }
    let ty = text(object, "addressType");
    for (at, endpoint) in endpoints.iter().enumerate() {
        validate_endpoint(endpoint, ty, &root.index(at), errors);
    }
}

fn validate_endpoint(endpoint: &Value, ty: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    let list = path.child("addresses");
    if items(endpoint, "addresses").is_empty() {
        errors.push(field::Error::required(&list, "must contain at least 1 address"));
    }
    for (at, text) in texts(endpoint, "addresses").into_iter().enumerate() {
        address(text, ty, &list, at, errors);
    }
    if let Some(node) = text_of(endpoint, "nodeName") {
        errors.extend(net::subdomain(&path.child("nodeName"), node));
    }
    let at = path.child("deprecatedTopology");
    let topology = entries(endpoint, "deprecatedTopology");
    let labels: Vec<(&str, &str)> =
        topology.map(|(key, value)| (key.as_str(), value.as_str().unwrap_or(""))).collect();
    too_many(labels.len(), TOPOLOGY_LABELS_MAX, &at, errors);
    object_meta::labels(labels.into_iter(), &at, errors);
    if let Some(host) = text_of(endpoint, "hostname") {
        errors.extend(net::label(&path.child("hostname"), host));
    }
    if let Some(given) = some(endpoint, "hints") {
        hints(given, &path.child("hints"), errors);
    }
}

/// An address by the type of the slice. Addresses of the wrong family are told at the list.
fn address(text: &str, ty: &str, list: &Path<'_>, at: usize, errors: &mut field::ErrorList) {
    let path = list.index(at);
    let problems = match ty {
        "IPv4" => net::legacy_ip(&path, text, &[]),
        "IPv6" => net::invalid(&path, text, net::canonical_ip(text)),
        "FQDN" => return domain(text, &path, errors),
        _ => return,
    };
    if !problems.is_empty() {
        errors.extend(problems);
        return;
    }
    let fits = net::parse_ip(text).is_some_and(|ip| ip.is_ipv4() == (ty == "IPv4"));
    if !fits {
        errors.push(field::Error::invalid(list, text, format!("must be an {ty} address")));
    }
    errors.extend(net::endpoint_ip(&path, text));
}

/// A domain of at least two labels, perhaps with a dot at its end.
fn domain(text: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    if text.is_empty() {
        errors.push(field::Error::required(path, ""));
        return;
    }
    let name = text.strip_suffix('.').unwrap_or(text);
    let problems = name::dns_1123_subdomain(name);
    if !problems.is_empty() {
        errors.push(field::Error::invalid(path, name, problems.join(",")));
        return;
    }
    if !name.contains('.') {
        let why = "should be a domain with at least two segments separated by dots";
        errors.push(field::Error::invalid(path, name, why));
        return;
    }
    let wrong = name.split('.').map(|it| (it, name::dns_1123_label(it)));
    if let Some((label, problems)) = wrong.into_iter().find(|it| !it.1.is_empty()) {
        errors.push(field::Error::invalid(path, label, problems.join(",")));
    }
}

fn hints(hints: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let kinds: [(&str, fn(&str) -> Vec<String>); 2] =
        [("forZones", name::label_value), ("forNodes", name::dns_1123_subdomain)];
    for (field, rule) in kinds {
        let (list, given) = (path.child(field), items(hints, field));
        if too_many(given.len(), HINTS_MAX, &list, errors) {
            return;
        }
        let mut names = BTreeSet::new();
        for (at, hint) in given.iter().enumerate() {
            let (at, name) = (list.index(at), text(hint, "name"));
            let path = at.child("name");
            if !names.insert(name) {
                errors.push(field::Error::duplicate(&path, name));
            }
            errors.extend(net::invalid(&path, name, rule(name)));
        }
    }
}
