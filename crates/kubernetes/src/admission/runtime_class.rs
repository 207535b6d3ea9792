//! RuntimeClass: a pod gets the overhead, node selector and tolerations of its RuntimeClass.

use ordain_meta::status::Status;
use ordain_value::{Map, Value};

use super::{Plugin, Query, Remarks, Request, Verdict};

const GROUP: &str = "node.k8s.io";
const CLASSES: &str = "runtimeclasses";

#[derive(Debug)]
pub(super) struct RuntimeClass;

impl Plugin for RuntimeClass {
    fn name(&self) -> &'static str {
        "RuntimeClass"
    }

    fn needs(&self, request: &Request<'_>, pod: &Value) -> Vec<Query> {
        if !request.creates("", "pods") {
            return Vec::new();
        }
        let named = class_name(pod).map(|name| Query::one(GROUP, CLASSES, "", name));
        named.into_iter().collect()
    }

    fn mutate(&self, request: &Request<'_>, pod: &mut Value) -> Verdict {
        if !request.creates("", "pods") {
            return Ok(());
        }
        let Some(class) = class(request, pod)? else { return Ok(()) };
        if let Some(overhead) = class.get_path(&["overhead", "podFixed"]) {
            let given = pod.get_path(&["spec", "overhead"]);
            if given.is_some_and(|given| given != overhead) {
                let why = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined \
                           Overhead";
                return Err(request.forbidden(why));
            }
            pod.set_path(&["spec", "overhead"], overhead.clone());
        }
        schedule(request, pod, class)
    }

    fn validate(&self, request: &Request<'_>, pod: &Value, _: &mut Remarks<'_>) -> Verdict {
        if !request.creates("", "pods") {
            return Ok(());
        }
        let class = class(request, pod)?;
        let defined = class.and_then(|class| class.get_path(&["overhead", "podFixed"]));
        let given = pod.get_path(&["spec", "overhead"]);
        match (given, defined) {
            (Some(_), None) => Err(request.forbidden(
                "pod rejected: Pod Overhead set without corresponding RuntimeClass defined \
                 Overhead",
            )),
            _ => Ok(()),
        }
    }
}

fn class_name(pod: &Value) -> Option<&str> {
    pod.get_path(&["spec", "runtimeClassName"]).and_then(Value::as_str)
}

fn class<'a>(request: &Request<'a>, pod: &Value) -> Result<Option<&'a Value>, Status> {
    let Some(name) = class_name(pod) else { return Ok(None) };
    let class = request.found(CLASSES).next();
    let missing =
        || format!("pod rejected: RuntimeClass {} not found", ordain_value::go_quote(name));
    class.map(Some).ok_or_else(|| request.forbidden(&missing()))
}

/// Merges where pods of the class run into what the pod says of itself.
fn schedule(request: &Request<'_>, pod: &mut Value, class: &Value) -> Verdict {
    let selector = class.get_path(&["scheduling", "nodeSelector"]).and_then(Value::as_map);
    let path = ["spec", "nodeSelector"];
    let mut merged = pod.get_path(&path).and_then(Value::as_map).cloned().unwrap_or_default();
    for (key, value) in selector.into_iter().flat_map(Map::iter) {
        if merged.get(key).is_some_and(|own| own != value) {
            let theirs = value.as_str().unwrap_or("");
            let own = merged.get(key).and_then(Value::as_str).unwrap_or("");
            let why = format!(
                "conflict: runtimeClass.scheduling.nodeSelector[{key}] = {theirs}; \
                 pod.spec.nodeSelector[{key}] = {own}"
            );
            return Err(request.forbidden(&why));
        }
        merged.insert(key.clone(), value.clone());
    }
    if selector.is_some() && !merged.is_empty() {
        pod.set_path(&path, Value::Map(merged));
    }
    let added = class.get_path(&["scheduling", "tolerations"]).and_then(Value::as_list);
    let Some(added) = added.filter(|list| !list.is_empty()) else { return Ok(()) };
    let path = ["spec", "tolerations"];
    let mut tolerations = pod.get_path(&path).and_then(Value::as_list).cloned().unwrap_or_default();
    for toleration in added.iter() {
        if !tolerations.contains(toleration) {
            tolerations.push(toleration.clone());
        }
    }
    pod.set_path(&path, Value::List(tolerations));
    Ok(())
}
