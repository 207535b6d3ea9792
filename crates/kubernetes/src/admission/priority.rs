//! Priority: a pod gets the number and the preemption policy of its PriorityClass.

use ordain_strategy::object;
use ordain_value::Value;

use super::{Operation, Plugin, Query, Remarks, Request, Verdict};

const GROUP: &str = "scheduling.k8s.io";
const CLASSES: &str = "priorityclasses";
const PREEMPT: &str = "PreemptLowerPriority";

#[derive(Debug)]
pub(super) struct Priority;

impl Plugin for Priority {
    fn name(&self) -> &'static str {
        "Priority"
    }

    fn needs(&self, request: &Request<'_>, object: &Value) -> Vec<Query> {
        if request.creates("", "pods") {
            return vec![match class_name(object) {
                "" => Query::all(GROUP, CLASSES, ""),
                name => Query::one(GROUP, CLASSES, "", name),
            }];
        }
        if request.is(GROUP, CLASSES) && is_default(object) {
            return vec![Query::all(GROUP, CLASSES, "")];
        }
        Vec::new()
    }

    fn mutate(&self, request: &Request<'_>, object: &mut Value) -> Verdict {
        if !request.is("", "pods") {
            return Ok(());
        }
        match (request.operation, request.old) {
            (Operation::Create, _) => fill(request, object),
            (Operation::Update, Some(old)) => {
                // An update that leaves them out means those that a create filled in.
                for field in ["priority", "preemptionPolicy"] {
                    let path = ["spec", field];
                    if object.get_path(&path).is_none()
                        && let Some(kept) = old.get_path(&path)
                    {
                        object.set_path(&path, kept.clone());
                    }
                }
                Ok(())
            }
            (Operation::Update, None) | (Operation::Delete, _) => Ok(()),
        }
    }

    fn validate(&self, request: &Request<'_>, object: &Value, _: &mut Remarks<'_>) -> Verdict {
        if !request.is(GROUP, CLASSES) || !is_default(object) {
            return Ok(());
        }
        let own = object::name(object);
        match default_class(request).filter(|it| object::name(it) != own) {
            None => Ok(()),
            Some(other) => Err(request.forbidden(&format!(
                "PriorityClass {} is already marked as default. Only one default can exist",
                object::name(other)
            ))),
        }
    }
}

fn fill(request: &Request<'_>, pod: &mut Value) -> Verdict {
    let named = class_name(pod).to_owned();
    let class = if named.is_empty() {
        default_class(request)
    } else {
        let class = request.found(CLASSES).next();
        let missing = || format!("no PriorityClass with name {named} was found");
        Some(class.ok_or_else(|| request.forbidden(&missing()))?)
    };
    if let Some(class) = class.filter(|_| named.is_empty()) {
        pod.set_path(&["spec", "priorityClassName"], object::name(class).into());
    }
    let value = class.and_then(|it| it.get("value")).and_then(Value::as_int).unwrap_or(0);
    let policy = match class {
        Some(class) => class.get("preemptionPolicy").and_then(Value::as_str).map(str::to_owned),
        None => Some(PREEMPT.to_owned()),
    };
    let given = pod.get_path(&["spec", "priority"]).and_then(Value::as_int);
    if let Some(given) = given.filter(|given| *given != value) {
        return Err(request.forbidden(&format!(
            "the integer value of priority ({given}) must not be provided in pod spec; priority \
             admission controller computed {value} from the given PriorityClass name"
        )));
    }
    pod.set_path(&["spec", "priority"], Value::Int(value));
    let Some(policy) = policy else { return Ok(()) };
    let given = pod.get_path(&["spec", "preemptionPolicy"]).and_then(Value::as_str);
    if let Some(given) = given.filter(|given| *given != policy) {
        return Err(request.forbidden(&format!(
            "the string value of PreemptionPolicy ({given}) must not be provided in pod spec; \
             priority admission controller computed {policy} from the given PriorityClass name"
        )));
    }
    pod.set_path(&["spec", "preemptionPolicy"], policy.as_str().into());
    Ok(())
}

fn class_name(pod: &Value) -> &str {
    pod.get_path(&["spec", "priorityClassName"]).and_then(Value::as_str).unwrap_or("")
}

fn is_default(class: &Value) -> bool {
    class.get("globalDefault").and_then(Value::as_bool) == Some(true)
}

/// The class of pods that name none: of several that say so the one with the lowest value.
fn default_class<'a>(request: &Request<'a>) -> Option<&'a Value> {
    let value = |class: &Value| class.get("value").and_then(Value::as_int).unwrap_or(0);
    request.found(CLASSES).filter(|it| is_default(it)).min_by_key(|it| value(it))
}
