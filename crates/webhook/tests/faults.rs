//! Webhooks that misbehave: each fault has its words, ends in time, and harms no other call.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use ordain_admission::webhook::{ClientConfig, Reply};
use ordain_registry::aggregate::{Backend, Outgoing, Relay};
use ordain_registry::dynamic::WebhookClient;
use ordain_webhook::Client;
use rustls::pki_types::PrivateKeyDer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// A webhook server: how often it was connected to, and where it is.
struct Hook {
    connections: Arc<AtomicUsize>,
    config: ClientConfig,
}

async fn hook<F, R>(answer: F) -> Hook
where
    F: Fn(TlsStream<TcpStream>) -> R + Send + Sync + 'static,
    R: Future<Output = ()> + Send + 'static,
{
    let key = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    hook_as(&key.cert, &key.signing_key, answer).await
}

/// A webhook server with a certificate that its own bundle names.
async fn hook_as<F, R>(certificate: &rcgen::Certificate, key: &rcgen::KeyPair, answer: F) -> Hook
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
    let connections = Arc::new(AtomicUsize::new(0));
    let (counted, answer) = (Arc::clone(&connections), Arc::new(answer));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::SeqCst);
            let (acceptor, answer) = (acceptor.clone(), Arc::clone(&answer));
            tokio::spawn(async move {
                if let Ok(stream) = acceptor.accept(stream).await {
                    answer(stream).await;
                }
            });
        }
    });
    let url = format!("https://{address}/hook").into();
    let config = ClientConfig { url, service: None, ca_bundle: pem.into_bytes() };
    Hook { connections, config }
}

/// Reads one request to the end of its body.
async fn request(stream: &mut TlsStream<TcpStream>) -> Option<String> {
    let (mut read, mut buffer) = (String::new(), [0; 4096]);
    loop {
        let count = stream.read(&mut buffer).await.ok().filter(|count| *count > 0)?;
        read.push_str(&String::from_utf8_lossy(&buffer[..count]));
        if read.ends_with("the review") || (read.starts_with("GET") && read.ends_with("\r\n\r\n")) {
            return Some(read);
        }
    }
}

async fn call(client: &Client, config: &ClientConfig) -> Result<Reply, String> {
    client.post(config, b"the review".to_vec(), Duration::from_secs(1)).await
}

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";

#[tokio::test]
async fn connections_are_used_again() {
    let hook = hook(|mut stream| async move {
        while request(&mut stream).await.is_some() {
            stream.write_all(OK.as_bytes()).await.unwrap();
        }
    })
    .await;
    let client = Client::default();
    for _ in 0..5 {
        let reply = call(&client, &hook.config).await.unwrap();
        assert_eq!((reply.status, reply.body.as_slice()), (200, b"{}".as_slice()));
    }
    assert_eq!(hook.connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn one_that_never_answers_costs_its_own_time_and_no_other() {
    let silent = hook(|mut stream| async move {
        let _ = request(&mut stream).await;
        std::future::pending::<()>().await;
    })
    .await;
    let quick = hook(|mut stream| async move {
        while request(&mut stream).await.is_some() {
            stream.write_all(OK.as_bytes()).await.unwrap();
        }
    })
    .await;
    let client = Client::default();
    let started = Instant::now();
    let (slow, fast) = tokio::join!(call(&client, &silent.config), async {
        let reply = call(&client, &quick.config).await;
        (reply, started.elapsed())
    });
    assert!(slow.unwrap_err().ends_with("context deadline exceeded"));
    assert!(fast.0.is_ok() && fast.1 < Duration::from_millis(900), "{:?}", fast.1);
}

#[tokio::test]
async fn an_answer_without_end_is_cut_off() {
    let hook = hook(|mut stream| async move {
        let _ = request(&mut stream).await;
        let head = "HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n";
        let _ = stream.write_all(head.as_bytes()).await;
        let chunk = vec![b'x'; 1 << 20];
        while stream.write_all(&chunk).await.is_ok() {}
    })
    .await;
    let config = hook.config;
    let client = Client::default();
    let answered = client.post(&config, b"the review".to_vec(), Duration::from_secs(20)).await;
    assert!(answered.unwrap_err().contains("larger than"));
}

#[tokio::test]
async fn one_that_closes_is_told_apart_by_when_it_does() {
    let at_once = hook(|mut stream| async move {
        let _ = request(&mut stream).await;
    })
    .await;
    let error = call(&Client::default(), &at_once.config).await.unwrap_err();
    assert!(error.ends_with(": EOF"), "{error}");
    let halfway = hook(|mut stream| async move {
        let _ = request(&mut stream).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf").await;
    })
    .await;
    assert!(call(&Client::default(), &halfway.config).await.is_err());
}

#[tokio::test]
async fn redirects_stay_on_the_host() {
    let hook = hook(|mut stream| async move {
        while let Some(read) = request(&mut stream).await {
            let head = if read.starts_with("GET /away") {
                "HTTP/1.1 302 Found\r\nlocation: https://elsewhere.test/\r\ncontent-length: 0\r\n\r\n"
            } else {
                "HTTP/1.1 302 Found\r\nlocation: /away\r\ncontent-length: 0\r\n\r\n"
            };
            stream.write_all(head.as_bytes()).await.unwrap();
        }
    })
    .await;
    let error = call(&Client::default(), &hook.config).await.unwrap_err();
    assert!(error.contains("which is not followed"), "{error}");
}

#[tokio::test]
async fn the_newer_redirects_ask_for_the_same_request_again() {
    let hook = hook(|mut stream| async move {
        while let Some(read) = request(&mut stream).await {
            let head = if read.starts_with("POST /there") {
                OK
            } else {
                "HTTP/1.1 307 Temporary Redirect\r\nlocation: /there\r\ncontent-length: 0\r\n\r\n"
            };
            stream.write_all(head.as_bytes()).await.unwrap();
        }
    })
    .await;
    let reply = call(&Client::default(), &hook.config).await.unwrap();
    assert_eq!(reply.status, 200);
}

#[tokio::test]
async fn a_certificate_that_the_bundle_names_needs_no_authority() {
    let authority_key = rcgen::KeyPair::generate().unwrap();
    let authority = rcgen::Issuer::new(rcgen::CertificateParams::default(), authority_key);
    let key = rcgen::KeyPair::generate().unwrap();
    let answer = |mut stream: TlsStream<TcpStream>| async move {
        while request(&mut stream).await.is_some() {
            stream.write_all(OK.as_bytes()).await.unwrap();
        }
    };
    let params = |name: &str| rcgen::CertificateParams::new(vec![name.to_owned()]).unwrap();
    let named = params("127.0.0.1").signed_by(&key, &authority).unwrap();
    let known = hook_as(&named, &key, answer).await;
    assert_eq!(call(&Client::default(), &known.config).await.unwrap().status, 200);
    // Name and time count all the same.
    let elsewhere = params("elsewhere.test").signed_by(&key, &authority).unwrap();
    let wrong = hook_as(&elsewhere, &key, answer).await;
    let error = call(&Client::default(), &wrong.config).await.unwrap_err();
    assert!(error.contains("x509: cannot validate certificate for 127.0.0.1"), "{error}");
    let mut past = params("127.0.0.1");
    past.not_after = rcgen::date_time_ymd(2020, 1, 1);
    let past = hook_as(&past.signed_by(&key, &authority).unwrap(), &key, answer).await;
    let error = call(&Client::default(), &past.config).await.unwrap_err();
    assert!(error.contains("x509: certificate has expired or is not yet valid"), "{error}");
}

#[tokio::test]
async fn one_that_nobody_vouches_for_is_not_asked() {
    let stranger = hook(|_| async {}).await;
    let other = hook(|_| async {}).await;
    let config = ClientConfig { ca_bundle: other.config.ca_bundle, ..stranger.config };
    let error = call(&Client::default(), &config).await.unwrap_err();
    assert!(error.contains("tls: failed to verify certificate: x509"), "{error}");
    let nobody = ClientConfig { url: "https://127.0.0.1:1/x".into(), ..config };
    let error = call(&Client::default(), &nobody).await.unwrap_err();
    assert!(error.ends_with("dial tcp 127.0.0.1:1: connect: connection refused"), "{error}");
}

#[tokio::test]
async fn requests_to_other_servers_are_passed_on_and_answered_bit_by_bit() {
    let other = hook(|mut stream| async move {
        let mut buffer = [0; 4096];
        let read = stream.read(&mut buffer).await.unwrap();
        let asked = String::from_utf8_lossy(&buffer[..read]).into_owned();
        assert!(asked.starts_with("GET /apis/a.test/v1?x=1 HTTP/1.1\r\n"), "{asked}");
        assert!(asked.contains("x-remote-user: jane"), "{asked}");
        let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nfirst\r\n";
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
        std::future::pending::<()>().await;
    })
    .await;
    let request = Outgoing {
        method: "GET".to_owned(),
        path: "/apis/a.test/v1?x=1".to_owned(),
        headers: vec![("x-remote-user".to_owned(), b"jane".to_vec())],
        ..Outgoing::default()
    };
    let client = Client::default();
    let url = other.config.url.trim_end_matches("/hook").into();
    let config = ClientConfig { url, ..other.config.clone() };
    let backend = Backend { client: config.clone(), insecure: false };
    let mut answer = client.send(&backend, request.clone()).await.unwrap();
    // The first piece is there although the answer never ends, as that of a watch.
    let piece = answer.body.next().await.unwrap().unwrap();
    assert_eq!((answer.status, &piece[..]), (200, b"first".as_slice()));
    let stranger = ClientConfig { ca_bundle: hook(|_| async {}).await.config.ca_bundle, ..config };
    let distrusted = Backend { client: stranger.clone(), insecure: false };
    let error = client.send(&distrusted, request.clone()).await.err().unwrap();
    assert!(error.contains("tls: failed to verify certificate: x509"), "{error}");
    let anybody = Backend { client: stranger, insecure: true };
    assert_eq!(client.send(&anybody, request).await.unwrap().status, 200);
}
