//! Services: the addresses of the pods that they select.

use ordain_value::{Value, value};

use crate::outcome::Outcomes;
use crate::owned::{is_over, is_ready, reference};
use crate::world::{
    Action, ENDPOINT_SLICES, ENDPOINTS, PODS, SERVICES, World, list, name, namespace, text,
};

/// Endpoints of one slice at most.
const ENDPOINTS_MAX: usize = 1000;

pub(crate) fn actions(world: &World, _outcomes: &Outcomes) -> Vec<Action> {
    let selects = |it: &&Value| {
        it.get_path(&["spec", "selector"]).and_then(Value::as_map).is_some_and(|it| !it.is_empty())
    };
    world.live(SERVICES).filter(selects).flat_map(|it| of_service(world, it)).collect()
}

fn of_service(world: &World, service: &Value) -> Vec<Action> {
    let pods: Vec<&Value> = selected(world, service);
    let [old, new] = [endpoints(service, &pods), slice(service, &pods)];
    let keep = |resource, wanted: Value, parts: &[&str]| {
        let found = world.named(resource, namespace(service), name(&wanted));
        let Some(found) = found else { return Some(Action::Create(resource, wanted)) };
        let part = |object: &Value, name: &str| object.get(name).cloned().unwrap_or(Value::Null);
        if parts.iter().all(|it| same(&part(found, it), &part(&wanted, it))) {
            return None;
        }
        let mut found = found.clone();
        for it in parts {
            found.set_path(&[it], part(&wanted, it));
        }
        Some(Action::Update(resource, found))
    };
    let old = keep(ENDPOINTS, old, &["subsets"]);
    let new = keep(ENDPOINT_SLICES, new, &["endpoints", "ports"]);
    old.into_iter().chain(new).collect()
}

/// None and an empty list are the same.
fn same(one: &Value, other: &Value) -> bool {
    let is_empty = |it: &Value| it.is_null() || it.as_list().is_some_and(|it| it.is_empty());
    one == other || (is_empty(one) && is_empty(other))
}

fn selected<'a>(world: &'a World, service: &Value) -> Vec<&'a Value> {
    let Some(selector) = service.get_path(&["spec", "selector"]).and_then(Value::as_map) else {
        return Vec::new();
    };
    let fits = |pod: &&Value| {
        let label = |key: &str| pod.get_path(&["metadata", "labels", key]);
        namespace(pod) == namespace(service)
            && !is_over(pod)
            && !text(pod, &["status", "podIP"]).is_empty()
            && selector.iter().all(|(key, value)| label(key) == Some(value))
    };
    let mut pods: Vec<&Value> = world.live(PODS).filter(fits).take(ENDPOINTS_MAX).collect();
    pods.sort_by_key(|it| name(it).to_owned());
    pods
}

fn target(pod: &Value) -> Value {
    value!({
        "kind": "Pod",
        "namespace": (namespace(pod)),
        "name": (name(pod)),
        "uid": (text(pod, &["metadata", "uid"]))
    })
}

/// The ports of a service with the numbers that the pods listen on.
fn ports(service: &Value, pod: Option<&Value>) -> Vec<Value> {
    let numbered = list(service, &["spec", "ports"]).iter().filter_map(|port| {
        let number = match port.get("targetPort") {
            Some(Value::Str(name)) => container_port(pod?, name)?,
            Some(Value::Int(number)) if *number != 0 => *number,
            _ => port.get("port")?.as_int()?,
        };
        let protocol = match text(port, &["protocol"]) {
            "" => "TCP",
            protocol => protocol,
        };
        Some(value!({"name": (text(port, &["name"])), "port": number, "protocol": protocol}))
    });
    numbered.collect()
}

fn container_port(pod: &Value, name: &str) -> Option<i64> {
    let containers = list(pod, &["spec", "containers"]).iter();
    let mut ports = containers.flat_map(|it| list(it, &["ports"]));
    ports.find(|it| text(it, &["name"]) == name)?.get("containerPort")?.as_int()
}

fn slice(service: &Value, pods: &[&Value]) -> Value {
    let endpoints = pods.iter().map(|pod| {
        let ready = is_ready(pod);
        value!({
            "addresses": [(text(pod, &["status", "podIP"]))],
            "conditions": {"ready": ready, "serving": ready, "terminating": false},
            "targetRef": (target(pod))
        })
    });
    value!({
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "name": (format!("{}-fake", name(service))),
            "namespace": (namespace(service)),
            "labels": {
                "kubernetes.io/service-name": (name(service)),
                "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io"
            },
            "ownerReferences": [(reference("v1", "Service", service))]
        },
        "addressType": "IPv4",
        "endpoints": (endpoints.collect::<Vec<Value>>()),
        "ports": (ports(service, pods.first().copied()))
    })
}

fn endpoints(service: &Value, pods: &[&Value]) -> Value {
    let of = |ready: bool| {
        let pods = pods.iter().filter(|it| is_ready(it) == ready);
        let shown = pods
            .map(|it| value!({"ip": (text(it, &["status", "podIP"])), "targetRef": (target(it))}));
        shown.collect::<Vec<Value>>()
    };
    let mut subset = value!({});
    for (field, addresses) in [("addresses", of(true)), ("notReadyAddresses", of(false))] {
        if !addresses.is_empty() {
            subset.set_path(&[field], addresses.into());
        }
    }
    let mut ports = ports(service, pods.first().copied());
    for port in &mut ports {
        if text(port, &["name"]).is_empty() {
            port.remove_path(&["name"]);
        }
    }
    if !ports.is_empty() {
        subset.set_path(&["ports"], ports.into());
    }
    let subsets = if pods.is_empty() { Vec::new() } else { vec![subset] };
    value!({
        "apiVersion": "v1",
        "kind": "Endpoints",
        "metadata": {"name": (name(service)), "namespace": (namespace(service))},
        "subsets": subsets
    })
}
