//! Calls to etcd.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use ordain_storage::{Result, Revision, StoreError};
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::metadata::MetadataValue;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Code, Status, Streaming};
use tonic_prost::ProstCodec;

use crate::endpoints::{Endpoints, Repeat};
use crate::message::{
    AlarmRequest, AlarmResponse, CompactionRequest, CompactionResponse, RangeRequest,
    RangeResponse, ResponseHeader, TxnRequest, TxnResponse, WatchCreateRequest, WatchRequest,
    WatchResponse,
};
use crate::status;

/// How long one call may take.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);

const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// A member that does not answer a probe in this time is not back.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

/// A connection that does not answer for so long is given up.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(10);
const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(5);

/// The most that one answer may carry; etcd itself sends no more.
const ANSWER_BYTES_MAX: usize = i32::MAX as usize;

/// etcd keeps all history until it is told otherwise; so long of it is kept.
const COMPACT_EVERY: Duration = Duration::from_secs(300);

/// How an etcd is reached, and how much of its history is kept.
#[derive(Debug, Clone)]
pub struct EtcdOptions {
    /// URLs such as `http://127.0.0.1:2379`.
    pub endpoints: Vec<String>,
    /// Needed for `https` endpoints.
    pub tls: Option<EtcdTls>,
    /// How much of the history is kept for reads of the past.
    pub history: ordain_storage::HistoryLimits,
    /// How often history that is as old as this is given up; never, if another process does it.
    pub compact_every: Option<Duration>,
}

impl Default for EtcdOptions {
    fn default() -> Self {
        Self {
            endpoints: Vec::new(),
            tls: None,
            history: ordain_storage::HistoryLimits::default(),
            compact_every: Some(COMPACT_EVERY),
        }
    }
}

/// Certificates as PEM.
#[derive(Clone, Default)]
pub struct EtcdTls {
    /// Who may have signed the certificate of etcd.
    pub ca_pem: Vec<u8>,
    /// Who we are: certificate and key.
    pub identity_pem: Option<(Vec<u8>, Vec<u8>)>,
}

impl std::fmt::Debug for EtcdTls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EtcdTls").field("identity", &self.identity_pem.is_some()).finish()
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Client {
    endpoints: Endpoints,
    /// The highest revision that etcd has reported.
    highest: Arc<AtomicU64>,
}

impl Client {
    pub(crate) fn new(options: &EtcdOptions) -> Result<Self> {
        let channel = |url: &String| Ok(endpoint(url, options.tls.as_ref())?.connect_lazy());
        let channels = options.endpoints.iter().map(channel).collect::<Result<Vec<_>>>()?;
        if channels.is_empty() {
            return Err(StoreError::Invalid("no etcd endpoint is given".to_owned()));
        }
        Ok(Self { endpoints: Endpoints::new(channels), highest: Arc::default() })
    }

    async fn call<Q, A>(
        &self,
        path: &'static str,
        repeat: Repeat,
        request: Q,
    ) -> std::result::Result<A, Status>
    where
        Q: prost::Message + Clone + Send + Sync + 'static,
        A: prost::Message + Default + Send + Sync + 'static,
    {
        let call = |channel| in_time(unary(channel, path, request.clone()));
        let answered = self.endpoints.call(repeat, call, answers).await;
        // Taking the answer woke the task of the connection. A thread of tokio keeps for itself what
        // was woken last; this comes to stand there instead, so that all other calls go on if the
        // caller is busy from here on.
        tokio::spawn(async {});
        answered
    }

    /// The answer is a read of everything that was answered before the call.
    pub(crate) async fn range(
        &self,
        request: RangeRequest,
    ) -> Result<std::result::Result<(RangeResponse, Revision), status::Fact>> {
        let floor = self.highest.load(Ordering::Acquire);
        match self.call::<_, RangeResponse>(RANGE, Repeat::Freely, request).await {
            Ok(answer) => {
                let revision = self.accept(answer.header.as_ref(), floor)?;
                Ok(Ok((answer, revision)))
            }
            Err(status) => match status::fact(&status) {
                status::Fact::Other => Err(status::read_error(&status)),
                fact => Ok(Err(fact)),
            },
        }
    }

    pub(crate) async fn txn(
        &self,
        request: TxnRequest,
        bytes: usize,
    ) -> Result<(TxnResponse, Revision)> {
        let floor = self.highest.load(Ordering::Acquire);
        let answer =
            self.call::<_, TxnResponse>("/etcdserverpb.KV/Txn", Repeat::IfNotMade, request).await;
        let answer = answer.map_err(|status| status::commit_error(&status, bytes))?;
        let revision = self.accept(answer.header.as_ref(), floor)?;
        Ok((answer, revision))
    }

    pub(crate) async fn compact(&self, revision: Revision) -> Result<Option<status::Fact>> {
        let request = CompactionRequest { revision: to_wire(revision) };
        let path = "/etcdserverpb.KV/Compact";
        match self.call::<_, CompactionResponse>(path, Repeat::Freely, request).await {
            Ok(_) => Ok(None),
            Err(status) => match status::fact(&status) {
                status::Fact::Other => Err(status::read_error(&status)),
                fact => Ok(Some(fact)),
            },
        }
    }

    pub(crate) async fn current_revision(&self) -> Result<Revision> {
        let key = bytes::Bytes::from_static(b"\0");
        let request = RangeRequest { key, count_only: true, ..RangeRequest::default() };
        match self.range(request).await? {
            Ok((_, revision)) => Ok(revision),
            Err(fact) => Err(StoreError::Unavailable(format!("etcd: odd answer {fact:?}"))),
        }
    }

    pub(crate) async fn alarms(&self) -> Result<Vec<i32>> {
        let path = "/etcdserverpb.Maintenance/Alarm";
        let answer = self.call::<_, AlarmResponse>(path, Repeat::Freely, AlarmRequest {}).await;
        let answer = answer.map_err(|status| status::read_error(&status))?;
        Ok(answer.alarms.iter().map(|member| member.alarm).collect())
    }

    /// Opens a watch; the request side stays open as long as the answer is held.
    pub(crate) async fn watch(
        &self,
        create: WatchCreateRequest,
    ) -> std::result::Result<Streaming<WatchResponse>, Status> {
        let call = async |channel: Channel, create: WatchCreateRequest| {
            let mut grpc = grpc(channel);
            grpc.ready().await.map_err(|error| Status::from_error(error.into()))?;
            let requests = stream::iter([WatchRequest { create: Some(create) }]);
            let mut request = tonic::Request::new(requests.chain(stream::pending()));
            // A member that has lost its leader is to say so instead of keeping silent.
            request.metadata_mut().insert("hasleader", MetadataValue::from_static("true"));
            let path = PathAndQuery::from_static("/etcdserverpb.Watch/Watch");
            let codec = ProstCodec::<WatchRequest, WatchResponse>::default();
            Ok(grpc.streaming(request, path, codec).await?.into_inner())
        };
        let call = |channel| in_time(call(channel, create.clone()));
        self.endpoints.call(Repeat::Freely, call, answers).await
    }

    /// Revisions never go back. If those of etcd do, it has been restored from an older state,
    /// and what was read before is not true of it.
    fn accept(&self, header: Option<&ResponseHeader>, floor: Revision) -> Result<Revision> {
        let revision = header
            .and_then(|header| u64::try_from(header.revision).ok())
            .ok_or_else(|| StoreError::Corrupt("an answer of etcd has no revision".to_owned()))?;
        if revision < floor {
            return Err(StoreError::Corrupt(format!(
                "etcd went back from revision {floor} to {revision}; was it restored from an \
                 older state? start again to use it as it is"
            )));
        }
        self.highest.fetch_max(revision, Ordering::AcqRel);
        Ok(revision)
    }
}

/// The call that reads, and that tells whether a member answers.
const RANGE: &str = "/etcdserverpb.KV/Range";

fn grpc(channel: Channel) -> Grpc<Channel> {
    Grpc::new(channel).max_decoding_message_size(ANSWER_BYTES_MAX)
}

async fn unary<Q, A>(
    channel: Channel,
    path: &'static str,
    request: Q,
) -> std::result::Result<A, Status>
where
    Q: prost::Message + Send + Sync + 'static,
    A: prost::Message + Default + Send + Sync + 'static,
{
    let mut grpc = grpc(channel);
    grpc.ready().await.map_err(|error| Status::from_error(error.into()))?;
    let (path, codec) = (PathAndQuery::from_static(path), ProstCodec::<Q, A>::default());
    let answer = grpc.unary(tonic::Request::new(request), path, codec).await?;
    Ok(answer.into_inner())
}

async fn in_time<A>(
    call: impl Future<Output = std::result::Result<A, Status>>,
) -> std::result::Result<A, Status> {
    let late = || Status::new(Code::DeadlineExceeded, "no answer in time");
    tokio::time::timeout(CALL_TIMEOUT, call).await.unwrap_or_else(|_| Err(late()))
}

/// Whether a member carries out a consistent read, which needs it and a leader.
async fn answers(channel: Channel) -> bool {
    let key = bytes::Bytes::from_static(b"\0");
    let request = RangeRequest { key, count_only: true, ..RangeRequest::default() };
    let read = unary::<_, RangeResponse>(channel, RANGE, request);
    matches!(tokio::time::timeout(PROBE_TIMEOUT, read).await, Ok(Ok(_)))
}

fn endpoint(url: &str, tls: Option<&EtcdTls>) -> Result<Endpoint> {
    let invalid = |error: &dyn std::fmt::Display| {
        StoreError::Invalid(format!("etcd endpoint {url:?}: {error}"))
    };
    let endpoint = Endpoint::from_shared(url.to_owned())
        .map_err(|error| invalid(&error))?
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_nodelay(true)
        .http2_keep_alive_interval(KEEP_ALIVE_INTERVAL)
        .keep_alive_timeout(KEEP_ALIVE_TIMEOUT)
        .keep_alive_while_idle(true)
        .initial_stream_window_size(4 * 1024 * 1024)
        .initial_connection_window_size(8 * 1024 * 1024);
    match (endpoint.uri().scheme_str(), tls) {
        (Some("http"), _) => Ok(endpoint),
        (Some("https"), Some(tls)) => {
            let mut config =
                ClientTlsConfig::new().ca_certificate(Certificate::from_pem(&tls.ca_pem));
            if let Some((certificate, key)) = &tls.identity_pem {
                config = config.identity(Identity::from_pem(certificate, key));
            }
            endpoint.tls_config(config).map_err(|error| invalid(&error))
        }
        (Some("https"), None) => Err(invalid(&"certificates are needed for https")),
        _ => Err(invalid(&"a URL with http or https is needed")),
    }
}

/// etcd counts in signed numbers; ours never leave their range.
pub(crate) fn to_wire(revision: Revision) -> i64 {
    i64::try_from(revision).unwrap_or(i64::MAX)
}
