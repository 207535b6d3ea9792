//! A webhook on loopback that allows everything, and what it takes to ask it without a server.

use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::{TlsAcceptor, TlsConnector};

pub(crate) struct Hook {
    pub(crate) url: String,
    /// Its certificate, as configurations name it.
    pub(crate) authority: String,
    address: std::net::SocketAddr,
    certificate: CertificateDer<'static>,
}

impl Hook {
    pub(crate) async fn start() -> Self {
        let key = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
        let private = PrivateKeyDer::try_from(key.signing_key.serialize_der()).unwrap();
        let certificate = key.cert.der().clone();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.clone()], private)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).unwrap();
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        serve(stream).await;
                    }
                });
            }
        });
        let authority = base64::engine::general_purpose::STANDARD.encode(key.cert.pem());
        Self { url: format!("https://{address}/"), authority, address, certificate }
    }

    /// The median time of asking it over one connection.
    pub(crate) async fn bare_round_trip(&self, requests: usize) -> Duration {
        let mut roots = rustls::RootCertStore::empty();
        roots.add(self.certificate.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let socket = TcpStream::connect(self.address).await.unwrap();
        socket.set_nodelay(true).unwrap();
        let connector = TlsConnector::from(Arc::new(config));
        let name = ServerName::try_from("127.0.0.1").unwrap();
        let mut stream = connector.connect(name, socket).await.unwrap();
        let review = json!({
            "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
            "request": {"uid": "bench", "object": crate::deployment(0)},
        });
        let request = crate::post("/", &review);
        let mut times = Vec::with_capacity(requests);
        let mut buffer = Vec::new();
        for _ in 0..requests {
            let start = Instant::now();
            stream.write_all(&request).await.unwrap();
            assert!(read_body(&mut stream, &mut buffer).await.is_some());
            times.push(start.elapsed());
        }
        crate::median(times)
    }
}

/// Answers every review on a connection.
async fn serve(mut stream: impl AsyncRead + AsyncWrite + Unpin) {
    let mut buffer = Vec::new();
    while let Some(body) = read_body(&mut stream, &mut buffer).await {
        let review: Value = serde_json::from_slice(&body).unwrap();
        let answer = json!({
            "apiVersion": review["apiVersion"], "kind": review["kind"],
            "response": {"uid": review["request"]["uid"], "allowed": true},
        })
        .to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            answer.len()
        );
        if stream.write_all((head + &answer).as_bytes()).await.is_err() {
            return;
        }
        let _ = stream.flush().await;
    }
}

/// The body of the next message, request or answer; none when the other side is gone.
async fn read_body(stream: &mut (impl AsyncRead + Unpin), buffer: &mut Vec<u8>) -> Option<Vec<u8>> {
    let end = loop {
        if let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        if stream.read_buf(buffer).await.unwrap_or(0) == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&buffer[..end]).to_lowercase();
    let length = head.split("\r\n").find_map(|line| line.strip_prefix("content-length:"));
    let length: usize = length.and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    while buffer.len() < end + length {
        if stream.read_buf(buffer).await.unwrap_or(0) == 0 {
            return None;
        }
    }
    let body = buffer[end..end + length].to_vec();
    buffer.drain(..end + length);
    Some(body)
}
