//! Threads for requests that take more than a moment, so that the threads that move bytes always
//! answer. The number of threads follows that of the processors; who may use them is decided by
//! [`crate::fair`].

use std::future::Future;
use std::sync::{Arc, OnceLock};

use http::header::CONTENT_LENGTH;
use ordain_rbac as rbac;
use ordain_registry::{RestConfig, crd};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

use crate::app::App;
use crate::negotiate;
use crate::request_info::Verb;
use crate::router::{self, Arrival};

/// A body of more than this is judged in the pool, an object of more than this is written there, few
/// at a time.
pub(crate) const HEAVY_BODY_BYTES: u64 = 64 * 1024;
/// A page of at most so many objects is no burden.
const LIGHT_PAGE_LEN: u64 = 500;

/// How much work a request may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    /// Answered where it came in.
    Light,
    /// Answered in the pool.
    Medium,
    /// Answered in the pool, few at a time.
    Heavy,
}

/// The stack of a thread that works on requests. A write holds its whole chain of admission,
/// conversion and storage in one future, which without optimization takes more than tokio's 2 MB.
pub(crate) const STACK_BYTES: usize = 8 << 20;

impl Weight {
    /// What a request may cost, by what is known before its body is read.
    pub(crate) fn of(app: &App, arrival: &Arrival) -> Self {
        let info = &arrival.info;
        if !info.is_resource {
            let first = info.segments.first().map_or("", |it| it.as_str());
            let posts = arrival.parts.method == http::Method::POST;
            let works = first == "openapi" || (first == "ui" && posts);
            return if works { Self::Heavy } else { Self::Light };
        }
        match info.verb {
            Verb::Watch | Verb::Unknown => Self::Light,
            Verb::Get => Self::of_get(app, arrival),
            Verb::List => Self::of_list(app, arrival),
            Verb::Delete | Verb::DeleteCollection => Self::Medium,
            Verb::Create | Verb::Update | Verb::Patch => {
                let compiles = info.group == crd::GROUP || info.group == rbac::GROUP;
                let length = arrival.parts.headers.get(CONTENT_LENGTH);
                let length = length.and_then(|it| it.to_str().ok()?.parse::<u64>().ok());
                if compiles || length.is_none_or(|length| length > HEAVY_BODY_BYTES) {
                    Self::Heavy
                } else {
                    Self::Medium
                }
            }
        }
    }

    /// A large object takes a while to be copied, and more to be written in another form.
    fn of_get(app: &App, arrival: &Arrival) -> Self {
        let known_len = |resource: &Arc<RestConfig>| {
            app.registry.known_len(&router::target(&arrival.info, Arc::clone(resource)))
        };
        let len = arrival.found.resource.as_ref().and_then(known_len);
        match len {
            Some(len) if len as u64 > HEAVY_BODY_BYTES => Self::Heavy,
            Some(_) => Self::Light,
            // It may be large.
            None => Self::Medium,
        }
    }

    fn of_list(app: &App, arrival: &Arrival) -> Self {
        let query = &arrival.query;
        let limit = query.get("limit").and_then(|limit| limit.parse::<u64>().ok());
        let selects =
            ["labelSelector", "fieldSelector"].iter().any(|name| query.get(name).is_some());
        let accept = arrival.parts.headers.get(http::header::ACCEPT);
        let accept = accept.and_then(|it| it.to_str().ok()).unwrap_or("");
        let accepted = negotiate::accept(accept);
        let short = limit.is_some_and(|limit| (1..=LIGHT_PAGE_LEN).contains(&limit));
        let resource = arrival.found.resource.as_ref();
        let largest = resource.and_then(|it| app.registry.known_largest(it));
        let small = largest.is_some_and(|len| len as u64 <= HEAVY_BODY_BYTES);
        match accepted.filter(|_| short && !selects) {
            Some(accepted) if accepted.is_plain_json() && small => Self::Light,
            // Large objects, and messages that nobody has asked for yet, have to be written first.
            Some(accepted) if accepted.is_plain_json() || accepted.is_plain_message() => {
                Self::Medium
            }
            _ => Self::Heavy,
        }
    }
}

/// The threads, started when they are first needed.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    runtime: OnceLock<Option<Runtime>>,
}

impl Pool {
    /// How many processors there are to keep busy; two at least.
    pub(crate) fn processors() -> usize {
        std::thread::available_parallelism().map_or(2, usize::from).max(2)
    }

    /// How many heavy requests run at a time.
    pub(crate) fn heavy_places() -> usize {
        2 * Self::processors()
    }

    /// How many threads there are: when all heavy requests keep theirs, the others still have some,
    /// and the system shares the processors among them.
    fn threads() -> usize {
        Self::heavy_places() + Self::processors()
    }

    /// Runs a task in the pool.
    pub(crate) fn spawn<F>(&self, task: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        let start = || {
            let mut builder = Builder::new_multi_thread();
            builder.worker_threads(Self::threads()).thread_name("ordain-work").enable_all();
            builder.thread_stack_size(STACK_BYTES);
            builder.build().ok()
        };
        match self.runtime.get_or_init(start) {
            Some(runtime) => runtime.spawn(task),
            // Without threads of its own the task shares those of the caller.
            None => tokio::spawn(task),
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // Nothing is waited for: an async task may be the one that drops the server.
        if let Some(Some(runtime)) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
