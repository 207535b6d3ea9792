//! NetworkPolicy: which traffic pods take and send.

use ordain_meta::name;
use ordain_strategy::typed::{COUNT_SPEC, Hooks, printer, rules};
use ordain_strategy::{Change, Warnings, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::native::Native;
use crate::shared::access::{int_of, items, part, some, text, text_of, texts};
use crate::shared::net;
use crate::shared::selector::{self, Values};

/// Protocols in the order in which this kind names them.
const PROTOCOLS: [&str; 3] = ["TCP", "UDP", "SCTP"];
const TYPES: [&str; 2] = ["Ingress", "Egress"];
/// Rules of a direction, and where each of them has its peers.
const DIRECTIONS: [(&str, &str); 2] = [("ingress", "from"), ("egress", "to")];

pub(crate) fn native() -> Native {
    let mut native = Native::new("networking.k8s.io", "NetworkPolicy");
    native.columns = printer::columns(&[("Pod-Selector", "The pods that the policy is about.")]);
    native.hooks = Hooks { lifecycle: COUNT_SPEC, default, warn, cells, ..Hooks::new(validate) };
    native
}

fn default(object: &mut Value) {
    let Some(spec) = object.get_mut("spec") else { return };
    if items(spec, "policyTypes").is_empty() {
        let mut types: Vec<Value> = vec!["Ingress".into()];
        if !items(spec, "egress").is_empty() {
            types.push("Egress".into());
        }
        spec.set_path(&["policyTypes"], types.into());
    }
}

fn cells(object: &Value, now: i64) -> Vec<Value> {
    let selector = selector::show(part(object, "spec").get("podSelector"));
    vec![object::name(object).into(), selector.into(), printer::age(object, now)]
}

/// What the old object may have that a new one may not.
struct Allowed<'a> {
    values: Values,
    cidrs: Vec<&'a str>,
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = rules::metadata(change, true, name::subdomain_rule);
    let (spec, path) = (part(change.object, "spec"), Path::new("spec"));
    let old = change.old.map(|it| part(it, "spec"));
    let lenient = old.is_some_and(|it| selector::is_invalid(it.get("podSelector")));
    let allowed = Allowed {
        values: if lenient { Values::Any } else { Values::Checked },
        cidrs: old.map(cidrs).unwrap_or_default(),
    };
    let at = path.child("podSelector");
    selector::validate(spec.get("podSelector"), allowed.values, &at, &mut errors);
    for (direction, peers) in DIRECTIONS {
        let list = path.child(direction);
        for (at, rule) in items(spec, direction).iter().enumerate() {
            validate_rule(rule, peers, &allowed, &list.index(at), &mut errors);
        }
    }
    types(spec, &path.child("policyTypes"), &mut errors);
    errors
}

fn cidrs(spec: &Value) -> Vec<&str> {
    let rules = DIRECTIONS.into_iter().flat_map(|(direction, peers)| {
        items(spec, direction).iter().flat_map(move |rule| items(rule, peers))
    });
    let blocks = rules.filter_map(|peer| some(peer, "ipBlock"));
    blocks.flat_map(|it| std::iter::once(text(it, "cidr")).chain(texts(it, "except"))).collect()
}

fn types(spec: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let given = texts(spec, "policyTypes");
    if given.len() > TYPES.len() {
        let shown = spec.get("policyTypes").cloned().unwrap_or(Value::Null);
        errors.push(field::Error::invalid(
            path,
            shown,
            "may not specify more than two policyTypes",
        ));
        return;
    }
    for (at, ty) in given.into_iter().enumerate().filter(|it| !TYPES.contains(&it.1)) {
        errors.push(field::Error::not_supported(&path.index(at), ty, &TYPES));
    }
}

fn validate_rule(
    rule: &Value,
    peers: &str,
    allowed: &Allowed<'_>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let list = path.child("ports");
    for (at, port) in items(rule, "ports").iter().enumerate() {
        validate_port(port, &list.index(at), errors);
    }
    let list = path.child(peers);
    for (at, peer) in items(rule, peers).iter().enumerate() {
        validate_peer(peer, allowed, &list.index(at), errors);
    }
}

fn validate_port(port: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    if let Some(protocol) = text_of(port, "protocol")
        && !PROTOCOLS.contains(&protocol)
    {
        let at = path.child("protocol");
        errors.push(field::Error::not_supported(&at, protocol, &PROTOCOLS));
    }
    let (at, end) = (path.child("endPort"), int_of(port, "endPort"));
    let given = some(port, "port");
    if let Some(given) = given {
        errors.extend(net::port_number_or_name(&path.child("port"), given));
    }
    let Some(end) = end else { return };
    match given {
        None => {
            let why = "may not be specified when `port` is not specified";
            errors.push(field::Error::invalid(&at, end, why));
        }
        Some(Value::Str(_)) => {
            let why = "may not be specified when `port` is non-numeric";
            errors.push(field::Error::invalid(&at, end, why));
        }
        Some(start) => {
            let start = start.as_int().unwrap_or(0);
            if end < start {
                let why = "must be greater than or equal to `port`";
                errors.push(field::Error::invalid(&at, start, why));
            }
            if let Some(why) = net::port_number(end) {
                errors.push(field::Error::invalid(&at, end, why));
            }
        }
    }
}

fn validate_peer(
    peer: &Value,
    allowed: &Allowed<'_>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let selectors = ["podSelector", "namespaceSelector"];
    for field in selectors {
        selector::validate(some(peer, field), allowed.values, &path.child(field), errors);
    }
    let selected = selectors.into_iter().any(|it| some(peer, it).is_some());
    match some(peer, "ipBlock") {
        None if !selected => errors.push(field::Error::required(path, "must specify a peer")),
        None => {}
        Some(block) => {
            ip_block(block, &allowed.cidrs, &path.child("ipBlock"), errors);
            if selected {
                let why = "may not specify both ipBlock and another peer";
                errors.push(field::Error::forbidden(path, why));
            }
        }
    }
}

fn ip_block(block: &Value, known: &[&str], path: &Path<'_>, errors: &mut field::ErrorList) {
    let cidr = text(block, "cidr");
    if cidr.is_empty() {
        errors.push(field::Error::required(&path.child("cidr"), ""));
        return;
    }
    errors.extend(net::legacy_cidr(&path.child("cidr"), cidr, known));
    let Some(outer) = net::parse_cidr(cidr) else { return };
    let list = path.child("except");
    for (at, except) in texts(block, "except").into_iter().enumerate() {
        let at = list.index(at);
        errors.extend(net::legacy_cidr(&at, except, known));
        let Some(inner) = net::parse_cidr(except) else { continue };
        if !outer.contains(inner.network()) || outer.bits >= inner.bits {
            let why = "must be a strict subset of `cidr`";
            errors.push(field::Error::invalid(&at, except, why));
        }
    }
}

fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    let (spec, root) = (part(change.object, "spec"), Path::new("spec"));
    for (direction, peers) in DIRECTIONS {
        let rules = root.child(direction);
        for (at, rule) in items(spec, direction).iter().enumerate() {
            let rule_path = rules.index(at);
            let list = rule_path.child(peers);
            for (at, peer) in items(rule, peers).iter().enumerate() {
                let Some(block) = some(peer, "ipBlock") else { continue };
                let peer_path = list.index(at);
                block_warnings(block, &peer_path.child("ipBlock"), warnings);
            }
        }
    }
}

fn block_warnings(block: &Value, path: &Path<'_>, warnings: &mut Warnings) {
    let mut found = net::cidr_warnings(&path.child("cidr"), text(block, "cidr"));
    let list = path.child("except");
    for (at, except) in texts(block, "except").into_iter().enumerate() {
        found.extend(net::cidr_warnings(&list.index(at), except));
    }
    found.into_iter().for_each(|it| warnings.add(it));
}
