//! The nodes that reach a volume: whether they stayed, and how refusals show them.

use ordain_value::Value;
use ordain_value::field::BadValue;

use crate::shared::access::{items, text};
use crate::shared::{diff, fields};

/// Labels of nodes and their successors.
const SUCCESSORS: [(&str, &str); 5] = [
    ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
    ("beta.kubernetes.io/os", "kubernetes.io/os"),
    ("beta.kubernetes.io/arch", "kubernetes.io/arch"),
    ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"),
];

const TERMS: [&str; 2] = ["required", "nodeSelectorTerms"];
const REQUIREMENTS: [&str; 2] = ["matchExpressions", "matchFields"];

/// Whether two affinities are the same but for labels that got a successor.
pub(super) fn same_affinity(new: &Value, old: &Value) -> bool {
    let renamed = |new: &Value, old: &Value| {
        SUCCESSORS.contains(&(text(old, "key"), text(new, "key")))
            || text(old, "key") == text(new, "key")
    };
    let same = |new: &Value, old: &Value| {
        renamed(new, old)
            && text(new, "operator") == text(old, "operator")
            && items(new, "values") == items(old, "values")
    };
    let (new, old) = (fields::list(new, &TERMS), fields::list(old, &TERMS));
    new.len() == old.len()
        && new.iter().zip(old).all(|(new, old)| {
            REQUIREMENTS.iter().all(|name| {
                let (new, old) = (items(new, name), items(old, name));
                new.len() == old.len() && new.iter().zip(old).all(|(new, old)| same(new, old))
            })
        })
}

/// An affinity as a refusal shows it.
pub(super) fn affinity(value: Option<&Value>) -> BadValue {
    value.map_or(BadValue::Value(Value::Null), |value| diff::shown(value, "=VolumeNodeAffinity"))
}
