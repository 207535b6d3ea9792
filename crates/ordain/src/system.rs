//! What a server takes from the machine it runs on: time, chance, rounds of the controllers and the
//! signal to stop; and the registry that all of it goes into.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ordain_meta::time::Time;
use ordain_registry::admission::Chain;
use ordain_registry::dynamic::Dynamic;
use ordain_registry::gates::Gates;
use ordain_registry::namespace::NamespaceLifecycle;
use ordain_registry::rbac::{NoEscalation, Rbac};
use ordain_registry::source::{Clock, Entropy};
use ordain_registry::{DefaultAdmission, Options, Registry, RuntimeConfig, ServiceRanges};
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

/// Runs the controllers as long as the server does. A failed round is tried again.
pub async fn control(registry: Arc<Registry>) {
    loop {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let _ = registry.run_controllers().await;
    }
}

/// The admission of users: their policies and webhooks.
pub fn dynamic_admission(rbac: Option<&Arc<Rbac>>) -> Arc<Dynamic> {
    Arc::new(Dynamic::new(rbac.cloned()))
}

/// Calls webhooks, with services at these addresses.
pub fn webhooks(services: Services) -> Arc<Client> {
    Arc::new(Client::new(services))
}

/// What a server brings itself.
#[derive(Debug)]
pub struct Own {
    pub gates: Arc<Gates>,
    /// The default admission plugins that are switched on.
    pub plugins: DefaultAdmission,
    /// Addresses and ports of services.
    pub ranges: ServiceRanges,
    /// Which groups and versions are served.
    pub runtime_config: RuntimeConfig,
    /// Whether garbage is collected and namespaces are emptied.
    pub controllers: bool,
    /// Where services of the cluster are found that webhooks run as.
    pub services: Services,
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
    let Own { gates, plugins, ranges, runtime_config, controllers, services } = own;
    let opened = place.open()?;
    let dynamic = Arc::clone(dynamic);
    let escalation = NoEscalation::new(Arc::clone(rbac));
    let chain = Chain::new(vec![
        Arc::new(NamespaceLifecycle),
        Arc::new(escalation),
        Arc::new(plugins),
        dynamic.clone(),
    ]);
    let registry = Registry::new(
        Arc::clone(&opened.store),
        Arc::new(SystemClock),
        Arc::new(SystemEntropy::default()),
        chain,
        Arc::new(ordain_registry::crd::DefinitionHooks::default()),
        Options { controllers },
    );
    let registry = registry.with_gates(gates).with_service_ranges(ranges);
    let registry = registry.with_runtime_config(runtime_config);
    let registry = Arc::new(registry.with_webhooks(webhooks(services)));
    registry.start().await.map_err(|status| status.message)?;
    dynamic.refresh(&registry).await.map_err(|status| status.message)?;
    if matches!(place, Place::Memory) {
        registry.forget_history().await.map_err(|status| status.message)?;
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
