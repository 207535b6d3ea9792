//! IPAddress: which object has an address.

use ordain_strategy::typed::{Hooks, printer, rules};
use ordain_strategy::{Change, object};
use ordain_value::Value;
use ordain_value::field;

use crate::native::Native;
use crate::shared::access::{part, some, text};
use crate::shared::net;

pub(crate) fn native() -> Native {
    let mut native = Native::new("networking.k8s.io", "IPAddress");
    // There are more cells than columns: the age has none, as upstream.
    native.columns = printer::columns(&[("ParentRef", "The object that has the address.")]);
    native.columns.pop();
    native.hooks = Hooks { cells, ..Hooks::new(validate) };
    native
}

fn cells(object: &Value, now: i64) -> Vec<Value> {
    let parent = some(part(object, "spec"), "parentRef").map_or_else(
        || "<none>".to_owned(),
        |parent| {
            let group = match text(parent, "group") {
                "" => String::new(),
                group => format!(".{group}"),
            };
            let resource = format!("{}{group}", text(parent, "resource")).to_lowercase();
            let name = text(parent, "name");
            match text(parent, "namespace") {
                "" => format!("{resource}/{name}"),
                namespace => format!("{resource}/{namespace}/{name}"),
            }
        },
    );
    vec![object::name(object).into(), parent.into(), printer::age(object, now)]
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let rule = |name: &str, _prefix: bool| net::canonical_ip(name);
    let mut errors = rules::metadata(&Change { old: None, ..*change }, false, rule);
    if change.old.is_some() {
        errors.extend(rules::metadata(change, false, rule));
    }
    errors
}
