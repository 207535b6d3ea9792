//! ServiceAccount: an identity for programs.

use ordain_meta::name;
use ordain_value::{Map, Text, Value};

use super::declare::Builder;
use super::{Kind, reference};
use crate::rest_config::RestConfig;
use crate::strategy::Policy;
use crate::typed::Hooks;
use crate::typed::{printer, rules};

pub(super) fn config() -> RestConfig {
    let mut b = Builder::default();
    let flag = b.boolean();
    let object = reference::object(&mut b);
    let local = reference::local(&mut b);
    let (objects, locals) = (b.list(object), b.list(local));
    let fields = vec![
        b.field("secrets", 2, objects)
            .omit()
            .merge("name")
            .keyed(&["name"])
            .about("Secrets that programs of this account may use."),
        b.field("imagePullSecrets", 3, locals).omit().atomic().about("Secrets for pulling images."),
        b.field("automountServiceAccountToken", 4, flag)
            .pointer()
            .about("Whether a token is mounted into programs of this account."),
    ];
    let about = "An identity for programs, with what belongs to it.";
    let schema = b.kind("ServiceAccount", "io.k8s.api.core.v1.ServiceAccount", about, fields);
    let mut hooks = Hooks::new(|change| {
        let mut errors = rules::metadata(change, true, name::subdomain_rule);
        if change.old.is_some() {
            let whole = crate::strategy::Change { old: None, ..*change };
            errors.extend(rules::metadata(&whole, true, name::subdomain_rule));
        }
        errors
    });
    hooks.prepare_for_create = keep_names;
    hooks.prepare_for_update = |_, object, _| keep_names(object);
    Kind {
        kind: "ServiceAccount",
        plural: "serviceaccounts",
        short_names: &["sa"],
        policy: Policy { unconditional_update: true, returns_deleted: true, ..Policy::default() },
        columns: printer::columns(&[]),
        ..Kind::core(schema, hooks)
    }
    .config()
}

/// Secrets of an account are told by their names alone.
fn keep_names(object: &mut Value) {
    let Some(secrets) = object.get("secrets").and_then(Value::as_list) else { return };
    let named = secrets.iter().map(|secret| {
        let name = secret.get("name").map(|name| (Text::from("name"), name.clone()));
        Value::Map(Map::from_entries(name.into_iter().collect()))
    });
    let named: Vec<Value> = named.collect();
    object.set_path(&["secrets"], named.into());
}
