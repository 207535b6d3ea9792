//! Finds policies and webhooks by the resource of a request, so that a request pays only for
//! those that may be about it.

use std::collections::{BTreeMap, BTreeSet};

use ordain_value::Text;

use crate::matching::Constraints;

/// Keys by the resources that their rules name.
#[derive(Debug, Clone)]
pub(crate) struct Index<K> {
    by_resource: BTreeMap<Text, BTreeSet<K>>,
    /// Those that are about every resource.
    any: BTreeSet<K>,
}

impl<K> Default for Index<K> {
    fn default() -> Self {
        Self { by_resource: BTreeMap::new(), any: BTreeSet::new() }
    }
}

impl<K: Ord + Clone> Index<K> {
    pub(crate) fn add(&mut self, constraints: &Constraints, key: &K) {
        if constraints.rules.is_empty() {
            self.any.insert(key.clone());
        }
        for resource in constraints.rules.iter().flat_map(|rule| rule.resources()) {
            if resource == "*" {
                self.any.insert(key.clone());
            } else {
                self.by_resource.entry(resource.clone()).or_default().insert(key.clone());
            }
        }
    }

    pub(crate) fn remove(&mut self, constraints: &Constraints, key: &K) {
        self.any.remove(key);
        for resource in constraints.rules.iter().flat_map(|rule| rule.resources()) {
            if let Some(keys) = self.by_resource.get_mut(resource) {
                keys.remove(key);
                if keys.is_empty() {
                    self.by_resource.remove(resource);
                }
            }
        }
    }

    /// Adds one that is about every resource.
    pub(crate) fn add_any(&mut self, key: &K) {
        self.any.insert(key.clone());
    }

    pub(crate) fn remove_any(&mut self, key: &K) {
        self.any.remove(key);
    }

    /// The keys that may be about a resource, in order.
    pub(crate) fn find(&self, resource: &str) -> BTreeSet<&K> {
        let named = self.by_resource.get(resource).into_iter().flatten();
        self.any.iter().chain(named).collect()
    }
}
