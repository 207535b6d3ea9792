//! Statuses: conditions that keep the time of their last change.

use ordain_value::{Value, value};

use crate::world::{World, condition, list, text};

/// A condition as it is to be.
pub(crate) struct Wanted {
    pub(crate) ty: &'static str,
    pub(crate) holds: bool,
    pub(crate) reason: &'static str,
    pub(crate) message: String,
}

impl Wanted {
    pub(crate) fn new(ty: &'static str, holds: bool, reason: &'static str) -> Self {
        Self { ty, holds, reason, message: String::new() }
    }

    pub(crate) fn message(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }
}

/// The conditions of an object with these in place of those of the same type. Times change only
/// with the status. `updates` adds the time of the last update, which some kinds have.
pub(crate) fn conditions(
    world: &World,
    object: &Value,
    wanted: Vec<Wanted>,
    updates: bool,
) -> Value {
    let mut all: Vec<Value> = list(object, &["status", "conditions"]).to_vec();
    for it in wanted {
        let status = if it.holds { "True" } else { "False" };
        let former = condition(object, it.ty);
        let same = former.is_some_and(|it| text(it, &["status"]) == status);
        let time = |name: &str| {
            let kept = former.filter(|_| same).and_then(|former| former.get(name).cloned());
            kept.unwrap_or_else(|| world.time())
        };
        let mut made = value!({
            "type": (it.ty),
            "status": status,
            "lastTransitionTime": (time("lastTransitionTime"))
        });
        if !it.reason.is_empty() {
            made.set_path(&["reason"], it.reason.into());
        }
        if !it.message.is_empty() {
            made.set_path(&["message"], it.message.into());
        }
        if updates {
            made.set_path(&["lastUpdateTime"], time("lastUpdateTime"));
        }
        match all.iter_mut().find(|former| text(former, &["type"]) == it.ty) {
            Some(former) => *former = made,
            None => all.push(made),
        }
    }
    all.into()
}

/// The object with this status, if it differs from the one it has. Counts of zero and empty lists
/// are as good as none.
pub(crate) fn changed(object: &Value, status: Value) -> Option<Value> {
    let before = object.get("status").cloned().unwrap_or_else(|| value!({}));
    let mut after = before.clone();
    if let Some(fields) = status.as_map() {
        for (key, it) in fields.iter() {
            if is_nothing(it) {
                after.remove_path(&[key]);
            } else {
                after.set_path(&[key], it.clone());
            }
        }
    }
    let plain = |status: &Value| {
        let mut status = status.clone();
        if let Some(map) = status.as_map_mut() {
            map.retain(|_, it| !is_nothing(it));
        }
        status
    };
    if plain(&before) == plain(&after) {
        return None;
    }
    let mut object = object.clone();
    object.set_path(&["status"], after);
    Some(object)
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Int(0) => true,
        Value::List(list) => list.is_empty(),
        Value::Map(map) => map.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_meta::time::Time;

    #[test]
    fn times_of_conditions_change_with_their_status_only() {
        let at = |seconds| World { now: Time::from_unix(seconds, 0), ..World::default() };
        let ready = |holds| vec![Wanted::new("Ready", holds, "")];
        let first = conditions(&at(1), &value!({}), ready(true), false);
        let object = value!({"status": {"conditions": (first.clone())}});
        assert_eq!(conditions(&at(2), &object, ready(true), false), first);
        assert_ne!(conditions(&at(2), &object, ready(false), false), first);
    }

    #[test]
    fn a_status_without_change_is_not_written() {
        let object = value!({"status": {"replicas": 2, "readyReplicas": 1}});
        assert_eq!(changed(&object, value!({"replicas": 2, "extra": 0})), None);
        let now = changed(&object, value!({"readyReplicas": 0})).expect("a change");
        assert_eq!(now.get("status"), Some(&value!({"replicas": 2})));
    }
}
