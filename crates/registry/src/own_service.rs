//! The service `default/kubernetes`, under which clients find the server, and its endpoints.

use std::net::IpAddr;

use ordain_kubernetes::bootstrap;
use ordain_meta::status::{Reason, Status};
use ordain_value::{Text, Value, json};

use crate::caller;
use crate::decode::{Body, Media};
use crate::initial::lines;
use crate::registry::{Registry, Target};
use crate::request::{DeleteOptions, Warnings, WriteOptions};
use crate::strategy::Part;

/// Both forms of the endpoints.
const ENDPOINTS: &str = include_str!("initial/endpoints.txt");

impl Registry {
    /// Tells where the server is found: the endpoints of its service, in both forms. They name the
    /// server that was started last.
    ///
    /// # Errors
    /// When they cannot be written.
    pub async fn publish_endpoints(&self, ip: IpAddr, port: u16) -> Result<(), Status> {
        let (address, number) = (ip.to_string(), port.to_string());
        let family = if ip.is_ipv4() { "IPv4" } else { "IPv6" };
        let values = [("ip", address.as_str()), ("port", number.as_str()), ("family", family)];
        for target in self.create_prepared(&lines(ENDPOINTS), &values).await? {
            let wanted = match target.resource.plural.as_str() {
                "endpoints" => bootstrap::endpoints(ip, port),
                _ => bootstrap::endpoint_slice(ip, port),
            };
            caller::as_server(self.put(&target, wanted)).await?;
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
