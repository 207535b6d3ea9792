//! Whether someone may do something: the question, the answer and the refusal. Requests, reviews
//! and writes that turn into creates are all decided through [`Authorizer`], so that `can-i` and
//! the request cannot disagree.

use ordain_meta::GroupResource;
use ordain_meta::status::Status;
use ordain_strategy::User;
use ordain_value::go_quote;

/// What someone wants to do.
#[derive(Debug, Clone, Copy, Default)]
pub struct Attributes<'a> {
    pub verb: &'a str,
    /// Whether a resource is meant, and not a path.
    pub is_resource: bool,
    pub group: &'a str,
    pub version: &'a str,
    pub namespace: &'a str,
    pub resource: &'a str,
    pub subresource: &'a str,
    pub name: &'a str,
    pub path: &'a str,
}

/// Whether something is allowed, and by what. A refusal has a reason only if something was wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub allowed: bool,
    pub reason: String,
}

/// Decides who may do what.
pub trait Authorizer: Send + Sync {
    /// Whether a user may do something.
    fn authorize(&self, user: &User, request: &Attributes<'_>) -> Decision;

    /// Refuses what is not allowed.
    ///
    /// # Errors
    /// The refusal, in the reference's words.
    fn check(&self, user: &User, request: &Attributes<'_>) -> Result<(), Status> {
        let decision = self.authorize(user, request);
        if decision.allowed {
            return Ok(());
        }
        Err(forbidden(user, request, &decision.reason))
    }
}

/// The refusal of a request that is not allowed.
pub fn forbidden(user: &User, request: &Attributes<'_>, reason: &str) -> Status {
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
