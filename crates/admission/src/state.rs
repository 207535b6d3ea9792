//! All policies, bindings and webhook configurations of a moment, compiled and indexed.
//!
//! Invariant: taking up one object costs what that object costs, however many others there are,
//! and a request is answered from the objects that its resource leads to.

use std::collections::BTreeMap;
use std::sync::Arc;

use ordain_value::{Text, Value};

use crate::index::Index;
use crate::matching::Constraints;
use crate::policy::{Binding, MutatingPolicy, Policy, ValidatingPolicy};
use crate::webhook::Webhook;

/// The API group of admission configuration.
pub const GROUP: &str = "admissionregistration.k8s.io";

/// The resources that configure admission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Configuration {
    ValidatingPolicy,
    ValidatingBinding,
    MutatingPolicy,
    MutatingBinding,
    ValidatingWebhooks,
    MutatingWebhooks,
}

impl Configuration {
    pub const ALL: [Self; 6] = [
        Self::ValidatingPolicy,
        Self::ValidatingBinding,
        Self::MutatingPolicy,
        Self::MutatingBinding,
        Self::ValidatingWebhooks,
        Self::MutatingWebhooks,
    ];

    /// The name of the resource.
    pub fn plural(self) -> &'static str {
        match self {
            Self::ValidatingPolicy => "validatingadmissionpolicies",
            Self::ValidatingBinding => "validatingadmissionpolicybindings",
            Self::MutatingPolicy => "mutatingadmissionpolicies",
            Self::MutatingBinding => "mutatingadmissionpolicybindings",
            Self::ValidatingWebhooks => "validatingwebhookconfigurations",
            Self::MutatingWebhooks => "mutatingwebhookconfigurations",
        }
    }

    /// The configuration that a resource is.
    pub fn of(group: &str, plural: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| group == GROUP && it.plural() == plural)
    }
}

/// A policy with its bindings.
#[derive(Debug, Clone)]
pub struct Bound<P> {
    pub policy: Arc<P>,
    /// By name.
    pub bindings: Vec<Arc<Binding>>,
}

/// A kind of policy.
pub trait Compiled {
    /// The resource of such policies.
    const CONFIGURATION: Configuration;

    fn compile(object: &Value) -> Self;
    fn policy(&self) -> &Policy;
    /// Whether what it says depends on the namespace of a request.
    fn reads_namespace(&self) -> bool;
}

impl Compiled for ValidatingPolicy {
    const CONFIGURATION: Configuration = Configuration::ValidatingPolicy;

    fn compile(object: &Value) -> Self {
        Self::compile(object)
    }

    fn reads_namespace(&self) -> bool {
        self.reads_namespace()
    }

    fn policy(&self) -> &Policy {
        &self.policy
    }
}

impl Compiled for MutatingPolicy {
    const CONFIGURATION: Configuration = Configuration::MutatingPolicy;

    fn compile(object: &Value) -> Self {
        Self::compile(object)
    }

    fn reads_namespace(&self) -> bool {
        self.reads_namespace()
    }

    fn policy(&self) -> &Policy {
        &self.policy
    }
}

/// The bindings of one policy.
#[derive(Debug, Default)]
struct Bindings {
    list: BTreeMap<Text, Arc<Binding>>,
    index: Index<Text>,
}

impl Bindings {
    fn add(&mut self, name: &Text, binding: Binding) {
        match &binding.constraints {
            Some(constraints) => self.index.add(constraints, name),
            None => self.index.add_any(name),
        }
        self.list.insert(name.clone(), Arc::new(binding));
    }

    fn remove(&mut self, name: &Text) {
        let Some(binding) = self.list.remove(name) else { return };
        match &binding.constraints {
            Some(constraints) => self.index.remove(constraints, name),
            None => self.index.remove_any(name),
        }
    }
}

/// Policies of one kind and their bindings.
#[derive(Debug)]
struct Policies<P> {
    /// With the specification that they were compiled from.
    policies: BTreeMap<Text, (Arc<P>, Value)>,
    /// By policy.
    bindings: BTreeMap<Text, Bindings>,
    /// Which policy a binding binds.
    bound: BTreeMap<Text, Text>,
    index: Index<Text>,
}

impl<P> Default for Policies<P> {
    fn default() -> Self {
        Self {
            policies: BTreeMap::new(),
            bindings: BTreeMap::new(),
            bound: BTreeMap::new(),
            index: Index::default(),
        }
    }
}

impl<P: Compiled> Policies<P> {
    fn set_policy(&mut self, name: &Text, object: Option<&Value>) {
        let spec = object.and_then(|object| object.get("spec"));
        if let (Some((_, known)), Some(spec)) = (self.policies.get(name), spec)
            && known == spec
        {
            return;
        }
        if let Some((old, _)) = self.policies.remove(name) {
            self.index.remove(&old.policy().constraints, name);
        }
        if let (Some(object), Some(spec)) = (object, spec) {
            let policy = P::compile(object);
            self.index.add(&policy.policy().constraints, name);
            self.policies.insert(name.clone(), (Arc::new(policy), spec.clone()));
        }
    }

    fn set_binding(&mut self, name: &Text, object: Option<&Value>) {
        if let Some(policy) = self.bound.remove(name)
            && let Some(bindings) = self.bindings.get_mut(&policy)
        {
            bindings.remove(name);
            if bindings.list.is_empty() {
                self.bindings.remove(&policy);
            }
        }
        if let Some(object) = object {
            let binding = Binding::read(object);
            let policy = binding.policy.clone();
            self.bound.insert(name.clone(), policy.clone());
            self.bindings.entry(policy).or_default().add(name, binding);
        }
    }

    fn find(&self, resource: &str) -> Vec<Bound<P>> {
        let bound = |name: &Text| {
            let bindings = self.bindings.get(name)?;
            let (policy, _) = self.policies.get(name)?;
            let found = bindings.index.find(resource).into_iter();
            let found: Vec<_> = found.filter_map(|it| bindings.list.get(it).cloned()).collect();
            let policy = Arc::clone(policy);
            (!found.is_empty()).then_some(Bound { policy, bindings: found })
        };
        self.index.find(resource).into_iter().filter_map(bound).collect()
    }
}

/// Webhooks of one kind.
#[derive(Debug, Default)]
struct Webhooks {
    /// By the name of their configuration and their place in it, which is the order of calls.
    list: BTreeMap<(Text, usize), Arc<Webhook>>,
    index: Index<(Text, usize)>,
}

impl Webhooks {
    fn set(&mut self, name: &Text, object: Option<&Value>) {
        let first = (name.clone(), 0);
        let mut gone: Vec<((Text, usize), Constraints)> = Vec::new();
        for (key, webhook) in self.list.range(first..).take_while(|(key, _)| key.0 == *name) {
            gone.push((key.clone(), webhook.constraints.clone()));
        }
        for (key, constraints) in gone {
            self.index.remove(&constraints, &key);
            self.list.remove(&key);
        }
        for webhook in object.map(Webhook::read_all).unwrap_or_default() {
            let key = (name.clone(), webhook.place);
            self.index.add(&webhook.constraints, &key);
            self.list.insert(key, Arc::new(webhook));
        }
    }

    fn find(&self, resource: &str) -> Vec<Arc<Webhook>> {
        let keys = self.index.find(resource).into_iter();
        keys.filter_map(|key| self.list.get(key).cloned()).collect()
    }
}

/// Everything that configures admission.
#[derive(Debug, Default)]
pub struct State {
    validating: Policies<ValidatingPolicy>,
    mutating: Policies<MutatingPolicy>,
    validating_webhooks: Webhooks,
    mutating_webhooks: Webhooks,
}

impl State {
    /// Takes up an object as it is now, or forgets it.
    pub fn set(&mut self, configuration: Configuration, name: &Text, object: Option<&Value>) {
        match configuration {
            Configuration::ValidatingPolicy => self.validating.set_policy(name, object),
            Configuration::ValidatingBinding => self.validating.set_binding(name, object),
            Configuration::MutatingPolicy => self.mutating.set_policy(name, object),
            Configuration::MutatingBinding => self.mutating.set_binding(name, object),
            Configuration::ValidatingWebhooks => self.validating_webhooks.set(name, object),
            Configuration::MutatingWebhooks => self.mutating_webhooks.set(name, object),
        }
    }

    /// The names of all objects of one configuration resource.
    pub fn names(&self, configuration: Configuration) -> Vec<Text> {
        let of = |webhooks: &Webhooks| {
            let mut names: Vec<Text> = webhooks.list.keys().map(|key| key.0.clone()).collect();
            names.dedup();
            names
        };
        match configuration {
            Configuration::ValidatingPolicy => self.validating.policies.keys().cloned().collect(),
            Configuration::ValidatingBinding => self.validating.bound.keys().cloned().collect(),
            Configuration::MutatingPolicy => self.mutating.policies.keys().cloned().collect(),
            Configuration::MutatingBinding => self.mutating.bound.keys().cloned().collect(),
            Configuration::ValidatingWebhooks => of(&self.validating_webhooks),
            Configuration::MutatingWebhooks => of(&self.mutating_webhooks),
        }
    }

    /// The validating policies that may be about a resource, with their bindings, by name.
    pub fn validating(&self, resource: &str) -> Vec<Bound<ValidatingPolicy>> {
        self.validating.find(resource)
    }

    /// The mutating policies that may be about a resource, with their bindings, by name.
    pub fn mutating(&self, resource: &str) -> Vec<Bound<MutatingPolicy>> {
        self.mutating.find(resource)
    }

    /// The validating webhooks that may be about a resource, in the order of their names.
    pub fn validating_webhooks(&self, resource: &str) -> Vec<Arc<Webhook>> {
        self.validating_webhooks.find(resource)
    }

    /// How many webhooks of all, whatever they are about, stand before one.
    pub fn webhooks_before(&self, webhook: &Webhook, mutating: bool) -> usize {
        let all = if mutating { &self.mutating_webhooks } else { &self.validating_webhooks };
        all.list.range(..(webhook.configuration.clone(), webhook.place)).count()
    }

    /// The mutating webhooks that may be about a resource, in the order in which they are called.
    pub fn mutating_webhooks(&self, resource: &str) -> Vec<Arc<Webhook>> {
        self.mutating_webhooks.find(resource)
    }
}

#[cfg(test)]
mod tests {
    use ordain_value::value;

    use super::*;

    /// A request pays for the bindings that may be about it, not for all of a policy.
    #[test]
    fn bindings_are_found_by_resource() {
        let mut state = State::default();
        let policy = value!({"metadata": {"name": "p"}, "spec": {"matchConstraints": {
            "resourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"],
                "resources": ["*"]}]}}});
        state.set(Configuration::ValidatingPolicy, &"p".into(), Some(&policy));
        for number in 0..100 {
            let (name, resource) = (format!("b{number}"), format!("r{number}"));
            let binding = value!({"metadata": {"name": (name.as_str())}, "spec": {
                "policyName": "p", "matchResources": {"resourceRules": [
                    {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"],
                        "resources": [(resource)]}]}}});
            state.set(Configuration::ValidatingBinding, &name.as_str().into(), Some(&binding));
        }
        let names = |state: &State, resource: &str| -> Vec<String> {
            let found = state.validating(resource);
            let bindings = found.iter().flat_map(|it| &it.bindings);
            bindings.map(|it| it.name.to_string()).collect()
        };
        assert_eq!(names(&state, "r7"), ["b7"]);
        assert!(state.validating("pods").is_empty(), "no binding, nothing to ask");
        let every = value!({"metadata": {"name": "every"}, "spec": {"policyName": "p"}});
        state.set(Configuration::ValidatingBinding, &"every".into(), Some(&every));
        assert_eq!(names(&state, "r7"), ["b7", "every"]);
        state.set(Configuration::ValidatingBinding, &"b7".into(), None);
        assert_eq!(names(&state, "r7"), ["every"]);
    }
}
