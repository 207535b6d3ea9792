//! ServiceAccount: an identity for programs.

use ordain_meta::name;
use ordain_strategy::typed::Hooks;
use ordain_strategy::{Change, Warnings};
use ordain_value::{Map, Text, Value};

use crate::native::Native;
use crate::shared::access::annotation;
use crate::shared::metadata;

pub(crate) fn native() -> Native {
    let mut hooks =
        Hooks::new(|change| metadata::changed_and_whole(change, true, name::subdomain_rule));
    hooks.warn = warn;
    hooks.prepare_for_create = keep_names;
    hooks.prepare_for_update = |_, object, _| keep_names(object);
    let mut native = Native { hooks, ..Native::new("", "ServiceAccount") };
    native.policy.returns_deleted = true;
    native
}

/// Secrets of an account are identified by their names alone.
fn keep_names(object: &mut Value) {
    let Some(secrets) = object.get("secrets").and_then(Value::as_list) else { return };
    let named = secrets.iter().map(|secret| {
        let name = secret.get("name").map(|name| (Text::from("name"), name.clone()));
        Value::Map(Map::from_entries(name.into_iter().collect()))
    });
    let named: Vec<Value> = named.collect();
    object.set_path(&["secrets"], named.into());
}

/// The annotation counts when it comes newly, with the one value that means something.
fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    const KEY: &str = "kubernetes.io/enforce-mountable-secrets";
    let of = |object| annotation(object, KEY);
    let known = change.old.and_then(of);
    if of(change.object) == Some("true") && known != Some("true") {
        warnings.add(format!(
            "metadata.annotations[{KEY}]: deprecated in v1.32+; prefer separate namespaces to \
             isolate access to mounted secrets"
        ));
    }
}
