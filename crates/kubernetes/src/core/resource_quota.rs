//! ResourceQuota: how much a namespace may use.

use ordain_meta::name;
use ordain_strategy::typed::{Hooks, Lifecycle};
use ordain_strategy::{Change, Warnings};
use ordain_value::Value;

use crate::native::Native;
use crate::shared::access::part;
use crate::shared::metadata;
use crate::shared::resources::{self, amounts};
use crate::shared::table::Cell::Of;
use crate::shared::table::{AGE, NAME};

const USED: &str = "What is used, and how much may be.";

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(|change| metadata::either(change, true, name::subdomain_rule));
    hooks.default = default;
    hooks.lifecycle = Lifecycle::Reset;
    hooks.warn = warn;
    let mut native = Native {
        hooks,
        columns: &[
            NAME,
            ("Request", "string", 0, USED, Of(|quota| used(quota, false))),
            ("Limit", "string", 0, "The same for limits.", Of(|quota| used(quota, true))),
            AGE,
        ],
        ..Native::new("", "ResourceQuota")
    };
    native.policy.returns_deleted = true;
    native
}

fn default(quota: &mut Value) {
    for (holder, list) in [("spec", "hard"), ("status", "hard"), ("status", "used")] {
        if let Some(holder) = quota.get_mut(holder) {
            resources::round(holder, list);
        }
    }
}

/// A request that is above the limit of the same resource can never be used.
fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    if change.old.is_some() {
        return;
    }
    let hard = amounts(part(change.object, "spec"), "hard");
    for resource in ["cpu", "memory", "storage", "ephemeral-storage"] {
        let mut request = format!("requests.{resource}");
        if !hard.contains_key(&request) && matches!(resource, "cpu" | "memory") {
            resource.clone_into(&mut request);
        }
        let limit = format!("limits.{resource}");
        if let (Some(asked), Some(most)) = (hard.get(&request), hard.get(&limit))
            && asked > most
        {
            warnings.add(format!(
                "ResourceQuota {request} ({asked}) should be less than {limit} ({most})"
            ));
        }
    }
}

fn used(quota: &Value, limits: bool) -> Value {
    let status = part(quota, "status");
    let used = amounts(status, "used");
    let mut shown = Vec::new();
    for (name, hard) in amounts(status, "hard") {
        if name.starts_with("limits.") == limits {
            let used = used.get(&name).map_or_else(|| "0".to_owned(), ToString::to_string);
            shown.push(format!("{name}: {used}/{hard}"));
        }
    }
    shown.join(", ").into()
}
