//! Who makes a request. Known to everything that the request runs, without being handed through
//! every call: the task that serves a request carries it.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use ordain_value::Text;

/// The group whose members may do everything.
pub const MASTERS: &str = "system:masters";
pub const AUTHENTICATED: &str = "system:authenticated";
pub const UNAUTHENTICATED: &str = "system:unauthenticated";
pub const ANONYMOUS: &str = "system:anonymous";

/// Somebody.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct User {
    pub name: Text,
    pub uid: Text,
    pub groups: Vec<Text>,
    /// What the authenticator adds.
    pub extra: BTreeMap<Text, Vec<Text>>,
}

impl User {
    /// Nobody in particular.
    pub fn anonymous() -> Self {
        Self { name: ANONYMOUS.into(), groups: vec![UNAUTHENTICATED.into()], ..Self::default() }
    }

    /// Who everybody is on a connection without credentials, where all may do everything.
    pub fn everybody() -> Self {
        let groups = vec![MASTERS.into(), AUTHENTICATED.into()];
        Self { name: "admin".into(), uid: "1".into(), groups, ..Self::default() }
    }

    /// The user with the group that all have who proved who they are.
    pub fn authenticated(mut self) -> Self {
        if !self.is_in(AUTHENTICATED) && !self.is_in(UNAUTHENTICATED) && self.name != ANONYMOUS {
            self.groups.push(AUTHENTICATED.into());
        }
        self
    }

    pub fn is_in(&self, group: &str) -> bool {
        self.groups.iter().any(|it| it == group)
    }
}

tokio::task_local! {
    static CALLER: Arc<User>;
}

/// Runs a request in the name of a user.
pub async fn scope<F: Future>(user: Arc<User>, request: F) -> F::Output {
    CALLER.scope(user, request).await
}

/// Who the present task serves; `None` for the server itself.
pub fn current() -> Option<Arc<User>> {
    CALLER.try_with(Arc::clone).ok()
}
