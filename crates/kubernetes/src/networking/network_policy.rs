//! NetworkPolicy: which traffic pods take and send.

use ordain_meta::name;
use ordain_passes::declared::written::Asked;
use ordain_strategy::typed::{Hooks, Lifecycle};
use ordain_strategy::{Change, Warnings};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::native::Native;
use crate::shared::access::{items, part, some, text, texts};
use crate::shared::metadata;
use crate::shared::table::Cell::Of;
use crate::shared::table::{AGE, NAME};
use crate::shared::{net, selector};

/// Rules of a direction, and where each of them has its peers.
const DIRECTIONS: [(&str, &str); 2] = [("ingress", "from"), ("egress", "to")];

const COUNTED: Lifecycle = Lifecycle::CountedExactly(&[&["spec"]]);

pub(crate) fn native() -> Native {
    let mut native = Native::new("networking.k8s.io", "NetworkPolicy");
    native.columns = &[
        NAME,
        ("Pod-Selector", "string", 0, "The pods that the policy is about.", Of(selected)),
        AGE,
    ];
    native.hooks = Hooks {
        lifecycle: COUNTED,
        default,
        warn,
        ..Hooks::new(|change| metadata::either(change, true, name::subdomain_rule))
    };
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

fn selected(object: &Value) -> Value {
    selector::show(part(object, "spec").get("podSelector")).into()
}

/// Exceptions from a block are parts of it.
pub(crate) fn check_except(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let block = asked.ask("parent");
    let Some(outer) = net::parse_cidr(text(&block, "cidr")) else { return };
    for (at, except) in texts(&block, "except").into_iter().enumerate() {
        let Some(inner) = net::parse_cidr(except) else { continue };
        if !outer.contains(inner.network()) || prefix(text(&block, "cidr")) >= prefix(except) {
            let why = "must be a strict subset of `cidr`";
            errors.push(field::Error::invalid(&path.index(at), except, why));
        }
    }
}

/// How many bits a CIDR says its network has: IPv4 inside IPv6 counts 96 more.
fn prefix(cidr: &str) -> u8 {
    let bits = cidr.rsplit_once('/').map(|it| it.1.parse());
    bits.and_then(Result::ok).unwrap_or(0)
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
