//! RuntimeClass: how containers of a pod are run.

use std::collections::BTreeSet;

use ordain_meta::name;
use ordain_strategy::typed::Hooks;
use ordain_strategy::{Change, Policy, Warnings};
use ordain_value::field::{self, Path};
use ordain_value::value;

use crate::native::Native;
use crate::shared::access::{entries, part, some};
use crate::shared::resources::{self, Requirements};
use crate::shared::table::{AGE, Cell, NAME};
use crate::shared::{metadata, reference};

const HANDLER: Cell = Cell::Text("handler");

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.default = |class| {
        if let Some(overhead) = class.get_mut("overhead") {
            resources::round(overhead, "podFixed");
        }
    };
    hooks.warn = warn;
    Native {
        policy: Policy { create_on_update: true, ..Policy::default() },
        hooks,
        columns: &[NAME, ("Handler", "string", 0, "Who runs the containers.", HANDLER), AGE],
        ..Native::new("node.k8s.io", "RuntimeClass")
    }
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = metadata::whole_any_finalizer(change, false, name::subdomain_rule);
    errors.extend(metadata::changed_any_finalizer(change));
    let class = change.object;
    if let Some(overhead) = some(class, "overhead") {
        // Judged as the limits of a container.
        let limits = value!({"limits": part(overhead, "podFixed").clone()});
        let rules = Requirements {
            check_name: resources::check_container_name,
            claims: &BTreeSet::new(),
            allow_indivisible: false,
        };
        rules.check(&limits, &Path::new("overhead"), &mut errors);
    }
    errors
}

fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    for (key, _) in entries(part(change.object, "scheduling"), "nodeSelector") {
        if let Some(why) = reference::deprecated_node_label(key) {
            warnings.add(format!("scheduling.nodeSelector: {why}"));
        }
    }
}
