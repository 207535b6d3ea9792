//! All roles and bindings of a moment, arranged so that what applies to a user is found fast.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use ordain_meta::selector::LabelSelector;
use ordain_meta::status::aggregate_texts;
use ordain_strategy::{MASTERS, User, object};
use ordain_value::{Map, Text, Value, go_quote};

use super::rule::Rule;
use crate::access::{Attributes, Authorizer, Decision};

/// Roles and bindings.
#[derive(Debug, Default)]
pub struct Policy {
    cluster_roles: BTreeMap<Text, ClusterRole>,
    /// Those of them that gather others.
    gathering: BTreeSet<Text>,
    /// By namespace and name.
    roles: BTreeMap<(Text, Text), Arc<[Rule]>>,
    cluster_bindings: Bindings,
    /// By namespace.
    bindings: BTreeMap<Text, Bindings>,
}

/// The kinds that a policy is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A role without a namespace.
    ClusterRole,
    /// A role of a namespace.
    Role,
    /// Who has a role everywhere.
    ClusterRoleBinding,
    /// Who has a role in a namespace.
    RoleBinding,
}

#[derive(Debug)]
struct ClusterRole {
    labels: Map,
    selectors: Vec<LabelSelector>,
    stored: Arc<[Rule]>,
    /// Those in force: of a role that gathers, those of the others.
    rules: Arc<[Rule]>,
}

/// Who is bound to which role.
#[derive(Debug, Default)]
struct Bindings {
    by_name: BTreeMap<Text, Binding>,
    /// The names of bindings, by subject.
    by_subject: BTreeMap<Subject, BTreeSet<Text>>,
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
    /// Arranges stored objects.
    pub fn new(
        cluster_roles: &[Value],
        roles: &[Value],
        cluster_bindings: &[Value],
        bindings: &[Value],
    ) -> Self {
        let mut policy = Self::default();
        for role in cluster_roles {
            policy.put_cluster_role(object::name(role), Some(role));
        }
        policy.gather(policy.gathering.clone());
        let parts = [
            (Part::Role, roles),
            (Part::ClusterRoleBinding, cluster_bindings),
            (Part::RoleBinding, bindings),
        ];
        for (part, objects) in parts {
            for it in objects {
                policy.note(part, object::namespace(it), object::name(it), Some(it));
            }
        }
        policy
    }

    /// Takes up one object as it is now; `None` if it is gone. Costs what the object costs, and what
    /// the roles cost that gather it.
    pub fn note(&mut self, part: Part, namespace: &str, name: &str, object: Option<&Value>) {
        match part {
            Part::ClusterRole => {
                let stale = self.put_cluster_role(name, object);
                self.gather(stale);
            }
            Part::Role => {
                let key = (Text::from(namespace), Text::from(name));
                match object {
                    Some(role) => self.roles.insert(key, Rule::decode_all(role).into()),
                    None => self.roles.remove(&key),
                };
            }
            Part::ClusterRoleBinding => self.cluster_bindings.note(name, object, ""),
            Part::RoleBinding => {
                let bindings = self.bindings.entry(namespace.into()).or_default();
                bindings.note(name, object, namespace);
                if bindings.by_name.is_empty() {
                    self.bindings.remove(namespace);
                }
            }
        }
    }

    /// Takes up a role; gives the roles for which what they gather may have changed.
    fn put_cluster_role(&mut self, name: &str, role: Option<&Value>) -> BTreeSet<Text> {
        let new = role.map(|role| {
            let stored: Arc<[Rule]> = Rule::decode_all(role).into();
            let labels = object::labels(role).cloned().unwrap_or_default();
            ClusterRole { labels, selectors: selectors(role), rules: Arc::clone(&stored), stored }
        });
        let gathers = new.as_ref().is_some_and(|role| !role.selectors.is_empty());
        let old = match new {
            Some(role) => self.cluster_roles.insert(name.into(), role),
            None => self.cluster_roles.remove(name),
        };
        let mut stale = self.gatherers_of(name);
        if let Some(old) = old {
            stale.extend(self.gatherers_by(name, &old.labels).cloned());
        }
        if gathers {
            self.gathering.insert(name.into());
            stale.insert(name.into());
        } else {
            self.gathering.remove(name);
            stale.remove(name);
        }
        stale
    }

    /// The roles that gather one.
    fn gatherers_of(&self, name: &str) -> BTreeSet<Text> {
        let role = self.cluster_roles.get(name).into_iter();
        role.flat_map(|role| self.gatherers_by(name, &role.labels)).cloned().collect()
    }

    /// The other roles that gather what has these labels.
    fn gatherers_by<'a>(
        &'a self,
        name: &'a str,
        labels: &'a Map,
    ) -> impl Iterator<Item = &'a Text> {
        self.gathering.iter().filter(move |other| {
            let role = self.cluster_roles.get(*other).filter(|_| other.as_str() != name);
            role.is_some_and(|role| role.selectors.iter().any(|it| it.matches(Some(labels))))
        })
    }

    /// Brings the rules of these roles up to date, and of those that gather them.
    fn gather(&mut self, mut stale: BTreeSet<Text>) {
        // A role may gather one that gathers itself: as deep as there are such roles.
        for _ in 0..self.gathering.len() {
            let mut next = BTreeSet::new();
            for name in stale {
                if let Some(rules) = self.changed_rules(&name)
                    && let Some(role) = self.cluster_roles.get_mut(&name)
                {
                    role.rules = rules;
                    next.extend(self.gatherers_of(&name));
                }
            }
            if next.is_empty() {
                break;
            }
            stale = next;
        }
    }

    /// What a role gathers now, unless those are its rules.
    fn changed_rules(&self, name: &str) -> Option<Arc<[Rule]>> {
        let role = self.cluster_roles.get(name)?;
        let gathered = self.gathered(name, &role.selectors);
        let are = |rules: &[Rule]| rules.iter().eq(gathered.iter().copied());
        if are(&role.rules) {
            return None;
        }
        // Most often it was stored a moment ago.
        Some(if are(&role.stored) {
            Arc::clone(&role.stored)
        } else {
            gathered.into_iter().cloned().collect()
        })
    }

    /// The rules of all roles that the selectors select, each once, by name of the role.
    fn gathered(&self, own: &str, selectors: &[LabelSelector]) -> Vec<&Rule> {
        let mut seen = HashSet::new();
        let mut rules = Vec::new();
        for (name, role) in &self.cluster_roles {
            if name == own || !selectors.iter().any(|it| it.matches(Some(&role.labels))) {
                continue;
            }
            rules.extend(role.rules.iter().filter(|rule| seen.insert(*rule)));
        }
        rules
    }

    /// Roles whose stored rules are not those of the roles they gather, with those.
    pub fn stale(&self) -> Vec<(Text, Arc<[Rule]>)> {
        let gathering = self.gathering.iter();
        let roles = gathering.filter_map(|name| Some((name, self.cluster_roles.get(name)?)));
        let stale = roles.filter(|(_, role)| role.stored != role.rules);
        stale.map(|(name, role)| (name.clone(), Arc::clone(&role.rules))).collect()
    }

    /// The rules of a role; `None` if there is no such role.
    pub fn role(&self, role: &RoleRef, namespace: &str) -> Option<&Arc<[Rule]>> {
        if role.cluster {
            return self.cluster_roles.get(&role.name).map(|role| &role.rules);
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
    fn note(&mut self, name: &str, binding: Option<&Value>, namespace: &str) {
        if let Some(old) = self.by_name.remove(name) {
            for (subject, _) in &old.subjects {
                if let Some(names) = self.by_subject.get_mut(subject) {
                    names.remove(name);
                    if names.is_empty() {
                        self.by_subject.remove(subject);
                    }
                }
            }
        }
        let Some((binding, role)) = binding.and_then(|it| Some((it, RoleRef::decode(it)?))) else {
            return;
        };
        let mut subjects = Vec::new();
        let given = binding.get("subjects").and_then(Value::as_list);
        for value in given.into_iter().flat_map(|list| list.iter()) {
            let Some((subject, text)) = subject(value, namespace) else { continue };
            self.by_subject.entry(subject.clone()).or_default().insert(name.into());
            subjects.push((subject, text));
        }
        self.by_name.insert(name.into(), Binding { name: name.into(), subjects, role });
    }

    /// The bindings that apply to a user, by name, each with the first subject that does.
    fn of(&self, user: &User) -> Vec<(&Binding, usize)> {
        let mut subjects = vec![Subject::User(user.name.clone())];
        subjects.extend(user.groups.iter().cloned().map(Subject::Group));
        let named = subjects.iter().filter_map(|subject| self.by_subject.get(subject));
        let names: BTreeSet<&Text> = named.flatten().collect();
        let with_subject = |name: &Text| {
            let binding = self.by_name.get(name)?;
            let first = binding.subjects.iter().position(|(it, _)| subjects.contains(it));
            first.map(|subject| (binding, subject))
        };
        names.into_iter().filter_map(with_subject).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_value::value;

    fn role(name: &str, labels: Value, verbs: &[&str]) -> Value {
        let verbs: Vec<Value> = verbs.iter().map(|verb| Value::from(*verb)).collect();
        value!({"metadata": {"name": name, "labels": labels}, "rules": [{"apiGroups": [""],
            "resources": ["pods"], "verbs": (Value::from(verbs))}]})
    }

    fn gathering(name: &str, label: &str) -> Value {
        let labels: Map = [(label.to_owned(), value!("true"))].into_iter().collect();
        value!({"metadata": {"name": name, "labels": {"of": name}}, "aggregationRule":
            {"clusterRoleSelectors": [{"matchLabels": (Value::Map(labels))}]}})
    }

    fn binding(name: &str, role: &str, users: &[&str]) -> Value {
        let subjects = users.iter().map(|user| value!({"kind": "User", "name": (*user)}));
        value!({"metadata": {"name": name}, "roleRef": {"kind": "ClusterRole", "name": role},
            "subjects": (Value::from(subjects.collect::<Vec<_>>()))})
    }

    /// What is written into a role that gathers thousands of rules concerns that role alone.
    #[test]
    fn roles_that_gather_much_are_taken_up_one_by_one() {
        let mut policy = Policy::default();
        for at in 0..300 {
            let name = format!("all{at}");
            policy.note(Part::ClusterRole, "", &name, Some(&gathering(&name, "gather")));
        }
        let rules = (0..3_000).map(|at| {
            let group = Value::from(format!("group-{at}"));
            value!({"apiGroups": [(group)], "resources": ["r"], "verbs": ["get"]})
        });
        let rules = Value::from(rules.collect::<Vec<_>>());
        let mut much = role("much", value!({"gather": "true"}), &[]);
        much.set_path(&["rules"], rules.clone());
        policy.note(Part::ClusterRole, "", "much", Some(&much));
        assert_eq!(policy.stale().len(), 300);
        let began = std::time::Instant::now();
        for at in 0..300 {
            let name = format!("all{at}");
            let mut stored = gathering(&name, "gather");
            stored.set_path(&["rules"], rules.clone());
            policy.note(Part::ClusterRole, "", &name, Some(&stored));
        }
        assert!(policy.stale().is_empty());
        // All 300 were looked at for each of them, which took minutes.
        assert!(began.elapsed() < std::time::Duration::from_secs(30), "{:?}", began.elapsed());
    }

    /// One object after the other leads to where all of them at once do.
    #[test]
    fn changes_one_by_one_lead_to_the_same_policy() {
        let steps = [
            (Part::ClusterRole, "all", Some(gathering("all", "gather"))),
            (Part::ClusterRole, "a", Some(role("a", value!({"gather": "true"}), &["get"]))),
            (Part::ClusterRole, "b", Some(role("b", value!({}), &["list"]))),
            (Part::ClusterRoleBinding, "x", Some(binding("x", "all", &["ann", "bob"]))),
            (Part::ClusterRoleBinding, "y", Some(binding("y", "b", &["bob"]))),
            (Part::ClusterRole, "b", Some(role("b", value!({"gather": "true"}), &["watch"]))),
            (Part::ClusterRole, "top", Some(gathering("top", "of"))),
            (Part::ClusterRole, "a", Some(role("a", value!({}), &["get"]))),
            (Part::ClusterRoleBinding, "x", Some(binding("x", "all", &["eve"]))),
            (Part::ClusterRole, "all", None),
            (Part::ClusterRoleBinding, "y", None),
            (Part::ClusterRole, "all", Some(gathering("all", "gather"))),
        ];
        let mut stepwise = Policy::default();
        let mut objects: BTreeMap<(bool, &str), Value> = BTreeMap::new();
        for (part, name, object) in &steps {
            stepwise.note(*part, "", name, object.as_ref());
            let key = (*part == Part::ClusterRole, *name);
            match object {
                Some(object) => objects.insert(key, object.clone()),
                None => objects.remove(&key),
            };
            let of = |roles: bool| -> Vec<Value> {
                let some = objects.iter().filter(|(key, _)| key.0 == roles);
                some.map(|(_, object)| object.clone()).collect()
            };
            let whole = Policy::new(&of(true), &[], &of(false), &[]);
            assert_eq!(stepwise.stale(), whole.stale(), "{name}");
            for user in ["ann", "bob", "eve"] {
                let user = User { name: user.into(), ..User::default() };
                let told = |policy: &Policy| {
                    let mut told = Vec::new();
                    let lost = policy.visit(&user, "", |applied| {
                        told.push((applied.source(), applied.rule.clone()));
                        true
                    });
                    (told, lost)
                };
                assert_eq!(told(&stepwise), told(&whole), "{name} for {}", user.name);
            }
        }
    }
}
