//! ServiceAccount: an identity for programs.

use ordain_meta::name;

use super::declare::Builder;
use super::declared::Hooks;
use super::{Kind, printer, reference, rules};
use crate::rest_config::RestConfig;
use crate::strategy::Policy;

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
        b.field("imagePullSecrets", 3, locals)
            .omit()
            .merge("name")
            .atomic()
            .about("Secrets for pulling images."),
        b.field("automountServiceAccountToken", 4, flag)
            .pointer()
            .about("Whether a token is mounted into programs of this account."),
    ];
    let about = "An identity for programs, with what belongs to it.";
    let schema = b.kind("ServiceAccount", "io.k8s.api.core.v1.ServiceAccount", about, fields);
    let hooks = Hooks::new(|change| {
        let mut errors = rules::metadata(change, true, name::subdomain_rule);
        if change.old.is_some() {
            let whole = crate::strategy::Change { old: None, ..*change };
            errors.extend(rules::metadata(&whole, true, name::subdomain_rule));
        }
        errors
    });
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
