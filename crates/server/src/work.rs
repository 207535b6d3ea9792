//! The work for a request that may be done: where it runs, for how long, and what becomes of it
//! when its client does not wait.
//!
//! A write is finished by a task of its own. Its client may go, or be told that it took too long;
//! what was committed is followed up and written down all the same, and nothing is committed after
//! the deadline.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use http::Response;
use http::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use ordain_meta::Status;
use ordain_rbac as rbac;
use ordain_registry::access::Authorizer;
use ordain_registry::caller::{self, Caller, MASTERS, User};
use ordain_registry::trace::Trace;
use ordain_value::Text;
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::app::App;
use crate::arriving::NoRoom;
use crate::handlers::watch::EndsAt;
use crate::held::Account;
use crate::holdings::Beyond;
use crate::limits::{self, Kind, Place};
use crate::pool::Weight;
use crate::record::Record;
use crate::request_info::Verb;
use crate::response::{self, Body, OwnBytes};
use crate::router::{self, Arrival};
use crate::serve::Peer;
use crate::{metrics, near};

const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");
const TRACE_STATE: HeaderName = HeaderName::from_static("tracestate");
/// How long after its deadline a request is answered without having been heard of.
const LATE: Duration = Duration::from_millis(100);

/// Runs the handler, if there is room, for as long as it may take.
pub(crate) async fn answer(
    app: &Arc<App>,
    peer: &Peer,
    user: Arc<User>,
    mut arrival: Box<Arrival>,
    record: Box<Record>,
) -> Response<Body> {
    if arrival.info.verb == Verb::Watch {
        let name = user.name.clone();
        let response = Box::pin(begin_watch(app, user, arrival)).await;
        return watched(app, peer, &name, record.finish(response));
    }
    let asked = match limits::asked_timeout(&arrival.query) {
        Ok(asked) => asked,
        Err(status) => return record.finish(response::plain_status(&status)),
    };
    let deadline = Instant::now() + app.deadline(asked);
    arrival.deadline = Some(deadline);
    let writes = !matches!(arrival.parts.method.as_str(), "GET" | "HEAD" | "OPTIONS");
    let kind = if writes { Kind::Writing } else { Kind::Reading };
    let exempt = user.is_in(MASTERS);
    let Some(place) = app.in_flight.enter(&app.limits, kind, &user.name, exempt).await else {
        record.terminated(429);
        return record.finish(too_many());
    };
    let mut weight = Weight::of(app, &arrival);
    // A collection is deleted object by object, which would keep others waiting for their seat.
    let is_small = weight == Weight::Medium && arrival.info.verb != Verb::DeleteCollection;
    if writes && (weight == Weight::Heavy || (is_small && app.near.has_room())) {
        // Such places are few: they are for work, and not for waiting for a client.
        match Box::pin(arrival.arrive(app, &user.name, deadline)).await {
            Ok(arrived) if arrived.body.is_refused() => {
                weight = Weight::Light;
                arrival = arrived;
            }
            Ok(arrived) => arrival = arrived,
            Err(NoRoom) => {
                record.terminated(429);
                return record.finish(too_many());
            }
        }
    }
    let name = user.name.clone();
    let job = Job { app: Arc::clone(app), user, arrival, record, deadline, writes };
    let (response, place) = if writes || weight != Weight::Light {
        Box::pin(apart(app, job, place, weight)).await
    } else {
        (job.finish().await, Some(place))
    };
    match account(app, peer, &name, &response, writes) {
        Ok(account) => response.map(|body| peer.sending.hold(body, place, Some(account), deadline)),
        Err(NoRoom) => too_many(),
    }
}

/// Counts an answer among what its user holds until it is taken. A read that would be too much is
/// refused; after a write, earlier answers that nobody takes are cut off.
fn account(
    app: &Arc<App>,
    peer: &Peer,
    user: &Text,
    response: &Response<Body>,
    writes: bool,
) -> Result<Account, NoRoom> {
    let mut account = Account::new(app, user, &peer.cut);
    if let Some(OwnBytes(len)) = response.extensions().get().copied() {
        let beyond = if writes { Beyond::GiveUp } else { Beyond::Refuse };
        if !account.counts(len, beyond) {
            return Err(NoRoom);
        }
    }
    Ok(account)
}

/// Opens a watch; in the pool, if it may begin with a whole collection.
async fn begin_watch(app: &Arc<App>, user: Arc<User>, arrival: Box<Arrival>) -> Response<Body> {
    let caller = caller(app, &user, &arrival.parts.headers, None);
    let resumes = arrival.query.get("resourceVersion").is_some_and(|it| !matches!(it, "" | "0"));
    if resumes && arrival.query.get("sendInitialEvents").is_none() {
        return caller::scope(caller, router::handle(app, user, arrival)).await;
    }
    let own = Arc::clone(app);
    let work = async move { router::handle(&own, user, arrival).await };
    let (reply, opened) = oneshot::channel();
    let task = app.pool.spawn(async move {
        let handled = AssertUnwindSafe(caller::scope(caller, work)).catch_unwind();
        let _ = reply.send(handled.await);
    });
    let _task = AbortOnDrop(task);
    match opened.await {
        Ok(Ok(response)) => response,
        _ => panicked(app),
    }
}

/// A watch ends by itself as long as its client reads. One that does not is cut off soon after.
fn watched(
    app: &Arc<App>,
    peer: &Peer,
    user: &Text,
    mut response: Response<Body>,
) -> Response<Body> {
    match response.extensions_mut().remove::<EndsAt>() {
        Some(EndsAt(end)) => {
            let deadline = end + app.limits.request_timeout;
            let account = account(app, peer, user, &response, false).ok();
            response.map(|body| peer.sending.hold(body, None, account, deadline))
        }
        None => response,
    }
}

/// A request with all that its work needs.
struct Job {
    app: Arc<App>,
    user: Arc<User>,
    arrival: Box<Arrival>,
    record: Box<Record>,
    deadline: Instant,
    writes: bool,
}

impl Job {
    /// Works here. Who goes away ends it.
    async fn finish(self) -> Response<Body> {
        let Job { app, user, arrival, record, deadline, .. } = self;
        let caller = caller(&app, &user, &arrival.parts.headers, Some(deadline));
        let handled = caller::scope(caller, router::handle(&app, user, arrival));
        match tokio::time::timeout_at(deadline, handled).await {
            Ok(response) => record.finish(response),
            Err(_) => {
                record.terminated(504);
                record.finish(timed_out())
            }
        }
    }

    /// Finishes the work even if the client has gone, and answers at the deadline at the latest.
    async fn complete(self, place: Place, reply: oneshot::Sender<(Response<Body>, Option<Place>)>) {
        let Job { app, user, arrival, mut record, deadline, writes } = self;
        let changes_roles = writes && arrival.info.group == rbac::GROUP;
        let caller = caller(&app, &user, &arrival.parts.headers, Some(deadline));
        let work = async {
            let response = router::handle(&app, user, arrival).await;
            if changes_roles && response.status().is_success() {
                Box::pin(follow_policy(&app)).await;
            }
            response
        };
        let work = caller::annotated(Arc::clone(&record.annotations), work);
        let handled = AssertUnwindSafe(caller::scope(caller, work)).catch_unwind();
        let mut handled = std::pin::pin!(handled);
        let in_time = tokio::time::timeout_at(deadline, handled.as_mut()).await;
        let (outcome, reply) = match in_time {
            Ok(outcome) => (outcome, Some(reply)),
            Err(_) => {
                record.terminated(504);
                let _ = reply.send((record.stamp(timed_out()), None));
                if !writes {
                    return drop(record.finish(timed_out()));
                }
                (handled.await, None)
            }
        };
        record.panicked = outcome.is_err();
        let response = record.finish(outcome.unwrap_or_else(|_| panicked(&app)));
        if let Some(reply) = reply {
            let _ = reply.send((response, Some(place)));
        }
    }
}

/// Lets a task of its own do the work: in the pool if it may take long and cannot be done here.
async fn apart(
    app: &Arc<App>,
    job: Job,
    place: Place,
    weight: Weight,
) -> (Response<Body>, Option<Place>) {
    let (writes, deadline) = (job.writes, job.deadline);
    // Whoever asks for more of a body wakes the task of its connection, which would wait for the
    // thread that does the write.
    let is_small = weight == Weight::Medium && writes && !job.arrival.body.is_coming();
    let seat = if is_small { app.near.take() } else { None };
    let heavy = match weight {
        Weight::Heavy => {
            // Nobody is exempt here: a busy processor serves no one else.
            let user = job.user.name.clone();
            let taken = app.in_flight.enter(&app.limits, Kind::Heavy, &user, false).await;
            let Some(taken) = taken else {
                job.record.terminated(429);
                return (job.record.finish(too_many()), Some(place));
            };
            Some(taken)
        }
        Weight::Light | Weight::Medium => None,
    };
    let (reply, answered) = oneshot::channel();
    // A runtime moves what it runs several times, and the future of a write is large.
    let work = Box::pin(async move {
        let _heavy = heavy;
        job.complete(place, reply).await;
    });
    let task = match (weight, seat) {
        (Weight::Light, _) => tokio::spawn(work),
        (_, Some(seat)) => near::spawn(seat, work),
        (Weight::Medium | Weight::Heavy, None) => app.pool.spawn(work),
    };
    // What only reads is not worth finishing for a client that is gone.
    let _task = (!writes).then(|| AbortOnDrop(task));
    match tokio::time::timeout_at(deadline + LATE, answered).await {
        Ok(answered) => answered.unwrap_or_else(|_| (panicked(app), None)),
        // The work keeps a processor busy and did not come to look at the time.
        Err(_) => (timed_out(), None),
    }
}

struct AbortOnDrop(tokio::task::JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn caller(
    app: &Arc<App>,
    user: &Arc<User>,
    headers: &HeaderMap,
    deadline: Option<Instant>,
) -> Caller {
    let authorizer = Arc::clone(app) as Arc<dyn Authorizer>;
    let text = |name: &HeaderName| headers.get(name).and_then(|it| it.to_str().ok());
    let trace = text(&TRACE_PARENT)
        .and_then(|parent| Trace::read(parent, text(&TRACE_STATE).unwrap_or_default()));
    Caller { user: Arc::clone(user), authorizer, deadline, trace: trace.map(Arc::new) }
}

fn too_many() -> Response<Body> {
    let mut response = response::text(429, "Too many requests, please try again later.\n");
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

fn timed_out() -> Response<Body> {
    let message = "request did not complete within the allotted timeout";
    response::untyped_status(&Status::timeout(message, 0))
}

/// A panic is answered as an internal error and affects no other request.
fn panicked(app: &App) -> Response<Body> {
    metrics::PANICS.add(&[], 1);
    app.log.error("a handler panicked", &[]);
    response::plain_status(&Status::internal("the handler failed"))
}

/// A change of roles counts from its answer on.
async fn follow_policy(app: &App) {
    if let Some(rbac) = app.access.rbac()
        && let Err(status) = rbac.refresh(&app.registry).await
    {
        app.log.error("roles could not be read", &[("error", &status.message)]);
    }
}
