//! Ingress: HTTP traffic from outside, routed to services.

use ordain_meta::name;
use ordain_strategy::typed::{COUNT_SPEC, Hooks, rules};
use ordain_strategy::{Change, Part, Warnings};
use ordain_value::field::{self, Path};
use ordain_value::{Value, go_quote};

use crate::core::service::table::balancer;
use crate::native::Native;
use crate::shared::access::{annotation, items, part, text, text_of};
use crate::shared::net;
use crate::shared::table::Cell::Of;
use crate::shared::table::{AGE, NAME};

const CLASS: &str = "kubernetes.io/ingress.class";
const HOSTS_SHOWN: usize = 3;

pub(crate) fn native() -> Native {
    let mut native = Native::new("networking.k8s.io", "Ingress");
    native.columns = &[
        NAME,
        ("Class", "string", 0, "The class whose controller serves the ingress.", Of(class)),
        ("Hosts", "string", 0, "The hosts that requests are matched against.", Of(hosts)),
        ("Address", "string", 0, "Where the load balancer takes traffic.", Of(address)),
        ("Ports", "string", 0, "The ports that are open.", Of(ports)),
        AGE,
    ];
    native.hooks = Hooks { lifecycle: COUNT_SPEC, warn, ..Hooks::new(validate) };
    native
}

fn class(object: &Value) -> Value {
    text_of(part(object, "spec"), "ingressClassName").unwrap_or("<none>").into()
}

fn address(object: &Value) -> Value {
    balancer(part(part(object, "status"), "loadBalancer")).into()
}

fn ports(object: &Value) -> Value {
    let plain = items(part(object, "spec"), "tls").is_empty();
    if plain { "80".into() } else { "80, 443".into() }
}

fn hosts(object: &Value) -> Value {
    let rules = items(part(object, "spec"), "rules");
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
        [] => "*".into(),
        shown if more => {
            format!("{} + {} more...", shown.join(","), rules.len() - HOSTS_SHOWN).into()
        }
        shown => shown.join(",").into(),
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
