//! Connections: accepts, reads requests, answers them, and stops cleanly.

use std::convert::Infallible;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use ordain_meta::Status;
use tokio::net::TcpListener;

use crate::app::App;
use crate::response::{self, Body};
use crate::router;

/// How long open requests may go on after shutdown was asked for.
const GRACE: std::time::Duration = std::time::Duration::from_millis(80);

/// Serves until `shutdown` is done, then lets short requests finish.
pub async fn serve(
    app: Arc<App>,
    listener: TcpListener,
    shutdown: impl Future<Output = ()>,
) -> std::io::Result<()> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(app.limits.header_read_timeout)
        .max_buf_size(app.limits.header_bytes_max);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(app.limits.http2_streams_max)
        .max_header_list_size(u32::try_from(app.limits.header_bytes_max).unwrap_or(u32::MAX));
    let graceful = GracefulShutdown::new();
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                // Out of file descriptors, or a peer that left early: the next may work.
                Err(_) => {
                    tokio::time::sleep(std::time::Duration::from_millis(10)).await;
                    continue;
                }
            },
            () = &mut shutdown => break,
        };
        let _ = stream.set_nodelay(true);
        let app = Arc::clone(&app);
        let service = service_fn(move |request| answer(Arc::clone(&app), request));
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        let connection = graceful.watch(connection.into_owned());
        tokio::spawn(async move {
            // A broken connection concerns its client only.
            let _ = connection.await;
        });
    }
    let _ = tokio::time::timeout(GRACE, graceful.shutdown()).await;
    Ok(())
}

/// One request. A panic inside is answered as an internal error, and concerns nobody else.
async fn answer(app: Arc<App>, request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
    let handled = AssertUnwindSafe(router::handle(&app, request)).catch_unwind();
    let response = match handled.await {
        Ok(response) => response,
        Err(_) => response::plain_status(&Status::internal("the handler failed")),
    };
    Ok(response)
}
