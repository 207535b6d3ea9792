//! What a server takes from the machine it runs on: time, chance, and rounds of the controllers.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ordain_meta::time::Time;
use ordain_registry::Registry;
use ordain_registry::source::{Clock, Entropy};

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
