//! PodDisruptionBudget: how many pods of a set may be missing at a time.

use ordain_strategy::typed::{COUNT_SPEC, Hooks, printer};
use ordain_strategy::{Change, Part, Policy, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::native::Native;
use crate::shared::selector::Values;
use crate::shared::{amount, condition, fields, internal, selector, table};

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.lifecycle = COUNT_SPEC;
    hooks.cells = cells;
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

fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = field::ErrorList::new();
    if change.part == Part::Status {
        let conditions = fields::list(change.object, &["status", "conditions"]);
        condition::validate(conditions, &Path::new("status.conditions"), &mut errors);
        return errors;
    }
    let path = Path::new("spec");
    let spec = change.object.get("spec").unwrap_or(&Value::Null);
    let amounts = [fields::at(spec, &["minAvailable"]), fields::at(spec, &["maxUnavailable"])];
    if let [Some(_), Some(_)] = amounts {
        let why = "minAvailable and maxUnavailable cannot be both set";
        errors.push(field::Error::invalid(&path, shown(spec), why));
    }
    for (name, amount) in ["minAvailable", "maxUnavailable"].into_iter().zip(amounts) {
        if let Some(value) = amount {
            amount::count_or_percent(value, &path.child(name), &mut errors);
            amount::at_most_all(value, &path.child(name), &mut errors);
        }
    }
    let old = change.old.and_then(|old| fields::at(old, &["spec", "selector"]));
    let values = if selector::is_invalid(old) { Values::Any } else { Values::Checked };
    selector::validate(
        fields::at(spec, &["selector"]),
        values,
        &path.child("selector"),
        &mut errors,
    );
    errors
}

fn shown(spec: &Value) -> field::BadValue {
    let field = |name: &str| internal::plain(fields::at(spec, &[name]));
    internal::structure(&[
        ("MinAvailable", field("minAvailable")),
        ("Selector", internal::text(selector::shown(fields::at(spec, &["selector"])))),
        ("MaxUnavailable", field("maxUnavailable")),
        ("UnhealthyPodEvictionPolicy", field("unhealthyPodEvictionPolicy")),
    ])
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
