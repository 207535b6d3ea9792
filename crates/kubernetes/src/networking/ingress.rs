//! Ingress: HTTP traffic from outside, routed to services.

use ordain_meta::name;
use ordain_strategy::typed::{COUNT_SPEC, Hooks, printer, rules};
use ordain_strategy::{Change, Part, Warnings, object};
use ordain_value::field::{self, Path};
use ordain_value::{Value, go_quote};

use crate::core::service::table::balancer;
use crate::native::Native;
use crate::shared::access::{annotation, items, part, text, text_of};
use crate::shared::net;

const CLASS: &str = "kubernetes.io/ingress.class";
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

fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = rules::metadata(change, true, name::subdomain_rule);
    if change.part == Part::Main && change.old.is_some() {
        let whole = Change { old: None, ..*change };
        errors.extend(rules::metadata(&whole, true, name::subdomain_rule));
    }
    errors
}
