//! Connections: accepts, shakes hands, reads requests, answers them, and stops cleanly.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use ordain_meta::Status;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio_rustls::TlsAcceptor;

use crate::app::{App, Limits};
use crate::held::Sending;
use crate::response::{self, Body};
use crate::tls::{ClientCertificate, Tls};
use crate::{gate, health, metrics};

/// How often it is looked whether the last requests are done.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// How long the last bytes of answers may take when all requests are done.
const LAST_BYTES: Duration = Duration::from_millis(80);
/// How often certificates are looked after while the server runs.
const RENEW_EVERY: Duration = Duration::from_secs(6 * 3600);
/// A client of HTTP/2 that says nothing is asked whether it is still there.
const PING_EVERY: Duration = Duration::from_secs(45);
const PING_TIMEOUT: Duration = Duration::from_secs(20);

/// Who is at the other end of a connection.
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    pub(crate) certificate: ClientCertificate,
    /// Told when the connection should take no more requests.
    pub(crate) hang_up: Notify,
    /// Told when the connection should end at once.
    pub(crate) cut: Arc<Notify>,
    /// What is on its way to the client.
    pub(crate) sending: Sending,
}

/// Serves plain HTTP until `shutdown` is done, then lets short requests finish.
pub async fn serve(
    app: Arc<App>,
    listener: TcpListener,
    shutdown: impl Future<Output = ()>,
) -> std::io::Result<()> {
    app.log.follow_rollouts();
    app.log.follow_webhooks();
    accept(app, listener, None, shutdown).await
}

/// Serves HTTPS until `shutdown` is done, then lets short requests finish.
pub async fn serve_tls(
    app: Arc<App>,
    tls: Arc<Tls>,
    listener: TcpListener,
    shutdown: impl Future<Output = ()>,
) -> std::io::Result<()> {
    let renewal = tokio::spawn(keep_renewed(Arc::clone(&app), Arc::clone(&tls)));
    app.log.follow_rollouts();
    app.log.follow_webhooks();
    let served = accept(app, listener, Some(tls), shutdown).await;
    renewal.abort();
    served
}

async fn keep_renewed(app: Arc<App>, tls: Arc<Tls>) {
    loop {
        tokio::time::sleep(RENEW_EVERY).await;
        if let Err(error) = tls.renew() {
            app.log.error("certificates could not be renewed", &[("error", &error)]);
        }
    }
}

async fn accept(
    app: Arc<App>,
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    shutdown: impl Future<Output = ()>,
) -> std::io::Result<()> {
    let builder = Arc::new(connection_builder(&app.limits));
    let permits = u32::try_from(app.limits.connections_max).unwrap_or(u32::MAX);
    let connections = Arc::new(Semaphore::new(app.limits.connections_max));
    let mut shutdown = std::pin::pin!(shutdown);
    let mut failing = std::pin::pin!(health::follow_store(&app));
    let mut ended = Ok(());
    loop {
        // Beyond the limit, connections wait in the kernel's queue.
        let accepted = async {
            let permit = Arc::clone(&connections).acquire_owned().await;
            (listener.accept().await, permit)
        };
        let (stream, address, permit) = tokio::select! {
            accepted = accepted => match accepted {
                (Ok((stream, address)), Ok(permit)) => (stream, address, permit),
                // Out of file descriptors, or a peer that left early: the next may work.
                _ => {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                    continue;
                }
            },
            () = &mut shutdown => break,
            () = &mut failing => {
                ended = Err(std::io::Error::other("the store fails"));
                break;
            }
        };
        let _ = stream.set_nodelay(true);
        let (app, builder, tls) = (Arc::clone(&app), Arc::clone(&builder), tls.clone());
        tokio::spawn(async move {
            connect(app, builder, tls, stream, address).await;
            drop(permit);
        });
    }
    drop(listener);
    app.closing.send_replace(true);
    // Watches end by themselves now, and so do idle connections.
    let _ = tokio::time::timeout(app.limits.shutdown_timeout, async {
        while app.in_flight.count() > 0 {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        let _ = tokio::time::timeout(LAST_BYTES, connections.acquire_many(permits)).await;
    })
    .await;
    ended
}

pub(crate) fn connection_builder(limits: &Limits) -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_read_timeout)
        .max_headers(limits.headers_max)
        .max_buf_size(limits.header_bytes_max);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(PING_EVERY)
        .keep_alive_timeout(PING_TIMEOUT)
        .max_concurrent_streams(limits.http2_streams_max)
        .max_pending_accept_reset_streams(limits.http2_resets_max)
        .max_local_error_reset_streams(limits.http2_resets_max)
        .max_header_list_size(u32::try_from(limits.header_bytes_max).unwrap_or(u32::MAX));
    builder
}

async fn connect(
    app: Arc<App>,
    builder: Arc<auto::Builder<TokioExecutor>>,
    tls: Option<Arc<Tls>>,
    stream: TcpStream,
    address: SocketAddr,
) {
    let Some(tls) = tls else {
        return talk(app, &builder, stream, address, ClientCertificate::None).await;
    };
    let acceptor = TlsAcceptor::from(tls.config());
    let shaken = tokio::time::timeout(app.limits.handshake_timeout, acceptor.accept(stream)).await;
    match shaken {
        Ok(Ok(stream)) => {
            let certificate = tls.client(stream.get_ref().1.peer_certificates());
            talk(app, &builder, stream, address, certificate).await;
        }
        Ok(Err(error)) => {
            metrics::TLS_ERRORS.add(&[], 1);
            app.log.debug("handshake failed", &[("peer", &address), ("error", &error)]);
        }
        Err(_) => {
            metrics::TLS_ERRORS.add(&[], 1);
            app.log.debug("handshake took too long", &[("peer", &address)]);
        }
    }
}

/// Answers the requests of one connection until it or the server ends.
async fn talk(
    app: Arc<App>,
    builder: &auto::Builder<TokioExecutor>,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    address: SocketAddr,
    certificate: ClientCertificate,
) {
    let peer = Arc::new(Peer {
        address,
        certificate,
        hang_up: Notify::new(),
        cut: Arc::new(Notify::new()),
        sending: Sending::default(),
    });
    let mut closing = app.closing.subscribe();
    let service = {
        let (app, peer) = (Arc::clone(&app), Arc::clone(&peer));
        service_fn(move |request| answer(Arc::clone(&app), Arc::clone(&peer), request))
    };
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let mut ending = false;
    loop {
        tokio::select! {
            // A broken connection concerns its client only.
            _ = connection.as_mut() => return,
            _ = closing.wait_for(|closing| *closing), if !ending => {}
            () = peer.cut.notified() => return,
            () = peer.hang_up.notified(), if !ending => {}
            () = peer.sending.overdue() => {
                metrics::STALLED_READERS.add(&[], 1);
                return;
            }
        }
        ending = true;
        connection.as_mut().graceful_shutdown();
    }
}

/// One request. A panic inside is answered as an internal error and affects no other request.
async fn answer(
    app: Arc<App>,
    peer: Arc<Peer>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let handled = AssertUnwindSafe(gate::handle(&app, &peer, request)).catch_unwind();
    let response = match handled.await {
        Ok(response) => response,
        Err(_) => {
            app.log.error("a handler panicked", &[("peer", &peer.address)]);
            response::plain_status(&Status::internal("the handler failed"))
        }
    };
    Ok(response)
}
