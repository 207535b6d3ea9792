//! PodDisruptionBudget: how many pods of a set may be missing at a time.

use ordain_strategy::typed::{COUNT_SPEC, Hooks, printer};
use ordain_strategy::{Policy, object};
use ordain_value::Value;

use crate::native::Native;
use crate::shared::{amount, fields, table};

pub(crate) fn native() -> Native {
    let hooks = Hooks { lifecycle: COUNT_SPEC, cells, ..Hooks::default() };
    Native {
        policy: Policy::default(),
        hooks,
        columns: table::columns(
            &[
                ("Min Available", "string", "How many pods must stay."),
                ("Max Unavailable", "string", "How many pods may be missing."),
                ("Allowed Disruptions", "integer", "How many pods may be evicted now."),
            ],
            &[],
        ),
        ..Native::new("policy", "PodDisruptionBudget")
    }
}

fn cells(budget: &Value, now: i64) -> Vec<Value> {
    let amount = |name: &str| {
        let value = fields::at(budget, &["spec", name]);
        Value::from(value.map_or_else(|| "N/A".to_owned(), amount::show))
    };
    vec![
        object::name(budget).into(),
        amount("minAvailable"),
        amount("maxUnavailable"),
        fields::count(budget, &["status", "disruptionsAllowed"]).into(),
        printer::age(budget, now),
    ]
}
