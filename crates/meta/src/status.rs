//! The `Status` answer: what a request that is not answered by an object is answered by.
//!
//! Every refusal has one constructor here, with the words that Kubernetes uses for it.

use std::borrow::Cow;

use ordain_value::{Map, Text, Value, field, go_quote, json};

use crate::gvk::{GroupKind, GroupResource};

/// Machine-readable class of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Failures without a class of their own.
    Unknown,
    /// The request has no valid credentials.
    Unauthorized,
    /// The authenticated identity may not do this.
    Forbidden,
    /// There is no such object or resource.
    NotFound,
    /// The name is taken.
    AlreadyExists,
    /// The object has changed since it was read, or another manager owns the field.
    Conflict,
    /// What was asked for is no longer kept.
    Gone,
    /// The object breaks rules of its kind.
    Invalid,
    /// The server could not finish in time; the client may try again.
    ServerTimeout,
    /// The request took longer than it may.
    Timeout,
    /// The server is busy; the client waits before it tries again.
    TooManyRequests,
    /// The request is malformed.
    BadRequest,
    /// The resource does not support the verb.
    MethodNotAllowed,
    /// No acceptable media type can be written.
    NotAcceptable,
    /// The body is larger than it may be.
    RequestEntityTooLarge,
    /// The media type of the body is not understood.
    UnsupportedMediaType,
    /// The server failed.
    InternalError,
    /// The resourceVersion or continue token is too old.
    Expired,
    /// The server cannot answer now.
    ServiceUnavailable,
}

impl Reason {
    /// The word that an answer carries.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "",
            Self::Unauthorized => "Unauthorized",
            Self::Forbidden => "Forbidden",
            Self::NotFound => "NotFound",
            Self::AlreadyExists => "AlreadyExists",
            Self::Conflict => "Conflict",
            Self::Gone => "Gone",
            Self::Invalid => "Invalid",
            Self::ServerTimeout => "ServerTimeout",
            Self::Timeout => "Timeout",
            Self::TooManyRequests => "TooManyRequests",
            Self::BadRequest => "BadRequest",
            Self::MethodNotAllowed => "MethodNotAllowed",
            Self::NotAcceptable => "NotAcceptable",
            Self::RequestEntityTooLarge => "RequestEntityTooLarge",
            Self::UnsupportedMediaType => "UnsupportedMediaType",
            Self::InternalError => "InternalError",
            Self::Expired => "Expired",
            Self::ServiceUnavailable => "ServiceUnavailable",
        }
    }
}

/// One fact behind a failure, usually about one field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cause {
    /// The reason, such as `FieldValueInvalid`.
    pub reason: Text,
    /// What is wrong, for people.
    pub message: String,
    /// The path of the field; empty when it is about the whole object.
    pub field: String,
}

/// What the failure or success is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Details {
    /// The name of the object.
    pub name: Text,
    /// The group of the resource.
    pub group: Text,
    /// The kind, or the resource, that it is about.
    pub kind: Text,
    /// The uid of the object.
    pub uid: Text,
    /// What was wrong, one by one.
    pub causes: Vec<Cause>,
    /// When it is worth trying again; zero when it is not said.
    pub retry_after_seconds: i64,
}

/// The outcome of a request that does not answer with an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// HTTP status code. A success without a code is answered as 200 and does not print it.
    pub code: Option<u16>,
    /// Whether the request was done.
    pub success: bool,
    /// Why it was not, as a word for programs.
    pub reason: Reason,
    /// Why it was not, for people.
    pub message: String,
    /// What it is about.
    pub details: Option<Box<Details>>,
    /// A token to go on with after an expired continue token.
    pub continue_token: Option<Text>,
    /// The whole answer in JSON, where a webhook worded it.
    pub worded: Option<Text>,
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Status {}

impl Status {
    fn failure(code: u16, reason: Reason, message: String, details: Option<Details>) -> Self {
        Self {
            code: Some(code),
            success: false,
            reason,
            message,
            details: details.map(Box::new),
            continue_token: None,
            worded: None,
        }
    }

    /// A deletion that is done: names what is gone.
    pub fn deleted(resource: &GroupResource, name: &str, uid: &str) -> Self {
        let details = Details { uid: uid.into(), ..about(resource, name) };
        Self {
            code: None,
            success: true,
            reason: Reason::Unknown,
            message: String::new(),
            details: Some(Box::new(details)),
            continue_token: None,
            worded: None,
        }
    }

    /// A success that has nothing to show.
    pub fn done(code: u16) -> Self {
        Self {
            code: Some(code),
            success: true,
            reason: Reason::Unknown,
            message: String::new(),
            details: None,
            continue_token: None,
            worded: None,
        }
    }

    /// 404: there is no such object.
    pub fn not_found(resource: &GroupResource, name: &str) -> Self {
        let message = format!("{resource} {} not found", quote(name));
        Self::failure(404, Reason::NotFound, message, Some(about(resource, name)))
    }

    /// 409: the name is taken.
    pub fn already_exists(resource: &GroupResource, name: &str) -> Self {
        let message = format!("{resource} {} already exists", quote(name));
        Self::failure(409, Reason::AlreadyExists, message, Some(about(resource, name)))
    }

    /// A generated name that is taken, after as many tries as are made.
    pub fn generate_name_conflict(resource: &GroupResource, name: &str) -> Self {
        let message = format!(
            "{resource} {} already exists, the server was not able to generate a unique name \
             for the object",
            quote(name)
        );
        let details = Details { retry_after_seconds: 1, ..about(resource, name) };
        Self::failure(409, Reason::AlreadyExists, message, Some(details))
    }

    /// 401: nobody knows who asks.
    pub fn unauthorized(message: &str) -> Self {
        let message = if message.is_empty() { "not authorized" } else { message };
        Self::failure(401, Reason::Unauthorized, message.to_owned(), None)
    }

    /// 403: who asks may not do this.
    pub fn forbidden(resource: &GroupResource, name: &str, why: &str) -> Self {
        let message = if resource.is_empty() {
            format!("forbidden: {why}")
        } else if name.is_empty() {
            format!("{resource} is forbidden: {why}")
        } else {
            format!("{resource} {} is forbidden: {why}", quote(name))
        };
        Self::failure(403, Reason::Forbidden, message, Some(about(resource, name)))
    }

    /// 409: the object is not in the state that the request expects.
    pub fn conflict(resource: &GroupResource, name: &str, why: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {resource} {}: {why}", quote(name));
        Self::failure(409, Reason::Conflict, message, Some(about(resource, name)))
    }

    /// A write based on an old version of the object.
    pub fn modified(resource: &GroupResource, name: &str) -> Self {
        Self::conflict(
            resource,
            name,
            "the object has been modified; please apply your changes to the latest version and \
             try again",
        )
    }

    /// Fields that another manager owns.
    pub fn apply_conflict(causes: Vec<Cause>, message: String) -> Self {
        let details = Details { causes, ..Details::default() };
        Self::failure(409, Reason::Conflict, message, Some(details))
    }

    /// 410: what was asked for is no longer kept.
    pub fn gone(message: &str) -> Self {
        Self::failure(410, Reason::Gone, message.to_owned(), None)
    }

    /// A revision or token that history no longer reaches.
    pub fn expired(message: &str) -> Self {
        Self::failure(410, Reason::Expired, message.to_owned(), None)
    }

    /// An object that breaks rules: all errors in the causes, each distinct text once in the
    /// message.
    pub fn invalid(kind: &GroupKind, name: &str, errors: &field::ErrorList) -> Self {
        let errors = reported(errors);
        let causes = errors.iter().map(cause).collect();
        let subject = format!("{kind} {} is invalid", quote(name));
        let message = match aggregate(&errors) {
            Some(text) => format!("{subject}: {text}"),
            None => subject,
        };
        let details = Details {
            name: name.into(),
            group: kind.group.clone(),
            kind: kind.kind.clone(),
            causes,
            ..Details::default()
        };
        Self::failure(422, Reason::Invalid, message, Some(details))
    }

    /// 400: the request cannot be understood.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::failure(400, Reason::BadRequest, message.into(), None)
    }

    /// 429: the server is busy.
    pub fn too_many_requests(message: &str, retry_after_seconds: i64) -> Self {
        let details = Details { retry_after_seconds, ..Details::default() };
        Self::failure(429, Reason::TooManyRequests, message.to_owned(), Some(details))
    }

    /// The failure with one more cause.
    #[must_use]
    pub fn with_cause(mut self, reason: &str, message: String) -> Self {
        let details = self.details.get_or_insert_with(Box::default);
        details.causes.push(Cause { reason: reason.into(), message, field: String::new() });
        self
    }

    /// 503: the server cannot answer now.
    pub fn service_unavailable(message: &str) -> Self {
        Self::failure(503, Reason::ServiceUnavailable, message.to_owned(), None)
    }

    /// A verb that the resource does not have.
    pub fn method_not_supported(resource: &GroupResource, action: &str) -> Self {
        let message =
            format!("{action} is not supported on resources of kind {}", quote_display(resource));
        Self::failure(405, Reason::MethodNotAllowed, message, Some(about(resource, "")))
    }

    /// A method that a path does not have.
    pub fn method_not_allowed() -> Self {
        let message = "the server does not allow this method on the requested resource";
        Self::failure(405, Reason::MethodNotAllowed, message.to_owned(), Some(Details::default()))
    }

    /// A path that nothing serves.
    pub fn path_not_found() -> Self {
        let message = "the server could not find the requested resource";
        Self::failure(404, Reason::NotFound, message.to_owned(), Some(Details::default()))
    }

    /// A refusal that says no more than its class.
    pub fn unprocessable() -> Self {
        let message = "the server rejected our request due to an error in our request";
        Self::failure(422, Reason::Invalid, message.to_owned(), Some(Details::default()))
    }

    /// 406: the answer exists in none of the media types that were asked for.
    pub fn not_acceptable(accepted: &[&str]) -> Self {
        let message =
            format!("only the following media types are accepted: {}", accepted.join(", "));
        Self::failure(406, Reason::NotAcceptable, message, None)
    }

    /// An accepted form that this object does not have.
    pub fn not_acceptable_form(why: &str) -> Self {
        Self::failure(406, Reason::NotAcceptable, why.to_owned(), None)
    }

    /// 415: the body is in none of the media types that are read.
    pub fn unsupported_media_type(accepted: &[&str]) -> Self {
        let message = format!(
            "the body of the request was in an unknown format - accepted media types include: {}",
            accepted.join(", ")
        );
        Self::failure(415, Reason::UnsupportedMediaType, message, None)
    }

    /// A content type that no method of a built-in path reads.
    pub fn unsupported_media_type_plain() -> Self {
        let message = "415: Unsupported Media Type".to_owned();
        Self::failure(415, Reason::UnsupportedMediaType, message, Some(Details::default()))
    }

    /// An accepted type that no method of a built-in path writes.
    pub fn no_representation(available: &[&str]) -> Self {
        let message =
            format!("406: Not Acceptable\n\nAvailable representations: {}", available.join(", "));
        Self::failure(406, Reason::NotAcceptable, message, Some(Details::default()))
    }

    /// 504: the request was not done in time.
    pub fn timeout(message: &str, retry_after_seconds: i64) -> Self {
        let details = Details { retry_after_seconds, ..Details::default() };
        Self::failure(504, Reason::Timeout, format!("Timeout: {message}"), Some(details))
    }

    /// A resourceVersion that the server has not reached in the time it waits.
    pub fn resource_version_too_large(asked: u64, current: u64) -> Self {
        let message = format!("Too large resource version: {asked}, current: {current}");
        let mut status = Self::timeout(&message, 1);
        if let Some(details) = &mut status.details {
            details.causes.push(Cause {
                reason: "ResourceVersionTooLarge".into(),
                message: "Too large resource version".to_owned(),
                field: String::new(),
            });
        }
        status
    }

    /// 413: the body is too large.
    pub fn request_entity_too_large(message: &str) -> Self {
        let message = format!("Request entity too large: {message}");
        Self::failure(413, Reason::RequestEntityTooLarge, message, None)
    }

    /// 500: the server made a mistake.
    pub fn internal(message: &str) -> Self {
        let cause = Cause { message: message.to_owned(), ..Cause::default() };
        let details = Details { causes: vec![cause], ..Details::default() };
        let message = format!("Internal error occurred: {message}");
        Self::failure(500, Reason::InternalError, message, Some(details))
    }

    /// A failure without class, as errors that are no Status of their own are answered.
    pub fn unclassified(message: impl Into<String>) -> Self {
        Self::failure(500, Reason::Unknown, message.into(), None)
    }

    /// The HTTP status code of the answer.
    pub fn http_code(&self) -> u16 {
        self.code.unwrap_or(200)
    }

    /// When it is worth trying again, if that is said.
    pub fn retry_after_seconds(&self) -> Option<i64> {
        self.details.as_ref().map(|details| details.retry_after_seconds).filter(|n| *n > 0)
    }

    /// A refusal that a webhook worded: sent as it is. Codes that no answer can have become 500.
    pub fn worded(answer: &Map) -> Self {
        let field = |name: &str| answer.get(name).and_then(Value::as_str).unwrap_or_default();
        let code = answer.get("code").and_then(Value::as_int);
        let code = code.and_then(|code| u16::try_from(code).ok());
        let code = code.filter(|code| (400..1000).contains(code)).unwrap_or(500);
        let mut status = Self::failure(code, Reason::Unknown, field("message").to_owned(), None);
        status.worded = Some(json::encode_string(&Value::Map(answer.clone())).into());
        status
    }

    /// The wire form.
    pub fn encode(&self) -> Value {
        if let Some(worded) = &self.worded
            && let Ok(answer) = json::decode(worded.as_bytes())
        {
            return answer;
        }
        let mut metadata = Map::new();
        if let Some(token) = &self.continue_token {
            metadata.insert("continue", Value::Str(token.clone()));
        }
        let mut map = Map::new();
        map.insert("apiVersion", "v1".into());
        map.insert("kind", "Status".into());
        map.insert("metadata", Value::Map(metadata));
        map.insert("status", if self.success { "Success" } else { "Failure" }.into());
        text(&mut map, "message", &self.message);
        text(&mut map, "reason", self.reason.as_str());
        if let Some(details) = &self.details {
            map.insert("details", details.encode());
        }
        if let Some(code) = self.code {
            map.insert("code", Value::Int(i64::from(code)));
        }
        Value::Map(map)
    }
}

impl Details {
    fn encode(&self) -> Value {
        let mut map = Map::new();
        text(&mut map, "name", &self.name);
        text(&mut map, "group", &self.group);
        text(&mut map, "kind", &self.kind);
        text(&mut map, "uid", &self.uid);
        if !self.causes.is_empty() {
            let causes: Vec<Value> = self.causes.iter().map(Cause::encode).collect();
            map.insert("causes", causes.into());
        }
        if self.retry_after_seconds != 0 {
            map.insert("retryAfterSeconds", Value::Int(self.retry_after_seconds));
        }
        Value::Map(map)
    }
}

impl Cause {
    fn encode(&self) -> Value {
        let mut map = Map::new();
        text(&mut map, "reason", &self.reason);
        text(&mut map, "message", &self.message);
        text(&mut map, "field", &self.field);
        Value::Map(map)
    }
}

fn text(map: &mut Map, key: &str, value: &str) {
    if !value.is_empty() {
        map.insert(key, value.into());
    }
}

fn about(resource: &GroupResource, name: &str) -> Details {
    Details {
        name: name.into(),
        group: resource.group.clone(),
        kind: resource.resource.clone(),
        ..Details::default()
    }
}

fn cause(error: &field::Error) -> Cause {
    Cause { reason: error.kind.reason().into(), message: error.body(), field: error.path.clone() }
}

/// How many errors of an object are reported, and how much text: each is reported twice, and labels that are
/// all wrong would make an answer of hundreds of megabytes.
const ERRORS_TOLD_MAX: usize = 10_000;
const ERRORS_TOLD_BYTES_MAX: usize = 4 * 1024 * 1024;
/// So few are reported whatever they say.
const ERRORS_FEW: usize = 100;

/// What the last error of a list says that was cut.
pub const MORE_ERRORS: &str = "there are more errors than are listed";

/// The errors that an answer has room for, the first ones.
fn reported(errors: &field::ErrorList) -> Cow<'_, field::ErrorList> {
    if errors.len() <= ERRORS_FEW {
        return Cow::Borrowed(errors);
    }
    let mut bytes = 0;
    let has_room = |error: &&field::Error| {
        let room = bytes < ERRORS_TOLD_BYTES_MAX;
        bytes += cause(error).message.len();
        room
    };
    let kept = errors.iter().take(ERRORS_TOLD_MAX).take_while(has_room).count();
    if kept == errors.len() {
        return Cow::Borrowed(errors);
    }
    let mut reported: field::ErrorList = errors.iter().take(kept).cloned().collect();
    let last = errors.as_slice().last().map_or("", |it| it.path.as_str());
    reported.push(field::Error::at(field::Kind::Invalid, last, "".into(), MORE_ERRORS));
    Cow::Owned(reported)
}

/// All distinct errors in one text: alone as it is, several in brackets. `None` without errors.
pub fn aggregate(errors: &field::ErrorList) -> Option<String> {
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    (!texts.is_empty()).then(|| aggregate_texts(&texts))
}

/// Several errors in one text, each once: alone as it is, several in brackets.
pub fn aggregate_texts(errors: &[String]) -> String {
    let mut seen = std::collections::BTreeSet::new();
    let once: Vec<&str> =
        errors.iter().map(String::as_str).filter(|error| seen.insert(*error)).collect();
    match once.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        many => format!("[{}]", many.join(", ")),
    }
}

fn quote(text: &str) -> String {
    go_quote(text)
}

fn quote_display(thing: &impl std::fmt::Display) -> String {
    quote(&thing.to_string())
}
