//! The endpoints of the service that a server goes by.

mod support;

use std::net::IpAddr;

use ordain_value::{Value, value};
use support::{fresh, target};

#[tokio::test]
async fn endpoints_name_the_server_that_was_started_last() {
    let registry = fresh(false).await;
    let first: IpAddr = "192.0.2.7".parse().unwrap();
    let second: IpAddr = "2001:db8::7".parse().unwrap();
    for ip in [first, first] {
        registry.publish_endpoints(ip, 6443).await.unwrap();
        let slice = target(&registry, "discovery.k8s.io/endpointslices", "default", "kubernetes");
        let slice = registry.get(&slice, "").await.unwrap();
        assert_eq!(slice.get("addressType"), Some(&Value::from("IPv4")));
        let addresses = slice.get("endpoints").and_then(Value::as_list).unwrap();
        assert_eq!(addresses[0].get("addresses"), Some(&value!([(ip.to_string())])));
    }
    // The family of a slice cannot change: the one of another family takes its place.
    registry.publish_endpoints(second, 6444).await.unwrap();
    let endpoints = target(&registry, "endpoints", "default", "kubernetes");
    let endpoints = registry.get(&endpoints, "").await.unwrap();
    let expected = value!([{
        "addresses": [{"ip": "2001:db8::7"}],
        "ports": [{"name": "https", "port": 6444, "protocol": "TCP"}]
    }]);
    assert_eq!(endpoints.get("subsets"), Some(&expected));
    let slice = target(&registry, "discovery.k8s.io/endpointslices", "default", "kubernetes");
    let slice = registry.get(&slice, "").await.unwrap();
    assert_eq!(slice.get("addressType"), Some(&Value::from("IPv6")));
    let revision = |value: &Value| value.get_path(&["metadata", "resourceVersion"]).cloned();
    // What is as it should be is not written again.
    registry.publish_endpoints(second, 6444).await.unwrap();
    let same = target(&registry, "endpoints", "default", "kubernetes");
    assert_eq!(revision(&registry.get(&same, "").await.unwrap()), revision(&endpoints));
}
