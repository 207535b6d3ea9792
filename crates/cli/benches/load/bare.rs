//! The limit: a server of hyper and rustls alone that returns the same bytes. It runs in a process of
//! its own, which is this program again.

use std::convert::Infallible;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use crate::client::{Access, Connection};
use crate::process::Driven;
use crate::subject::Subject;

/// The word that makes this program the server.
const WORD: &str = "--bare";
const KINDS: [&str; 3] = ["create", "get", "list"];

pub(crate) struct Bare {
    process: Child,
    access: Access,
}

impl Bare {
    /// Starts it with what the server answers, under the server's certificate.
    pub(crate) async fn start(
        folder: &Path,
        data: &Path,
        access: &Access,
        subject: &Subject,
    ) -> Self {
        let mut connection = Connection::open(access).await;
        let requests = [subject.create("bare"), subject.get("bare"), subject.list(500)];
        for (kind, request) in KINDS.iter().zip(requests) {
            let (_, body) = connection.answer(&request).await;
            std::fs::write(folder.join(kind), body).unwrap();
        }
        let mut process = Command::new(std::env::current_exe().unwrap())
            .arg(WORD)
            .args([folder, data])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { process, access: access.at(line.trim()) }
    }
}

impl Driven for Bare {
    fn access(&self) -> Access {
        self.access.clone()
    }

    fn id(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Serves for ever, if that is what the program was started for.
pub(crate) fn serve_if_asked() {
    let words: Vec<String> = std::env::args().collect();
    let [_, word, folder, data] = words.as_slice() else { return };
    if word == WORD {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(serve(Path::new(folder), Path::new(data)));
    }
}

async fn serve(folder: &Path, data: &Path) {
    let read = |name: &str| std::fs::read(data.join("pki").join(name)).unwrap();
    let certificate = CertificateDer::from_pem_slice(&read("server.crt")).unwrap();
    let key = PrivateKeyDer::from_pem_slice(&read("server.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let bodies = KINDS.map(|kind| Bytes::from(std::fs::read(folder.join(kind)).unwrap()));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("{}", listener.local_addr().unwrap());
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (acceptor, bodies) = (acceptor.clone(), bodies.clone());
        tokio::spawn(async move {
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let service = service_fn(move |request| answer(bodies.clone(), request));
            let builder = auto::Builder::new(TokioExecutor::new());
            let _ = builder.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn answer(
    [created, got, listed]: [Bytes; 3],
    request: Request<hyper::body::Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let listing = request.uri().query().is_some_and(|query| query.contains("limit="));
    let body = match (request.method(), listing) {
        (&Method::POST, _) => {
            let _ = request.into_body().collect().await;
            created
        }
        (_, true) => listed,
        (_, false) => got,
    };
    let mut response = Response::new(Full::new(body));
    let json = hyper::header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(hyper::header::CONTENT_TYPE, json);
    Ok(response)
}
