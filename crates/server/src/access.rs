//! Who may do what on a server: everybody everything, or who proves who they are what roles allow.

use std::sync::{Arc, LazyLock};

use http::header::HeaderMap;
use ordain_meta::Status;
use ordain_rbac::Rbac;
use ordain_registry::access::{Attributes, Authorizer, Decision};
use ordain_registry::caller::User;

use crate::authn::{self, Tokens};
use crate::serve::Peer;
use crate::service_account::ServiceAccounts;

/// Who may do what.
pub enum Access {
    /// Everybody everything: for local play, over plain HTTP.
    Open,
    /// Certificates and tokens authenticate, roles and bindings authorize.
    Guarded(Guard),
}

/// The means of a guarded server.
pub struct Guard {
    pub tokens: Tokens,
    pub rbac: Arc<Rbac>,
    /// Whether secrets of kube-system hold tokens of machines that are about to join.
    pub bootstrap_tokens: bool,
}

impl Guard {
    fn known<'a>(&'a self, accounts: Option<&'a ServiceAccounts>) -> authn::Known<'a> {
        authn::Known { tokens: &self.tokens, accounts, bootstrap: self.bootstrap_tokens }
    }
}

impl Access {
    /// Who makes a request.
    pub(crate) async fn authenticate(
        &self,
        accounts: Option<&ServiceAccounts>,
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
            Self::Guarded(guard) => {
                let user = authn::authenticate(&guard.known(accounts), peer, headers, path).await;
                user.map_err(|_| Status::unauthorized("Unauthorized"))
            }
        }
    }

    /// Whose token it is, of those that are for everything; an open server knows none.
    pub(crate) async fn token_user(
        &self,
        accounts: Option<&ServiceAccounts>,
        token: &str,
    ) -> Option<Arc<User>> {
        match self {
            Self::Open => None,
            Self::Guarded(guard) => guard.known(accounts).holder(token).await,
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
