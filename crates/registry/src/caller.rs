//! Who makes a request, what decides about them, and until when the request may work. Known to
//! everything that the request runs, without being handed through every call: the task that serves
//! a request carries it.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ordain_meta::status::Status;
pub use ordain_strategy::{ANONYMOUS, AUTHENTICATED, MASTERS, UNAUTHENTICATED, User};
use tokio::time::Instant;

use crate::access::{Attributes, Authorizer};
use crate::trace::Trace;

/// A user with a request under way.
#[derive(Clone)]
pub struct Caller {
    pub user: Arc<User>,
    /// What decided about the request, for what it turns out to do besides.
    pub authorizer: Arc<dyn Authorizer>,
    /// Nothing is committed after this.
    pub deadline: Option<Instant>,
    /// What the client traces the request by.
    pub trace: Option<Arc<Trace>>,
}

tokio::task_local! {
    static CALLER: Option<Caller>;
    static ANNOTATIONS: Annotations;
}

/// What admission has to say about a request in the audit log: the first value of a key counts.
pub type Annotations = Arc<Mutex<BTreeMap<String, String>>>;

/// Runs a request in the name of a caller.
pub async fn scope<F: Future>(caller: Caller, request: F) -> F::Output {
    CALLER.scope(Some(caller), request).await
}

/// Runs what the server itself does because of a request: it is finished whatever becomes of the
/// request, and needs no rights of the user's.
pub(crate) async fn as_server<F: Future>(work: F) -> F::Output {
    CALLER.scope(None, work).await
}

/// Whether the present task does what the server itself does because of something.
pub(crate) fn is_server() -> bool {
    CALLER.try_with(Option::is_none).unwrap_or(false)
}

fn with<T>(look: impl FnOnce(&Caller) -> T) -> Option<T> {
    CALLER.try_with(|caller| caller.as_ref().map(look)).ok().flatten()
}

/// Runs a request with a place for its annotations.
pub async fn annotated<F: Future>(annotations: Annotations, request: F) -> F::Output {
    ANNOTATIONS.scope(annotations, request).await
}

/// Adds an annotation to the audit event of the present request, if there is one.
pub fn annotate(key: &str, text: &str) {
    let _ = ANNOTATIONS.try_with(|annotations| {
        let mut map = annotations.lock().unwrap_or_else(PoisonError::into_inner);
        map.entry(key.to_owned()).or_insert_with(|| text.to_owned());
    });
}

/// Whether anybody reads annotations of the present request.
pub(crate) fn is_annotated() -> bool {
    ANNOTATIONS.try_with(|_| ()).is_ok()
}

/// The trace that the present request belongs to, if its client traces it.
pub(crate) fn trace() -> Option<Arc<Trace>> {
    with(|caller| caller.trace.clone()).flatten()
}

/// Who the present task serves; `None` for the server itself.
pub fn current() -> Option<Arc<User>> {
    with(|caller| Arc::clone(&caller.user))
}

/// Refuses what the caller may not do. The server itself may do everything.
pub(crate) fn check(request: &Attributes<'_>) -> Result<(), Status> {
    with(|caller| caller.authorizer.check(&caller.user, request)).unwrap_or(Ok(()))
}

/// How long the present request may still take, if there is a bound.
pub(crate) fn time_left() -> Option<Duration> {
    let deadline = with(|caller| caller.deadline).flatten()?;
    Some(deadline.saturating_duration_since(Instant::now()))
}

/// Refuses to go on with a request whose client was told already that it took too long.
pub(crate) fn check_deadline() -> Result<(), Status> {
    let deadline = with(|caller| caller.deadline).flatten();
    if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
        return Err(Status::timeout("request did not complete within the allotted timeout", 0));
    }
    Ok(())
}
