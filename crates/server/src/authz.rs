//! Authorization: what a request wants to do, and the refusal if it may not.

use ordain_meta::selector::FieldSelector;
use ordain_meta::{GroupResource, Status};
use ordain_registry::caller::User;
use ordain_registry::rbac::Attributes;
use ordain_value::go_quote;

use crate::request_info::{Query, RequestInfo, Verb};

/// A request in the words of rules.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wanted {
    pub(crate) verb: String,
    pub(crate) path: String,
    pub(crate) name: String,
}

impl Wanted {
    /// `path` is decoded; `method` counts only for what is no resource.
    pub(crate) fn new(info: &RequestInfo, query: &Query, method: &str, path: &str) -> Self {
        let verb = if info.is_resource {
            info.verb.as_str().to_owned()
        } else {
            method.to_ascii_lowercase()
        };
        Self { verb, path: path.to_owned(), name: name(info, query) }
    }

    pub(crate) fn attributes<'a>(&'a self, info: &'a RequestInfo) -> Attributes<'a> {
        Attributes {
            verb: &self.verb,
            is_resource: info.is_resource,
            group: &info.group,
            version: &info.version,
            namespace: &info.namespace,
            resource: &info.resource,
            subresource: &info.subresource,
            name: &self.name,
            path: &self.path,
        }
    }
}

/// The object that is meant. A collection may be narrowed down to one by a selector.
fn name(info: &RequestInfo, query: &Query) -> String {
    let collection = matches!(info.verb, Verb::List | Verb::Watch | Verb::DeleteCollection);
    if !collection || !info.name.is_empty() {
        return info.name.clone();
    }
    let selector = query.get("fieldSelector").unwrap_or("");
    let selector = FieldSelector::decode(selector).unwrap_or_default();
    let name = selector.exact("metadata.name").unwrap_or("");
    let is_name = !matches!(name, "." | "..") && !name.contains(['/', '%']);
    if is_name { name.to_owned() } else { String::new() }
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
