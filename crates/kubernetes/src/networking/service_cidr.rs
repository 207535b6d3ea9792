//! ServiceCIDR: a range that services are given addresses from.

use ordain_meta::name;
use ordain_strategy::typed::{Hooks, Lifecycle, printer, rules};
use ordain_strategy::{Change, object};
use ordain_value::Value;
use ordain_value::field;

use crate::native::Native;
use crate::shared::access::{part, texts};

pub(crate) fn native() -> Native {
    let mut native = Native::new("networking.k8s.io", "ServiceCIDR");
    native.columns = printer::columns(&[("CIDRs", "The networks of the range.")]);
    native.status_reset = &[&["metadata"], &["spec"]];
    native.hooks = Hooks { lifecycle: Lifecycle::Reset, cells, ..Hooks::new(validate) };
    native
}

fn cells(object: &Value, now: i64) -> Vec<Value> {
    let cidrs = texts(part(object, "spec"), "cidrs").join(",");
    vec![object::name(object).into(), cidrs.into(), printer::age(object, now)]
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    rules::metadata(change, false, name::subdomain_rule)
}
