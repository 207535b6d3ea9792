//! The one watch of the store that feeds all collections.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures_util::StreamExt;
use ordain_storage::{Batch, Revision, Store, StoreError, Watch};

use super::bell::Bell;
use super::collection::Collection;
use super::queue::End;

/// How long to wait before a store that failed is asked again.
const RETRY: Duration = Duration::from_millis(200);

pub(super) struct Feed {
    store: Arc<dyn Store>,
    state: Mutex<State>,
    reached: AtomicU64,
    progress: tokio::sync::watch::Sender<Revision>,
    /// Wakes the task that follows the store, whoever looked for news last.
    bell: Arc<Bell>,
    waker: Waker,
}

#[derive(Default)]
struct State {
    watch: Option<Watch>,
    collections: BTreeMap<String, Vec<Arc<Collection>>>,
}

impl Feed {
    pub(super) fn new(store: Arc<dyn Store>) -> Self {
        let bell = Arc::new(Bell::default());
        Self {
            waker: Waker::from(Arc::clone(&bell)),
            bell,
            store,
            state: Mutex::default(),
            reached: AtomicU64::new(0),
            progress: tokio::sync::watch::Sender::new(0),
        }
    }

    pub(super) fn store(&self) -> &dyn Store {
        self.store.as_ref()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn reached(&self) -> Revision {
        self.reached.load(Ordering::Acquire)
    }

    pub(super) fn add(&self, collection: &Arc<Collection>) {
        let mut state = self.state();
        let members = state.collections.entry(collection.prefix.clone()).or_default();
        members.push(Arc::clone(collection));
    }

    pub(super) fn remove(&self, collection: &Arc<Collection>) {
        let mut state = self.state();
        if let Some(members) = state.collections.get_mut(&collection.prefix) {
            members.retain(|it| !Arc::ptr_eq(it, collection));
            if members.is_empty() {
                state.collections.remove(&collection.prefix);
            }
        }
    }

    /// Begins at the present.
    pub(super) async fn open(&self) -> Result<(), StoreError> {
        let revision = self.store.current_revision().await?;
        let watch = self.store.watch("", revision).await?;
        let mut state = self.state();
        state.watch = Some(watch);
        self.advance(revision);
        Ok(())
    }

    fn advance(&self, revision: Revision) {
        let before = self.reached.fetch_max(revision, Ordering::AcqRel);
        if revision > before {
            self.progress.send_replace(revision);
        }
    }

    pub(super) fn wait_for(&self, revision: Revision) -> impl Future<Output = ()> + use<> {
        let mut progress = self.progress.subscribe();
        async move {
            let _ = progress.wait_for(|reached| *reached >= revision).await;
        }
    }

    /// Takes what is there now, in place of the task, and returns how far that leads.
    pub(super) fn drive(&self) -> Revision {
        let mut state = self.state();
        if state.watch.is_some() && self.poll(&mut state).is_ready() {
            // The watch ended; the task opens the next one.
            self.bell.wake_task();
        }
        drop(state);
        self.reached()
    }

    /// Makes a change of the store. If that is done at once, its news is taken here as well.
    pub(super) async fn changed<F: Future>(&self, change: F) -> F::Output {
        let mut change = pin!(change);
        std::future::poll_fn(|cx| {
            let attending = self.bell.attend();
            let polled = change.as_mut().poll(cx);
            if polled.is_ready() && attending.take() {
                self.drive();
            }
            polled
        })
        .await
    }

    fn poll(&self, state: &mut State) -> Poll<Option<StoreError>> {
        let mut cx = Context::from_waker(&self.waker);
        loop {
            let Some(watch) = &mut state.watch else { return Poll::Ready(None) };
            match watch.poll_next_unpin(&mut cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(batch))) => {
                    state.apply(&batch);
                    self.advance(batch.revision);
                }
                Poll::Ready(Some(Err(error))) => {
                    state.watch = None;
                    return Poll::Ready(Some(error));
                }
                Poll::Ready(None) => {
                    state.watch = None;
                    return Poll::Ready(None);
                }
            }
        }
    }

    /// Follows the store as long as it is there.
    pub(super) async fn follow(self: Arc<Self>) {
        loop {
            let ended = std::future::poll_fn(|cx| {
                self.bell.register(cx.waker());
                self.poll(&mut self.state())
            });
            if ended.await == Some(StoreError::Closed) {
                self.lose();
                return;
            }
            self.reopen().await;
        }
    }

    /// Goes on where the feed stopped, or starts over when changes in between are gone.
    async fn reopen(&self) {
        loop {
            match self.store.watch("", self.reached()).await {
                Ok(watch) => {
                    self.state().watch = Some(watch);
                    return;
                }
                Err(StoreError::Compacted { .. }) => {
                    self.lose();
                    if self.open().await.is_ok() {
                        return;
                    }
                }
                Err(StoreError::Closed) => {
                    self.lose();
                    return;
                }
                Err(_) => {}
            }
            tokio::time::sleep(RETRY).await;
        }
    }

    fn lose(&self) {
        let collections = std::mem::take(&mut self.state().collections);
        for collection in collections.into_values().flatten() {
            collection.end(End::Lost);
        }
    }
}

impl State {
    fn apply(&self, batch: &Batch) {
        for event in &batch.events {
            let key: &str = &event.key;
            let upto = (Bound::Unbounded, Bound::Included(key));
            let nearest = self.collections.range::<str, _>(upto).next_back();
            let Some((_, members)) = nearest.filter(|(prefix, _)| key.starts_with(*prefix)) else {
                continue;
            };
            for collection in members {
                collection.apply(event);
            }
        }
    }
}
