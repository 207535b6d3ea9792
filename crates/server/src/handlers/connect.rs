//! `log`, `exec`, `attach`, `portforward` and `proxy`: ways to what runs behind an object.
//!
//! Nothing runs behind the objects of this server, and it never connects to a node, a pod or a
//! service: it answers as one whose nodes do not answer.

use http::Response;
use ordain_meta::Status;
use ordain_registry::Target;
use ordain_value::{Value, go_quote};

use super::Answer;
use crate::response::{self, Body};
use crate::router::Exchange;

/// The port of a kubelet that tells none.
const KUBELET_PORT: i64 = 10_250;
/// The addresses of a node in the order in which they are tried.
const ADDRESSES: [&str; 5] = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];

pub(crate) async fn connect(exchange: &mut Exchange<'_>, target: &Target) -> Answer {
    let subresource = exchange.info.subresource.clone();
    match (target.resource.kind.as_str(), subresource.as_str()) {
        ("Service", _) => Err(service(exchange, target).await),
        ("Node", _) => {
            let (_, name, _) =
                scheme_name_port(&target.name).ok_or_else(|| invalid(target, "node"))?;
            Err(unreachable(exchange, name).await)
        }
        (_, "proxy") => Err(pod_proxy(exchange, target).await),
        (_, "portforward") => {
            let pod = exchange.app.registry.get(target, "").await?;
            Err(stream(exchange, target, &pod).await)
        }
        (_, "log") => log(exchange, target).await,
        _ => {
            let pod = exchange.app.registry.get(target, "").await?;
            container(exchange, &pod)?;
            Err(stream(exchange, target, &pod).await)
        }
    }
}

fn text<'a>(value: &'a Value, path: &[&str]) -> &'a str {
    value.get_path(path).and_then(Value::as_str).unwrap_or("")
}

fn items<'a>(value: &'a Value, path: &[&str]) -> impl Iterator<Item = &'a Value> + use<'a> {
    let list = value.get_path(path).and_then(Value::as_list);
    list.into_iter().flat_map(|list| list.iter())
}

/// A pod that is on no node has said nothing yet.
async fn log(exchange: &mut Exchange<'_>, target: &Target) -> Answer {
    let pod = exchange.app.registry.get(target, "").await?;
    container(exchange, &pod)?;
    match text(&pod, &["spec", "nodeName"]) {
        "" => Ok(empty()),
        node => Err(unreachable(exchange, node).await),
    }
}

fn empty() -> Response<Body> {
    let mut response = response::text(200, "");
    response.headers_mut().remove(http::header::X_CONTENT_TYPE_OPTIONS);
    let media_type = http::HeaderValue::from_static("text/plain");
    response.headers_mut().insert(http::header::CONTENT_TYPE, media_type);
    response
}

/// Refuses a container that the pod does not have, and none where it has several.
fn container(exchange: &Exchange<'_>, pod: &Value) -> Result<(), Status> {
    let wanted = exchange.query.get("container").unwrap_or("");
    let name = text(pod, &["metadata", "name"]);
    let lists = ["initContainers", "containers", "ephemeralContainers"];
    let all = || lists.iter().flat_map(|list| items(pod, &["spec", list]));
    let names = || all().map(|it| text(it, &["name"]));
    if !wanted.is_empty() {
        if names().any(|it| it == wanted) {
            return Ok(());
        }
        let why = format!("container {wanted} is not valid for pod {name}");
        return Err(Status::bad_request(why));
    }
    match items(pod, &["spec", "containers"]).count() {
        1 => Ok(()),
        0 => {
            let why = format!("a container name must be specified for pod {name}");
            Err(Status::bad_request(why))
        }
        _ => Err(Status::bad_request(format!(
            "a container name must be specified for pod {name}, choose one of: [{}]",
            names().collect::<Vec<_>>().join(" ")
        ))),
    }
}

/// Why nothing is said to a pod.
async fn stream(exchange: &Exchange<'_>, target: &Target, pod: &Value) -> Status {
    match text(pod, &["spec", "nodeName"]) {
        "" => {
            let why = format!("pod {} does not have a host assigned", target.name);
            Status::bad_request(why)
        }
        node => unreachable(exchange, node).await,
    }
}

/// Why a node is not reached: it is not there, tells no address, or does not answer.
async fn unreachable(exchange: &Exchange<'_>, node: &str) -> Status {
    let node = match find(exchange, "nodes", "", node).await {
        Ok(node) => node,
        Err(status) => return status,
    };
    let of_type = |wanted: &&str| {
        let mut known = items(&node, &["status", "addresses"]);
        known.find(|it| text(it, &["type"]) == *wanted).map(|it| text(it, &["address"]))
    };
    let Some(host) = ADDRESSES.iter().find_map(of_type) else {
        return Status::unclassified("no preferred addresses found; known addresses: []");
    };
    let port = node.get_path(&["status", "daemonEndpoints", "kubeletEndpoint", "Port"]);
    let port = port.and_then(Value::as_int).filter(|it| *it > 0).unwrap_or(KUBELET_PORT);
    let why = format!("error dialing backend: dial tcp {host}:{port}: connect: connection refused");
    Status::unclassified(why)
}

async fn find(
    exchange: &Exchange<'_>,
    plural: &str,
    namespace: &str,
    name: &str,
) -> Result<Value, Status> {
    let registry = &exchange.app.registry;
    let resource = registry.catalog().get("", plural).cloned();
    let resource = resource.ok_or_else(Status::path_not_found)?;
    let target =
        Target { version: "v1".into(), namespace: namespace.into(), name: name.into(), resource };
    registry.get(&target, "").await
}

/// `name`, `name:port` or `scheme:name:port`, as proxies are asked for.
fn scheme_name_port(text: &str) -> Option<(&str, &str, &str)> {
    let parts: Vec<&str> = text.split(':').collect();
    let (scheme, name, port) = match parts.as_slice() {
        [name] => ("", *name, ""),
        [name, port] => ("", *name, *port),
        [scheme, name, port] => (*scheme, *name, *port),
        _ => return None,
    };
    (matches!(scheme, "" | "http" | "https") && !name.is_empty()).then_some((scheme, name, port))
}

fn invalid(target: &Target, what: &str) -> Status {
    Status::bad_request(format!("invalid {what} request {}", go_quote(&target.name)))
}

async fn pod_proxy(exchange: &Exchange<'_>, target: &Target) -> Status {
    let Some((_, name, _)) = scheme_name_port(&target.name) else {
        return invalid(target, "pod");
    };
    match find(exchange, "pods", &target.namespace, name).await {
        Err(status) => status,
        Ok(pod) => match text(&pod, &["status", "podIP"]) {
            "" => Status::bad_request("address not allowed"),
            ip => Status::service_unavailable(&format!(
                "error trying to reach service: dial tcp {ip}: connect: connection refused"
            )),
        },
    }
}

/// Why a service is not reached: it has no such port, nothing stands behind it, or that does not
/// answer.
async fn service(exchange: &Exchange<'_>, target: &Target) -> Status {
    let Some((_, name, port)) = scheme_name_port(&target.name) else {
        return invalid(target, "service");
    };
    if let Ok(number) = port.parse::<i64>() {
        let service = match find(exchange, "services", &target.namespace, name).await {
            Ok(service) => service,
            Err(status) => return status,
        };
        let mut ports = items(&service, &["spec", "ports"]);
        if !ports.any(|it| it.get("port").and_then(Value::as_int) == Some(number)) {
            let name = go_quote(name);
            let why = format!("no service port {number} found for service {name}");
            return Status::service_unavailable(&why);
        }
    }
    let endpoints = match find(exchange, "endpoints", &target.namespace, name).await {
        Ok(endpoints) => endpoints,
        Err(status) => return status,
    };
    let mut addresses = items(&endpoints, &["subsets"]).flat_map(|it| items(it, &["addresses"]));
    match addresses.next() {
        Some(address) => Status::service_unavailable(&format!(
            "error trying to reach service: dial tcp {}: connect: connection refused",
            text(address, &["ip"])
        )),
        None => {
            let name = go_quote(name);
            Status::service_unavailable(&format!("no endpoints available for service {name}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxies_are_asked_for_by_scheme_name_and_port() {
        assert_eq!(scheme_name_port("web"), Some(("", "web", "")));
        assert_eq!(scheme_name_port("web:80"), Some(("", "web", "80")));
        assert_eq!(scheme_name_port("https:web:"), Some(("https", "web", "")));
        for wrong in ["", "ftp:web:80", ":80", "a:b:c:d"] {
            assert_eq!(scheme_name_port(wrong), None, "{wrong}");
        }
    }
}
