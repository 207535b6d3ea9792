//! Endpoints: the addresses behind a service, in the form before EndpointSlice.

use ordain_meta::name;
use ordain_strategy::typed::Hooks;
use ordain_strategy::{Change, Warnings};
use ordain_value::Value;
use ordain_value::field::Path;

use crate::native::Native;
use crate::shared::access::{int, items, label, text};
use crate::shared::metadata;
use crate::shared::net;
use crate::shared::table::Cell::Of;
use crate::shared::table::{AGE, NAME};

const ADDRESSES: [&str; 2] = ["addresses", "notReadyAddresses"];
const MANAGED_BY: (&str, &str) = ("endpoints.kubernetes.io/managed-by", "endpoint-controller");
const SHOWN: usize = 3;

const READY: &str = "The addresses and ports that are ready.";

pub(crate) fn native() -> Native {
    let mut native = Native::new("", "Endpoints");
    native.key = "/registry/services/endpoints";
    native.policy.create_on_update = true;
    native.deprecation_warning =
        Some("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice");
    native.columns = &[NAME, ("Endpoints", "string", 0, READY, Of(shown)), AGE];
    native.hooks = Hooks {
        warn,
        ..Hooks::new(|change| metadata::changed_and_whole(change, true, name::subdomain_rule))
    };
    native
}

fn shown(object: &Value) -> Value {
    let subsets = items(object, "subsets");
    if subsets.is_empty() {
        return "<none>".into();
    }
    let mut all = Vec::new();
    for subset in subsets {
        let ips = items(subset, "addresses").iter().map(|it| text(it, "ip"));
        match items(subset, "ports") {
            [] => all.extend(ips.map(str::to_owned)),
            ports => {
                for port in ports {
                    all.extend(ips.clone().map(|ip| host_port(ip, int(port, "port"))));
                }
            }
        }
    }
    let more = all.len().saturating_sub(SHOWN);
    let joined = all.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(",");
    if more > 0 { format!("{joined} + {more} more...").into() } else { joined.into() }
}

fn host_port(host: &str, port: i64) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    if label(change.object, MANAGED_BY.0) == Some(MANAGED_BY.1) {
        return;
    }
    let root = Path::new("subsets");
    for (at, subset) in items(change.object, "subsets").iter().enumerate() {
        let path = root.index(at);
        for field in ADDRESSES {
            let list = path.child(field);
            for (at, address) in items(subset, field).iter().enumerate() {
                let path = list.index(at);
                let found = net::ip_warning(&path.child("ip"), text(address, "ip"));
                found.into_iter().for_each(|it| warnings.add(it));
            }
        }
    }
}
