//! Ingress: HTTP traffic from outside, routed to services.

use ordain_meta::name;
use ordain_strategy::typed::{COUNT_SPEC, Hooks, printer, rules};
use ordain_strategy::{Change, Part, Warnings, object};
use ordain_value::field::{self, Path};
use ordain_value::{Value, go_quote};

use crate::core::service::table::balancer;
use crate::native::Native;
use crate::shared::access::{annotation, int, items, part, some, text, text_of, texts};
use crate::shared::net;

const CLASS: &str = "kubernetes.io/ingress.class";
const PATH_TYPES: [&str; 3] = ["Exact", "ImplementationSpecific", "Prefix"];
const HOSTS_SHOWN: usize = 3;

pub(crate) fn native() -> Native {
    let mut native = Native::new("networking.k8s.io", "Ingress");
    native.columns = printer::columns(&[
        ("Class", "The class whose controller serves the ingress."),
        ("Hosts", "The hosts that requests are matched against."),
        ("Address", "Where the load balancer takes traffic."),
        ("Ports", "The ports that are open."),
    ]);
    native.hooks = Hooks { lifecycle: COUNT_SPEC, warn, cells, ..Hooks::new(validate) };
    native
}

fn cells(object: &Value, now: i64) -> Vec<Value> {
    let spec = part(object, "spec");
    let balancer = balancer(part(part(object, "status"), "loadBalancer"));
    let ports = if items(spec, "tls").is_empty() { "80" } else { "80, 443" };
    vec![
        object::name(object).into(),
        text_of(spec, "ingressClassName").unwrap_or("<none>").into(),
        hosts(items(spec, "rules")).into(),
        balancer.into(),
        ports.into(),
        printer::age(object, now),
    ]
}

fn hosts(rules: &[Value]) -> String {
    let mut shown: Vec<&str> = Vec::new();
    let mut more = false;
    for rule in rules {
        more |= shown.len() == HOSTS_SHOWN;
        let host = text(rule, "host");
        if !more && !host.is_empty() {
            shown.push(host);
        }
    }
    match shown.as_slice() {
        [] => "*".to_owned(),
        shown if more => format!("{} + {} more...", shown.join(","), rules.len() - HOSTS_SHOWN),
        shown => shown.join(","),
    }
}

fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    let spec = part(change.object, "spec");
    if change.part == Part::Status {
        let (root, status) = (Path::new("status"), part(change.object, "status"));
        let balancer = root.child("loadBalancer");
        let path = balancer.child("ingress");
        for (at, entry) in items(part(status, "loadBalancer"), "ingress").iter().enumerate() {
            let found = net::ip_warning(&path.index(at), text(entry, "ip"));
            found.into_iter().for_each(|it| warnings.add(it));
        }
    } else if change.old.is_none()
        && annotation(change.object, CLASS).is_some()
        && text_of(spec, "ingressClassName").is_none()
    {
        warnings.add(format!(
            "annotation {} is deprecated, please use 'spec.ingressClassName' instead",
            go_quote(CLASS)
        ));
    }
}

/// What the old object may have that a new one may not.
#[derive(Clone, Copy)]
struct Allowed {
    secret_names: bool,
    wildcard_rules: bool,
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let (spec, path) = (part(change.object, "spec"), Path::new("spec"));
    let mut errors = rules::metadata(change, true, name::subdomain_rule);
    if change.part == Part::Status {
        return errors;
    }
    let old = change.old.map(|it| part(it, "spec"));
    let allowed = Allowed {
        secret_names: old.is_some_and(|it| items(it, "tls").iter().any(has_wrong_secret)),
        wildcard_rules: old.is_some_and(|it| items(it, "rules").iter().any(is_wrong_wildcard)),
    };
    if change.old.is_some() {
        let whole = Change { old: None, ..*change };
        errors.extend(rules::metadata(&whole, true, name::subdomain_rule));
    } else if let (Some(class), Some(named)) =
        (annotation(change.object, CLASS), text_of(spec, "ingressClassName"))
        && class != named
    {
        let annotations = Path::new("annotations");
        let why = "must match `ingressClassName` when both are specified";
        errors.push(field::Error::invalid(&annotations.child(CLASS), class, why));
    }
    validate_spec(spec, allowed, &path, &mut errors);
    errors
}

fn validate_spec(spec: &Value, allowed: Allowed, path: &Path<'_>, errors: &mut field::ErrorList) {
    let default = some(spec, "defaultBackend");
    if items(spec, "rules").is_empty() && default.is_none() {
        let why = "either `defaultBackend` or `rules` must be specified";
        let shown = spec.get("rules").cloned().unwrap_or(Value::Null);
        errors.push(field::Error::invalid(path, shown, why));
    }
    if let Some(default) = default {
        backend(default, &path.child("defaultBackend"), errors);
    }
    let list = path.child("rules");
    for (at, rule) in items(spec, "rules").iter().enumerate() {
        validate_rule(rule, allowed, &list.index(at), errors);
    }
    let list = path.child("tls");
    for (at, tls) in items(spec, "tls").iter().enumerate() {
        let path = list.index(at);
        let hosts = path.child("hosts");
        for (at, host) in texts(tls, "hosts").into_iter().enumerate() {
            errors.extend(host_name(&hosts.index(at), host));
        }
        if !allowed.secret_names {
            let secret = text(tls, "secretName");
            let problems = secret_problems(secret);
            errors.extend(net::invalid(&path.child("secretName"), secret, problems));
        }
    }
    if let Some(class) = text_of(spec, "ingressClassName") {
        errors.extend(net::subdomain(&path.child("ingressClassName"), class));
    }
}

fn secret_problems(name: &str) -> Vec<String> {
    if name.is_empty() { Vec::new() } else { name::dns_1123_subdomain(name) }
}

fn has_wrong_secret(tls: &Value) -> bool {
    !secret_problems(text(tls, "secretName")).is_empty()
}

fn is_wrong_wildcard(rule: &Value) -> bool {
    let mut errors = field::ErrorList::new();
    http(rule, &Path::root(), &mut errors);
    text(rule, "host").contains('*') && !errors.is_empty()
}

fn host_name(path: &Path<'_>, host: &str) -> field::ErrorList {
    if !host.contains('*') {
        return net::subdomain(path, host);
    }
    let mut problems = Vec::new();
    if host.len() > name::DNS_SUBDOMAIN_BYTES_MAX {
        problems.push("must be no more than 253 characters".to_owned());
    }
    let matches = host.strip_prefix("*.").is_some_and(name::matches_dns_1123_subdomain);
    if !matches {
        problems.push(name::pattern_message(
            "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS \
             subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and \
             end with an alphanumeric character",
            &format!("\\*\\.{}", name::DNS_1123_SUBDOMAIN_PATTERN),
            &["*.example.com"],
        ));
    }
    net::invalid(path, host, problems)
}

fn validate_rule(rule: &Value, allowed: Allowed, path: &Path<'_>, errors: &mut field::ErrorList) {
    let host = text(rule, "host");
    if !host.is_empty() {
        let path = path.child("host");
        if net::parse_ip(host).is_some() {
            let why = "must be a DNS name, not an IP address";
            errors.push(field::Error::invalid(&path, host, why));
        }
        errors.extend(host_name(&path, host));
    }
    if !(host.contains('*') && allowed.wildcard_rules) {
        http(rule, path, errors);
    }
}

fn http(rule: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let Some(http) = some(rule, "http") else { return };
    let at = path.child("http");
    let list = at.child("paths");
    if items(http, "paths").is_empty() {
        errors.push(field::Error::required(&list, ""));
    }
    for (at, route) in items(http, "paths").iter().enumerate() {
        http_path(route, &list.index(at), errors);
    }
}

fn http_path(route: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let Some(ty) = text_of(route, "pathType") else {
        let why = "pathType must be specified";
        errors.push(field::Error::required(&path.child("pathType"), why));
        return;
    };
    let (text, at) = (text(route, "path"), path.child("path"));
    let exact = matches!(ty, "Exact" | "Prefix");
    if !PATH_TYPES.contains(&ty) {
        errors.push(field::Error::not_supported(&path.child("pathType"), ty, &PATH_TYPES));
    } else if !text.starts_with('/') && (exact || !text.is_empty()) {
        errors.push(field::Error::invalid(&at, text, "must be an absolute path"));
    }
    if exact {
        for sequence in ["//", "/./", "/../", "%2f", "%2F"] {
            if text.contains(sequence) {
                let why = format!("must not contain '{sequence}'");
                errors.push(field::Error::invalid(&at, text, why));
            }
        }
        for suffix in ["/..", "/."] {
            if text.ends_with(suffix) {
                let why = format!("cannot end with '{suffix}'");
                errors.push(field::Error::invalid(&at, text, why));
            }
        }
    }
    backend(part(route, "backend"), &path.child("backend"), errors);
}

fn backend(backend: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    match (some(backend, "resource"), some(backend, "service")) {
        (Some(_), Some(_)) => {
            let why = "cannot set both resource and service backends";
            errors.push(field::Error::invalid(path, "", why));
        }
        (Some(resource), None) => {
            super::reference::validate(resource, &path.child("resource"), errors);
        }
        (None, Some(service)) => service_backend(service, path, errors),
        (None, None) => {
            let why = "resource or service backend is required";
            errors.push(field::Error::invalid(path, "", why));
        }
    }
}

fn service_backend(service: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let at = path.child("service");
    match text(service, "name") {
        "" => errors.push(field::Error::required(&at.child("name"), "")),
        name => errors.extend(net::label(&at.child("name"), name)),
    }
    let port = part(service, "port");
    let at = at.child("port");
    match (text(port, "name"), int(port, "number")) {
        ("", 0) => errors.push(field::Error::required(path, "port name or number is required")),
        ("", number) => {
            if let Some(why) = net::port_number(number) {
                errors.push(field::Error::invalid(&at.child("number"), number, why));
            }
        }
        (name, 0) => {
            errors.extend(net::invalid(&at.child("name"), name, net::port_name(name)));
        }
        _ => {
            let why = "cannot set both port name & port number";
            errors.push(field::Error::invalid(path, "", why));
        }
    }
}
