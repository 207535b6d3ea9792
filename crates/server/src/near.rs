//! The threads that move bytes, and the writes that are done on them.
//!
//! To hand a write to the pool and its answer back wakes sleeping threads twice, which takes longer
//! than most of the work. So a write is done by the thread that received it, as long as another one
//! is there to move bytes: one of the threads never does a write.
//!
//! That other thread may be asleep, while the one with the write is the one that the network wakes.
//! Before any work that may take long it is therefore woken, and watches the network in its place.
//! A thread also keeps the task for itself that was woken last, so a write must not wake one that
//! others wait for and be busy then: its body is read before it begins, and calls over connections
//! that many share (etcd, HTTP/2 webhooks) leave an empty task behind.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

use crate::pool::{Pool, STACK_BYTES};

/// How many tasks a thread runs before it looks what has come in. A piece of a long answer takes a good
/// part of a millisecond, so tokio's 61 would keep small requests waiting.
const EVENT_INTERVAL: u32 = 11;

thread_local! {
    /// How many threads move bytes, on one of them.
    static THREADS: Cell<usize> = const { Cell::new(0) };
}

/// The threads for a server.
///
/// # Errors
/// When the system gives none.
pub fn runtime() -> std::io::Result<Runtime> {
    let threads = Pool::processors();
    Builder::new_multi_thread()
        .worker_threads(threads)
        .thread_stack_size(STACK_BYTES)
        .event_interval(EVENT_INTERVAL)
        .on_thread_start(move || THREADS.set(threads))
        .enable_all()
        .build()
}

/// How many writes are done where they came in.
#[derive(Debug, Default)]
pub(crate) struct Near {
    taken: Arc<AtomicUsize>,
}

/// The right to do one; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Seat(Arc<AtomicUsize>);

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Near {
    /// Whether one could be done now.
    pub(crate) fn has_room(&self) -> bool {
        self.taken.load(Ordering::Acquire) + 1 < THREADS.get()
    }

    /// None when another thread might not be free to move bytes, as on threads of somebody else.
    pub(crate) fn take(&self) -> Option<Seat> {
        let threads = THREADS.get();
        let one_more = |taken| (taken + 1 < threads).then_some(taken + 1);
        let taken = self.taken.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_more);
        taken.is_ok().then(|| Seat(Arc::clone(&self.taken)))
    }
}

/// Does work here, after what the caller does.
pub(crate) fn spawn<F>(seat: Seat, work: F) -> JoinHandle<F::Output>
where
    F: Future<Output: Send> + Send + 'static,
{
    // What was woken before goes where other threads find it, and one of them is woken to look.
    tokio::spawn(async {});
    tokio::spawn(async move {
        let _seat = seat;
        let mut work = pin!(work);
        let mut queues = false;
        poll_fn(move |task| {
            if queues {
                // What wakes itself goes there as well. Whoever finds it goes on with it.
                queues = false;
                task.waker().wake_by_ref();
                return Poll::Pending;
            }
            queues = true;
            work.as_mut().poll(task)
        })
        .await
    })
}
