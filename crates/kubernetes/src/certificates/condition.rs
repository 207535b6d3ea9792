//! Conditions of a request: what was decided, and what went wrong.

use ordain_passes::declared::written::Asked;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::shared::access::{items, items_mut, part, some, text};
use crate::shared::diff;

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

/// Decisions stay as they are; errors show what differs.
pub(crate) fn check_decisions(
    asked: &Asked<'_, '_>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let (new, Some(old)) = (asked.value(), asked.old_object()) else { return };
    for kind in DECISIONS {
        let is_kind = |it: &&Value| text(it, "type") == kind;
        let given: Vec<&Value> =
            new.as_list().map_or(&[][..], |it| it.as_slice()).iter().filter(is_kind).collect();
        let known = of_kind(old, kind);
        if given.len() == known.len() && given != known {
            let value =
                |list: Vec<&Value>| Value::from(list.into_iter().cloned().collect::<Vec<_>>());
            let why = format!(
                "updates may not modify a condition of type \"{kind}\"\n{}",
                diff::diff(&value(known), &value(given), "[]CertificateSigningRequestCondition")
            );
            errors.push(field::Error::forbidden(path, why));
        }
    }
}
