//! What is kept about a request while it is answered, and reported when it begins and ends: metrics, the
//! audit log, and a log line.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, OnceLock, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::Bytes;
use http::header::HeaderName;
use http::request::Parts;
use http::{HeaderValue, Response, StatusCode};
use http_body_util::BodyExt;
use hyper::body::{Body as _, Frame, SizeHint};
use ordain_meta::time::Time;
use ordain_meta::{GroupResource, Status};
use ordain_registry::access::Attributes;
use ordain_registry::caller::{Annotations, User};
use ordain_registry::dynamic::PATCH_ANNOTATION;
use ordain_registry::{Flow, RestConfig};
use ordain_value::{Map, Text, Value, value};

use crate::app::App;
use crate::audit::bodies::{self, Heard, Shown};
use crate::audit::{AuditPolicy, Decided, Level, Stage};
use crate::log;
use crate::request_info::{Query, RequestInfo, Verb};
use crate::response::{Body, ObjectName, Refusal};
use crate::{audit, metrics};

const COMPONENT: &str = "apiserver";
const AUDIT_ID: HeaderName = HeaderName::from_static("audit-id");
const FLOW_SCHEMA: HeaderName = HeaderName::from_static("x-kubernetes-pf-flowschema-uid");
const FLOW_LEVEL: HeaderName = HeaderName::from_static("x-kubernetes-pf-prioritylevel-uid");
/// What is noted of a read whose client did not wait for the answer; no client sees it.
const CLIENT_GONE: u16 = 499;

/// A request on its way. It is handed on in a box, because it is large.
pub(crate) struct Record {
    app: Arc<App>,
    info: Arc<RequestInfo>,
    started: Instant,
    labels: Labels,
    audit: Option<Audit>,
    /// For the logs: method and URI, if anybody wants to know.
    line: Option<(String, String)>,
    address: SocketAddr,
    pub(crate) user: Option<Arc<User>>,
    pub(crate) impersonated: Option<Arc<User>>,
    /// The verb that allowed the impersonation, if it was a narrow one.
    pub(crate) constraint: String,
    /// Whether the end was written down.
    ended: bool,
    /// Whether the handler panicked.
    pub(crate) panicked: bool,
    /// Whether it was allowed, and why.
    pub(crate) decision: Option<(bool, String)>,
    /// The flow that it is part of.
    pub(crate) flow: Option<Flow>,
    /// What admission has to say about the request.
    pub(crate) annotations: Annotations,
}

/// What only the audit log needs.
struct Audit {
    /// What the policy says, from when it was first asked.
    decided: OnceLock<Decided>,
    /// The body of the request, once it was read.
    heard: Heard,
    /// What the answer shows.
    shown: Option<Shown>,
    id: String,
    received: Time,
    user_agent: String,
    verb: String,
    name: String,
}

/// The values of labels, all of them from bounded sets.
struct Labels {
    verb: &'static str,
    dry_run: &'static str,
    group: Text,
    version: Text,
    resource: Text,
    subresource: Text,
    scope: &'static str,
}

impl Record {
    pub(crate) fn new(
        app: &Arc<App>,
        address: SocketAddr,
        parts: &Parts,
        query: &Query,
        info: &Arc<RequestInfo>,
        served: Option<&RestConfig>,
    ) -> Box<Self> {
        let logged = app.audit.is_some() || app.log.verbosity >= 1;
        let record = Box::new(Self {
            app: Arc::clone(app),
            info: Arc::clone(info),
            started: Instant::now(),
            labels: Labels::new(served, parts, query, info),
            audit: app.audit.as_ref().map(|_| Audit::new(parts)),
            line: logged.then(|| {
                let uri = parts.uri.path_and_query().map_or("", |it| it.as_str());
                (parts.method.as_str().to_owned(), uri.to_owned())
            }),
            address,
            user: None,
            impersonated: None,
            constraint: String::new(),
            ended: false,
            panicked: false,
            decision: None,
            flow: None,
            annotations: Annotations::default(),
        });
        if info.verb == Verb::Watch {
            metrics::LONG_RUNNING.add(&record.labels.without_dry_run(), 1);
        }
        record
    }

    /// How the request is called in the words of rules, for the audit log.
    pub(crate) fn set_verb(&mut self, verb: &str, name: &str) {
        if let Some(audit) = &mut self.audit {
            audit.verb = verb.to_owned();
            audit.name = name.to_owned();
        }
    }

    pub(crate) fn terminated(&self, code: u16) {
        let code = code.to_string();
        let mut values = self.labels.without_dry_run().to_vec();
        values.push(&code);
        metrics::TERMINATIONS.add(&values, 1);
    }

    /// Writes down that the request is about to be worked on. What happens after this line has
    /// been announced, whatever becomes of the server.
    pub(crate) fn received(&self) {
        self.write_audit(Stage::RequestReceived, None, None);
    }

    /// Where the body of the request is put for the audit log, if it wants to see any.
    pub(crate) fn heard(&self) -> Option<Heard> {
        let level = self.app.audit.as_ref().map(|log| log.policy.level_max())?;
        let audit = self.audit.as_ref()?;
        (level >= Level::Request).then(|| Arc::clone(&audit.heard))
    }

    /// The answer with the name of the request.
    pub(crate) fn stamp(&self, mut response: Response<Body>) -> Response<Body> {
        if let Some(audit) = &self.audit
            && let Ok(id) = HeaderValue::from_str(&audit.id)
        {
            response.headers_mut().insert(AUDIT_ID, id);
        }
        if let Some(flow) = &self.flow {
            for (name, uid) in [(FLOW_SCHEMA, &flow.schema), (FLOW_LEVEL, &flow.level)] {
                if let Ok(uid) = HeaderValue::from_str(uid) {
                    response.headers_mut().insert(name, uid);
                }
            }
        }
        response
    }

    /// Takes note of the answer. What a stream sends is noted until it ends.
    pub(crate) fn finish(mut self: Box<Self>, response: Response<Body>) -> Response<Body> {
        let mut response = self.stamp(response);
        let code = response.status().as_u16();
        let refusal = response.extensions_mut().remove::<Refusal>();
        if let Some(name) = response.extensions().get::<ObjectName>()
            && let Some(audit) = self.audit.as_mut().filter(|audit| audit.name.is_empty())
        {
            audit.name = name.0.to_string();
        }
        if let Some(audit) = &mut self.audit {
            audit.shown = response.extensions_mut().remove::<Shown>();
        }
        if self.info.verb == Verb::Watch && code == 200 {
            self.write_audit(Stage::ResponseStarted, Some(code), None);
            return response.map(|body| Tracked::new(body, self, code).boxed_unsync());
        }
        let bytes = response.body().size_hint().exact().unwrap_or(0);
        metrics::RESPONSE_BYTES.observe(&self.labels.without_dry_run(), bytes as f64);
        let seconds = self.started.elapsed().as_secs_f64();
        metrics::REQUEST_SECONDS.observe(&self.labels.all(), seconds);
        self.end(code, refusal.as_ref().map(|refusal| &*refusal.0));
        response
    }

    fn end(&mut self, code: u16, refusal: Option<&Status>) {
        self.ended = true;
        let [verb, dry_run, group, version, resource, subresource, scope, component] =
            self.labels.all();
        let status = StatusCode::from_u16(code).unwrap_or_default();
        let code_text = status.as_str();
        let values =
            [verb, dry_run, group, version, resource, subresource, scope, component, code_text];
        metrics::REQUESTS.add(&values, 1);
        let stage = if self.panicked { Stage::Panic } else { Stage::ResponseComplete };
        self.write_audit(stage, Some(code), refusal);
        if let Some((method, uri)) = &self.line
            && self.app.log.verbosity >= 1
        {
            let millis = format!("{:.3}", self.started.elapsed().as_secs_f64() * 1e3);
            let user = self.impersonated.as_ref().or(self.user.as_ref());
            let user = user.map_or("", |user| user.name.as_str());
            self.app.log.request(&[
                ("method", method),
                ("uri", uri),
                ("code", &code),
                ("ms", &millis),
                ("user", &user),
                ("peer", &self.address),
            ]);
        }
    }

    fn write_audit(&self, stage: Stage, code: Option<u16>, refusal: Option<&Status>) {
        let (Some(log), Some(audit)) = (&self.app.audit, &self.audit) else { return };
        let decided = audit.decided.get_or_init(|| self.decide(&log.policy, audit));
        if decided.level == Level::None || decided.omitted.contains(&stage) {
            return;
        }
        let mut event = self.event(audit, stage, code, refusal);
        event.set_path(&["level"], decided.level.as_str().into());
        if decided.level < Level::Request
            && let Some(annotations) = event.get_mut("annotations").and_then(Value::as_map_mut)
        {
            // A patch holds what a request holds.
            annotations.retain(|key, _| !key.starts_with(PATCH_ANNOTATION));
        }
        add_bodies(&mut event, audit, decided, stage);
        if let Err(error) = log.write(&event) {
            self.app.log.error("the audit log cannot be written", &[("error", &error)]);
        }
    }

    /// What the policy says about the request.
    fn decide(&self, policy: &AuditPolicy, audit: &Audit) -> Decided {
        let info = &self.info;
        let uri = self.line.as_ref().map_or("", |(_, uri)| uri.as_str());
        let request = Attributes {
            verb: &audit.verb,
            is_resource: info.is_resource,
            group: &info.group,
            version: &info.version,
            namespace: &info.namespace,
            resource: &info.resource,
            subresource: &info.subresource,
            name: &audit.name,
            path: uri.split('?').next().unwrap_or_default(),
        };
        policy.decide(self.user.as_deref(), &request).clone()
    }

    fn event(
        &self,
        audit: &Audit,
        stage: Stage,
        code: Option<u16>,
        refusal: Option<&Status>,
    ) -> Value {
        let address = self.address.ip().to_string();
        let uri = self.line.as_ref().map_or("", |(_, uri)| uri.as_str());
        let user = self.user.as_ref().map_or(value!({}), |user| user.encode());
        let mut event = value!({
            "kind": "Event",
            "apiVersion": "audit.k8s.io/v1",
            "level": "Metadata",
            "auditID": (audit.id.as_str()),
            "stage": (stage.as_str()),
            "requestURI": uri,
            "verb": (audit.verb.as_str()),
            "user": (user),
            "sourceIPs": [(address)],
            "requestReceivedTimestamp": (audit.received.encode_micro()),
            "stageTimestamp": (log::now().encode_micro())
        });
        if let Some(code) = code {
            // Texts about an object that was read may quote it.
            let allowed = self.decision.as_ref().is_some_and(|(allowed, _)| *allowed);
            let quotes = allowed && self.info.verb.writes();
            event.set_path(&["responseStatus"], audit::status_value(code, refusal, !quotes));
        }
        if let Some(user) = &self.impersonated {
            event.set_path(&["impersonatedUser"], user.encode());
        }
        if !self.constraint.is_empty() {
            let constraint = value!({"impersonationConstraint": (self.constraint.as_str())});
            event.set_path(&["authenticationMetadata"], constraint);
        }
        if !audit.user_agent.is_empty() {
            event.set_path(&["userAgent"], audit.user_agent.as_str().into());
        }
        if self.info.is_resource {
            event.set_path(&["objectRef"], self.object_ref(audit));
        }
        if let Some((allowed, reason)) = &self.decision {
            let decision = if *allowed { "allow" } else { "forbid" };
            let mut annotations = Map::new();
            for (key, text) in
                self.annotations.lock().unwrap_or_else(PoisonError::into_inner).iter()
            {
                annotations.insert(key.as_str(), text.as_str().into());
            }
            annotations.insert("authorization.k8s.io/decision", decision.into());
            annotations.insert("authorization.k8s.io/reason", reason.as_str().into());
            event.set_path(&["annotations"], Value::Map(annotations));
        }
        event
    }

    fn object_ref(&self, audit: &Audit) -> Value {
        let info = &self.info;
        let mut map = Map::new();
        for (field, text) in [
            ("resource", info.resource.as_str()),
            ("namespace", &info.namespace),
            ("name", &audit.name),
            ("apiGroup", &info.group),
            ("apiVersion", &info.version),
            ("subresource", &info.subresource),
        ] {
            if !text.is_empty() {
                map.insert(field, text.into());
            }
        }
        Value::Map(map)
    }
}

/// Adds the bodies that the level asks for.
fn add_bodies(event: &mut Value, audit: &Audit, decided: &Decided, stage: Stage) {
    let shown = |value: Value| match decided.without_owners {
        true => bodies::without_owners(value),
        false => value,
    };
    if decided.level < Level::Request || stage == Stage::RequestReceived {
        return;
    }
    if let Some(request) = audit.heard.get().and_then(bodies::heard) {
        event.set_path(&["requestObject"], shown(request));
    }
    if decided.level == Level::RequestResponse
        && let Some(answer) = audit.shown.as_ref().and_then(Shown::value)
    {
        event.set_path(&["responseObject"], shown(answer));
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        if !self.ended {
            self.end(CLIENT_GONE, None);
        }
        if self.info.verb == Verb::Watch {
            metrics::LONG_RUNNING.add(&self.labels.without_dry_run(), -1);
        }
    }
}

impl Audit {
    fn new(parts: &Parts) -> Self {
        let agent = parts.headers.get(http::header::USER_AGENT).map(HeaderValue::as_bytes);
        Self {
            decided: OnceLock::new(),
            heard: Heard::default(),
            shown: None,
            id: audit::new_id(),
            received: log::now(),
            user_agent: String::from_utf8_lossy(agent.unwrap_or_default()).into_owned(),
            verb: parts.method.as_str().to_ascii_lowercase(),
            name: String::new(),
        }
    }
}

impl Labels {
    fn new(served: Option<&RestConfig>, parts: &Parts, query: &Query, info: &RequestInfo) -> Self {
        let mut labels = Self {
            verb: verb(parts, info),
            dry_run: if query.get("dryRun") == Some("All") { "All" } else { "" },
            group: Text::default(),
            version: Text::default(),
            resource: Text::default(),
            subresource: Text::default(),
            scope: "",
        };
        let Some(resource) = served.filter(|it| it.version(&info.version).is_some()) else {
            labels.subresource = Text::new_static(path_label(info));
            return labels;
        };
        labels.group = info.group.clone();
        labels.version = info.version.clone();
        labels.resource = info.resource.clone();
        let part = info.subresource.as_str();
        if matches!(part, "status" | "scale") || resource.subresources.iter().any(|it| it == part) {
            labels.subresource = info.subresource.clone();
        }
        labels.scope = if !info.name.is_empty() || info.verb == Verb::Create {
            "resource"
        } else if !info.namespace.is_empty() {
            "namespace"
        } else {
            "cluster"
        };
        labels
    }

    fn all(&self) -> [&str; 8] {
        [
            self.verb,
            self.dry_run,
            &self.group,
            &self.version,
            &self.resource,
            &self.subresource,
            self.scope,
            COMPONENT,
        ]
    }

    fn without_dry_run(&self) -> [&str; 7] {
        let [verb, _, group, version, resource, subresource, scope, component] = self.all();
        [verb, group, version, resource, subresource, scope, component]
    }
}

/// Paths that are no resources and are told apart.
fn path_label(info: &RequestInfo) -> &'static str {
    match info.segments.first().map(|it| it.as_str()) {
        Some("healthz") => "/healthz",
        Some("livez") => "/livez",
        Some("readyz") => "/readyz",
        Some("metrics") => "/metrics",
        Some("version") => "/version",
        _ => "",
    }
}

fn verb(parts: &Parts, info: &RequestInfo) -> &'static str {
    match info.verb {
        Verb::Get => "GET",
        Verb::List => "LIST",
        Verb::Watch => "WATCH",
        Verb::Create => "POST",
        Verb::Update => "PUT",
        Verb::Patch => {
            let content_type = parts.headers.get(http::header::CONTENT_TYPE);
            let apply = content_type
                .is_some_and(|it| it.as_bytes().starts_with(b"application/apply-patch"));
            if apply { "APPLY" } else { "PATCH" }
        }
        Verb::Delete => "DELETE",
        Verb::DeleteCollection => "DELETECOLLECTION",
        Verb::Unknown => match parts.method.as_str() {
            "GET" | "HEAD" => "GET",
            "POST" => "POST",
            "PUT" => "PUT",
            "PATCH" => "PATCH",
            "DELETE" => "DELETE",
            _ => "other",
        },
    }
}

/// The stream of a watch: counted while it runs, ended when the server stops.
struct Tracked {
    body: Body,
    record: Box<Record>,
    code: u16,
    closing: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Tracked {
    fn new(body: Body, record: Box<Record>, code: u16) -> Self {
        let mut closing = record.app.closing.subscribe();
        let closing = Box::pin(async move {
            let _ = closing.wait_for(|closing| *closing).await;
        });
        Self { body, record, code, closing }
    }
}

impl hyper::body::Body for Tracked {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        match &polled {
            Poll::Ready(Some(Ok(frame))) => {
                let labels = &self.record.labels;
                let values = [labels.group.as_str(), &labels.version, &labels.resource];
                let bytes = frame.data_ref().map_or(0, Bytes::len);
                metrics::WATCH_EVENTS.add(&values, 1);
                metrics::WATCH_EVENT_BYTES.observe(&values, bytes as f64);
            }
            Poll::Ready(_) => {}
            Poll::Pending => {
                if self.closing.as_mut().poll(context).is_ready() {
                    return Poll::Ready(None);
                }
            }
        }
        polled
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Tracked {
    fn drop(&mut self) {
        self.record.end(self.code, None);
    }
}

/// Whether a host name in a request means this machine.
pub(crate) fn is_local_host(host: &str) -> bool {
    let bare = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(""),
        None => match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => host,
        },
    };
    bare.parse::<std::net::IpAddr>().is_ok()
        || bare.eq_ignore_ascii_case("localhost")
        || bare.to_ascii_lowercase().ends_with(".localhost")
}

/// The refusal of a request whose host is not this machine: a page in a browser may be behind it.
pub(crate) fn foreign_host(host: &str) -> Status {
    let why = format!("the host {host:?} is not this machine");
    Status::forbidden(&GroupResource::new("", ""), "", &why)
}
