//! IPAddress: which object has an address.

use ordain_strategy::typed::Hooks;
use ordain_value::Value;

use crate::native::Native;
use crate::shared::access::{part, some, text};
use crate::shared::metadata;
use crate::shared::net;
use crate::shared::table::Cell::Of;
use crate::shared::table::{AGE, NAME};

pub(crate) fn native() -> Native {
    let mut native = Native::new("networking.k8s.io", "IPAddress");
    native.columns = &[
        NAME,
        ("ParentRef", "string", 0, "The object that has the address.", Of(parent)),
        // There are more cells than columns: the age has none, as upstream.
        ("", AGE.1, AGE.2, AGE.3, AGE.4),
    ];
    native.hooks = Hooks::new(|change| {
        metadata::whole_and_changed(change, false, |name, _| net::canonical_ip(name))
    });
    native
}

fn parent(object: &Value) -> Value {
    let parent = some(part(object, "spec"), "parentRef");
    let Some(parent) = parent else { return "<none>".into() };
    let group = match text(parent, "group") {
        "" => String::new(),
        group => format!(".{group}"),
    };
    let resource = format!("{}{group}", text(parent, "resource")).to_lowercase();
    let name = text(parent, "name");
    match text(parent, "namespace") {
        "" => format!("{resource}/{name}").into(),
        namespace => format!("{resource}/{namespace}/{name}").into(),
    }
}
