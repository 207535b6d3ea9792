//! Webhooks that misbehave: each fault has its words, ends in time, and harms no other call.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use ordain_admission::webhook::{ClientConfig, Reply};
use ordain_registry::aggregate::{Backend, Outgoing, Relay};
use ordain_registry::dynamic::WebhookClient;
use ordain_webhook::Client;
use support::{hook, hook_as, request, settles};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

async fn call(client: &Client, config: &ClientConfig) -> Result<Reply, String> {
    client.post(config, b"the review".to_vec(), Duration::from_secs(1), Vec::new()).await
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
    let review = b"the review".to_vec();
    let answered = client.post(&config, review, Duration::from_secs(20), Vec::new()).await;
    assert!(answered.unwrap_err().contains("larger than"));
}

/// Few large answers of one webhook are held at a time; the others wait at the webhook.
#[tokio::test]
async fn large_answers_are_held_a_few_at_a_time() {
    let hook = hook(|mut stream| async move {
        let body = vec![b'x'; 7 << 20];
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
        while request(&mut stream).await.is_some() {
            let _ = stream.write_all(head.as_bytes()).await;
            let _ = stream.write_all(&body).await;
        }
    })
    .await;
    let client = Client::default();
    let first = call(&client, &hook.config).await.unwrap();
    let second = call(&client, &hook.config).await.unwrap();
    assert_eq!((first.body.len(), second.body.len()), (7 << 20, 7 << 20));
    let third = call(&client, &hook.config).await;
    assert!(third.unwrap_err().ends_with("context deadline exceeded"));
    let dropped = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        drop(first);
    };
    let (fourth, ()) = tokio::join!(call(&client, &hook.config), dropped);
    assert_eq!(fourth.unwrap().body.len(), 7 << 20);
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
    let error = call(&Client::default(), &halfway.config).await.unwrap_err();
    let expected = "unexpected error when reading response body. Please retry. Original error: \
                    unexpected EOF";
    assert_eq!(error, expected);
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

/// A webhook that dies while many ask it: each call ends, and the next one finds it back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_dies_under_load_is_found_again() {
    let answered = Arc::new(AtomicUsize::new(0));
    let (counted, dead) = (Arc::clone(&answered), Arc::new(AtomicUsize::new(0)));
    let is_dead = Arc::clone(&dead);
    let hook = hook(move |mut stream| {
        let (counted, dead) = (Arc::clone(&counted), Arc::clone(&is_dead));
        async move {
            while request(&mut stream).await.is_some() {
                if counted.fetch_add(1, Ordering::SeqCst) >= 20 && dead.load(Ordering::SeqCst) == 0
                {
                    return;
                }
                stream.write_all(OK.as_bytes()).await.unwrap();
            }
        }
    })
    .await;
    let client = Arc::new(Client::default());
    let calls = (0..100).map(|_| {
        let (client, config) = (Arc::clone(&client), hook.config.clone());
        tokio::spawn(async move {
            client.post(&config, b"the review".to_vec(), Duration::from_secs(20), Vec::new()).await
        })
    });
    let mut failed = 0;
    for call in calls.collect::<Vec<_>>() {
        if let Err(why) = call.await.unwrap() {
            assert!(why.ends_with("EOF"), "{why}");
            failed += 1;
        }
    }
    assert!((1..=80).contains(&failed), "{failed} of 100 failed");
    dead.store(1, Ordering::SeqCst);
    assert_eq!(call(&client, &hook.config).await.unwrap().status, 200);
    settles(&hook, 32, "a webhook that came back").await;
}

/// What `openssl req -x509` makes: an authority of its own that is also the server's certificate.
#[tokio::test]
async fn an_authority_that_serves_by_itself_is_believed() {
    let key = rcgen::KeyPair::generate().unwrap();
    let mut params = rcgen::CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let hook = hook_as(&params.self_signed(&key).unwrap(), &key, |mut stream| async move {
        while request(&mut stream).await.is_some() {
            stream.write_all(OK.as_bytes()).await.unwrap();
        }
    })
    .await;
    assert_eq!(call(&Client::default(), &hook.config).await.unwrap().status, 200);
}

#[tokio::test]
async fn certificates_without_alternative_names_are_refused_and_counted() {
    let key = rcgen::KeyPair::generate().unwrap();
    let mut params = rcgen::CertificateParams::default();
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(rcgen::DnType::CommonName, "localhost");
    let hook = hook_as(&params.self_signed(&key).unwrap(), &key, |_| async {}).await;
    let url = hook.config.url.replace("127.0.0.1", "localhost").into();
    let config = ClientConfig { url, ..hook.config.clone() };
    let error = call(&Client::default(), &config).await.unwrap_err();
    let legacy = "x509: certificate relies on legacy Common Name field, use SANs instead";
    assert!(error.ends_with(legacy), "{error}");
    let figures = ordain_metrics::encode();
    assert!(figures.contains("\napiserver_webhooks_x509_missing_san_total 1\n"), "{figures}");
    assert!(figures.contains("\napiserver_webhooks_x509_insecure_sha1_total 0\n"), "{figures}");
}

#[tokio::test]
async fn the_trace_of_a_call_is_sent_along() {
    let hook = hook(|mut stream| async move {
        while let Some(read) = request(&mut stream).await {
            let traced =
                read.contains("traceparent: 00-a-b-01") && read.contains("tracestate: x=1");
            let code = if traced { "200 OK" } else { "400 Bad Request" };
            let head = format!("HTTP/1.1 {code}\r\ncontent-length: 2\r\n\r\n{{}}");
            stream.write_all(head.as_bytes()).await.unwrap();
        }
    })
    .await;
    let headers = vec![("traceparent", "00-a-b-01".to_owned()), ("tracestate", "x=1".to_owned())];
    let client = Client::default();
    let review = b"the review".to_vec();
    let reply = client.post(&hook.config, review, Duration::from_secs(20), headers).await.unwrap();
    assert_eq!(reply.status, 200);
}
