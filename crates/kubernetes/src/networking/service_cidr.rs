//! ServiceCIDR: a range that services are given addresses from.

use ordain_meta::name;
use ordain_strategy::typed::{Hooks, Lifecycle};
use ordain_value::Value;

use crate::native::Native;
use crate::shared::access::{part, texts};
use crate::shared::metadata;
use crate::shared::table::Cell::Of;
use crate::shared::table::{AGE, NAME};

pub(crate) fn native() -> Native {
    let mut native = Native::new("networking.k8s.io", "ServiceCIDR");
    native.columns = &[NAME, ("CIDRs", "string", 0, "The networks of the range.", Of(cidrs)), AGE];
    native.status_reset = &[&["metadata"], &["spec"]];
    native.hooks = Hooks {
        lifecycle: Lifecycle::Reset,
        ..Hooks::new(|change| metadata::either(change, false, name::subdomain_rule))
    };
    native
}

fn cidrs(object: &Value) -> Value {
    texts(part(object, "spec"), "cidrs").join(",").into()
}
