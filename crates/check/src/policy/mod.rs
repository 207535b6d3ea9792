//! Admission policies over files: the server's own selection, evaluation and words, with what a
//! server would read from its store taken from texts.
//!
//! [`Policies`] holds policies and bindings with their places, and the namespaces, parameters and
//! roles that they look at ([`world`]). A [`Review`] acts at the seams of one judged write.
//!
//! Invariant: what cannot be decided because something is not there is reported, never passed over.

mod reported;
mod review;
mod world;

use std::collections::BTreeMap;
use std::sync::Arc;

use ordain_admission::state::{Configuration, GROUP};
use ordain_admission::{Served, State};
use ordain_meta::GroupVersionKind;
pub use ordain_strategy::User;
use ordain_value::{Text, Value};

pub(crate) use reported::Reported;
pub(crate) use review::{Mutation, Review};

use crate::catalog::Catalog;
use crate::finding::{Location, location};
use crate::locate::{Aim, locate};
use crate::manifest::{self, Manifest};
use crate::source::Source;
use world::World;

/// What every text with a policy or a binding has in it.
pub(crate) const MARK: &str = "AdmissionPolicy";

/// Whether objects of a kind are policies or bindings.
pub(crate) fn is_policy(gvk: &GroupVersionKind) -> bool {
    gvk.group == GROUP && gvk.kind.contains(MARK)
}

/// An audit annotation that policies put on the write of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    pub object: crate::ObjectRef,
    pub location: Location,
    pub key: String,
    pub value: String,
}

/// Where policies come from besides the inputs, and in whose name objects are written.
#[derive(Clone, Debug)]
pub struct PolicyOptions {
    /// Texts with policies, bindings, namespaces, parameters and roles that are not judged.
    pub sources: Vec<Source>,
    pub user: User,
}

impl Default for PolicyOptions {
    fn default() -> Self {
        Self { sources: Vec::new(), user: User::everybody() }
    }
}

/// Policies and bindings, and what they look at.
#[derive(Debug)]
pub(crate) struct Policies {
    state: State,
    /// Where policies stand.
    origins: BTreeMap<(Configuration, Text), Origin>,
    world: World,
    served: Served<world::Kinds>,
    /// What kept policies from being used.
    pub(crate) notes: Vec<String>,
}

#[derive(Debug)]
struct Origin {
    source: Arc<Source>,
    manifest: Manifest,
}

impl Policies {
    /// Takes in the policies of some texts, if there are any, and what they look at.
    pub(crate) fn gather<'a>(
        catalog: &Catalog,
        texts: impl IntoIterator<Item = &'a Source>,
    ) -> Option<Self> {
        let mut policies = Self {
            state: State::default(),
            origins: BTreeMap::new(),
            world: World::default(),
            served: Served(world::Kinds::new(catalog)),
            notes: Vec::new(),
        };
        for source in texts {
            let shared = Arc::new(source.clone());
            let marks = memchr::memmem::find(&source.text, MARK.as_bytes()).is_some();
            for manifest in manifest::read_as(0, source.text(), marks).manifests {
                if is_policy(&manifest.gvk) {
                    policies.add(catalog, &shared, manifest);
                } else {
                    policies.world.add(catalog, manifest);
                }
            }
        }
        policies.world.settle();
        policies.note_unbound();
        (!policies.origins.is_empty()).then_some(policies)
    }

    /// Takes in a policy or binding as a server would hold it. One that no server takes is not in
    /// force; why, is reported where it is judged.
    fn add(&mut self, catalog: &Catalog, source: &Arc<Source>, manifest: Manifest) {
        let Ok(kind) = catalog.find(&manifest.gvk) else { return };
        let Some(resource) = kind.resource() else { return };
        let Some(configuration) = Configuration::of(&resource.group, &resource.plural) else {
            return;
        };
        let verdict = kind.judge_create(&manifest.value);
        let (name, gvk) = (Text::from(manifest.name()), &manifest.gvk);
        match verdict.object.as_ref().filter(|_| verdict.is_accepted()) {
            Some(object) => self.state.set(configuration, &name, Some(object)),
            None => {
                let note = format!(
                    "{} {name} of {} is not in force: a server would refuse it",
                    gvk.kind, source.name
                );
                self.notes.push(note);
            }
        }
        let source = Arc::clone(source);
        self.origins.insert((configuration, name), Origin { source, manifest });
    }

    /// A policy without a binding says nothing, which is easily taken for consent.
    fn note_unbound(&mut self) {
        let pairs = [
            (Configuration::ValidatingPolicy, Configuration::ValidatingBinding),
            (Configuration::MutatingPolicy, Configuration::MutatingBinding),
        ];
        for (policies, bindings) in pairs {
            let named = |binding: &Text| {
                let origin = self.origins.get(&(bindings, binding.clone()))?;
                let value = &origin.manifest.value;
                value.get_path(&["spec", "policyName"]).and_then(Value::as_text)
            };
            let bindings = self.state.names(bindings);
            let bound: Vec<&Text> = bindings.iter().filter_map(named).collect();
            let unbound = self.state.names(policies).into_iter().filter(|it| !bound.contains(&it));
            let notes: Vec<String> = unbound
                .map(|name| format!("policy {name} is not in force: no binding names it"))
                .collect();
            self.notes.extend(notes);
        }
    }

    /// Admission of one write in the name of a user.
    pub(crate) fn review(&self, user: &User) -> Review<'_> {
        Review::new(self, user.clone())
    }

    /// The place of a field of a policy; of the policy if it has no such field.
    fn place(&self, configuration: Configuration, name: &Text, field: &str) -> Location {
        let Some(origin) = self.origins.get(&(configuration, name.clone())) else {
            return Location::default();
        };
        let place = locate(&origin.manifest, &origin.source.text, field, Aim::Value);
        location(&origin.source, &place.span)
    }
}
