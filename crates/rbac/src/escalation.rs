//! Nobody grants what they do not hold: roles may be written only with rules the writer has, and
//! bound only by those who have them, unless the verbs `escalate` and `bind` say otherwise.

use std::sync::Arc;

use ordain_meta::GroupResource;
use ordain_meta::status::Status;
use ordain_value::{Value, go_quote};

use super::{GROUP, Rbac};
use ordain_admission::roles::RoleRef;
use ordain_admission::roles::rule::{self, Rule};
use ordain_registry::access::{Attributes, Authorizer as _};
use ordain_registry::admission::{self, Operation, Plugin, Verdict};
use ordain_registry::caller::{self, MASTERS, User};
use ordain_registry::object;
use ordain_registry::request::Warnings;

/// The plugin that keeps people from giving themselves more rights.
#[derive(Debug)]
pub struct NoEscalation {
    rbac: Arc<Rbac>,
}

impl NoEscalation {
    /// The plugin for the roles of a server.
    pub fn new(rbac: Arc<Rbac>) -> Self {
        Self { rbac }
    }

    async fn check(
        &self,
        attributes: &admission::Attributes<'_>,
        object: &Value,
    ) -> Result<(), Status> {
        let target = attributes.target;
        let Some(user) = caller::current().filter(|user| !user.is_in(MASTERS)) else {
            return Ok(());
        };
        if attributes.old.is_some_and(|old| only_collection_fields(object, old)) {
            return Ok(());
        }
        // What others wrote in the meantime counts too: rights may have been taken away.
        self.rbac.refresh(attributes.registry).await?;
        let check = Check {
            rbac: &self.rbac,
            user: &user,
            resource: target.group_resource(),
            namespace: &target.namespace,
            name: object::name(object),
        };
        match target.resource.plural.as_str() {
            "roles" | "clusterroles" => check.role(&target.name, object, attributes.old),
            _ => check.binding(object),
        }
    }
}

impl Plugin for NoEscalation {
    fn name(&self) -> &'static str {
        "NoEscalation"
    }

    fn mutate<'a>(
        &'a self,
        attributes: &'a admission::Attributes<'a>,
        object: Option<&'a mut Value>,
        _warnings: &'a mut Warnings,
    ) -> Verdict<'a> {
        Box::pin(async move {
            let written = attributes.operation != Operation::Delete;
            match object {
                Some(object) if written && attributes.target.resource.group == GROUP => {
                    self.check(attributes, object).await
                }
                _ => Ok(()),
            }
        })
    }
}

struct Check<'a> {
    rbac: &'a Rbac,
    user: &'a User,
    resource: GroupResource,
    namespace: &'a str,
    name: &'a str,
}

impl Check<'_> {
    fn may(&self, verb: &str, resource: &str, name: &str) -> bool {
        let request = Attributes {
            verb,
            is_resource: true,
            group: GROUP,
            version: "*",
            namespace: self.namespace,
            resource,
            name,
            ..Attributes::default()
        };
        self.rbac.authorize(self.user, &request).allowed
    }

    fn role(&self, asked: &str, role: &Value, old: Option<&Value>) -> Result<(), Status> {
        if self.may("escalate", &self.resource.resource, asked) {
            return Ok(());
        }
        self.holds(&Rule::decode_all(role))?;
        let gathers = |role: &Value| {
            let path = ["aggregationRule", "clusterRoleSelectors"];
            role.get_path(&path).and_then(Value::as_list).is_some_and(|list| !list.is_empty())
        };
        if gathers(role) || old.is_some_and(gathers) {
            // It may gather anything, so nothing less than everything will do.
            let why = "must have cluster-admin privileges to use the aggregationRule";
            self.holds(&everything()).map_err(|_| self.forbid(why))?;
        }
        Ok(())
    }

    fn binding(&self, binding: &Value) -> Result<(), Status> {
        let Some(role) = RoleRef::decode(binding) else {
            let kind = binding.get_path(&["roleRef", "kind"]).and_then(Value::as_str);
            let kind = go_quote(kind.unwrap_or(""));
            return Err(Status::internal(&format!("unsupported role reference kind: {kind}")));
        };
        let plural = if role.cluster { "clusterroles" } else { "roles" };
        if self.may("bind", plural, &role.name) {
            return Ok(());
        }
        let rules = self.rbac.policy().role(&role, self.namespace).cloned();
        let Some(rules) = rules else {
            return Err(Status::not_found(&GroupResource::new(GROUP, plural), &role.name));
        };
        self.holds(&rules)
    }

    /// Refuses unless the user holds all these rules.
    fn holds(&self, wanted: &[Rule]) -> Result<(), Status> {
        let (held, wrong) = self.rbac.rules_for(self.user, self.namespace);
        let user = go_quote(&self.user.name);
        let groups = rule::quote_list(&self.user.groups);
        let Ok(missing) = rule::missing(&held, wanted) else {
            return Err(self.forbid(&format!(
                "user {user} (groups={groups}) is attempting to grant more RBAC permissions than \
                 can be checked"
            )));
        };
        if missing.is_empty() {
            return Ok(());
        }
        let mut why = format!(
            "user {user} (groups={groups}) is attempting to grant RBAC permissions not currently \
             held:\n{}",
            rule::describe(missing).join("\n")
        );
        if !wrong.is_empty() {
            why.push_str(&format!("; resolution errors: [{wrong}]"));
        }
        Err(self.forbid(&why))
    }

    fn forbid(&self, why: &str) -> Status {
        Status::forbidden(&self.resource, self.name, why)
    }
}

fn everything() -> [Rule; 2] {
    let all = || vec!["*".into()];
    [
        Rule { verbs: all(), groups: all(), resources: all(), ..Rule::default() },
        Rule { verbs: all(), urls: all(), ..Rule::default() },
    ]
}

/// Whether a change concerns nothing but what garbage collection writes.
fn only_collection_fields(object: &Value, old: &Value) -> bool {
    let mut copy = object.clone();
    for field in ["ownerReferences", "finalizers", "selfLink", "managedFields"] {
        object::copy(&mut copy, old, field);
    }
    copy == *old
}
