//! Who may do what on a server: everybody everything, or who proves who they are what roles allow.

use std::sync::{Arc, LazyLock};

use http::header::HeaderMap;
use ordain_meta::Status;
use ordain_registry::access::{Attributes, Authorizer, Decision};
use ordain_registry::caller::User;
use ordain_registry::rbac::Rbac;

use crate::authn::{self, Tokens};
use crate::serve::Peer;

/// Who may do what.
pub enum Access {
    /// Everybody everything: for local play, over plain HTTP.
    Open,
    /// Certificates and tokens say who somebody is, roles and bindings what they may do.
    Guarded(Guard),
}

/// The means of a guarded server.
pub struct Guard {
    pub tokens: Tokens,
    pub rbac: Arc<Rbac>,
}

impl Access {
    /// Who makes a request.
    pub(crate) fn authenticate(
        &self,
        peer: &Peer,
        headers: &HeaderMap,
        path: &str,
    ) -> Result<Arc<User>, Status> {
        match self {
            Self::Open => {
                static EVERYBODY: LazyLock<Arc<User>> =
                    LazyLock::new(|| Arc::new(User::everybody()));
                Ok(Arc::clone(&EVERYBODY))
            }
            Self::Guarded(guard) => authn::authenticate(&guard.tokens, peer, headers, path)
                .map_err(|_| Status::unauthorized("Unauthorized")),
        }
    }

    pub(crate) fn rbac(&self) -> Option<&Arc<Rbac>> {
        match self {
            Self::Open => None,
            Self::Guarded(guard) => Some(&guard.rbac),
        }
    }
}

impl Authorizer for Access {
    fn authorize(&self, user: &User, request: &Attributes<'_>) -> Decision {
        match self {
            Self::Open => Decision { allowed: true, reason: String::new() },
            Self::Guarded(guard) => guard.rbac.authorize(user, request),
        }
    }
}
