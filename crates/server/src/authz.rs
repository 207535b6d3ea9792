//! Authorization: what a request wants to do, and the refusal if it may not.

use std::borrow::Cow;

use ordain_meta::selector::FieldSelector;
use ordain_meta::{GroupResource, Status};
use ordain_registry::caller::User;
use ordain_registry::rbac::Attributes;
use ordain_value::go_quote;

use crate::request_info::{Query, RequestInfo, Verb};

/// A request in the words of rules.
#[derive(Debug, Clone)]
pub(crate) struct Wanted<'a> {
    pub(crate) verb: Cow<'a, str>,
    path: &'a str,
    pub(crate) name: Cow<'a, str>,
    info: &'a RequestInfo,
}

impl<'a> Wanted<'a> {
    /// `path` is decoded; `method` counts only for what is no resource.
    pub(crate) fn new(
        info: &'a RequestInfo,
        query: &Query,
        method: &'a http::Method,
        path: &'a str,
    ) -> Self {
        let verb = match method.as_str() {
            _ if info.is_resource => Cow::Borrowed(info.verb.as_str()),
            "GET" => Cow::Borrowed("get"),
            other => Cow::Owned(other.to_ascii_lowercase()),
        };
        Self { verb, path, name: name(info, query), info }
    }

    pub(crate) fn attributes(&self) -> Attributes<'_> {
        let info = self.info;
        Attributes {
            verb: &self.verb,
            is_resource: info.is_resource,
            group: &info.group,
            version: &info.version,
            namespace: &info.namespace,
            resource: &info.resource,
            subresource: &info.subresource,
            name: &self.name,
            path: self.path,
        }
    }
}

/// The object that is meant. A collection may be narrowed down to one by a selector.
fn name<'a>(info: &'a RequestInfo, query: &Query) -> Cow<'a, str> {
    let collection = matches!(info.verb, Verb::List | Verb::Watch | Verb::DeleteCollection);
    let selector = query.get("fieldSelector").unwrap_or("");
    if !collection || !info.name.is_empty() || selector.is_empty() {
        return Cow::Borrowed(&info.name);
    }
    let selector = FieldSelector::decode(selector).unwrap_or_default();
    let name = selector.exact("metadata.name").unwrap_or("");
    let is_name = !matches!(name, "." | "..") && !name.contains(['/', '%']);
    if is_name { Cow::Owned(name.to_owned()) } else { Cow::Borrowed("") }
}

/// The refusal of a request that is not allowed.
pub(crate) fn forbidden(user: &User, request: &Attributes<'_>, reason: &str) -> Status {
    let mut why = sanitize(&describe(user, request));
    if !reason.is_empty() {
        why.push_str(": ");
        why.push_str(reason);
    }
    Status::forbidden(&GroupResource::new(request.group, request.resource), request.name, &why)
}

fn describe(user: &User, request: &Attributes<'_>) -> String {
    let (user, verb) = (go_quote(&user.name), request.verb);
    if !request.is_resource {
        return format!("User {user} cannot {verb} path {}", go_quote(request.path));
    }
    let resource = if request.subresource.is_empty() {
        go_quote(request.resource)
    } else {
        go_quote(&format!("{}/{}", request.resource, request.subresource))
    };
    let group = go_quote(request.group);
    let place = if request.namespace.is_empty() {
        "at the cluster scope".to_owned()
    } else {
        format!("in the namespace {}", go_quote(request.namespace))
    };
    format!("User {user} cannot {verb} resource {resource} in API group {group} {place}")
}

/// Nothing that a browser would take for markup.
fn sanitize(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
