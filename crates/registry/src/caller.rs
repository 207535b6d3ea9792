//! Who makes a request. Known to everything that the request runs, without being handed through
//! every call: the task that serves a request carries it.

use std::future::Future;
use std::sync::Arc;

pub use ordain_strategy::{ANONYMOUS, AUTHENTICATED, MASTERS, UNAUTHENTICATED, User};

tokio::task_local! {
    static CALLER: Arc<User>;
}

/// Runs a request in the name of a user.
pub async fn scope<F: Future>(user: Arc<User>, request: F) -> F::Output {
    CALLER.scope(user, request).await
}

/// Who the present task serves; `None` for the server itself.
pub fn current() -> Option<Arc<User>> {
    CALLER.try_with(Arc::clone).ok()
}
