//! One connection to a webhook, in the protocol that both sides agreed on.

use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::{Either, select};
use http::{Request, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Body as _, Incoming};
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use ordain_admission::webhook::{Held, Reply};
use ordain_registry::trace::Headers;
use ordain_value::go_quote;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::{Instant, Sleep, sleep_until, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::address::Address;
use crate::own_pace::at_own_pace;
use crate::{ANSWER_BYTES_MAX, SMALL_ANSWER_BYTES, trust};

/// A connection that can be asked.
#[derive(Debug)]
pub(crate) enum Connection {
    /// One request at a time.
    Http1(Box<Single>),
    /// Many requests at a time; cloning shares it.
    Http2(http2::SendRequest<Full<Bytes>>),
}

type Driver = http1::Connection<TokioIo<TlsStream<TcpStream>>, Full<Bytes>>;

/// A connection of one request at a time. Whoever asks moves its bytes: a task of its own for that
/// would be woken twice for every call.
#[derive(Debug)]
pub(crate) struct Single {
    sender: http1::SendRequest<Full<Bytes>>,
    /// Moves the bytes; none when the connection has ended.
    driver: Option<Driver>,
    /// Ends a call that takes too long. To put it off is cheap; a new one for every call would wake
    /// the thread that keeps the time.
    alarm: Pin<Box<Sleep>>,
}

impl Single {
    /// Lets the connection notice what happened while nobody asked.
    fn is_usable(&mut self) -> bool {
        if self.driver.as_mut().is_some_and(|driver| driver.now_or_never().is_some()) {
            self.driver = None;
        }
        self.driver.is_some() && !self.sender.is_closed()
    }

    /// Sends a request and reads the reply to its end, moving the bytes meanwhile.
    async fn ask(
        &mut self,
        request: Request<Full<Bytes>>,
        call: &Call,
    ) -> Result<Received, Failure> {
        self.alarm.as_mut().reset(call.deadline);
        let Self { sender, driver, alarm } = self;
        let exchanged = std::pin::pin!(at_own_pace(Self::exchange(sender, driver, request, call)));
        match select(exchanged, alarm.as_mut()).await {
            Either::Left((received, _)) => received,
            Either::Right(_) => Err(Failure::Late),
        }
    }

    async fn exchange(
        sender: &mut http1::SendRequest<Full<Bytes>>,
        driver: &mut Option<Driver>,
        request: Request<Full<Bytes>>,
        call: &Call,
    ) -> Result<Received, Failure> {
        let asked = async {
            sender.ready().await.map_err(|_| Failure::Unsent)?;
            let response = sender.send_request(request).await;
            read(response.map_err(|error| Failure::of(&error))?, &call.large).await
        };
        let asked = std::pin::pin!(asked);
        let Some(moved) = driver else { return asked.await };
        match select(asked, moved).await {
            Either::Left((received, _)) => received,
            Either::Right((_, asked)) => {
                *driver = None;
                asked.await
            }
        }
    }
}

/// A request to a webhook.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) uri: String,
    /// What is posted; a redirected call asks without a body.
    pub(crate) body: Option<Bytes>,
    /// What else is reported: the trace that the call belongs to.
    pub(crate) headers: Headers,
    /// When it is given up.
    pub(crate) deadline: Instant,
    /// Room for large answers of the same webhook, in bytes.
    pub(crate) large: Arc<Semaphore>,
}

/// A reply, and where it sends the asker to.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) reply: Reply,
    pub(crate) location: Option<String>,
}

/// Why a call has no reply.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The connection was closed before the request was sent: it may have been idle too long.
    Unsent,
    /// It was closed before anything came back. Whoever got the request may have acted on it.
    Closed,
    /// The reply began, and did not come to its end.
    Broken(String),
    /// Its time was up.
    Late,
    Other(String),
}

impl Failure {
    /// The failure of a call in the words of Kubernetes' client.
    pub(crate) fn into_words(self, uri: &str) -> String {
        let why = match self {
            Self::Unsent | Self::Closed => "EOF".to_owned(),
            Self::Broken(why) => {
                return format!(
                    "unexpected error when reading response body. Please retry. Original error: {why}"
                );
            }
            Self::Late => "context deadline exceeded".to_owned(),
            Self::Other(why) => why,
        };
        format!("Post {}: {why}", go_quote(uri))
    }

    fn of(error: &hyper::Error) -> Self {
        if error.is_canceled() {
            return Self::Unsent;
        }
        let closed = error.is_incomplete_message() || error.is_closed() || is_cut_off(error);
        if closed { Self::Closed } else { Self::Other(words(error)) }
    }
}

impl From<String> for Failure {
    fn from(why: String) -> Self {
        Self::Other(why)
    }
}

impl Connection {
    pub(crate) async fn open(
        address: &Address,
        place: &(String, u16),
        tls: &Arc<rustls::ClientConfig>,
        deadline: Instant,
    ) -> Result<Self, Failure> {
        let opened = timeout_at(deadline, Self::reach(address, place, tls, deadline)).await;
        opened.map_err(|_| Failure::Late)?.map_err(Failure::Other)
    }

    async fn reach(
        address: &Address,
        place: &(String, u16),
        tls: &Arc<rustls::ClientConfig>,
        deadline: Instant,
    ) -> Result<Self, String> {
        let stream = connect(place).await?;
        let name = ServerName::try_from(address.host.clone())
            .map_err(|_| format!("the host {:?} has no valid name", address.host))?;
        let connector = TlsConnector::from(Arc::clone(tls));
        let stream = connector.connect(name, stream).await.map_err(|error| trust::words(&error))?;
        let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        let io = TokioIo::new(stream);
        if is_http2 {
            let (sender, connection) = http2::handshake(TokioExecutor::new(), io)
                .await
                .map_err(|error| error.to_string())?;
            tokio::spawn(connection);
            return Ok(Self::Http2(sender));
        }
        let (sender, driver) = http1::handshake(io).await.map_err(|error| error.to_string())?;
        let alarm = Box::pin(sleep_until(deadline));
        Ok(Self::Http1(Box::new(Single { sender, driver: Some(driver), alarm })))
    }

    /// Whether it can take another request.
    pub(crate) fn is_usable(&mut self) -> bool {
        match self {
            Self::Http1(single) => single.is_usable(),
            Self::Http2(sender) => !sender.is_closed(),
        }
    }

    /// Sends a request and reads the reply to its end, by the deadline of the call.
    pub(crate) async fn ask(
        &mut self,
        address: &Address,
        call: &Call,
    ) -> Result<Received, Failure> {
        let uri = call.uri.as_str();
        match self {
            Self::Http1(single) => {
                // The host goes into a header of its own, the request line has the path alone.
                let path = uri.splitn(4, '/').nth(3).unwrap_or_default();
                let request = request(&format!("/{path}"), Some(&address.authority), call)?;
                single.ask(request, call).await
            }
            Self::Http2(sender) => {
                let request = request(uri, None, call)?;
                let asked = async {
                    sender.ready().await.map_err(|_| Failure::Unsent)?;
                    let response = sender.send_request(request).await;
                    read(response.map_err(|error| Failure::of(&error))?, &call.large).await
                };
                let asked = timeout_at(call.deadline, asked).await;
                // Taking the answer woke the task of the connection. A thread of tokio keeps for
                // itself what was woken last; this comes to stand there instead, so that the other
                // calls of the connection go on if the caller is busy from here on.
                tokio::spawn(async {});
                asked.unwrap_or(Err(Failure::Late))
            }
        }
    }
}

pub(crate) async fn connect(place: &(String, u16)) -> Result<TcpStream, String> {
    let (host, port) = place;
    let is_address = host.parse::<std::net::IpAddr>().is_ok();
    let opened = TcpStream::connect((host.as_str(), *port)).await;
    let stream = opened.map_err(|error| match error.kind() {
        std::io::ErrorKind::ConnectionRefused => {
            format!("dial tcp {host}:{port}: connect: connection refused")
        }
        _ if !is_address => format!("dial tcp: lookup {host}: no such host"),
        _ => format!("dial tcp {host}:{port}: {error}"),
    })?;
    // A review is one small write that waits for its answer.
    let _ = stream.set_nodelay(true);
    Ok(stream)
}

fn request(uri: &str, host: Option<&str>, call: &Call) -> Result<Request<Full<Bytes>>, String> {
    let mut builder = match &call.body {
        Some(_) => Request::post(uri).header(header::CONTENT_TYPE, "application/json"),
        None => Request::get(uri),
    };
    builder = builder
        .header(header::ACCEPT, "application/json, */*")
        .header(header::USER_AGENT, "kube-apiserver-admission");
    if let Some(host) = host {
        builder = builder.header(header::HOST, host);
    }
    for (name, value) in &call.headers {
        builder = builder.header(*name, value);
    }
    let body = call.body.clone().unwrap_or_default();
    builder.body(Full::new(body)).map_err(|error| error.to_string())
}

async fn read(
    response: http::Response<Incoming>,
    large: &Arc<Semaphore>,
) -> Result<Received, Failure> {
    let status = response.status().as_u16();
    let content_type = response.headers().get(header::CONTENT_TYPE);
    let content_type = content_type.and_then(|it| it.to_str().ok()).unwrap_or("").to_owned();
    let location = response.headers().get(header::LOCATION);
    let location = location.and_then(|it| it.to_str().ok()).map(str::to_owned);
    // Without a length it may be as long as any.
    let announced = response.body().size_hint().exact().and_then(|len| u32::try_from(len).ok());
    let announced = announced.unwrap_or(u32::MAX).min(ANSWER_BYTES_MAX as u32);
    let mut rest = Limited::new(response.into_body(), ANSWER_BYTES_MAX);
    let (mut body, mut held) = (Vec::new(), Held::default());
    while let Some(frame) = rest.frame().await {
        let frame = frame.map_err(|error| broken(&*error))?;
        let Ok(data) = frame.into_data() else { continue };
        if body.len() <= SMALL_ANSWER_BYTES && body.len() + data.len() > SMALL_ANSWER_BYTES {
            // What is not read yet waits at the webhook.
            let room = Arc::clone(large).acquire_many_owned(announced).await;
            held = room.map_or_else(|_| Held::default(), Held::new);
        }
        body.extend_from_slice(&data);
    }
    let reply = Reply { status, content_type, body, held };
    Ok(Received { reply, location })
}

/// Why a reply did not come to its end.
fn broken(error: &(dyn std::error::Error + Send + Sync + 'static)) -> Failure {
    if error.is::<http_body_util::LengthLimitError>() {
        return Failure::Other(format!("the answer is larger than {ANSWER_BYTES_MAX} bytes"));
    }
    let cut = |it: &hyper::Error| it.is_incomplete_message() || is_cut_off(it);
    let is_cut = error.downcast_ref::<hyper::Error>().is_some_and(cut);
    Failure::Broken(if is_cut { "unexpected EOF".to_owned() } else { error.to_string() })
}

/// Whether the other side went away without a word.
fn is_cut_off(error: &hyper::Error) -> bool {
    let source = std::error::Error::source(error);
    let io = source.and_then(|source| source.downcast_ref::<std::io::Error>());
    io.is_some_and(|error| {
        let kind = error.kind();
        matches!(
            kind,
            std::io::ErrorKind::UnexpectedEof
                | std::io::ErrorKind::ConnectionReset
                | std::io::ErrorKind::BrokenPipe
        )
    })
}

fn words(error: &hyper::Error) -> String {
    let source = std::error::Error::source(error);
    source.map_or_else(|| error.to_string(), ToString::to_string)
}
