//! What a server takes from the machine it runs on: time, randomness, rounds of the controllers and
//! the signal to stop; and the registry that all of it goes into.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ordain_meta::time::Time;
use ordain_rbac::{NoEscalation, Rbac};
use ordain_registry::admission::{Chain, Plugin};
use ordain_registry::dynamic::{Dynamic, Roles, WebhookClient};
use ordain_registry::gates::Gates;
use ordain_registry::namespace::NamespaceLifecycle;
use ordain_registry::source::{Clock, Entropy};
use ordain_registry::{DefaultAdmission, Options, Registry, RuntimeConfig, ServiceRanges};
use ordain_testapi::{Faults, SlowWebhooks};
use ordain_webhook::{Client, Services};

use crate::store::{Opened, Place};

/// The clock of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Time {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Time::from_unix(i64::try_from(since.as_secs()).unwrap_or(0), since.subsec_nanos())
    }
}

/// Chance from the operating system's seed, spread by a counter.
#[derive(Debug, Default)]
pub struct SystemEntropy {
    seed: RandomState,
    counter: AtomicU64,
}

impl Entropy for SystemEntropy {
    fn next_u64(&self) -> u64 {
        let mut hasher = self.seed.build_hasher();
        hasher.write_u64(self.counter.fetch_add(1, Ordering::Relaxed));
        hasher.finish()
    }
}

/// Which controllers run beside a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Controllers {
    /// Dependents of deleted owners are collected, and terminating namespaces emptied.
    pub garbage: bool,
    /// Every namespace has the service account `default`.
    pub service_accounts: bool,
    /// Every namespace has the authority of the server, in the ConfigMap `kube-root-ca.crt`.
    pub root_authority: bool,
    /// The usage of resource quotas is counted.
    pub quotas: bool,
    /// Volumes, claims and classes that were deleted go once nobody uses them.
    pub storage: bool,
}

impl Controllers {
    /// All of them, or none.
    pub fn all(on: bool) -> Self {
        Self { garbage: on, service_accounts: on, root_authority: on, quotas: on, storage: on }
    }

    /// Those that make no objects of their own, or none.
    pub fn quiet(on: bool) -> Self {
        Self { garbage: on, quotas: on, storage: on, ..Self::all(false) }
    }

    /// Reads names: `all` or `*`, `none`, single ones, and single ones to leave out with a minus.
    ///
    /// # Errors
    /// A name that no controller has.
    pub fn read<T: AsRef<str>>(names: &[T]) -> Result<Self, String> {
        let left_out = |name: &T| name.as_ref().starts_with('-');
        let mut chosen = Self::all(names.iter().all(left_out));
        for name in names.iter().map(AsRef::as_ref) {
            let (on, plain) = match name.strip_prefix('-') {
                Some(plain) => (false, plain),
                None => (true, name),
            };
            match plain {
                "all" | "*" => chosen = Self::all(on),
                "none" => chosen = Self::all(!on),
                "garbage" => chosen.garbage = on,
                "serviceaccount" => chosen.service_accounts = on,
                "rootca" => chosen.root_authority = on,
                "resourcequota" => chosen.quotas = on,
                "storageprotection" => chosen.storage = on,
                _ => {
                    return Err(format!(
                        "there is no controller {plain:?}: there are garbage, serviceaccount, \
                         rootca, resourcequota and storageprotection, and the words all and none"
                    ));
                }
            }
        }
        Ok(chosen)
    }

    /// Runs those that are chosen as long as the server does, with its authority in PEM. A failed
    /// round is tried again.
    pub async fn run(self, registry: Arc<Registry>, authority: String) {
        let garbage = again(self.garbage, || registry.run_controllers());
        let accounts = again(self.service_accounts, || registry.run_service_accounts());
        let published = again(self.root_authority, || registry.run_root_authority(&authority));
        let quotas = again(self.quotas, || registry.run_quotas());
        let storage = again(self.storage, || registry.run_storage_protection());
        tokio::join!(garbage, accounts, published, quotas, storage);
    }
}

/// Runs a controller, and again when it fails.
async fn again<F: Future>(wanted: bool, round: impl Fn() -> F) {
    if !wanted {
        return;
    }
    loop {
        let _ = round().await;
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// The admission of users: their policies and webhooks.
pub fn dynamic_admission(rbac: Option<&Arc<Rbac>>) -> Arc<Dynamic> {
    Arc::new(Dynamic::new(rbac.map(|it| Arc::clone(it) as Arc<dyn Roles>)))
}

/// Calls webhooks, with services at these addresses.
pub fn webhooks(services: Services) -> Arc<Client> {
    Arc::new(Client::new(services))
}

/// Calls webhooks, slowed down by faults if there are some.
pub fn slowed(client: Arc<Client>, faults: Option<&Arc<Faults>>) -> Arc<dyn WebhookClient> {
    match faults {
        Some(faults) => Arc::new(SlowWebhooks::new(Arc::clone(faults), client)),
        None => client,
    }
}

/// What a server brings itself.
#[derive(Debug)]
pub struct Own {
    /// The feature gates.
    pub gates: Arc<Gates>,
    /// The default admission plugins that are switched on.
    pub plugins: DefaultAdmission,
    /// Addresses and ports of services.
    pub ranges: ServiceRanges,
    /// Which groups and versions are served.
    pub runtime_config: RuntimeConfig,
    /// Which controllers run.
    pub controllers: Controllers,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// Where services of the cluster are found that webhooks run as.
    pub services: Services,
    /// What goes wrong on purpose, in tests.
    pub faults: Option<Arc<Faults>>,
}

/// Starts a registry over the store of a place, with the admission of users behind the server's
/// own.
///
/// # Errors
/// When the store cannot be opened or read, in one line.
pub async fn registry(
    place: &Place,
    own: Own,
    rbac: &Arc<Rbac>,
    dynamic: &Arc<Dynamic>,
) -> Result<(Arc<Registry>, Opened), String> {
    let Own { gates, plugins, ranges, runtime_config, controllers, clock, services, faults } = own;
    let opened = place.open()?;
    let dynamic = Arc::clone(dynamic);
    let escalation = NoEscalation::new(Arc::clone(rbac));
    let quotas = plugins.quotas();
    let mut chain: Vec<Arc<dyn Plugin>> = vec![
        Arc::new(NamespaceLifecycle),
        Arc::new(escalation),
        Arc::new(plugins),
        dynamic.clone(),
    ];
    chain.extend(quotas);
    let chain = Chain::new(chain);
    let registry = Registry::new(
        Arc::clone(&opened.store),
        clock,
        Arc::new(SystemEntropy::default()),
        chain,
        Arc::new(ordain_registry::crd::DefinitionHooks::default()),
        Options { controllers: controllers.garbage },
    );
    let registry = registry.with_gates(gates).with_service_ranges(ranges);
    let registry = registry.with_runtime_config(runtime_config);
    let client = webhooks(services);
    let caller = slowed(Arc::clone(&client), faults.as_ref());
    let registry = Arc::new(registry.with_webhooks(caller).with_relay(client));
    let started = async {
        registry.start().await.map_err(|status| status.message)?;
        dynamic.refresh(&registry).await.map_err(|status| status.message)?;
        if matches!(place, Place::Memory) {
            registry.forget_history().await.map_err(|status| status.message)?;
        }
        Ok(())
    };
    if let Err(message) = started.await {
        opened.close().await;
        return Err(message);
    }
    Ok((registry, opened))
}

/// Done when the process is asked to stop.
///
/// # Errors
/// When signals cannot be listened for.
pub fn stop_signal() -> Result<impl Future<Output = ()>, String> {
    use tokio::signal::unix::{SignalKind, signal};
    let listen = |kind: SignalKind| {
        signal(kind).map_err(|error| format!("cannot listen for signals: {error}"))
    };
    let (mut interrupt, mut terminate) =
        (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controllers_are_chosen_by_name() {
        assert_eq!(Controllers::read(&["all"]), Ok(Controllers::all(true)));
        assert_eq!(Controllers::read(&["none"]), Ok(Controllers::all(false)));
        let without = Controllers::read(&["-garbage"]).unwrap();
        assert_eq!(without, Controllers { garbage: false, ..Controllers::all(true) });
        let only = Controllers::read(&["serviceaccount", "rootca"]).unwrap();
        assert!(only.service_accounts && only.root_authority && !only.garbage && !only.quotas);
        assert!(Controllers::read(&["cronjob"]).unwrap_err().contains("no controller \"cronjob\""));
    }
}
