//! From a request to its handler.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, USER_AGENT};
use http::{Method, Response, Uri};
use ordain_meta::{GroupResource, Status};
use ordain_registry::caller::User;
use ordain_registry::subresource::Access;
use ordain_registry::{Catalog, Family, Part, RestConfig, Target, Warnings};
use ordain_value::Text;
use tokio::time::Instant;

use crate::app::App;
use crate::arriving::{NoRoom, Posted};
use crate::audit::Level;
use crate::audit::bodies::Heard;
use crate::handlers;
use crate::negotiate::{self, Accepted, Form, MEDIA_TYPES};
use crate::request_info::{Query, RequestInfo, Verb};
use crate::response::{self, Body};
use crate::seam::Tap;

/// A request with everything its handler needs.
pub(crate) struct Exchange<'a> {
    pub(crate) app: &'a App,
    /// Who makes the request, or whom it acts as.
    pub(crate) user: Arc<User>,
    pub(crate) info: Arc<RequestInfo>,
    pub(crate) query: Query,
    pub(crate) headers: HeaderMap,
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) body: Option<Posted>,
    deadline: Option<Instant>,
    pub(crate) tap: Option<Arc<Tap>>,
    heard: Option<Heard>,
    pub(crate) accepted: Accepted,
    pub(crate) warnings: Warnings,
}

impl Exchange<'_> {
    pub(crate) fn header(&self, name: http::header::HeaderName) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("")
    }

    /// The client program. Unlike other headers it may hold any UTF-8.
    pub(crate) fn user_agent(&self) -> &str {
        let value = self.headers.get(USER_AGENT).map(http::HeaderValue::as_bytes);
        value.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("")
    }

    /// The host that the client asked for.
    pub(crate) fn host(&self) -> &str {
        self.header(http::header::HOST)
    }

    pub(crate) fn content_type(&self) -> &str {
        self.header(CONTENT_TYPE)
    }

    /// Whether the audit log may want to see what is answered.
    pub(crate) fn is_shown(&self) -> bool {
        self.app.audit.as_ref().is_some_and(|it| it.policy.level_max() == Level::RequestResponse)
    }

    /// Reads the whole body, within the limit.
    pub(crate) async fn read_body(&mut self) -> Result<Bytes, Status> {
        let Some(body) = self.body.take() else { return Ok(Bytes::new()) };
        let bytes = body.read(self.app.limits.body_bytes_max, self.deadline).await?;
        if let Some(tap) = &self.tap {
            let _ = tap.body.set(bytes.clone());
        }
        if let Some(heard) = &self.heard {
            // A body is read once.
            let _ = heard.set(bytes.clone());
        }
        Ok(bytes)
    }
}

/// The resource that a request names, as it was served at one moment.
pub(crate) struct Found {
    catalog: Arc<Catalog>,
    pub(crate) resource: Option<Arc<RestConfig>>,
}

impl Found {
    pub(crate) fn new(app: &App, info: &RequestInfo) -> Self {
        let catalog = app.registry.catalog();
        let found = info.is_resource.then(|| catalog.get(&info.group, &info.resource)).flatten();
        let resource = found.cloned();
        Self { catalog, resource }
    }

    /// The same as it is served now, which a request that had to wait has to ask anew.
    fn now(self, app: &App, info: &RequestInfo) -> Option<Arc<RestConfig>> {
        let catalog = app.registry.catalog();
        if Arc::ptr_eq(&catalog, &self.catalog) {
            return self.resource;
        }
        catalog.get(&info.group, &info.resource).cloned()
    }
}

/// A request that passed the gate. It is handed on in a box, because it is large.
pub(crate) struct Arrival {
    pub(crate) parts: http::request::Parts,
    pub(crate) body: Posted,
    pub(crate) query: Query,
    pub(crate) info: Arc<RequestInfo>,
    pub(crate) found: Found,
    /// When the answer must be there; never for watches.
    pub(crate) deadline: Option<Instant>,
    /// What tests see of it.
    pub(crate) tap: Option<Arc<Tap>>,
    /// Where the body is put for the audit log.
    pub(crate) heard: Option<Heard>,
}

impl Arrival {
    /// The request with its body.
    pub(crate) async fn arrive(
        mut self: Box<Self>,
        app: &App,
        user: &Text,
        deadline: Instant,
    ) -> Result<Box<Self>, NoRoom> {
        self.body = self.body.arrive(app, user, deadline).await?;
        Ok(self)
    }
}

/// Answers a request of a user.
pub(crate) async fn handle(app: &App, user: Arc<User>, arrival: Box<Arrival>) -> Response<Body> {
    let arrival = *arrival;
    let mut exchange = Exchange {
        app,
        user,
        info: arrival.info,
        query: arrival.query,
        headers: arrival.parts.headers,
        method: arrival.parts.method,
        uri: arrival.parts.uri,
        body: Some(arrival.body),
        deadline: arrival.deadline,
        tap: arrival.tap,
        heard: arrival.heard,
        accepted: Accepted::default(),
        warnings: Warnings::default(),
    };
    let response = route(&mut exchange, arrival.found).await;
    if let Some(body) = exchange.body.take() {
        body.skip().await;
    }
    response
}

async fn route(exchange: &mut Exchange<'_>, found: Found) -> Response<Body> {
    if exchange.info.segments.iter().any(|it| it.is_empty()) {
        return response::page_not_found();
    }
    if !exchange.info.is_resource {
        return Box::pin(handlers::nonresource::handle(exchange)).await;
    }
    let registry = &exchange.app.registry;
    let info = &exchange.info;
    if let Some(remote) = registry.remote(&info.group, &info.version) {
        return Box::pin(handlers::aggregate::forward(exchange, &remote)).await;
    }
    let mut found = found.now(exchange.app, info);
    if found.as_ref().is_none_or(|it| it.served(&info.version).is_none()) {
        // Another server may have defined it a moment ago.
        if let Err(status) = Box::pin(registry.catch_up()).await {
            return response::plain_status(&status);
        }
        found = registry.catalog().get(&info.group, &info.resource).cloned();
    }
    let Some(resource) = found else {
        let catalog = registry.catalog();
        if catalog.iter().any(|it| it.family == Family::BuiltIn && it.group == info.group) {
            return response::plain_status(&Status::path_not_found());
        }
        return response::page_not_found();
    };
    match resource.family {
        Family::Custom => custom(exchange, resource).await,
        Family::BuiltIn => built_in(exchange, resource).await,
    }
}

/// Custom resources: what is not there is a plain 404.
async fn custom(exchange: &mut Exchange<'_>, resource: Arc<RestConfig>) -> Response<Body> {
    let info = &exchange.info;
    let across = matches!(info.verb, Verb::List | Verb::Watch);
    let scoped = !info.namespace.is_empty();
    let misplaced = if resource.namespaced { !scoped && !across } else { scoped };
    let Some(version) = resource.served(&info.version).filter(|_| !misplaced) else {
        return response::page_not_found();
    };
    if let Some(warning) = &version.deprecation_warning {
        exchange.warnings.add(warning.to_string());
    }
    let group_resource = resource.group_resource();
    let part = match info.subresource.as_str() {
        "" => Some(Part::Main),
        "status" if version.status => Some(Part::Status),
        "scale" if version.scale.is_some() => Some(Part::Scale),
        _ => None,
    };
    exchange.accepted = match negotiate::accept(exchange.header(ACCEPT)) {
        Some(accepted) => accepted,
        None => return not_acceptable(),
    };
    let Some(part) = part else {
        let status = Status::not_found(&group_resource, &exchange.info.name);
        return response::status(&status, exchange.accepted, &exchange.warnings);
    };
    let allowed = match part {
        Part::Main => exchange.info.verb != Verb::Unknown,
        _ => matches!(exchange.info.verb, Verb::Get | Verb::Update | Verb::Patch),
    };
    if !allowed {
        return refuse_verb(exchange, &group_resource);
    }
    dispatch(exchange, resource, part).await
}

fn refuse_verb(exchange: &Exchange<'_>, resource: &GroupResource) -> Response<Body> {
    let status = Status::method_not_supported(resource, exchange.info.verb.as_str());
    response::status(&status, exchange.accepted, &exchange.warnings)
}

/// Built-in kinds: each path has its methods.
async fn built_in(exchange: &mut Exchange<'_>, resource: Arc<RestConfig>) -> Response<Body> {
    let info = &exchange.info;
    let own_namespace = resource.plural == "namespaces" && resource.group.is_empty();
    let scoped = !info.namespace.is_empty() && !own_namespace;
    let served = resource.served(&info.version).is_some();
    let misplaced = (scoped && !resource.namespaced) || (own_namespace && is_nested(info));
    let access = Access::of(&info.subresource);
    if !served || misplaced || (info.has_more && access != Access::Proxy) {
        return response::plain_status(&Status::path_not_found());
    }
    let other = resource.subresources.iter().position(|name| *name == info.subresource);
    let version = resource.version(&info.version);
    if let Some(warning) = version.and_then(|version| version.deprecation_warning.as_ref()) {
        exchange.warnings.add(warning.to_string());
    }
    let part = match info.subresource.as_str() {
        "" => Some(Part::Main),
        "status" if version.is_some_and(|version| version.status) => Some(Part::Status),
        "scale" if version.is_some_and(|version| version.scale.is_some()) => Some(Part::Scale),
        _ => other.map(Part::Other),
    };
    let Some(part) = part else {
        return response::plain_status(&Status::path_not_found());
    };
    let named = !info.name.is_empty();
    if named && resource.namespaced && !scoped {
        return response::plain_status(&Status::path_not_found());
    }
    let verbs = resource.verbs;
    let connects = matches!(part, Part::Other(_))
        && match access {
            Access::Connect => matches!(info.verb, Verb::Get | Verb::Create),
            Access::Proxy => true,
            _ => false,
        };
    let allowed = match (info.verb, part) {
        _ if connects => true,
        (Verb::Get | Verb::List, Part::Main) => verbs.read,
        (Verb::Watch, Part::Main) => verbs.watch,
        (Verb::Create, Part::Main) => verbs.create && !named && (scoped || !resource.namespaced),
        (Verb::Update | Verb::Patch, Part::Main) => verbs.update && named,
        (Verb::Delete, Part::Main) => verbs.delete,
        (Verb::DeleteCollection, Part::Main) => {
            verbs.delete && !own_namespace && (scoped || !resource.namespaced)
        }
        (Verb::Get, Part::Other(_)) if access == Access::Read => true,
        (Verb::Create, Part::Other(_)) => handlers::posted::takes(exchange.app, &info.subresource),
        (Verb::Update, Part::Other(_)) => matches!(access, Access::Update | Access::Edit),
        (Verb::Get | Verb::Patch, Part::Other(_)) => access == Access::Edit,
        (Verb::Get | Verb::Update | Verb::Patch, Part::Status | Part::Scale) => true,
        _ => false,
    };
    if !allowed {
        return response::plain_status(&Status::method_not_allowed());
    }
    exchange.accepted = match negotiate::accept(exchange.header(ACCEPT)) {
        Some(accepted) => accepted,
        // A path of a built-in kind knows its media types, but not the forms of objects.
        None if negotiate::names_media_type(exchange.header(ACCEPT)) => return not_acceptable(),
        None => return response::plain_status(&Status::no_representation(&MEDIA_TYPES)),
    };
    // What is only posted, such as a review, has no columns.
    let only_posted = !verbs.read || (info.verb == Verb::Create && matches!(part, Part::Other(_)));
    if only_posted && matches!(exchange.accepted.form, Form::Table(_)) {
        return not_acceptable();
    }
    dispatch(exchange, resource, part).await
}

/// Whether a path looks for namespaces inside of one. Rights in a namespace end there.
fn is_nested(info: &RequestInfo) -> bool {
    let first = info.segments.iter().position(|segment| segment == "namespaces");
    first.is_some_and(|at| info.segments.get(at + 2).is_some_and(|it| it == "namespaces"))
}

fn not_acceptable() -> Response<Body> {
    response::plain_status(&Status::not_acceptable(&MEDIA_TYPES))
}

/// What a request addresses.
pub(crate) fn target(info: &RequestInfo, resource: Arc<RestConfig>) -> Target {
    let namespace = if resource.namespaced { info.namespace.as_str() } else { "" };
    Target {
        version: info.version.as_str().into(),
        namespace: namespace.into(),
        name: info.name.as_str().into(),
        resource,
    }
}

async fn dispatch(
    exchange: &mut Exchange<'_>,
    resource: Arc<RestConfig>,
    part: Part,
) -> Response<Body> {
    let target = target(&exchange.info, resource);
    let access = Access::of(&exchange.info.subresource);
    let connects =
        matches!(part, Part::Other(_)) && matches!(access, Access::Connect | Access::Proxy);
    // Reading is what is asked for most: the others are kept apart, so that its future is small.
    let result = match exchange.info.verb {
        _ if connects => Box::pin(handlers::connect::connect(exchange, &target, part)).await,
        Verb::Get if access == Access::Read && matches!(part, Part::Other(_)) => {
            Box::pin(handlers::log::log(exchange, &target)).await
        }
        Verb::Get => handlers::get(exchange, &target, part).await,
        Verb::List => handlers::list(exchange, &target).await,
        Verb::Watch => Box::pin(handlers::watch::watch(exchange, &target)).await,
        Verb::Create if part != Part::Main => {
            Box::pin(handlers::posted::create(exchange, &target, part)).await
        }
        Verb::Create if handlers::posted::is_binding(&target) => {
            Box::pin(handlers::posted::bind_by_name(exchange, &target)).await
        }
        Verb::Create => Box::pin(handlers::create(exchange, &target)).await,
        Verb::Update => Box::pin(handlers::update(exchange, &target, part)).await,
        Verb::Patch => Box::pin(handlers::patch(exchange, &target, part)).await,
        Verb::Delete => Box::pin(handlers::delete(exchange, &target)).await,
        Verb::DeleteCollection => Box::pin(handlers::delete_collection(exchange, &target)).await,
        Verb::Unknown => Err(Status::method_not_allowed()),
    };
    result.unwrap_or_else(|status| response::status(&status, exchange.accepted, &exchange.warnings))
}
