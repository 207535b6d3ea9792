//! Who makes a request. Known to everything that the request runs, without being handed through
//! every call: the task that serves a request carries it.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

pub use ordain_strategy::{ANONYMOUS, AUTHENTICATED, MASTERS, UNAUTHENTICATED, User};

tokio::task_local! {
    static CALLER: Arc<User>;
    static ANNOTATIONS: Annotations;
}

/// What admission has to say about a request in the audit log: the first value of a key counts.
pub type Annotations = Arc<Mutex<BTreeMap<String, String>>>;

/// Runs a request in the name of a user.
pub async fn scope<F: Future>(user: Arc<User>, request: F) -> F::Output {
    CALLER.scope(user, request).await
}

/// Runs a request with a place for its annotations.
pub async fn annotated<F: Future>(annotations: Annotations, request: F) -> F::Output {
    ANNOTATIONS.scope(annotations, request).await
}

/// Adds an annotation to the audit event of the present request, if there is one.
pub(crate) fn annotate(key: &str, text: &str) {
    let _ = ANNOTATIONS.try_with(|annotations| {
        let mut map = annotations.lock().unwrap_or_else(PoisonError::into_inner);
        map.entry(key.to_owned()).or_insert_with(|| text.to_owned());
    });
}

/// Who the present task serves; `None` for the server itself.
pub fn current() -> Option<Arc<User>> {
    CALLER.try_with(Arc::clone).ok()
}
