//! Conditions of a request: what was decided, and what went wrong.

use std::collections::BTreeSet;

use ordain_strategy::{Change, Part};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::shared::access::{items, items_mut, part, some, text};
use crate::shared::diff::Shape::{List, Plain, Struct, Text};
use crate::shared::diff::{self, Shape};

/// Decisions of an approver.
const DECISIONS: [&str; 2] = ["Approved", "Denied"];

fn list(request: &Value) -> &[Value] {
    items(part(request, "status"), "conditions")
}

fn of_kind<'a>(request: &'a Value, kind: &str) -> Vec<&'a Value> {
    list(request).iter().filter(|it| text(it, "type") == kind).collect()
}

/// Decisions stay as they are in writes to the status, unless some were added or taken away, which
/// is refused later.
pub(super) fn keep_decisions(request: &mut Value, old: &Value) {
    for kind in DECISIONS {
        let known = of_kind(old, kind);
        if known.len() != of_kind(request, kind).len() {
            continue;
        }
        let Some(status) = request.get_mut("status") else { return };
        let given = items_mut(status, "conditions").filter(|it| text(it, "type") == kind);
        for (slot, known) in given.zip(known) {
            slot.clone_from(known);
        }
    }
}

/// Fills in missing times: a condition that was there keeps the time of its last change.
pub(super) fn date(request: &mut Value, old: &Value, now: &str) {
    let Some(status) = request.get_mut("status") else { return };
    for condition in items_mut(status, "conditions") {
        if some(condition, "lastUpdateTime").is_none() {
            condition.set_path(&["lastUpdateTime"], now.into());
        }
        if some(condition, "lastTransitionTime").is_none() {
            let same = |it: &&Value| {
                text(it, "type") == text(condition, "type")
                    && text(it, "status") == text(condition, "status")
            };
            let mut times =
                list(old).iter().filter(same).filter_map(|it| some(it, "lastTransitionTime"));
            let time = times.next().cloned().unwrap_or_else(|| now.into());
            condition.set_path(&["lastTransitionTime"], time);
        }
    }
}

/// The rules of all conditions, and of what a write may change in them.
pub(super) fn validate(change: &Change<'_>, errors: &mut field::ErrorList) {
    let path = Path::new("status.conditions");
    let known = change.old.map_or(&[][..], list);
    let has = |kind: &str| known.iter().any(|it| text(it, "type") == kind);
    let both = DECISIONS.iter().all(|kind| has(kind));
    let kinds: BTreeSet<&str> = known.iter().map(|it| text(it, "type")).collect();
    let repeats = kinds.len() != known.len();
    let mut seen = BTreeSet::new();
    for (at, condition) in list(change.object).iter().enumerate() {
        let place = path.index(at);
        let kind = text(condition, "type");
        if kind.is_empty() && !has("") {
            errors.push(field::Error::required(&place.child("type"), ""));
        }
        status(kind, text(condition, "status"), &place.child("status"), errors);
        let other = DECISIONS.iter().find(|it| **it != kind && DECISIONS.contains(&kind));
        if !both && other.is_some_and(|other| seen.contains(other)) {
            let why = "Approved and Denied conditions are mutually exclusive";
            errors.push(field::Error::invalid(&path, kind, why));
        }
        if !seen.insert(kind) && !repeats {
            errors.push(field::Error::duplicate(&place.child("type"), kind));
        }
    }
    if let Some(old) = change.old {
        update(change, old, &path, errors);
    }
}

fn status(kind: &str, status: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    let certain = matches!(kind, "Approved" | "Denied" | "Failed");
    let allowed: &[&str] = if certain { &["True"] } else { &["False", "True", "Unknown"] };
    if status.is_empty() {
        errors.push(field::Error::required(path, ""));
    } else if !allowed.contains(&status) {
        errors.push(field::Error::not_supported(path, status, allowed));
    }
}

const SHAPE: Shape = List(&Struct(&[
    ("Type", "type", Text),
    ("Status", "status", Text),
    ("Reason", "reason", Text),
    ("Message", "message", Text),
    ("LastUpdateTime", "lastUpdateTime", Plain),
    ("LastTransitionTime", "lastTransitionTime", Plain),
]));

fn update(change: &Change<'_>, old: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    for kind in ["Approved", "Denied", "Failed"] {
        let (known, given) = (of_kind(old, kind), of_kind(change.object, kind));
        if given.len() < known.len() {
            let why = format!("updates may not remove a condition of type \"{kind}\"");
            errors.push(field::Error::forbidden(path, why));
            continue;
        }
        if matches!(change.part, Part::Other(_)) || !DECISIONS.contains(&kind) {
            continue;
        }
        if given.len() > known.len() {
            let why = format!("updates may not add a condition of type \"{kind}\"");
            errors.push(field::Error::forbidden(path, why));
        } else if given != known {
            let value =
                |list: Vec<&Value>| Value::from(list.into_iter().cloned().collect::<Vec<_>>());
            let why = format!(
                "updates may not modify a condition of type \"{kind}\"\n{}",
                diff::diff(&value(known), &value(given), &SHAPE)
            );
            errors.push(field::Error::forbidden(path, why));
        }
    }
}
