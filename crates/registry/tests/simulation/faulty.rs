//! A store behind a bad network, by chance that a seed decides.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use ordain_storage::{
    BoxFuture, Outcome, Page, Range, Read, Result, Revision, Store, StoreError, Watch, Write,
};

/// Chance by a seed, and whether it may do harm now.
#[derive(Debug)]
pub(crate) struct Chance {
    state: AtomicU64,
    harmful: AtomicBool,
}

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: AtomicU64::new(seed), harmful: AtomicBool::new(false) }
    }

    pub(crate) fn begin(&self) {
        self.harmful.store(true, Ordering::Relaxed);
    }

    pub(crate) fn end(&self) {
        self.harmful.store(false, Ordering::Relaxed);
    }

    /// A number below the bound.
    pub(crate) fn below(&self, bound: u64) -> u64 {
        let mut z = self.state.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound.max(1)
    }

    /// True once in so many times, while harm is done.
    fn strikes(&self, once_in: u64) -> bool {
        self.harmful.load(Ordering::Relaxed) && self.below(once_in) == 0
    }

    /// Sometimes waits a little, rarely for long.
    async fn delay(&self) {
        let millis = if self.strikes(50) {
            2_000
        } else if self.strikes(3) {
            self.below(50)
        } else {
            return;
        };
        tokio::time::sleep(Duration::from_millis(millis)).await;
    }
}

#[derive(Debug)]
pub(crate) struct Faulty {
    store: Arc<dyn Store>,
    chance: Arc<Chance>,
}

impl Faulty {
    pub(crate) fn new(store: Arc<dyn Store>, chance: Arc<Chance>) -> Self {
        Self { store, chance }
    }

    fn cut(&self) -> Result<()> {
        if self.chance.strikes(40) {
            return Err(StoreError::Unavailable("the network is down".to_owned()));
        }
        Ok(())
    }
}

impl Store for Faulty {
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Read>> {
        Box::pin(async move {
            self.cut()?;
            self.chance.delay().await;
            let read = self.store.get(key).await;
            self.chance.delay().await;
            read
        })
    }

    fn range<'a>(&'a self, range: Range<'a>) -> BoxFuture<'a, Result<Page>> {
        Box::pin(async move {
            self.cut()?;
            self.chance.delay().await;
            self.store.range(range).await
        })
    }

    fn commit_all(&self, writes: Vec<Write>) -> BoxFuture<'_, Result<Outcome>> {
        Box::pin(async move {
            self.cut()?;
            self.chance.delay().await;
            let outcome = self.store.commit_all(writes).await;
            self.chance.delay().await;
            if self.chance.strikes(30) {
                return Err(StoreError::Unknown("the answer was lost".to_owned()));
            }
            outcome
        })
    }

    fn watch<'a>(&'a self, prefix: &'a str, after: Revision) -> BoxFuture<'a, Result<Watch>> {
        Box::pin(async move {
            self.cut()?;
            let watch = self.store.watch(prefix, after).await?;
            let state = (watch, Arc::clone(&self.chance), false);
            Ok(Watch::new(
                stream::unfold(state, |(mut watch, chance, ended)| async move {
                    if ended {
                        return None;
                    }
                    let batch = watch.next().await?;
                    chance.delay().await;
                    if chance.strikes(40) {
                        let error = StoreError::Unavailable("the watch was cut".to_owned());
                        return Some((Err(error), (watch, chance, true)));
                    }
                    Some((batch, (watch, chance, ended)))
                })
                .boxed(),
            ))
        })
    }

    fn request_progress(&self) -> BoxFuture<'_, Result<()>> {
        self.store.request_progress()
    }

    fn current_revision(&self) -> BoxFuture<'_, Result<Revision>> {
        Box::pin(async move {
            self.cut()?;
            self.chance.delay().await;
            self.store.current_revision().await
        })
    }

    fn compact(&self, revision: Revision) -> BoxFuture<'_, Result<()>> {
        self.store.compact(revision)
    }
}
