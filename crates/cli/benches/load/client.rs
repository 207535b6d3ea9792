//! A client that costs little: HTTP/1.1 over TLS, one request at a time, answers counted rather than parsed.

use std::sync::Arc;

use base64::Engine as _;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Where the server is and how to be let in: what its kubeconfig says.
#[derive(Clone)]
pub(crate) struct Access {
    pub(crate) address: String,
    connector: TlsConnector,
}

impl Access {
    pub(crate) fn from_kubeconfig(text: &str) -> Self {
        let field = |name: &str| {
            let (_, rest) =
                text.split_once(&format!("{name}:")).unwrap_or_else(|| panic!("no {name}"));
            rest.split_whitespace().next().unwrap().trim_matches('"').to_owned()
        };
        let pem =
            |name: &str| base64::engine::general_purpose::STANDARD.decode(field(name)).unwrap();
        let mut roots = rustls::RootCertStore::empty();
        roots
            .add(CertificateDer::from_pem_slice(&pem("certificate-authority-data")).unwrap())
            .unwrap();
        let certificate = CertificateDer::from_pem_slice(&pem("client-certificate-data")).unwrap();
        let key = PrivateKeyDer::from_pem_slice(&pem("client-key-data")).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_client_auth_cert(vec![certificate], key)
            .unwrap();
        let address = field("server").trim_start_matches("https://").to_owned();
        Self { address, connector: TlsConnector::from(Arc::new(config)) }
    }

    /// The same at another address.
    pub(crate) fn at(&self, address: &str) -> Self {
        Self { address: address.to_owned(), connector: self.connector.clone() }
    }
}

pub(crate) struct Connection {
    stream: TlsStream<TcpStream>,
    buffer: Vec<u8>,
}

pub(crate) struct Page {
    pub(crate) items: usize,
    pub(crate) token: Option<String>,
}

struct Head {
    code: u16,
    length: Option<usize>,
}

impl Connection {
    pub(crate) async fn open(access: &Access) -> Self {
        let socket = TcpStream::connect(&access.address).await.unwrap();
        socket.set_nodelay(true).unwrap();
        let name = ServerName::try_from("127.0.0.1").unwrap();
        let stream = access.connector.connect(name, socket).await.unwrap();
        Self { stream, buffer: Vec::new() }
    }

    pub(crate) async fn send(&mut self, request: &[u8]) {
        self.stream.write_all(request).await.unwrap();
        self.stream.flush().await.unwrap();
    }

    /// Reads until the end of the answer's head and takes it off the buffer.
    async fn read_head(&mut self) -> Head {
        let end = loop {
            if let Some(end) = self.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
            assert!(self.fill().await > 0, "the server hung up");
        };
        let head: String = String::from_utf8_lossy(&self.buffer[..end]).to_lowercase();
        self.buffer.drain(..end);
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap();
        let length = head
            .split("\r\n")
            .find_map(|line| line.strip_prefix("content-length:"))
            .map(|length| length.trim().parse().unwrap());
        Head { code, length }
    }

    pub(crate) async fn head(&mut self) {
        let head = self.read_head().await;
        assert_eq!(head.code, 200);
    }

    async fn fill(&mut self) -> usize {
        self.stream.read_buf(&mut self.buffer).await.unwrap_or(0)
    }

    pub(crate) async fn answer(&mut self, request: &[u8]) -> (u16, Vec<u8>) {
        self.send(request).await;
        let head = self.read_head().await;
        if let Some(length) = head.length {
            while self.buffer.len() < length {
                assert!(self.fill().await > 0, "the server hung up");
            }
            let rest = self.buffer.split_off(length);
            return (head.code, std::mem::replace(&mut self.buffer, rest));
        }
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk().await {
            body.extend(chunk);
        }
        (head.code, body)
    }

    /// The next piece of a chunked body; none at its end.
    async fn chunk(&mut self) -> Option<Vec<u8>> {
        let line = loop {
            if let Some(end) = self.buffer.windows(2).position(|two| two == b"\r\n") {
                break end;
            }
            if self.fill().await == 0 {
                return None;
            }
        };
        let size =
            usize::from_str_radix(std::str::from_utf8(&self.buffer[..line]).unwrap().trim(), 16)
                .unwrap();
        let end = line + 2 + size + 2;
        while self.buffer.len() < end {
            if self.fill().await == 0 {
                return None;
            }
        }
        let piece = self.buffer[line + 2..line + 2 + size].to_vec();
        self.buffer.drain(..end);
        (size > 0).then_some(piece)
    }

    pub(crate) async fn exchange(&mut self, request: &[u8]) -> u16 {
        self.answer(request).await.0
    }

    /// Waits for one event of a watch; false at the end of the stream.
    pub(crate) async fn next_event(&mut self) -> bool {
        self.chunk().await.is_some()
    }

    pub(crate) async fn page(&mut self, request: &[u8]) -> Page {
        let (code, body) = self.answer(request).await;
        assert_eq!(code, 200, "{}", String::from_utf8_lossy(&body[..body.len().min(300)]));
        let list: serde_json::Value = serde_json::from_slice(&body).unwrap();
        let token = list["metadata"]["continue"]
            .as_str()
            .filter(|token| !token.is_empty())
            .map(str::to_owned);
        Page { items: list["items"].as_array().unwrap().len(), token }
    }
}
