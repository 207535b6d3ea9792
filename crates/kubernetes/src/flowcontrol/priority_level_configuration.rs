//! PriorityLevelConfiguration: how many requests of a level run at a time, and what happens to the
//! others.

use ordain_meta::name;
use ordain_strategy::typed::{COUNT_SPEC, Hooks, printer};
use ordain_strategy::{Change, Part, object};
use ordain_value::field::{self, Path};
use ordain_value::{Value, value};

use super::condition;
use crate::native::Native;
use crate::shared::access::{annotation, int, int_of, part, some, text};
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
    let mut errors = field::ErrorList::new();
    if change.part == Part::Status {
        condition::validate(change.object, &mut errors);
        return errors;
    }
    errors.extend(metadata::whole(change, false, name::subdomain_rule));
    const PRESERVED: &str = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";
    if annotation(change.object, PRESERVED).is_some() {
        let path = Path::new("metadata.annotations");
        let why = format!("annotation '{PRESERVED}' is forbidden");
        errors.push(field::Error::forbidden(&path, why));
    }
    let (level, spec) = (object::name(change.object), part(change.object, "spec"));
    let path = Path::new("spec");
    validate_spec(spec, level, &path, &mut errors);
    mandatory(spec, level, &path, &mut errors);
    condition::validate(change.object, &mut errors);
    errors
}

fn validate_spec(spec: &Value, level: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    let kind = text(spec, "type");
    let place = path.child("type");
    if (level == "exempt") != (kind == "Exempt") {
        let why = "must be 'Exempt' if and only if `name` is 'exempt'";
        errors.push(field::Error::invalid(&place, kind, why));
    }
    let (limited, exempt) = (some(spec, "limited"), some(spec, "exempt"));
    match kind {
        "Exempt" => {
            if limited.is_some() {
                let why = "must be nil if the type is not Limited";
                errors.push(field::Error::forbidden(&path.child("limited"), why));
            }
            if let Some(exempt) = exempt {
                shares(exempt, &path.child("exempt"), errors);
            }
        }
        "Limited" => {
            if exempt.is_some() {
                let why = "must be nil if the type is Limited";
                errors.push(field::Error::forbidden(&path.child("exempt"), why));
            }
            match limited {
                Some(limited) => validate_limited(limited, &path.child("limited"), errors),
                None => {
                    let why = "must not be empty when type is Limited";
                    errors.push(field::Error::required(&path.child("limited"), why));
                }
            }
        }
        "" => errors.push(field::Error::required(&place, "")),
        other => errors.push(field::Error::not_supported(&place, other, &["Exempt", "Limited"])),
    }
}

fn shares(level: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let shares = int(level, "nominalConcurrencyShares");
    if shares < 0 {
        let path = path.child("nominalConcurrencyShares");
        errors.push(field::Error::invalid(&path, shares, "must be a non-negative integer"));
    }
    let percent = int(level, "lendablePercent");
    if !(0..=100).contains(&percent) {
        let path = path.child("lendablePercent");
        errors.push(field::Error::invalid(&path, percent, "must be between 0 and 100, inclusive"));
    }
}

fn validate_limited(limited: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    shares(limited, path, errors);
    let response = part(limited, "limitResponse");
    validate_response(response, &path.child("limitResponse"), errors);
    if let Some(percent) = int_of(limited, "borrowingLimitPercent").filter(|it| *it < 0) {
        let why = "if specified, must be a non-negative integer";
        errors.push(field::Error::invalid(&path.child("borrowingLimitPercent"), percent, why));
    }
}

fn validate_response(response: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let place = path.child("queuing");
    match (text(response, "type"), some(response, "queuing")) {
        ("Reject", None) => {}
        ("Reject", Some(_)) => {
            let why = "must be nil if limited.limitResponse.type is not Limited";
            errors.push(field::Error::forbidden(&place, why));
        }
        ("Queue", None) => {
            let why = "must not be empty if limited.limitResponse.type is Limited";
            errors.push(field::Error::required(&place, why));
        }
        ("Queue", Some(queuing)) => validate_queuing(queuing, &place, errors),
        ("", _) => errors.push(field::Error::required(&path.child("type"), "")),
        (other, _) => {
            let kinds = ["Queue", "Reject"];
            errors.push(field::Error::not_supported(&path.child("type"), other, &kinds));
        }
    }
}

fn validate_queuing(queuing: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    const POSITIVE: &str = "must be positive";
    const QUEUES_MAX: i64 = 10_000_000;
    const HASH_BITS_MAX: f64 = 60.0;
    let [limit, queues, hand] =
        ["queueLengthLimit", "queues", "handSize"].map(|name| int(queuing, name));
    if limit <= 0 {
        errors.push(field::Error::invalid(&path.child("queueLengthLimit"), limit, POSITIVE));
    }
    let place = path.child("queues");
    if queues <= 0 {
        errors.push(field::Error::invalid(&place, queues, POSITIVE));
    } else if queues > QUEUES_MAX {
        let why = format!("must not be greater than {QUEUES_MAX}");
        errors.push(field::Error::invalid(&place, queues, why));
    }
    let place = path.child("handSize");
    // Both are 32 bits wide, so that nothing is lost here.
    #[expect(clippy::cast_precision_loss, reason = "numbers of 32 bits are exact as floats")]
    let bits = ((queues as f64).log2() * hand as f64).ceil();
    if hand <= 0 {
        errors.push(field::Error::invalid(&place, hand, POSITIVE));
    } else if hand > queues {
        let why = format!("should not be greater than queues ({queues})");
        errors.push(field::Error::invalid(&place, hand, why));
    } else if bits > HASH_BITS_MAX {
        let why = format!(
            "required entropy bits of deckSize {queues} and handSize {hand} should not be greater \
             than {HASH_BITS_MAX}"
        );
        errors.push(field::Error::invalid(&place, hand, why));
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
fn mandatory(spec: &Value, level: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
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
        errors.push(field::Error::invalid(path, diff::shown(spec, &SPEC), why));
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
