//! A future whose parts wake each other, polled until none of them wakes another.
//!
//! A task that is woken while it runs goes to the end of its queue, and another thread is woken to
//! look whether it can take it. For a call that moves its own bytes that would happen with every
//! part of the answer that one half hands to the other.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::task::AtomicWaker;

/// So many times in a row at most: others have their turn after that.
const ROUNDS_MAX: usize = 32;

const RESTING: u8 = 0;
const RUNNING: u8 = 1;
const CALLED: u8 = 2;

/// Hears what wakes the future. While it runs that only means another round.
#[derive(Default)]
struct Bell {
    state: AtomicU8,
    task: AtomicWaker,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let called = |state| (state == RUNNING).then_some(CALLED);
        let was = self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, called);
        if was == Err(RESTING) {
            self.task.wake();
        }
    }
}

impl Bell {
    fn run(&self) {
        self.state.store(RUNNING, Ordering::Release);
    }

    /// Ends a round; false when another one is called for.
    fn rest(&self) -> bool {
        self.state.swap(RESTING, Ordering::AcqRel) != CALLED
    }
}

/// Runs a future, within its task.
pub(crate) async fn at_own_pace<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let bell = Arc::new(Bell::default());
    let waker = Waker::from(Arc::clone(&bell));
    poll_fn(|task| {
        bell.task.register(task.waker());
        for _ in 0..ROUNDS_MAX {
            bell.run();
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return Poll::Ready(output);
            }
            if bell.rest() {
                return Poll::Pending;
            }
        }
        task.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use futures_util::FutureExt;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn what_wakes_itself_stays_where_it_is() {
        let count = Arc::new(Count::default());
        let waker = Waker::from(Arc::clone(&count));
        let mut left = 5;
        let parts = poll_fn(move |task| {
            task.waker().wake_by_ref();
            left -= 1;
            if left == 0 { Poll::Ready(()) } else { Poll::Pending }
        });
        let mut paced = at_own_pace(parts).boxed();
        assert!(paced.poll_unpin(&mut Context::from_waker(&waker)).is_ready());
        assert_eq!(count.0.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn what_never_rests_lets_others_have_their_turn() {
        let count = Arc::new(Count::default());
        let waker = Waker::from(Arc::clone(&count));
        let restless = poll_fn(|task| {
            task.waker().wake_by_ref();
            Poll::<()>::Pending
        });
        let mut paced = at_own_pace(restless).boxed();
        assert!(paced.poll_unpin(&mut Context::from_waker(&waker)).is_pending());
        assert_eq!(count.0.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn others_wake_it() {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let paced = tokio::spawn(at_own_pace(receiver));
        tokio::task::yield_now().await;
        assert!(sender.send(7).is_ok());
        assert!(matches!(paced.await, Ok(Ok(7))));
    }
}
