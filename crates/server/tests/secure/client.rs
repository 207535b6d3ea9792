//! An HTTPS client with credentials, one connection for each call.

use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use ordain_value::{Value, json};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::server::Server;

#[derive(Clone)]
pub(crate) enum Credentials {
    None,
    Token(String),
    Certificate { certificate: String, key: String },
}

pub(crate) struct Client<'a> {
    pub(crate) server: &'a Server,
    pub(crate) credentials: Credentials,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) headers: http::HeaderMap,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) fn message(&self) -> &str {
        self.body.get("message").and_then(Value::as_str).unwrap_or("")
    }

    pub(crate) fn text(&self) -> &str {
        self.body.as_str().unwrap_or("")
    }
}

impl Client<'_> {
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.call("GET", path, &[], None)
    }

    pub(crate) fn get_as(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.call("GET", path, headers, None)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.call("POST", path, &[], Some(body))
    }

    pub(crate) fn put(&self, path: &str, body: &Value) -> Answer {
        self.call("PUT", path, &[], Some(body))
    }

    pub(crate) fn delete(&self, path: &str) -> Answer {
        self.call("DELETE", path, &[], None)
    }

    pub(crate) fn call(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Answer {
        self.server.runtime.block_on(async {
            let response = self.send(method, path, headers, body).await.unwrap();
            let (parts, body) = response.into_parts();
            let bytes = body.collect().await.unwrap().to_bytes();
            let text = || String::from_utf8_lossy(&bytes).into_owned().into();
            let body = if bytes.is_empty() {
                Value::Null
            } else {
                json::decode(&bytes).unwrap_or_else(|_| text())
            };
            Answer { code: parts.status.as_u16(), headers: parts.headers, body }
        })
    }

    /// Sends a request and returns as soon as the head of the answer is there.
    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Result<Response<Incoming>, Box<dyn std::error::Error + Send + Sync>> {
        let stream = self.connect(&[b"http/1.1"]).await?;
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(sender.send_request(self.request(method, path, headers, body)).await?)
    }

    /// A connection of HTTP/2 with its task, which ends when the connection does.
    pub(crate) async fn open_http2(
        &self,
    ) -> (hyper::client::conn::http2::SendRequest<Full<Bytes>>, tokio::task::JoinHandle<()>) {
        let stream = self.connect(&[b"h2"]).await.unwrap();
        let (sender, connection) =
            hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
                .await
                .unwrap();
        let task = tokio::spawn(async move {
            let _ = connection.await;
        });
        (sender, task)
    }

    pub(crate) fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Request<Full<Bytes>> {
        let uri = format!("https://{}{path}", self.server.address);
        let mut request = Request::builder()
            .method(Method::from_bytes(method.as_bytes()).unwrap())
            .uri(uri)
            .header("host", self.server.address.to_string());
        if !headers.iter().any(|(name, _)| *name == "content-type") {
            request = request.header("content-type", "application/json");
        }
        if let Credentials::Token(token) = &self.credentials {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let bytes = body.map(json::encode).unwrap_or_default();
        request.body(Full::new(Bytes::from(bytes))).unwrap()
    }

    pub(crate) async fn connect(
        &self,
        protocols: &[&[u8]],
    ) -> std::io::Result<TlsStream<TcpStream>> {
        let mut roots = RootCertStore::empty();
        let authority = std::fs::read(self.server.dir.path().join("ca.crt")).unwrap();
        roots.add(CertificateDer::from_pem_slice(&authority).unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        let mut config = match &self.credentials {
            Credentials::Certificate { certificate, key } => {
                let chain = CertificateDer::pem_slice_iter(certificate.as_bytes());
                let chain = chain.collect::<Result<Vec<_>, _>>().unwrap();
                let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
                config.with_client_auth_cert(chain, key).unwrap()
            }
            _ => config.with_no_client_auth(),
        };
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        let stream = TcpStream::connect(self.server.address).await?;
        let name = ServerName::try_from("localhost").unwrap();
        TlsConnector::from(Arc::new(config)).connect(name, stream).await
    }
}
