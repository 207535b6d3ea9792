//! What stands for the server itself: its service, the addresses of services, its endpoints.

use std::net::IpAddr;

use ordain_value::{Value, value};

/// The service that stands for the server itself, at an address.
pub fn service(ip: IpAddr) -> Value {
    let ip = ip.to_string();
    value!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": "kubernetes",
            "namespace": "default",
            "labels": {"component": "apiserver", "provider": "kubernetes"}
        },
        "spec": {
            "clusterIP": (ip.as_str()),
            "clusterIPs": [(ip.as_str())],
            "internalTrafficPolicy": "Cluster",
            "ipFamilies": ["IPv4"],
            "ipFamilyPolicy": "SingleStack",
            "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}],
            "sessionAffinity": "None",
            "type": "ClusterIP"
        },
        "status": {"loadBalancer": {}}
    })
}

/// The addresses that services are given.
pub fn service_cidr(cidrs: Vec<Value>) -> Value {
    value!({
        "apiVersion": "networking.k8s.io/v1",
        "kind": "ServiceCIDR",
        "metadata": {"name": "kubernetes"},
        "spec": {"cidrs": (Value::from(cidrs))}
    })
}

/// Where the server is found.
pub fn endpoints(ip: IpAddr, port: u16) -> Value {
    value!({
        "apiVersion": "v1",
        "kind": "Endpoints",
        "metadata": {
            "name": "kubernetes",
            "namespace": "default",
            "labels": {"endpointslice.kubernetes.io/skip-mirror": "true"}
        },
        "subsets": [{
            "addresses": [{"ip": (ip.to_string())}],
            "ports": [{"name": "https", "port": (i64::from(port)), "protocol": "TCP"}]
        }]
    })
}

/// The same in its newer form.
pub fn endpoint_slice(ip: IpAddr, port: u16) -> Value {
    value!({
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "name": "kubernetes",
            "namespace": "default",
            "labels": {"kubernetes.io/service-name": "kubernetes"}
        },
        "addressType": (if ip.is_ipv4() { "IPv4" } else { "IPv6" }),
        "endpoints": [{"addresses": [(ip.to_string())], "conditions": {"ready": true}}],
        "ports": [{"name": "https", "port": (i64::from(port)), "protocol": "TCP"}]
    })
}
