//! Requests that are passed on to other servers: one connection each, answers bit by bit.

use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt;
use http::{Method, Request, header};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use ordain_registry::aggregate::{Backend, Incoming, Outgoing, Relay};
use rustls::pki_types::ServerName;
use tokio_rustls::TlsConnector;

use crate::Client;
use crate::address::Address;
use crate::connection::connect;
use crate::trust;
use crate::x509_metrics::Whose;

impl Relay for Client {
    fn send<'a>(
        &'a self,
        backend: &'a Backend,
        request: Outgoing,
    ) -> Pin<Box<dyn Future<Output = Result<Incoming, String>> + Send + 'a>> {
        Box::pin(self.pass_on(backend, request))
    }
}

impl Client {
    async fn pass_on(&self, backend: &Backend, request: Outgoing) -> Result<Incoming, String> {
        let address = Address::of(&backend.client)?;
        let place = self.services.place(&address)?;
        let tls = match backend.insecure {
            true => trust::trust_anybody()?,
            false => trust::trust(&backend.client.ca_bundle, Whose::Extension)?,
        };
        // One request at a time, so that nothing but this protocol is of use.
        let mut tls = rustls::ClientConfig::clone(&tls);
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        let stream = connect(&place).await?;
        let name = ServerName::try_from(address.host.clone())
            .map_err(|_| format!("the host {:?} has no valid name", address.host))?;
        let stream = TlsConnector::from(Arc::new(tls)).connect(name, stream).await;
        let stream = stream.map_err(|error| trust::words(&error))?;
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
        tokio::spawn(connection);
        let answer = sender
            .send_request(request_of(&address, request)?)
            .await
            .map_err(|error| error.to_string())?;
        let status = answer.status().as_u16();
        let headers = answer.headers().iter();
        let headers = headers.map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()));
        let headers = headers.collect();
        let body = answer.into_body().into_data_stream();
        let body = body.map(|piece| piece.map_err(|error| error.to_string()));
        Ok(Incoming { status, headers, body: Box::pin(body) })
    }
}

fn request_of(address: &Address, request: Outgoing) -> Result<Request<Full<Bytes>>, String> {
    let method = Method::from_bytes(request.method.as_bytes()).map_err(|it| it.to_string())?;
    let mut builder = Request::builder().method(method).uri(&request.path);
    builder = builder.header(header::HOST, &address.authority);
    for (name, value) in &request.headers {
        builder = builder.header(name.as_str(), value.as_slice());
    }
    builder.body(Full::new(request.body)).map_err(|error| error.to_string())
}
