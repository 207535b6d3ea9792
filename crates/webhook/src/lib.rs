//! The network half of webhooks: posts reviews over HTTPS and gives back what came.
//!
//! Connections are kept and used again, HTTP/2 where the webhook speaks it. A call ends when its
//! time is up, whatever it waits for, and an answer has a largest size; so a slow, dead or
//! talkative webhook costs its own requests and nobody else's. Failures are reported in the words of
//! Kubernetes' client, which users know.

mod address;
mod connection;
mod own_pace;
mod pool;
mod relay;
mod trust;
mod verify;
mod x509_metrics;

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use ordain_admission::webhook::{ClientConfig, Reply};
use ordain_registry::dynamic::WebhookClient;
use ordain_registry::trace::Headers;
use tokio::time::Instant;

use address::Address;
pub use address::Services;
use connection::{Call, Failure};
use pool::Pool;
use x509_metrics::Whose;

/// Larger answers are not read to their end.
pub const ANSWER_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Larger answers than this are held until they were looked at: of one webhook no more at a time than
/// the largest may have.
const SMALL_ANSWER_BYTES: usize = 256 * 1024;

/// A webhook that sends the asker on and on is given up.
const REDIRECTS_MAX: usize = 10;

/// More webhooks than this are not kept in touch with: the one that was not used longest goes.
const POOLS_MAX: usize = 1024;

/// Calls webhooks.
#[derive(Debug, Default)]
pub struct Client {
    services: Services,
    /// By where a webhook is and whom it is trusted by.
    pools: Mutex<BTreeMap<(String, Vec<u8>), Arc<Pool>>>,
}

impl Client {
    /// A client that finds services of the cluster at these addresses.
    #[must_use]
    pub fn new(services: Services) -> Self {
        Self { services, pools: Mutex::default() }
    }

    fn pool(&self, address: &Address, config: &ClientConfig) -> Result<Arc<Pool>, String> {
        let key = (address.authority.clone(), config.ca_bundle.clone());
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = pools.get(&key) {
            return Ok(Arc::clone(pool));
        }
        if pools.len() >= POOLS_MAX {
            pools.pop_first();
        }
        let pool = Arc::new(Pool::new(trust::trust(&config.ca_bundle, Whose::Webhook)?));
        pools.insert(key, Arc::clone(&pool));
        Ok(pool)
    }

    async fn call(
        &self,
        config: &ClientConfig,
        body: Vec<u8>,
        timeout: Duration,
        headers: Headers,
    ) -> Result<Reply, String> {
        let address = Address::of(config)?;
        let uri = address.uri(timeout);
        let failed = |why: Failure| why.into_words(&uri);
        let pool = self.pool(&address, config)?;
        let place = self.services.place(&address).map_err(|why| failed(why.into()))?;
        let deadline = Instant::now() + timeout;
        let call = Call {
            uri: uri.clone(),
            body: Some(Bytes::from(body)),
            headers,
            deadline,
            large: Arc::clone(&pool.large),
        };
        follow(&pool, &address, &place, call).await.map_err(failed)
    }
}

/// Asks, and goes where the webhook sends the asker to, within the same host.
async fn follow(
    pool: &Pool,
    address: &Address,
    place: &(String, u16),
    mut call: Call,
) -> Result<Reply, Failure> {
    for _ in 0..REDIRECTS_MAX {
        let received = pool.ask(address, place, &call).await?;
        let status = received.reply.status;
        let moved = matches!(status, 301..=303 | 307 | 308);
        let Some(location) = received.location.filter(|_| moved) else {
            return Ok(received.reply);
        };
        let uri = address
            .elsewhere(&location)
            .ok_or_else(|| format!("the webhook sends to {location:?}, which is not followed"))?;
        // As Go's client: the newer codes ask for the same request again, the older ones for a GET.
        let body = call.body.filter(|_| matches!(status, 307 | 308));
        call = Call { uri, body, ..call };
    }
    Err(format!("stopped after {REDIRECTS_MAX} redirects").into())
}

impl WebhookClient for Client {
    fn post<'a>(
        &'a self,
        client: &'a ClientConfig,
        body: Vec<u8>,
        timeout: Duration,
        headers: Headers,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, String>> + Send + 'a>> {
        Box::pin(self.call(client, body, timeout, headers))
    }
}
