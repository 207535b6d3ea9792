//! Which mutations run again because others changed the object after them.

use std::collections::BTreeSet;

/// The mutations of one request that ran, by their keys.
#[derive(Debug)]
pub struct Reinvocation<K> {
    /// Those that want to run again, so far.
    candidates: BTreeSet<K>,
    /// Those that have to.
    due: BTreeSet<K>,
}

impl<K> Default for Reinvocation<K> {
    fn default() -> Self {
        Self { candidates: BTreeSet::new(), due: BTreeSet::new() }
    }
}

impl<K: Ord + Clone> Reinvocation<K> {
    /// The object changed: everyone who ran before and wants to has to run again.
    pub fn changed(&mut self) {
        self.due.append(&mut self.candidates);
    }

    pub fn ran(&mut self, key: K) {
        self.candidates.insert(key);
    }

    pub fn is_due(&self, key: &K) -> bool {
        self.due.contains(key)
    }
}
