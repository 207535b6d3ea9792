//! PriorityLevelConfiguration: how many requests of a level run at a time, and what happens to the
//! others.

use ordain_meta::name;
use ordain_passes::declared::written::Asked;
use ordain_strategy::typed::{COUNT_SPEC, Hooks};
use ordain_strategy::{Change, Part, object};
use ordain_value::field::{self, Path};
use ordain_value::{Value, value};

use crate::native::Native;
use crate::shared::access::{int, part, some};
use crate::shared::diff;
use crate::shared::metadata;
use crate::shared::table::Cell::{self, Of};
use crate::shared::table::{AGE, NAME};

const QUEUES: Cell = Of(|level| queuing(level, "queues"));
const HAND_SIZE: Cell = Of(|level| queuing(level, "handSize"));
const LENGTH: Cell = Of(|level| queuing(level, "queueLengthLimit"));

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.lifecycle = COUNT_SPEC;
    Native {
        hooks,
        columns: &[
            NAME,
            ("Type", "string", 0, "Whether requests are limited.", Cell::Text("spec.type")),
            ("NominalConcurrencyShares", "string", 0, "The share of the server.", Of(shares)),
            ("Queues", "string", 0, "How many queues there are.", QUEUES),
            ("HandSize", "string", 0, "How many queues a flow may use.", HAND_SIZE),
            ("QueueLengthLimit", "string", 0, "How many requests wait in a queue.", LENGTH),
            AGE,
        ],
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
        errors.push(field::Error::invalid(
            path,
            diff::shown(&spec, "=PriorityLevelConfigurationSpec"),
            why,
        ));
    }
}

fn limited(level: &Value) -> Option<&Value> {
    some(part(level, "spec"), "limited")
}

fn shares(level: &Value) -> Value {
    number(limited(level), "nominalConcurrencyShares")
}

fn queuing(level: &Value, name: &str) -> Value {
    number(limited(level).and_then(|it| some(part(it, "limitResponse"), "queuing")), name)
}

fn number(holder: Option<&Value>, name: &str) -> Value {
    holder.map_or_else(|| "<none>".into(), |it| int(it, name).into())
}
