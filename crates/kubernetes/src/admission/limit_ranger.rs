//! LimitRanger: containers get default requests and limits from the LimitRanges of their
//! namespace, and pods and claims must keep within them.

use std::collections::BTreeMap;

use ordain_meta::quantity::Quantity;
use ordain_value::{Map, Text, Value};

use super::{Operation, Plugin, Query, Remarks, Request, Verdict};

const ANNOTATION: &str = "kubernetes.io/limit-ranger";

#[derive(Debug)]
pub(super) struct LimitRanger;

impl Plugin for LimitRanger {
    fn name(&self) -> &'static str {
        "LimitRanger"
    }

    fn needs(&self, request: &Request<'_>, _object: &Value) -> Vec<Query> {
        if is_concerned(request) {
            vec![Query::all("", "limitranges", request.namespace)]
        } else {
            Vec::new()
        }
    }

    fn mutate(&self, request: &Request<'_>, object: &mut Value) -> Verdict {
        if request.creates("", "pods") {
            for range in request.found("limitranges") {
                fill(object, range);
            }
        }
        Ok(())
    }

    fn validate(&self, request: &Request<'_>, object: &Value, _: &mut Remarks<'_>) -> Verdict {
        if !is_concerned(request) {
            return Ok(());
        }
        for range in request.found("limitranges") {
            let problems = match request.plural {
                "pods" => pod_problems(object, range),
                _ => claim_problems(object, range),
            };
            match problems.as_slice() {
                [] => {}
                [one] => return Err(request.forbidden(one)),
                many => return Err(request.forbidden(&format!("[{}]", many.join(", ")))),
            }
        }
        Ok(())
    }
}

/// Pods are looked at when they are made; claims also when they change.
fn is_concerned(request: &Request<'_>) -> bool {
    request.creates("", "pods")
        || request.is("", "persistentvolumeclaims")
        || (request.operation == Operation::Update
            && (request.group, request.plural, request.subresource) == ("", "pods", "resize"))
}

fn limits(range: &Value) -> impl Iterator<Item = &Value> {
    let list = range.get_path(&["spec", "limits"]).and_then(Value::as_list);
    list.into_iter().flat_map(|list| list.iter())
}

fn type_of(limit: &Value) -> &str {
    limit.get("type").and_then(Value::as_str).unwrap_or("")
}

fn map<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = (&'a Text, &'a Value)> {
    value.get(name).and_then(Value::as_map).into_iter().flat_map(Map::iter)
}

/// Fills the defaults of one LimitRange into all containers, and notes what it did.
fn fill(pod: &mut Value, range: &Value) {
    let (mut requests, mut most) = (Map::new(), Map::new());
    for limit in limits(range).filter(|it| type_of(it) == "Container") {
        map(limit, "defaultRequest").for_each(|(k, v)| drop(requests.insert(k.clone(), v.clone())));
        map(limit, "default").for_each(|(k, v)| drop(most.insert(k.clone(), v.clone())));
    }
    let mut notes = Vec::new();
    for (list, what) in [("containers", "container"), ("initContainers", "init container")] {
        let path = ["spec", list];
        let Some(given) = pod.get_path(&path).and_then(Value::as_list).cloned() else { continue };
        let mut containers = given;
        for container in containers.to_mut() {
            let name = container.get("name").and_then(Value::as_str).unwrap_or("").to_owned();
            for (field, word, defaults) in
                [("requests", "request", &requests), ("limits", "limit", &most)]
            {
                let set = fill_one(container, field, defaults);
                if !set.is_empty() {
                    notes.push(format!("{} {word} for {what} {name}", set.join(", ")));
                }
            }
        }
        pod.set_path(&path, Value::List(containers));
    }
    if !notes.is_empty() {
        let note = format!("LimitRanger plugin set: {}", notes.join("; "));
        pod.set_path(&["metadata", "annotations", ANNOTATION], note.into());
    }
}

/// The resources that a container did not name and now has.
fn fill_one(container: &mut Value, field: &str, defaults: &Map) -> Vec<String> {
    let path = ["resources", field];
    let mut own = container.get_path(&path).and_then(Value::as_map).cloned().unwrap_or_default();
    let mut set = Vec::new();
    for (name, value) in defaults.iter() {
        if !own.contains_key(name) {
            own.insert(name.clone(), value.clone());
            set.push(name.to_string());
        }
    }
    if !set.is_empty() {
        container.set_path(&path, Value::Map(own));
    }
    set
}

/// Amounts by resource.
type Amounts = BTreeMap<Text, Quantity>;

fn amounts(resources: Option<&Value>, field: &str) -> Amounts {
    let Some(resources) = resources else { return Amounts::new() };
    let parsed = map(resources, field)
        .filter_map(|(name, value)| Some((name.clone(), Quantity::parse(value.as_str()?).ok()?)));
    parsed.collect()
}

fn pod_problems(pod: &Value, range: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    for limit in limits(range) {
        match type_of(limit) {
            "Container" => {
                for list in ["containers", "initContainers"] {
                    for container in items(pod, list) {
                        let resources = container.get("resources");
                        let requests = amounts(resources, "requests");
                        judge(limit, &requests, &amounts(resources, "limits"), &mut problems);
                    }
                }
            }
            "Pod" => {
                let total = |field: &str| pod_total(pod, field);
                judge(limit, &total("requests"), &total("limits"), &mut problems);
            }
            _ => {}
        }
    }
    problems
}

fn claim_problems(claim: &Value, range: &Value) -> Vec<String> {
    let requests = amounts(claim.get_path(&["spec", "resources"]), "requests");
    let mut problems = Vec::new();
    for limit in limits(range).filter(|it| type_of(it) == "PersistentVolumeClaim") {
        let of = Judged { ty: type_of(limit), requests: &requests, limits: &Amounts::new() };
        map(limit, "min").for_each(|(name, value)| of.least(name, value, &mut problems));
        map(limit, "max").for_each(|(name, value)| of.most_requested(name, value, &mut problems));
    }
    problems
}

fn items<'a>(pod: &'a Value, list: &str) -> impl Iterator<Item = &'a Value> {
    let list = pod.get_path(&["spec", list]).and_then(Value::as_list);
    list.into_iter().flat_map(|list| list.iter())
}

/// What a pod as a whole takes: the sum of its containers and sidecars, or more if an init
/// container needs more; what the pod itself says of cpu and memory counts before that.
fn pod_total(pod: &Value, field: &str) -> Amounts {
    let mut total = Amounts::new();
    for container in items(pod, "containers") {
        add(&mut total, &amounts(container.get("resources"), field));
    }
    let (mut sidecars, mut first) = (Amounts::new(), Amounts::new());
    for container in items(pod, "initContainers") {
        let own = amounts(container.get("resources"), field);
        if container.get("restartPolicy").and_then(Value::as_str) == Some("Always") {
            add(&mut total, &own);
            add(&mut sidecars, &own);
            raise(&mut first, &sidecars);
        } else {
            let mut with_sidecars = own;
            add(&mut with_sidecars, &sidecars);
            raise(&mut first, &with_sidecars);
        }
    }
    raise(&mut total, &first);
    for (name, amount) in amounts(pod.get_path(&["spec", "resources"]), field) {
        if matches!(name.as_str(), "cpu" | "memory") {
            total.insert(name, amount);
        }
    }
    total
}

fn add(total: &mut Amounts, more: &Amounts) {
    for (name, amount) in more {
        let sum = match total.get(name) {
            Some(have) => have.add(amount).unwrap_or_else(|_| have.clone()),
            None => amount.clone(),
        };
        total.insert(name.clone(), sum);
    }
}

fn raise(total: &mut Amounts, least: &Amounts) {
    for (name, amount) in least {
        if total.get(name).is_none_or(|have| exceeds(amount, have)) {
            total.insert(name.clone(), amount.clone());
        }
    }
}

fn exceeds(a: &Quantity, b: &Quantity) -> bool {
    a.sub(b).is_ok_and(|difference| difference.sign() > 0)
}

fn judge(limit: &Value, requests: &Amounts, most: &Amounts, problems: &mut Vec<String>) {
    let of = Judged { ty: type_of(limit), requests, limits: most };
    map(limit, "min").for_each(|(name, value)| of.least(name, value, problems));
    map(limit, "max").for_each(|(name, value)| of.most(name, value, problems));
    map(limit, "maxLimitRequestRatio").for_each(|(name, value)| of.ratio(name, value, problems));
}

/// What a container, pod or claim asks for.
struct Judged<'a> {
    ty: &'a str,
    requests: &'a Amounts,
    limits: &'a Amounts,
}

impl Judged<'_> {
    fn least(&self, name: &Text, enforced: &Value, problems: &mut Vec<String>) {
        let Some((enforced, shown)) = bound(enforced) else { return };
        let what = format!("minimum {name} usage per {} is {shown}", self.ty);
        match (self.requests.get(name), self.limits.get(name)) {
            (None, _) => problems.push(format!("{what}.  No request is specified")),
            (Some(request), _) if exceeds(&enforced, request) => {
                problems.push(format!("{what}, but request is {request}"));
            }
            (_, Some(limit)) if exceeds(&enforced, limit) => {
                problems.push(format!("{what}, but limit is {limit}"));
            }
            _ => {}
        }
    }

    fn most(&self, name: &Text, enforced: &Value, problems: &mut Vec<String>) {
        let Some((enforced, shown)) = bound(enforced) else { return };
        let what = format!("maximum {name} usage per {} is {shown}", self.ty);
        match (self.requests.get(name), self.limits.get(name)) {
            (_, None) => problems.push(format!("{what}.  No limit is specified")),
            (_, Some(limit)) if exceeds(limit, &enforced) => {
                problems.push(format!("{what}, but limit is {limit}"));
            }
            (Some(request), _) if exceeds(request, &enforced) => {
                problems.push(format!("{what}, but request is {request}"));
            }
            _ => {}
        }
    }

    fn most_requested(&self, name: &Text, enforced: &Value, problems: &mut Vec<String>) {
        let Some((enforced, shown)) = bound(enforced) else { return };
        let what = format!("maximum {name} usage per {} is {shown}", self.ty);
        match self.requests.get(name) {
            None => problems.push(format!("{what}.  No request is specified")),
            Some(request) if exceeds(request, &enforced) => {
                problems.push(format!("{what}, but request is {request}"));
            }
            Some(_) => {}
        }
    }

    fn ratio(&self, name: &Text, enforced: &Value, problems: &mut Vec<String>) {
        let Some((enforced, shown)) = bound(enforced) else { return };
        let what = format!("{name} max limit to request ratio per {} is {shown}", self.ty);
        let positive = |amounts: &Amounts| {
            amounts.get(name).filter(|it| it.sign() > 0).map(Quantity::as_approximate_f64)
        };
        let Some(request) = positive(self.requests) else {
            problems.push(format!("{what}, but no request is specified or request is 0"));
            return;
        };
        let Some(limit) = positive(self.limits) else {
            problems.push(format!("{what}, but no limit is specified or limit is 0"));
            return;
        };
        let ratio = limit / request;
        if ratio > enforced.as_approximate_f64() {
            problems.push(format!("{what}, but provided ratio is {ratio:.6}"));
        }
    }
}

fn bound(value: &Value) -> Option<(Quantity, String)> {
    let parsed = Quantity::parse(value.as_str()?).ok()?;
    let shown = parsed.to_string();
    Some((parsed, shown))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_value::value;

    #[test]
    fn containers_get_defaults_and_a_note() {
        let mut pod = value!({"metadata": {}, "spec": {"containers": [{"name": "a"}]}});
        let range = value!({"spec": {"limits": [
            {"type": "Container", "default": {"cpu": "1"}, "defaultRequest": {"cpu": "500m"}}
        ]}});
        fill(&mut pod, &range);
        let note = pod.get_path(&["metadata", "annotations", ANNOTATION]).unwrap();
        let expected = "LimitRanger plugin set: cpu request for container a; \
                        cpu limit for container a";
        assert_eq!(note.as_str(), Some(expected));
    }

    #[test]
    fn what_is_out_of_bounds_is_told() {
        let resources = value!({"requests": {"cpu": "3"}, "limits": {"cpu": "4"}});
        let pod = value!({"spec": {"containers": [{"name": "a", "resources": resources}]}});
        let range = value!({"spec": {"limits": [{"type": "Container", "max": {"cpu": "2"}}]}});
        let expected = ["maximum cpu usage per Container is 2, but limit is 4"];
        assert_eq!(pod_problems(&pod, &range), expected);
    }
}
