//! Admission that users bring: policies and webhooks, as the last plugin of the chain.
//!
//! [`Dynamic`] holds what is configured, compiled. A write of configuration through this server is
//! in force for the next request; writes of other servers are heard of by [`Dynamic::follow`].

mod mutating;
mod params;
mod request;
mod validating;
mod webhooks;

use std::collections::BTreeSet;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use ordain_admission::State;
use ordain_admission::access::Authorizer;
use ordain_admission::policy::validate_expressions;
use ordain_admission::roles::GROUP as ROLES_GROUP;
use ordain_admission::state::{Configuration, GROUP};
use ordain_admission::webhook::{ClientConfig, Reply};
use ordain_meta::status::Status;
use ordain_value::{Text, Value};

pub use webhooks::PATCH_ANNOTATION;

use crate::admission::{Attributes, Plugin, Verdict};
use crate::changes::follow;
use crate::object;
use crate::registry::{Registry, Target};
use crate::request::{ListOptions, Warnings};
use crate::trace::Headers;
use crate::watch::EventType;

/// How the plugin is called.
const NAME: &str = "Dynamic";

/// Asks webhooks over the network.
pub trait WebhookClient: fmt::Debug + Send + Sync + 'static {
    /// Posts a review and gives back what came, or why nothing did, in words. `headers` tell of
    /// the trace that the call belongs to.
    fn post<'a>(
        &'a self,
        client: &'a ClientConfig,
        body: Vec<u8>,
        timeout: Duration,
        headers: Headers,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, String>> + Send + 'a>>;
}

/// Roles as expressions ask for them (`authorizer`), and as writes of roles change them.
pub trait Roles: Authorizer + fmt::Debug {
    /// Reads the stored roles and bindings again.
    fn refresh<'a>(&'a self, registry: &'a Registry) -> Verdict<'a>;
}

/// The policies and webhooks in force.
#[derive(Debug, Default)]
pub struct Dynamic {
    state: RwLock<State>,
    /// Held from reading an object to taking it up, so that no older one replaces a newer one.
    reading: tokio::sync::Mutex<()>,
    roles: Option<Arc<dyn Roles>>,
}

impl Dynamic {
    /// Admission whose expressions ask these roles what users may do.
    #[must_use]
    pub fn new(roles: Option<Arc<dyn Roles>>) -> Self {
        // Configuration is refused whose expressions do not compile; whoever said so first said
        // the same.
        let _ = ordain_kubernetes::expressions::check_with(validate_expressions);
        Self { roles, ..Self::default() }
    }

    fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, configuration: Configuration, name: &Text, object: Option<&Value>) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        state.set(configuration, name, object);
    }

    /// Reads all configuration anew.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn refresh(&self, registry: &Registry) -> Result<(), Status> {
        self.read(registry).await.map(|_| ())
    }

    async fn read(&self, registry: &Registry) -> Result<Vec<(Target, u64)>, Status> {
        let _reading = self.reading.lock().await;
        let mut versions = Vec::new();
        for configuration in Configuration::ALL {
            let Some(target) = target(registry, configuration, "") else { continue };
            let listed = registry.list(&target, &ListOptions::default()).await?;
            let names: BTreeSet<&str> = listed.items.iter().map(object::name).collect();
            // Not in the head of the loop, where the state would stay locked.
            let known = self.state().names(configuration);
            for gone in known {
                if !names.contains(&gone.as_str()) {
                    self.set(configuration, &gone, None);
                }
            }
            for item in &listed.items {
                self.set(configuration, &object::name(item).into(), Some(item));
            }
            versions.push((target, listed.resource_version));
        }
        Ok(versions)
    }

    /// Keeps the configuration up to date as long as the server runs.
    pub async fn follow(&self, registry: &Arc<Registry>) {
        follow(|| self.follow_once(registry)).await;
    }

    /// Takes up what others write, object by object, until a watch ends.
    async fn follow_once(&self, registry: &Arc<Registry>) -> Result<(), Status> {
        let mut watchers = Vec::new();
        for (target, version) in self.read(registry).await? {
            let resource_version = version.to_string().into();
            let options = ListOptions { resource_version, watch: true, ..ListOptions::default() };
            let watcher = registry.watch(&target, &options).await?;
            watchers.push((target, watcher));
        }
        if watchers.is_empty() {
            return Err(Status::service_unavailable("no admission configuration is served"));
        }
        loop {
            let heard = watchers.iter_mut().map(|(_, watcher)| Box::pin(watcher.next()));
            let (event, at, _) = futures_util::future::select_all(heard).await;
            let Some((target, watcher)) = watchers.get(at) else { return Ok(()) };
            let written = event.filter(|event| is_write(event.ty));
            let Some(event) = written else { return Ok(()) };
            let name = object::name(&watcher.object(&event)?).into();
            let resource = &target.resource;
            if let Some(configuration) = Configuration::of(&resource.group, &resource.plural) {
                // The event may be older than what was taken up already: the store knows.
                let target = Target { name, ..target.clone() };
                self.take_up(registry, configuration, &target).await?;
            }
        }
    }

    /// Roles that were written count for expressions from the next request on.
    async fn read_roles(&self, registry: &Registry) -> Result<(), Status> {
        match &self.roles {
            Some(roles) => roles.refresh(registry).await,
            None => Ok(()),
        }
    }

    /// Takes up one object as it is in the store.
    async fn take_up(
        &self,
        registry: &Registry,
        configuration: Configuration,
        target: &Target,
    ) -> Result<(), Status> {
        let _reading = self.reading.lock().await;
        let current = registry.read(&target.resource, &target.key()).await?;
        let object = current.map(|stored| stored.object);
        self.set(configuration, &target.name, object.as_ref());
        Ok(())
    }
}

/// Whether an event is about a write, and not that the watch is over.
fn is_write(ty: EventType) -> bool {
    matches!(ty, EventType::Added | EventType::Modified | EventType::Deleted)
}

/// A configuration resource, or one object of it; none if it is not served.
fn target(registry: &Registry, configuration: Configuration, name: &str) -> Option<Target> {
    let resource = registry.catalog().get(GROUP, configuration.plural()).cloned()?;
    Some(Target::stored(&resource, "", name))
}

impl Plugin for Dynamic {
    fn name(&self) -> &'static str {
        NAME
    }

    fn shows_json(&self, target: &Target) -> bool {
        !self.state().validating_webhooks(&target.resource.plural).is_empty()
    }

    fn mutate<'a>(
        &'a self,
        attributes: &'a Attributes<'a>,
        object: Option<&'a mut Value>,
        warnings: &'a mut Warnings,
    ) -> Verdict<'a> {
        Box::pin(self.mutate_object(attributes, object, warnings))
    }

    fn validate<'a>(
        &'a self,
        attributes: &'a Attributes<'a>,
        object: Option<&'a Value>,
        warnings: &'a mut Warnings,
    ) -> Verdict<'a> {
        Box::pin(self.validate_object(attributes, object, warnings))
    }

    fn committed<'a>(&'a self, registry: &'a Registry, target: &'a Target) -> Verdict<'a> {
        let resource = &target.resource;
        match Configuration::of(&resource.group, &resource.plural) {
            // A name that the server made up is not in the target.
            Some(_) if target.name.is_empty() => Box::pin(self.refresh(registry)),
            Some(configuration) => Box::pin(self.take_up(registry, configuration, target)),
            None if resource.group == ROLES_GROUP => Box::pin(self.read_roles(registry)),
            None => Box::pin(async { Ok(()) }),
        }
    }
}
