//! API services of other servers (`APIService`): which group versions are served elsewhere, whether
//! those who serve them answer, and the way to them.
//!
//! They are looked at again and again by [`Registry::follow_api_services`]; what came of it is in
//! their condition `Available`, and requests go only to those that are. A group version that this
//! server serves itself is taken over, as in Kubernetes: whoever may write an `APIService` decides
//! who serves it. Only the core group and that of `APIService` itself are never given away.

mod openapi;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use ordain_admission::webhook::{ClientConfig, Service};
use ordain_meta::status::Status;
use ordain_storage::Expect;
use ordain_value::{Text, Value, json, value};
use tokio::sync::Notify;

pub use openapi::OpenApi;

use crate::object;
use crate::registry::{Registry, Target};
use crate::request::ListOptions;

pub(crate) const GROUP: &str = "apiregistration.k8s.io";
/// An address for a service that is none of the cluster: an extension of this server.
const URL: &str = "ordain.dev/url";
const PAUSE: Duration = Duration::from_secs(10);
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);
/// Longer lists of resources are not kept.
const DISCOVERY_BYTES_MAX: usize = 4 * 1024 * 1024;

/// A group version that another server serves.
#[derive(Debug, Clone, PartialEq)]
pub struct Remote {
    pub group: Text,
    pub version: Text,
    pub backend: Backend,
    pub is_available: bool,
    /// The entries of its `APIResourceList`.
    pub resources: Vec<Value>,
    /// What it says of itself in OpenAPI, if it does.
    pub openapi: Option<OpenApi>,
}

impl Remote {
    fn is_of(&self, other: &Self) -> bool {
        (&self.group, &self.version) == (&other.group, &other.version)
    }
}

/// Where another server is, and by what it is trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backend {
    pub client: ClientConfig,
    /// Its certificate is not looked at.
    pub insecure: bool,
}

/// A request to another server.
#[derive(Debug, Clone, Default)]
pub struct Outgoing {
    pub method: String,
    /// With its query.
    pub path: String,
    pub headers: Vec<(String, Vec<u8>)>,
    pub body: Bytes,
}

/// The answer of another server, whose body comes bit by bit.
pub struct Incoming {
    pub status: u16,
    pub headers: Vec<(String, Vec<u8>)>,
    pub body: Pin<Box<dyn Stream<Item = Result<Bytes, String>> + Send>>,
}

/// Sends requests to other servers.
pub trait Relay: fmt::Debug + Send + Sync + 'static {
    /// The beginning of the answer, or why there is none, in words.
    fn send<'a>(
        &'a self,
        backend: &'a Backend,
        request: Outgoing,
    ) -> Pin<Box<dyn Future<Output = Result<Incoming, String>> + Send + 'a>>;
}

/// What is known of other servers.
#[derive(Default)]
pub(crate) struct Aggregation {
    remotes: ArcSwap<Vec<Remote>>,
    changed: Notify,
    pub(crate) relay: Option<Arc<dyn Relay>>,
}

impl Aggregation {
    /// Has the services looked at soon.
    pub(crate) fn note_change(&self) {
        self.changed.notify_one();
    }
}

/// What a look at a service showed.
struct Seen {
    is_available: bool,
    reason: &'static str,
    message: String,
    resources: Vec<Value>,
}

impl Seen {
    fn failed(reason: &'static str, message: String) -> Self {
        Self { is_available: false, reason, message, resources: Vec::new() }
    }
}

impl Registry {
    /// The group versions of other servers.
    pub fn remotes(&self) -> Arc<Vec<Remote>> {
        self.aggregation.remotes.load_full()
    }

    /// Who else serves a group version.
    pub fn remote(&self, group: &str, version: &str) -> Option<Remote> {
        let remotes = self.remotes();
        remotes.iter().find(|it| it.group == group && it.version == version).cloned()
    }

    /// Passes a request on.
    ///
    /// # Errors
    /// When nobody answers.
    pub async fn relay(&self, remote: &Remote, request: Outgoing) -> Result<Incoming, Status> {
        let unavailable = || Status::service_unavailable("service unavailable");
        let relay = self.aggregation.relay.as_ref().filter(|_| remote.is_available);
        let relay = relay.ok_or_else(unavailable)?;
        relay.send(&remote.backend, request).await.map_err(|why| {
            Status::service_unavailable(&format!("error trying to reach service: {why}"))
        })
    }

    /// Looks at the services of others as long as the server runs.
    pub async fn follow_api_services(&self) {
        loop {
            // A store that fails now is asked again in the next round.
            let _ = self.check_api_services().await;
            let _ = tokio::time::timeout(PAUSE, self.aggregation.changed.notified()).await;
        }
    }

    /// Looks at each service once.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn check_api_services(&self) -> Result<(), Status> {
        let Some(resource) = self.catalog().get(GROUP, "apiservices").cloned() else {
            return Ok(());
        };
        let target = Target::stored(&resource, "", "");
        let (mut remotes, before) = (Vec::new(), self.remotes());
        for item in self.list(&target, &ListOptions::default()).await?.items {
            let Some(mut remote) = read(&item) else { continue };
            let seen = self.look_at(&remote).await;
            self.note_availability(&target, &item, &seen).await?;
            remote.is_available = seen.is_available;
            remote.resources = seen.resources;
            let known = before.iter().find(|it| it.backend == remote.backend && it.is_of(&remote));
            let known = known.and_then(|it| it.openapi.clone());
            remote.openapi = self.read_openapi(&remote, known).await;
            if !remote.group.is_empty() && remote.group != GROUP {
                remotes.push(remote);
            }
        }
        // Documents are kept as long as this is the same.
        if *before != remotes {
            self.aggregation.remotes.store(Arc::new(remotes));
        }
        Ok(())
    }

    /// What a service says of itself in OpenAPI, within the time of a look at it.
    async fn read_openapi(&self, remote: &Remote, known: Option<OpenApi>) -> Option<OpenApi> {
        let relay = self.aggregation.relay.as_ref().filter(|_| remote.is_available)?;
        let read = openapi::fetch(relay.as_ref(), remote, known);
        tokio::time::timeout(CHECK_TIMEOUT, read).await.ok().flatten()
    }

    /// Asks a service for its discovery document.
    async fn look_at(&self, remote: &Remote) -> Seen {
        let failed = |why: String| Seen::failed("FailedDiscoveryCheck", why);
        let Some(relay) = &self.aggregation.relay else {
            return failed("this server calls no other servers".to_owned());
        };
        let path = format!("/apis/{}/{}", remote.group, remote.version);
        let accept = ("accept".to_owned(), b"application/json".to_vec());
        let request = Outgoing {
            method: "GET".to_owned(),
            path: path.clone(),
            headers: vec![accept],
            ..Outgoing::default()
        };
        let place = match &remote.backend.client.service {
            Some(service) => {
                format!("https://{}.{}.svc:{}", service.name, service.namespace, service.port)
            }
            None => remote.backend.client.url.to_string(),
        };
        let asked = async {
            let answer = relay.send(&remote.backend, request).await?;
            Ok::<_, String>((answer.status, collect(answer, DISCOVERY_BYTES_MAX).await?))
        };
        let answer = tokio::time::timeout(CHECK_TIMEOUT, asked).await;
        match answer.unwrap_or_else(|_| Err("context deadline exceeded".to_owned())) {
            Ok((200..=299, body)) => {
                let list = json::decode(&body).ok();
                let list =
                    list.as_ref().and_then(|it| it.get("resources")).and_then(Value::as_list);
                let resources = list.map(|list| list.as_slice().to_vec()).unwrap_or_default();
                let (reason, message) = ("Passed", "all checks passed".to_owned());
                Seen { is_available: true, reason, message, resources }
            }
            Ok((status, _)) => failed(format!(
                "failing or missing response from {place}{path}: bad status from {place}{path}: {status}"
            )),
            Err(why) => match &remote.backend.client.service {
                Some(service) if why.ends_with("not found") => Seen::failed(
                    "ServiceNotFound",
                    format!("service/{} in \"{}\" is not present", service.name, service.namespace),
                ),
                _ => failed(format!("failing or missing response from {place}{path}: {why}")),
            },
        }
    }

    /// Writes the condition of a service, if it is another one now.
    async fn note_availability(
        &self,
        target: &Target,
        item: &Value,
        seen: &Seen,
    ) -> Result<(), Status> {
        let resource = &target.resource;
        let key = resource.key("", object::name(item));
        let Some(current) = self.read(resource, &key).await? else { return Ok(()) };
        let status = if seen.is_available { "True" } else { "False" };
        let mut condition = value!({
            "type": "Available",
            "status": status,
            "reason": (seen.reason),
            "message": (seen.message.as_str()),
            "lastTransitionTime": (self.now())
        });
        let known = current.object.get_path(&["status", "conditions"]).and_then(Value::as_list);
        let known = known.and_then(|list| list.iter().next());
        if let Some(known) = known {
            let same = |field: &str| known.get(field) == condition.get(field);
            if same("status") {
                if same("reason") && same("message") {
                    return Ok(());
                }
                if let Some(since) = known.get("lastTransitionTime").cloned() {
                    condition.set_path(&["lastTransitionTime"], since);
                }
            }
        }
        let mut changed = current.object.clone();
        changed.set_path(&["status", "conditions"], vec![condition].into());
        let encoded = self.encode(resource, &resource.storage_version, &changed).await?;
        // Whoever wrote in between has the service looked at again.
        let _ = self.commit(resource, &key, Expect::Exact(current.revision), encoded).await?;
        Ok(())
    }
}

async fn collect(mut answer: Incoming, bytes_max: usize) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    while let Some(piece) = answer.body.next().await {
        out.extend_from_slice(&piece?);
        if out.len() > bytes_max {
            return Err(format!("the answer is larger than {bytes_max} bytes"));
        }
    }
    Ok(out)
}

/// The service that an `APIService` names; none for a local one.
fn read(item: &Value) -> Option<Remote> {
    const HTTPS: i64 = 443;
    let text =
        |path: &[&str]| item.get_path(path).and_then(Value::as_text).cloned().unwrap_or_default();
    let mut client = item.get("spec").map(ClientConfig::read).unwrap_or_default();
    client.url = text(&["metadata", "annotations", URL]);
    if client.url.is_empty() && client.service.is_none() {
        return None;
    }
    if client.url.is_empty() {
        client.service = client
            .service
            .map(|it| Service { port: if it.port == 0 { HTTPS } else { it.port }, ..it });
    } else {
        client.service = None;
    }
    let insecure = item.get_path(&["spec", "insecureSkipTLSVerify"]).and_then(Value::as_bool);
    let backend = Backend { client, insecure: insecure.unwrap_or(false) };
    let (group, version) = (text(&["spec", "group"]), text(&["spec", "version"]));
    let (resources, openapi) = (Vec::new(), None);
    Some(Remote { group, version, backend, is_available: false, resources, openapi })
}
