//! LimitRange: how much a pod, a container or a claim of a namespace may ask for.

use ordain_meta::name;
use ordain_strategy::typed::Hooks;
use ordain_strategy::{object, source};
use ordain_value::Value;

use crate::native::Native;
use crate::shared::access::{items_mut, text};
use crate::shared::metadata;
use crate::shared::resources::{self, amounts};

const LISTS: [&str; 5] = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"];

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(|change| metadata::whole(change, true, name::subdomain_rule));
    hooks.default = default;
    hooks.stamp = |context, _, range, old| {
        if old.is_none() && object::name(range).is_empty() {
            object::set(range, "name", Value::Str(source::new_uid(context.entropy)));
        }
    };
    let mut native = Native { hooks, ..Native::new("", "LimitRange") };
    native.policy.create_on_update = true;
    native
}

fn default(range: &mut Value) {
    let Some(spec) = range.get_mut("spec") else { return };
    for limit in items_mut(spec, "limits") {
        if text(limit, "type") == "Container" {
            default_container(limit);
        }
        for list in LISTS {
            resources::round(limit, list);
        }
    }
}

/// What is missing follows from what is there: the default limit from the greatest value, the
/// default request from the default limit or the least value.
fn default_container(limit: &mut Value) {
    for (list, sources) in [("default", &["max"][..]), ("defaultRequest", &["default", "min"])] {
        let mut filled = amounts(limit, list);
        for source in sources {
            for (name, amount) in amounts(limit, source) {
                filled.entry(name).or_insert(amount);
            }
        }
        if !filled.is_empty() {
            let written = resources::to_value(&filled);
            limit.set_path(&[list], written);
        }
    }
}
