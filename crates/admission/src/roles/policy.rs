//! All roles and bindings of a moment, arranged so that what applies to a user is found fast.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ordain_meta::selector::LabelSelector;
use ordain_meta::status::aggregate_texts;
use ordain_strategy::{MASTERS, User, object};
use ordain_value::{Text, Value, go_quote};

use super::rule::Rule;
use crate::access::{Attributes, Authorizer, Decision};

/// Roles and bindings.
#[derive(Debug, Default)]
pub struct Policy {
    cluster_roles: BTreeMap<Text, Arc<[Rule]>>,
    /// By namespace and name.
    roles: BTreeMap<(Text, Text), Arc<[Rule]>>,
    cluster_bindings: Bindings,
    /// By namespace.
    bindings: BTreeMap<Text, Bindings>,
    /// Roles whose stored rules are not those of the roles they gather.
    pub stale: Vec<(Text, Vec<Rule>)>,
}

/// Who is bound to which role.
#[derive(Debug, Default)]
struct Bindings {
    list: Vec<Binding>,
    /// Bindings by subject, in their order.
    by_subject: BTreeMap<Subject, Vec<usize>>,
}

#[derive(Debug)]
struct Binding {
    name: Text,
    subjects: Vec<(Subject, String)>,
    role: RoleRef,
}

/// A service account is the user that it acts as.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    User(Text),
    Group(Text),
}

/// The role that a binding names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleRef {
    pub cluster: bool,
    pub name: Text,
}

/// A rule that applies to a user, and where it comes from.
pub struct Applied<'a> {
    pub rule: &'a Rule,
    binding: &'a Binding,
    namespace: &'a str,
    subject: usize,
}

impl Applied<'_> {
    /// The binding, role and subject that make the rule apply.
    pub fn source(&self) -> String {
        let kind = if self.namespace.is_empty() { "ClusterRoleBinding" } else { "RoleBinding" };
        let name = if self.namespace.is_empty() {
            go_quote(&self.binding.name)
        } else {
            go_quote(&format!("{}/{}", self.binding.name, self.namespace))
        };
        let role = if self.binding.role.cluster { "ClusterRole" } else { "Role" };
        let role_name = go_quote(&self.binding.role.name);
        let subject = &self.binding.subjects[self.subject].1;
        format!("{kind} {name} of {role} {role_name} to {subject}")
    }
}

/// The user name of a service account.
pub fn account_user(namespace: &str, name: &str) -> String {
    format!("system:serviceaccount:{namespace}:{name}")
}

impl RoleRef {
    pub fn decode(binding: &Value) -> Option<Self> {
        let text = |field: &str| binding.get_path(&["roleRef", field]).and_then(Value::as_text);
        let cluster = match text("kind")?.as_str() {
            "ClusterRole" => true,
            "Role" => false,
            _ => return None,
        };
        Some(Self { cluster, name: text("name")?.clone() })
    }
}

impl Policy {
    /// Arranges stored objects. `cluster_roles` come with the rules they gather.
    pub fn new(
        cluster_roles: &[Value],
        roles: &[Value],
        cluster_bindings: &[Value],
        bindings: &[Value],
    ) -> Self {
        let mut policy = Self::default();
        policy.add_cluster_roles(cluster_roles);
        for role in roles {
            let key = (Text::from(object::namespace(role)), Text::from(object::name(role)));
            policy.roles.insert(key, Rule::decode_all(role).into());
        }
        for binding in cluster_bindings {
            policy.cluster_bindings.add(binding, "");
        }
        for binding in bindings {
            let namespace = object::namespace(binding);
            policy.bindings.entry(namespace.into()).or_default().add(binding, namespace);
        }
        policy
    }

    fn add_cluster_roles(&mut self, stored: &[Value]) {
        let mut gathering = Vec::new();
        for role in stored {
            let name = Text::from(object::name(role));
            let selectors = selectors(role);
            if !selectors.is_empty() {
                gathering.push((name.clone(), selectors));
            }
            self.cluster_roles.insert(name, Rule::decode_all(role).into());
        }
        // A role may gather one that gathers itself: as deep as there are such roles.
        for _ in 0..gathering.len() {
            let mut changed = false;
            for (name, selectors) in &gathering {
                let gathered = self.gather(name, selectors, stored);
                if self.cluster_roles.get(name).is_none_or(|known| **known != *gathered) {
                    self.cluster_roles.insert(name.clone(), gathered.into());
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        for role in stored {
            let name = object::name(role);
            if gathering.iter().any(|(it, _)| it == name)
                && let Some(rules) = self.cluster_roles.get(name)
                && Rule::decode_all(role) != **rules
            {
                self.stale.push((name.into(), rules.to_vec()));
            }
        }
    }

    /// The rules of all roles that the selectors select, each once, by name of the role.
    fn gather(&self, own: &str, selectors: &[LabelSelector], stored: &[Value]) -> Vec<Rule> {
        let mut seen = BTreeSet::new();
        let mut rules = Vec::new();
        for role in stored {
            let name = object::name(role);
            let labels = object::labels(role);
            if name == own || !selectors.iter().any(|it| it.matches(labels)) {
                continue;
            }
            for rule in self.cluster_roles.get(name).into_iter().flat_map(|rules| rules.iter()) {
                if seen.insert(rule.clone()) {
                    rules.push(rule.clone());
                }
            }
        }
        rules
    }

    /// The rules of a role; `None` if there is no such role.
    pub fn role(&self, role: &RoleRef, namespace: &str) -> Option<&Arc<[Rule]>> {
        if role.cluster {
            return self.cluster_roles.get(&role.name);
        }
        self.roles.get(&(Text::from(namespace), role.name.clone()))
    }

    /// Visits every rule that applies to a user in a namespace until `visit` says that it is
    /// enough. Returns the roles that bindings name and that do not exist.
    pub fn visit<'a>(
        &'a self,
        user: &User,
        namespace: &'a str,
        mut visit: impl FnMut(&Applied<'a>) -> bool,
    ) -> Vec<String> {
        let mut lost = Vec::new();
        let local = self.bindings.get(namespace).filter(|_| !namespace.is_empty());
        let scopes = [("", Some(&self.cluster_bindings)), (namespace, local)];
        for (scope, bindings) in scopes {
            let Some(bindings) = bindings else { continue };
            for (binding, subject) in bindings.of(user) {
                let Some(rules) = self.role(&binding.role, scope) else {
                    let kind = if binding.role.cluster { "clusterrole" } else { "role" };
                    let name = go_quote(&binding.role.name);
                    lost.push(format!("{kind}.rbac.authorization.k8s.io {name} not found"));
                    continue;
                };
                for rule in rules.iter() {
                    if !visit(&Applied { rule, binding, namespace: scope, subject }) {
                        return lost;
                    }
                }
            }
        }
        lost
    }
}

impl Authorizer for Policy {
    fn authorize(&self, user: &User, request: &Attributes<'_>) -> Decision {
        if user.is_in(MASTERS) {
            return Decision { allowed: true, reason: String::new() };
        }
        let mut source = None;
        let lost = self.visit(user, request.namespace, |applied| {
            if applied.rule.allows(request) {
                source = Some(applied.source());
            }
            source.is_none()
        });
        match source {
            Some(source) => {
                Decision { allowed: true, reason: format!("RBAC: allowed by {source}") }
            }
            None => Decision { allowed: false, reason: complain(&lost) },
        }
    }
}

fn complain(lost: &[String]) -> String {
    if lost.is_empty() { String::new() } else { format!("RBAC: {}", aggregate_texts(lost)) }
}

impl Bindings {
    fn add(&mut self, binding: &Value, namespace: &str) {
        let Some(role) = RoleRef::decode(binding) else { return };
        let at = self.list.len();
        let mut subjects = Vec::new();
        let given = binding.get("subjects").and_then(Value::as_list);
        for value in given.into_iter().flat_map(|list| list.iter()) {
            let Some((subject, text)) = subject(value, namespace) else { continue };
            let places = self.by_subject.entry(subject.clone()).or_default();
            if places.last() != Some(&at) {
                places.push(at);
            }
            subjects.push((subject, text));
        }
        self.list.push(Binding { name: object::name(binding).into(), subjects, role });
    }

    /// The bindings that apply to a user, in order, each with the first subject that does.
    fn of(&self, user: &User) -> Vec<(&Binding, usize)> {
        let mut subjects = vec![Subject::User(user.name.clone())];
        subjects.extend(user.groups.iter().cloned().map(Subject::Group));
        let mut places: Vec<usize> = subjects
            .iter()
            .filter_map(|subject| self.by_subject.get(subject))
            .flatten()
            .copied()
            .collect();
        places.sort_unstable();
        places.dedup();
        let with_subject = |at: usize| {
            let binding = &self.list[at];
            let first = binding.subjects.iter().position(|(it, _)| subjects.contains(it));
            first.map(|subject| (binding, subject))
        };
        places.into_iter().filter_map(with_subject).collect()
    }
}

/// Who a subject is, and how reasons call it.
fn subject(value: &Value, binding_namespace: &str) -> Option<(Subject, String)> {
    let text = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or("");
    let (kind, name) = (text("kind"), text("name"));
    match kind {
        "User" => Some((Subject::User(name.into()), format!("User {}", go_quote(name)))),
        "Group" => Some((Subject::Group(name.into()), format!("Group {}", go_quote(name)))),
        "ServiceAccount" => {
            let own = text("namespace");
            let namespace = if own.is_empty() { binding_namespace } else { own };
            if namespace.is_empty() {
                return None;
            }
            let user = Subject::User(account_user(namespace, name).into());
            Some((user, format!("ServiceAccount {}", go_quote(&format!("{name}/{namespace}")))))
        }
        _ => None,
    }
}

/// The selectors of a role that gathers others.
fn selectors(role: &Value) -> Vec<LabelSelector> {
    let path = ["aggregationRule", "clusterRoleSelectors"];
    let list = role.get_path(&path).and_then(Value::as_list);
    list.into_iter()
        .flat_map(|list| list.iter())
        .filter_map(|it| LabelSelector::read(it).ok())
        .collect()
}
