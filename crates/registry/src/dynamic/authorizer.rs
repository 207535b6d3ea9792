//! Who may do what, for the expressions of policies: answered by the roles in force.

use std::sync::Arc;

use ordain_passes::cel_library::authz::{Authorizer, Check, CheckedObject, Decision, Subject};
use ordain_value::Text;

use crate::access::{Attributes, Authorizer as _};
use crate::caller::{AUTHENTICATED, User};
use crate::rbac::{Rbac, account_user};

/// The rights of the requester, and of service accounts that expressions name.
pub(super) struct Rights {
    pub(super) rbac: Option<Arc<Rbac>>,
    pub(super) user: User,
}

impl Authorizer for Rights {
    fn authorize(&self, check: &Check) -> Decision {
        // Without roles everybody may do everything.
        let Some(rbac) = &self.rbac else {
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
            Subject::Requester => rbac.authorize(&self.user, &attributes),
            Subject::ServiceAccount { namespace, name } => {
                rbac.authorize(&account(namespace, name), &attributes)
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
