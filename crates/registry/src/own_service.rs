//! The service `default/kubernetes`, under which clients find the server, and its endpoints.

use std::net::IpAddr;

use ordain_meta::status::{Reason, Status};
use ordain_value::{Text, Value, json, value};

use crate::caller;
use crate::decode::{Body, Media};
use crate::registry::{Registry, Target};
use crate::request::{DeleteOptions, Warnings, WriteOptions};
use crate::strategy::Part;

/// The service that stands for the server itself.
pub(crate) fn kubernetes() -> Value {
    value!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": "kubernetes",
            "namespace": "default",
            "labels": {"component": "apiserver", "provider": "kubernetes"}
        },
        "spec": {
            "clusterIP": "10.0.0.1",
            "clusterIPs": ["10.0.0.1"],
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

impl Registry {
    /// Tells where the server is found: the endpoints of its service, in both forms. They name the
    /// server that was started last.
    ///
    /// # Errors
    /// When they cannot be written.
    pub async fn publish_endpoints(&self, ip: IpAddr, port: u16) -> Result<(), Status> {
        for (group, plural, version, object) in [
            ("", "endpoints", "v1", endpoints(ip, port)),
            ("discovery.k8s.io", "endpointslices", "v1", endpoint_slice(ip, port)),
        ] {
            let Some(resource) = self.catalog().get(group, plural).cloned() else { continue };
            let (namespace, name) = (Text::from("default"), Text::from("kubernetes"));
            let target = Target { resource, version: version.into(), namespace, name };
            caller::as_server(self.put(&target, object)).await?;
        }
        Ok(())
    }

    /// Creates an object, or brings it to the wanted state.
    async fn put(&self, target: &Target, object: Value) -> Result<(), Status> {
        let options =
            WriteOptions { field_manager: "kube-apiserver".into(), ..WriteOptions::default() };
        let bytes = json::encode(&object);
        let body = Body { bytes: &bytes, media: Media::Json };
        let mut warnings = Warnings::default();
        let stored = self.read(&target.resource, &target.key()).await?;
        let family = |object: &Value| object.get("addressType").cloned();
        let replaced = stored.as_ref().is_some_and(|it| family(&it.object) != family(&object));
        if replaced {
            // The family of a slice cannot change.
            self.delete(target, &DeleteOptions::default(), &mut warnings).await?;
        }
        if stored.is_none() || replaced {
            let all = Target { name: Text::default(), ..target.clone() };
            match self.create(&all, &body, &options, &mut warnings).await {
                // Another server on the same store was faster.
                Err(status) if status.reason == Reason::AlreadyExists => {}
                result => return result.map(drop),
            }
        }
        self.update(target, Part::Main, &body, &options, &mut warnings).await.map(drop)
    }
}

fn endpoints(ip: IpAddr, port: u16) -> Value {
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

fn endpoint_slice(ip: IpAddr, port: u16) -> Value {
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
