//! Authorization: what a request wants to do, in the words of rules.

use std::borrow::Cow;

use ordain_meta::selector::FieldSelector;
use ordain_registry::access::Attributes;

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

/// The object that is meant. What is read of a collection may be narrowed down to one object by a
/// selector; a deletion of a collection is never one of a single object.
fn name<'a>(info: &'a RequestInfo, query: &Query) -> Cow<'a, str> {
    let collection = matches!(info.verb, Verb::List | Verb::Watch);
    let selector = query.get("fieldSelector").unwrap_or("");
    if !collection || !info.name.is_empty() || selector.is_empty() {
        return Cow::Borrowed(&info.name);
    }
    let selector = FieldSelector::decode(selector).unwrap_or_default();
    let name = selector.exact("metadata.name").unwrap_or("");
    let is_name = !matches!(name, "." | "..") && !name.contains(['/', '%']);
    if is_name { Cow::Owned(name.to_owned()) } else { Cow::Borrowed("") }
}
