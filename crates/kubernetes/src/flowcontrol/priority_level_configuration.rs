//! PriorityLevelConfiguration: how many requests of a level run at a time, and what happens to the
//! others.

use ordain_meta::name;
use ordain_passes::declared::written::Asked;
use ordain_strategy::typed::{COUNT_SPEC, Hooks, printer};
use ordain_strategy::{Change, Part, object};
use ordain_value::field::{self, Path};
use ordain_value::{Value, value};

use crate::native::Native;
use crate::shared::access::{int, part, some, text};
use crate::shared::diff::Shape::{Number, Plain, Pointer, Struct, Text};
use crate::shared::diff::{self, Shape};
use crate::shared::{metadata, table};

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.lifecycle = COUNT_SPEC;
    hooks.cells = cells;
    Native {
        hooks,
        columns: table::columns(
            &[
                ("Type", "string", "Whether requests are limited."),
                ("NominalConcurrencyShares", "string", "The share of the server."),
                ("Queues", "string", "How many queues there are."),
                ("HandSize", "string", "How many queues a flow may use."),
                ("QueueLengthLimit", "string", "How many requests wait in a queue."),
            ],
            &[],
        ),
        status_reset: &[&["spec"], &["metadata"]],
        ..Native::new("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration")
    }
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    match change.part {
        Part::Status => field::ErrorList::new(),
        _ => metadata::whole(change, false, name::subdomain_rule),
    }
}

/// A hand of queues is dealt by the bits of one hash.
pub(crate) fn check_entropy(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    const HASH_BITS_MAX: f64 = 60.0;
    let queuing = asked.ask("parent");
    let [queues, hand] = ["queues", "handSize"].map(|name| int(&queuing, name));
    // Both are 32 bits wide, so that nothing is lost here.
    #[expect(clippy::cast_precision_loss, reason = "numbers of 32 bits are exact as floats")]
    let bits = ((queues as f64).log2() * hand as f64).ceil();
    if bits > HASH_BITS_MAX {
        let why = format!(
            "required entropy bits of deckSize {queues} and handSize {hand} should not be greater \
             than {HASH_BITS_MAX}"
        );
        errors.push(field::Error::invalid(path, hand, why));
    }
}

/// The specification as upstream's internal type writes it.
const SPEC: Shape = Struct(&[
    ("Type", "type", Text),
    (
        "Limited",
        "limited",
        Pointer(&Struct(&[
            ("NominalConcurrencyShares", "nominalConcurrencyShares", Number),
            (
                "LimitResponse",
                "limitResponse",
                Struct(&[
                    ("Type", "type", Text),
                    (
                        "Queuing",
                        "queuing",
                        Pointer(&Struct(&[
                            ("Queues", "queues", Number),
                            ("HandSize", "handSize", Number),
                            ("QueueLengthLimit", "queueLengthLimit", Number),
                        ])),
                    ),
                ]),
            ),
            ("LendablePercent", "lendablePercent", Plain),
            ("BorrowingLimitPercent", "borrowingLimitPercent", Plain),
        ])),
    ),
    (
        "Exempt",
        "exempt",
        Pointer(&Struct(&[
            ("NominalConcurrencyShares", "nominalConcurrencyShares", Plain),
            ("LendablePercent", "lendablePercent", Plain),
        ])),
    ),
]);

/// The two levels that every server has may not be changed.
pub(crate) fn mandatory(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let (spec, object) = (asked.value(), asked.ask("level"));
    let level = object::name(&object);
    let (fixed, except) = match level {
        "exempt" => (value!({"type": "Exempt"}), " except the 'spec.exempt' field"),
        "catch-all" => {
            let limited = value!({
                "nominalConcurrencyShares": 5,
                "lendablePercent": 0,
                "limitResponse": {"type": "Reject"}
            });
            (value!({"type": "Limited", "limited": limited}), "")
        }
        _ => return,
    };
    let mut given = spec.clone();
    if level == "exempt" {
        given.remove_path(&["exempt"]);
    }
    if given != fixed {
        let why = format!("spec of '{level}'{except} must equal the fixed value");
        errors.push(field::Error::invalid(path, diff::shown(&spec, &SPEC), why));
    }
}

fn cells(level: &Value, now: i64) -> Vec<Value> {
    let spec = part(level, "spec");
    let limited = some(spec, "limited");
    let queuing = limited.and_then(|it| some(part(it, "limitResponse"), "queuing"));
    let number = |holder: Option<&Value>, name: &str| {
        holder.map_or_else(|| "<none>".into(), |it| Value::from(int(it, name)))
    };
    vec![
        object::name(level).into(),
        text(spec, "type").into(),
        number(limited, "nominalConcurrencyShares"),
        number(queuing, "queues"),
        number(queuing, "handSize"),
        number(queuing, "queueLengthLimit"),
        printer::age(level, now),
    ]
}
