//! PodDisruptionBudget: how many pods of a set may be missing at a time.

use ordain_strategy::Policy;
use ordain_strategy::typed::{COUNT_SPEC, Hooks};
use ordain_value::Value;

use crate::native::Native;
use crate::shared::table::Cell::{self, Int, Of};
use crate::shared::table::{AGE, NAME};
use crate::shared::{amount, fields};

const LEAST: Cell = Of(|budget| shown(budget, "minAvailable"));
const MOST: Cell = Of(|budget| shown(budget, "maxUnavailable"));
const ALLOWED: Cell = Int("status.disruptionsAllowed");

pub(crate) fn native() -> Native {
    let hooks = Hooks { lifecycle: COUNT_SPEC, ..Hooks::default() };
    Native {
        policy: Policy::default(),
        hooks,
        columns: &[
            NAME,
            ("Min Available", "string", 0, "How many pods must stay.", LEAST),
            ("Max Unavailable", "string", 0, "How many pods may be missing.", MOST),
            ("Allowed Disruptions", "integer", 0, "How many pods may be evicted now.", ALLOWED),
            AGE,
        ],
        ..Native::new("policy", "PodDisruptionBudget")
    }
}

fn shown(budget: &Value, name: &str) -> Value {
    fields::at(budget, &["spec", name]).map_or_else(|| "N/A".to_owned(), amount::show).into()
}
