//! Who may do what, for the expressions of policies: answered by the roles in force.

use std::sync::Arc;

use ordain_passes::cel_library::authz::{Authorizer, Check, CheckedObject, Decision, Subject};
use ordain_strategy::{AUTHENTICATED, User};
use ordain_value::Text;

use super::policy::account_user;
use crate::access::{self, Attributes};

/// The rights of the requester, and of service accounts that expressions name.
pub struct Rights {
    /// Who decides; everybody may do everything without.
    pub roles: Option<Arc<dyn access::Authorizer>>,
    pub user: User,
}

impl Authorizer for Rights {
    fn authorize(&self, check: &Check) -> Decision {
        let Some(roles) = &self.roles else {
            return Decision { allowed: true, ..Decision::default() };
        };
        let verb = &check.verb;
        let attributes = match &check.object {
            CheckedObject::Path(path) => Attributes { verb, path, ..Attributes::default() },
            CheckedObject::Resource(it) => Attributes {
                verb,
                is_resource: true,
                group: &it.group,
                version: "*",
                namespace: &it.namespace,
                resource: &it.resource,
                subresource: &it.subresource,
                name: &it.name,
                path: "",
            },
        };
        let decision = match &check.subject {
            Subject::Requester => roles.authorize(&self.user, &attributes),
            Subject::ServiceAccount { namespace, name } => {
                roles.authorize(&account(namespace, name), &attributes)
            }
        };
        Decision { allowed: decision.allowed, reason: decision.reason, error: None }
    }
}

/// The user that a service account acts as.
fn account(namespace: &str, name: &str) -> User {
    let groups = vec![
        Text::from("system:serviceaccounts"),
        format!("system:serviceaccounts:{namespace}").into(),
        AUTHENTICATED.into(),
    ];
    User { name: account_user(namespace, name).into(), groups, ..User::default() }
}
