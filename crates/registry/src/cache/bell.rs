//! Tells the task that follows the store that there is news, unless whoever made it looks himself.
//!
//! A commit that is done at once is followed up by the one who made it. The task would be woken, on
//! another thread, to find nothing left.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Wake, Waker};

use futures_util::task::AtomicWaker;

#[derive(Debug, Default)]
pub(super) struct Bell {
    task: AtomicWaker,
    /// How many are about to look themselves.
    attended: AtomicUsize,
    /// Whether there was news meanwhile.
    rang: AtomicBool,
}

impl Bell {
    /// Lets this task hear of news from now on.
    pub(super) fn register(&self, task: &Waker) {
        self.task.register(task);
    }

    pub(super) fn wake_task(&self) {
        self.task.wake();
    }

    /// Promises to look for news before the guard is dropped.
    pub(super) fn attend(&self) -> Attending<'_> {
        self.attended.fetch_add(1, Ordering::SeqCst);
        Attending(self)
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.attended.load(Ordering::SeqCst) > 0 {
            self.rang.store(true, Ordering::SeqCst);
            // Who attended may have left before that.
            if self.attended.load(Ordering::SeqCst) > 0 || !self.rang.swap(false, Ordering::SeqCst)
            {
                return;
            }
        }
        self.task.wake();
    }
}

/// Someone who looks for news himself.
pub(super) struct Attending<'a>(&'a Bell);

impl Attending<'_> {
    /// Whether there is news, which the caller looks at now.
    pub(super) fn take(&self) -> bool {
        self.0.rang.swap(false, Ordering::SeqCst)
    }
}

impl Drop for Attending<'_> {
    fn drop(&mut self) {
        self.0.attended.fetch_sub(1, Ordering::SeqCst);
        // What nobody looked at is for the task.
        if self.take() {
            self.0.task.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn the_task_hears_what_nobody_looked_at() {
        let (bell, count) = (Arc::new(Bell::default()), Arc::new(Count::default()));
        let task = Waker::from(Arc::clone(&count));
        let woken = || {
            bell.register(&task);
            count.0.swap(0, Ordering::SeqCst)
        };
        woken();
        Arc::clone(&bell).wake();
        assert_eq!(woken(), 1);
        let attending = bell.attend();
        Arc::clone(&bell).wake();
        assert!(attending.take() && !attending.take());
        drop(attending);
        assert_eq!(woken(), 0);
        let (first, second) = (bell.attend(), bell.attend());
        Arc::clone(&bell).wake();
        assert_eq!(woken(), 0);
        drop(first);
        drop(second);
        assert_eq!(woken(), 1);
    }
}
