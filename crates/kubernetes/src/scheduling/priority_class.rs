//! PriorityClass: how important pods are.

use ordain_meta::name;
use ordain_passes::declared::written::Asked;
use ordain_strategy::object;
use ordain_strategy::typed::Hooks;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::native::Native;
use crate::shared::access::{flag, int};
use crate::shared::metadata;
use crate::shared::table::Cell::{self, Flag, Int, Text};
use crate::shared::table::{AGE, NAME};

const SYSTEM: &str = "system-";
/// The classes of the system itself, with their values.
const KNOWN: [(&str, i64); 2] =
    [("system-node-critical", 2_000_001_000), ("system-cluster-critical", 2_000_000_000)];

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(|change| metadata::either(change, false, name::subdomain_rule));
    hooks.prepare_for_create = |class| object::set_generation(class, 1);
    const PREEMPTION: Cell = Text("preemptionPolicy");
    const DEFAULT: &str = "Whether pods without a class get this one.";
    Native {
        hooks,
        columns: &[
            NAME,
            ("Value", "integer", 0, "The priority of pods of the class.", Int("value")),
            ("Global-Default", "boolean", 0, DEFAULT, Flag("globalDefault")),
            AGE,
            ("PreemptionPolicy", "string", 0, "Whether pods displace others.", PREEMPTION),
        ],
        ..Native::new("scheduling.k8s.io", "PriorityClass")
    }
}

/// The names of the system are for its own classes.
pub(crate) fn check_system(asked: &Asked<'_, '_>, _: &Path<'_>, errors: &mut field::ErrorList) {
    let class = asked.value();
    if asked.old_object().is_some() || !object::name(&class).starts_with(SYSTEM) {
        return;
    }
    if let Some(why) = unknown_system_class(&class) {
        let why = format!(
            "priority class names with '{SYSTEM}' prefix are reserved for system use only. error: \
             {why}"
        );
        errors.push(field::Error::forbidden(&Path::new("metadata.name"), why));
    }
}

/// Why a class with the name of a system class is none.
fn unknown_system_class(class: &Value) -> Option<String> {
    let name = object::name(class);
    let Some((_, value)) = KNOWN.iter().find(|it| it.0 == name) else {
        return Some(format!("{name} is not a known system priority class"));
    };
    if int(class, "value") != *value {
        return Some(format!("value of {name} PriorityClass must be {value}"));
    }
    flag(class, "globalDefault")
        .then(|| format!("globalDefault of {name} PriorityClass must be false"))
}
