//! A webhook on loopback that allows everything, in a process of its own, and what it takes to ask
//! it without a server.

use std::io::{BufRead, BufReader, Read as _};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use base64::Engine as _;
use ordain_admission::webhook::ClientConfig;
use ordain_registry::dynamic::WebhookClient as _;
use ordain_webhook::{Client, Services};
use rustls::pki_types::PrivateKeyDer;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// The argument by which this program is the webhook.
pub(crate) const ARGUMENT: &str = "be-the-webhook";
const TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) struct Hook {
    process: Child,
    pub(crate) url: String,
    /// Its certificate, as configurations name it.
    pub(crate) authority: String,
    client: Client,
}

impl Hook {
    pub(crate) fn start() -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .arg(ARGUMENT)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let text = |name: &str| told[name].as_str().unwrap().to_owned();
        let client = Client::new(Services::default());
        Self { process, url: text("url"), authority: text("authority"), client }
    }

    /// Posts a body as a server does, over the connection of the last time; gives the answer.
    async fn post(&self, path: &str, body: Vec<u8>) -> Vec<u8> {
        let ca_bundle = base64::engine::general_purpose::STANDARD.decode(&self.authority).unwrap();
        let url = format!("{}{path}", self.url).into();
        let config = ClientConfig { url, service: None, ca_bundle };
        self.client.post(&config, body, TIMEOUT, Vec::new()).await.unwrap().body
    }

    /// The review that it was asked about last.
    pub(crate) async fn last_review(&self) -> Vec<u8> {
        self.post("last", Vec::new()).await
    }

    /// How long it takes to ask it about a review.
    pub(crate) async fn bare_round_trip(&self, review: &[u8]) -> Duration {
        let body = review.to_vec();
        let start = Instant::now();
        self.post("", body).await;
        start.elapsed()
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Is the webhook until standard input ends.
pub(crate) async fn run() {
    let key = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let private = PrivateKeyDer::try_from(key.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![key.cert.der().clone()], private)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap());
    let authority = base64::engine::general_purpose::STANDARD.encode(key.cert.pem());
    println!("{}", json!({"url": url, "authority": authority}));
    let last = Arc::new(Mutex::new(Vec::new()));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            stream.set_nodelay(true).unwrap();
            let (acceptor, last) = (acceptor.clone(), Arc::clone(&last));
            tokio::spawn(async move {
                if let Ok(stream) = acceptor.accept(stream).await {
                    serve(stream, &last).await;
                }
            });
        }
    });
    let end = || std::io::stdin().read_to_end(&mut Vec::new());
    let _ = tokio::task::spawn_blocking(end).await;
}

/// Answers every review on a connection.
async fn serve(mut stream: impl AsyncRead + AsyncWrite + Unpin, last: &Mutex<Vec<u8>>) {
    let mut buffer = Vec::new();
    while let Some(body) = read_body(&mut stream, &mut buffer).await {
        // Nobody asks about nothing: that is the bench, which wants to ask the same.
        let answer = if body.is_empty() {
            String::from_utf8(last.lock().unwrap().clone()).unwrap()
        } else {
            let review: Value = serde_json::from_slice(&body).unwrap();
            *last.lock().unwrap() = body;
            let response = json!({"uid": review["request"]["uid"], "allowed": true});
            let kind = (&review["apiVersion"], &review["kind"]);
            json!({"apiVersion": kind.0, "kind": kind.1, "response": response}).to_string()
        };
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
