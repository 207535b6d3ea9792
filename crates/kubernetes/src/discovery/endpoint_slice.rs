//! EndpointSlice: a part of the addresses behind a service.

use std::collections::BTreeSet;

use ordain_meta::{name, object_meta};
use ordain_passes::declared::written::Asked;
use ordain_strategy::typed::Hooks;
use ordain_strategy::{Change, Part, Warnings, object};
use ordain_value::field::{self, Path};
use ordain_value::{Map, Value};

use crate::native::Native;
use crate::shared::access::{differs, int_of, items, items_mut, label, text, text_of, texts};
use crate::shared::metadata;
use crate::shared::net;
use crate::shared::table::Cell::{self, Of};
use crate::shared::table::{AGE, NAME};

const MANAGED_BY: &str = "endpointslice.kubernetes.io/managed-by";
const CONTROLLERS: [&str; 2] =
    ["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"];
const HOSTNAME: &str = "kubernetes.io/hostname";
const SHOWN: usize = 3;

pub(crate) fn native() -> Native {
    let mut native = Native::new("discovery.k8s.io", "EndpointSlice");
    native.reset = &[];
    native.columns = &[
        NAME,
        ("AddressType", "string", 0, "What the addresses are.", Cell::Text("addressType")),
        ("Ports", "string", 0, "The ports of all endpoints.", Of(ports)),
        ("Endpoints", "string", 0, "The addresses.", Of(addresses)),
        AGE,
    ];
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
        ..Hooks::new(|change| metadata::whole(change, true, name::subdomain_rule))
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

fn ports(object: &Value) -> Value {
    let ports = items(object, "ports").iter().map(|port| match int_of(port, "port") {
        Some(number) => number.to_string(),
        None => text_of(port, "name").unwrap_or("*").to_owned(),
    });
    shown(ports.collect()).into()
}

fn addresses(object: &Value) -> Value {
    let addresses = items(object, "endpoints").iter().flat_map(|it| texts(it, "addresses"));
    shown(addresses.map(str::to_owned).collect()).into()
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

/// Labels by which endpoints were placed once.
pub(crate) fn check_labels(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let given = asked.value();
    let labels: Vec<(&str, &str)> = given
        .as_map()
        .into_iter()
        .flat_map(Map::iter)
        .map(|(key, value)| (key.as_str(), value.as_str().unwrap_or("")))
        .collect();
    object_meta::labels(labels.into_iter(), path, errors);
}
