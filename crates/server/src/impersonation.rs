//! Impersonation: the headers `Impersonate-*`, and whether the requester may use them.
//!
//! There are two ways to be allowed. The narrow one needs the right to act as such a user
//! (`impersonate:user-info`) and to do what is being done in that way
//! (`impersonate-on:user-info:list`); the old one needs `impersonate` alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use http::header::{HeaderMap, HeaderName};
use ordain_meta::{Status, name};
use ordain_registry::access::{self, Attributes, Authorizer as _};
use ordain_registry::caller::{ANONYMOUS, AUTHENTICATED, MASTERS, UNAUTHENTICATED, User};
use ordain_value::{Text, go_quote};

use crate::access::Access;
use crate::request_info::percent_decode;

const USER: HeaderName = HeaderName::from_static("impersonate-user");
const UID: HeaderName = HeaderName::from_static("impersonate-uid");
const GROUP: HeaderName = HeaderName::from_static("impersonate-group");
const PREFIX: &str = "impersonate-";
const EXTRA_PREFIX: &str = "impersonate-extra-";
const AUTHENTICATION: &str = "authentication.k8s.io";

/// Somebody that the requester may act as, and the verb that allows it if it is a narrow one.
#[derive(Debug)]
pub(crate) struct Impersonated {
    pub(crate) user: Arc<User>,
    pub(crate) constraint: String,
}

/// The identity that the headers ask for; `None` without such headers.
pub(crate) fn wanted(headers: &HeaderMap) -> Result<Option<User>, Status> {
    if !headers.keys().any(|name| name.as_str().starts_with(PREFIX)) {
        return Ok(None);
    }
    let text = |value: &http::HeaderValue| Text::from(String::from_utf8_lossy(value.as_bytes()));
    let one = |name: &HeaderName| headers.get(name).map(text).unwrap_or_default();
    let mut user = User { name: one(&USER), uid: one(&UID), ..User::default() };
    user.groups = headers.get_all(&GROUP).iter().map(text).collect();
    for (name, value) in headers {
        if let Some(key) = name.as_str().strip_prefix(EXTRA_PREFIX) {
            let key = Text::from(percent_decode(key, false));
            user.extra.entry(key).or_default().push(text(value));
        }
    }
    if !user.name.is_empty() {
        return Ok(Some(user));
    }
    if user.uid.is_empty() && user.groups.is_empty() && user.extra.is_empty() {
        return Ok(None);
    }
    let shown = show(&user);
    let message = format!("requested {shown} without impersonating a user name");
    Err(Status::bad_request(message))
}

/// A user as Go prints one.
fn show(user: &User) -> String {
    let list = |texts: &[Text]| {
        let quoted: Vec<String> = texts.iter().map(|text| go_quote(text)).collect();
        quoted.join(", ")
    };
    let groups = if user.groups.is_empty() {
        "[]string(nil)".to_owned()
    } else {
        format!("[]string{{{}}}", list(&user.groups))
    };
    let extra = if user.extra.is_empty() {
        "map[string][]string(nil)".to_owned()
    } else {
        let entry = |(key, values): (&Text, &Vec<Text>)| {
            format!("{}:[]string{{{}}}", go_quote(key), list(values))
        };
        let entries: Vec<String> = user.extra.iter().map(entry).collect();
        format!("map[string][]string{{{}}}", entries.join(", "))
    };
    let (name, uid) = (go_quote(&user.name), go_quote(&user.uid));
    format!("&user.DefaultInfo{{Name:{name}, UID:{uid}, Groups:{groups}, Extra:{extra}}}")
}

/// The user that the requester acts as, or the refusal of the first way that was tried.
pub(crate) fn impersonate(
    access: &Access,
    requester: &User,
    wanted: &User,
    request: &Attributes<'_>,
) -> Result<Impersonated, Status> {
    let mut first = None;
    for mode in modes(wanted) {
        let attempt = Attempt { access, requester, wanted, mode };
        match attempt.check(request) {
            Ok(user) => {
                let constraint = mode.map(|mode| format!("impersonate:{mode}"));
                let constraint = constraint.unwrap_or_default();
                return Ok(Impersonated { user: Arc::new(user), constraint });
            }
            Err(status) => {
                first.get_or_insert(status);
            }
        }
    }
    Err(first.unwrap_or_else(|| Status::internal("all impersonation modes failed")))
}

/// The ways to try: a narrow one if one fits, then the old one.
fn modes(wanted: &User) -> Vec<Option<&'static str>> {
    let bare = wanted.uid.is_empty() && wanted.groups.is_empty() && wanted.extra.is_empty();
    let narrow = if node(&wanted.name).is_some() {
        bare.then_some("arbitrary-node")
    } else if account(&wanted.name).is_some() {
        bare.then_some("serviceaccount")
    } else {
        Some("user-info")
    };
    narrow.into_iter().map(Some).chain([None]).collect()
}

/// The name of a node's user.
fn node(user: &str) -> Option<&str> {
    let name = user.strip_prefix("system:node:")?;
    name::matches_dns_1123_subdomain(name).then_some(name)
}

/// Namespace and name of a service account's user.
fn account(user: &str) -> Option<(&str, &str)> {
    let (namespace, name) = user.strip_prefix("system:serviceaccount:")?.split_once(':')?;
    let fits = name::matches_dns_1123_label(namespace) && name::matches_dns_1123_subdomain(name);
    fits.then_some((namespace, name))
}

struct Attempt<'a> {
    access: &'a Access,
    requester: &'a User,
    wanted: &'a User,
    /// `None` is the old way.
    mode: Option<&'static str>,
}

impl Attempt<'_> {
    fn check(&self, request: &Attributes<'_>) -> Result<User, Status> {
        let verb = match self.mode {
            Some(mode) => {
                let on = format!("impersonate-on:{mode}:{}", request.verb);
                self.access.check(self.requester, &Attributes { verb: &on, ..*request })?;
                format!("impersonate:{mode}")
            }
            None => "impersonate".to_owned(),
        };
        let mut user = self.wanted.clone();
        self.check_name(&verb, &mut user)?;
        self.check_uid(&verb)?;
        self.check_groups(&verb)?;
        self.check_extra(&verb)?;
        let fixed = if user.name == ANONYMOUS {
            Some(UNAUTHENTICATED)
        } else {
            (!user.is_in(UNAUTHENTICATED)).then_some(AUTHENTICATED)
        };
        if let Some(group) = fixed.filter(|group| !user.is_in(group)) {
            user.groups.push(group.into());
        }
        Ok(user)
    }

    fn attributes<'a>(&self, verb: &'a str, resource: &'a str, name: &'a str) -> Attributes<'a> {
        Attributes {
            verb,
            is_resource: true,
            group: if self.mode.is_some() { AUTHENTICATION } else { "" },
            version: "v1",
            resource,
            name,
            ..Attributes::default()
        }
    }

    fn refuse(&self, request: &Attributes<'_>, why: &str) -> Status {
        access::forbidden(self.requester, request, why)
    }

    fn check_name(&self, verb: &str, user: &mut User) -> Result<(), Status> {
        let name = self.wanted.name.clone();
        let mut request = self.attributes(verb, "users", &name);
        let groups = &self.wanted.groups;
        if let Some(node) = node(&name).filter(|_| self.mode.is_some()) {
            request.resource = "nodes";
            request.name = node;
            user.groups = vec!["system:nodes".into()];
        }
        if let Some((namespace, account)) = account(&name) {
            request.resource = "serviceaccounts";
            request.namespace = namespace;
            request.name = account;
            if groups.is_empty() {
                user.groups = vec![
                    "system:serviceaccounts".into(),
                    format!("system:serviceaccounts:{namespace}").into(),
                ];
            }
        }
        self.access.check(self.requester, &request)
    }

    fn check_uid(&self, verb: &str) -> Result<(), Status> {
        if self.wanted.uid.is_empty() {
            return Ok(());
        }
        let mut request = self.attributes(verb, "uids", &self.wanted.uid);
        request.group = AUTHENTICATION;
        self.access.check(self.requester, &request)
    }

    fn check_groups(&self, verb: &str) -> Result<(), Status> {
        for group in &self.wanted.groups {
            let mut request = self.attributes(verb, "groups", group);
            if self.mode.is_some() && group.is_empty() {
                let why = "impersonating the empty string group is not allowed";
                return Err(self.refuse(&request, why));
            }
            if self.mode.is_some() && self.wanted.is_in(MASTERS) {
                request.name = MASTERS;
                let why = "impersonating the system:masters group is not allowed";
                return Err(self.refuse(&request, why));
            }
            self.access.check(self.requester, &request)?;
        }
        Ok(())
    }

    fn check_extra(&self, verb: &str) -> Result<(), Status> {
        let extra: &BTreeMap<Text, Vec<Text>> = &self.wanted.extra;
        let mut request = self.attributes(verb, "userextras", "");
        request.group = AUTHENTICATION;
        if self.mode.is_some() && extra.contains_key("") {
            let why = "impersonating the empty string key in extra is not allowed";
            return Err(self.refuse(&request, why));
        }
        for (key, values) in extra {
            for value in values {
                if self.mode.is_some() && value.is_empty() {
                    let why = "impersonating the empty string value in extra is not allowed";
                    return Err(self.refuse(&request, why));
                }
                let request = Attributes { subresource: key, name: value, ..request };
                self.access.check(self.requester, &request)?;
            }
        }
        Ok(())
    }
}
