//! Webhook servers that do as a test says.

#![allow(dead_code, reason = "some tests need no whole server")]

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ordain_admission::webhook::ClientConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// A webhook server: how often it was connected to, how many of these connections are open, and
/// where it is.
pub(crate) struct Hook {
    pub(crate) connections: Arc<AtomicUsize>,
    pub(crate) open: Arc<AtomicUsize>,
    pub(crate) config: ClientConfig,
}

pub(crate) async fn hook<F, R>(answer: F) -> Hook
where
    F: Fn(TlsStream<TcpStream>) -> R + Send + Sync + 'static,
    R: Future<Output = ()> + Send + 'static,
{
    let key = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    hook_as(&key.cert, &key.signing_key, answer).await
}

/// A webhook server with a certificate that its own bundle names.
pub(crate) async fn hook_as<F, R>(
    certificate: &rcgen::Certificate,
    key: &rcgen::KeyPair,
    answer: F,
) -> Hook
where
    F: Fn(TlsStream<TcpStream>) -> R + Send + Sync + 'static,
    R: Future<Output = ()> + Send + 'static,
{
    let pem = certificate.pem();
    let private = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], private)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (connections, open) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counted, answer) = (Arc::clone(&connections), Arc::new(answer));
    let held = Arc::clone(&open);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::SeqCst);
            held.fetch_add(1, Ordering::SeqCst);
            let (acceptor, answer) = (acceptor.clone(), Arc::clone(&answer));
            let held = Arc::clone(&held);
            tokio::spawn(async move {
                if let Ok(stream) = acceptor.accept(stream).await {
                    answer(stream).await;
                }
                held.fetch_sub(1, Ordering::SeqCst);
            });
        }
    });
    let url = format!("https://{address}/hook").into();
    let config = ClientConfig { url, service: None, ca_bundle: pem.into_bytes() };
    Hook { connections, open, config }
}

/// Reads one request to the end of its body.
pub(crate) async fn request(stream: &mut TlsStream<TcpStream>) -> Option<String> {
    let (mut read, mut buffer) = (String::new(), [0; 4096]);
    loop {
        let count = stream.read(&mut buffer).await.ok().filter(|count| *count > 0)?;
        read.push_str(&String::from_utf8_lossy(&buffer[..count]));
        if read.ends_with("the review") || (read.starts_with("GET") && read.ends_with("\r\n\r\n")) {
            return Some(read);
        }
    }
}

/// Waits until the other side holds no more than this many connections: what a fault leaves behind
/// must go by itself.
pub(crate) async fn settles(hook: &Hook, most: usize, fault: &str) {
    for _ in 0..2000 {
        if hook.open.load(Ordering::SeqCst) <= most {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("{fault}: {} connections stay open", hook.open.load(Ordering::SeqCst));
}
