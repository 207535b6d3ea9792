//! What every namespace has: the service account `default`, and the authority of the server in the
//! ConfigMap `kube-root-ca.crt`. What is deleted or changed comes back.

use ordain_meta::status::{Reason, Status};
use ordain_storage::Event;
use ordain_strategy::create::{Origin, Read};
use ordain_value::{Value, value};

use super::follow::{Keeper, place};
use super::garbage::CONTROLLER;
use crate::caller;
use crate::create::Cause;
use crate::object;
use crate::registry::{Registry, Target};
use crate::request::{Warnings, WriteOptions};

const NAMESPACES: &str = "/registry/namespaces/";
const ACCOUNTS: &str = "/registry/serviceaccounts/";
const CONFIG_MAPS: &str = "/registry/configmaps/";
const DEFAULT: &str = "default";
const ROOT_AUTHORITY: &str = "kube-root-ca.crt";
const DESCRIPTION: &str = "Contains a CA bundle that can be used to verify the kube-apiserver when \
                           using internal endpoints such as the internal service IP or \
                           kubernetes.default.svc. No other usage is guaranteed across \
                           distributions of Kubernetes clusters.";

/// Keeps the default account.
struct Accounts;

/// Keeps the authority published.
struct Authority {
    pem: String,
}

/// The namespace that has appeared or changed, or in which the object of this name went away or
/// was changed.
fn concerned<'a>(event: &'a Event, prefix: &str, name: &str) -> Option<&'a str> {
    if let Some(namespace) = event.key.strip_prefix(NAMESPACES) {
        return event.value.is_some().then_some(namespace);
    }
    place(&event.key, prefix).filter(|it| it.1 == name).map(|it| it.0)
}

impl Keeper for Accounts {
    fn concerned<'a>(&self, event: &'a Event) -> Option<&'a str> {
        concerned(event, ACCOUNTS, DEFAULT)
    }

    async fn keep<'a>(&'a self, registry: &'a Registry, namespace: &'a str) -> Result<(), Status> {
        let account = value!({
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": DEFAULT, "namespace": namespace}
        });
        registry.keep_object("serviceaccounts", namespace, account, |_, _| true).await
    }
}

impl Keeper for Authority {
    fn concerned<'a>(&self, event: &'a Event) -> Option<&'a str> {
        concerned(event, CONFIG_MAPS, ROOT_AUTHORITY)
    }

    async fn keep<'a>(&'a self, registry: &'a Registry, namespace: &'a str) -> Result<(), Status> {
        let mut map = value!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {
                "name": ROOT_AUTHORITY,
                "namespace": namespace,
                "annotations": {"kubernetes.io/description": DESCRIPTION}
            }
        });
        map.set_path(&["data", "ca.crt"], self.pem.as_str().into());
        let same = |found: &Value, wanted: &Value| found.get("data") == wanted.get("data");
        registry.keep_object("configmaps", namespace, map, same).await
    }
}

impl Registry {
    /// Keeps the service account `default` in every namespace, until the store ends.
    ///
    /// # Errors
    /// When the store fails; starting again goes on.
    pub async fn run_service_accounts(&self) -> Result<(), Status> {
        self.run_keeper(&Accounts).await
    }

    /// Keeps the authority of the server, in PEM, published in every namespace, until the store
    /// ends.
    ///
    /// # Errors
    /// When the store fails; starting again goes on.
    pub async fn run_root_authority(&self, pem: &str) -> Result<(), Status> {
        self.run_keeper(&Authority { pem: pem.to_owned() }).await
    }

    /// Makes an object that is missing, and brings back one that is not good any more. Does nothing
    /// in a namespace that is going.
    async fn keep_object(
        &self,
        plural: &str,
        namespace: &str,
        wanted: Value,
        is_good: impl Fn(&Value, &Value) -> bool,
    ) -> Result<(), Status> {
        let catalog = self.catalog();
        let (Some(namespaces), Some(config)) =
            (catalog.get("", "namespaces"), catalog.get("", plural))
        else {
            return Ok(());
        };
        let home = self.read(namespaces, &namespaces.key("", namespace)).await?;
        if home.is_none_or(|home| object::is_deleting(&home.object)) {
            return Ok(());
        }
        let target = Target::stored(config, namespace, object::name(&wanted));
        let options = WriteOptions { field_manager: CONTROLLER.into(), ..WriteOptions::default() };
        let mut warnings = Warnings::default();
        if let Some(stored) = self.read(config, &target.key()).await? {
            if is_good(&stored.object, &wanted) {
                return Ok(());
            }
            let mut restored = stored.object.clone();
            if let Some(data) = wanted.get("data") {
                restored.set_path(&["data"], data.clone());
            }
            let replaced = self.replace(&target, &stored, &restored, false);
            return caller::as_server(replaced).await.map(|_| ());
        }
        let read = Read::object(self.context(None, None), &target, wanted, Origin::Posted)?;
        let created = self.create_object(&target, Cause::Create, read, &options, &mut warnings);
        match caller::as_server(created).await {
            // Another server on the same store was faster, or the namespace is going by now.
            Err(status) if matches!(status.reason, Reason::AlreadyExists | Reason::Forbidden) => {
                Ok(())
            }
            done => done.map(|_| ()),
        }
    }
}
