//! How many keys there are in each folder, so that counting costs no walk over the keys.

use std::collections::BTreeMap;
use std::ops::Bound;

/// The number of keys in each folder, which is what a key begins with up to its last slash.
#[derive(Debug, Clone, Default)]
pub struct Counts(BTreeMap<Box<str>, usize>);

fn folder(key: &str) -> &str {
    key.rfind('/').map_or("", |end| &key[..=end])
}

impl Counts {
    /// Counts a key that comes.
    pub fn add(&mut self, key: &str) {
        let folder = folder(key);
        match self.0.get_mut(folder) {
            Some(count) => *count += 1,
            None => {
                self.0.insert(folder.into(), 1);
            }
        }
    }

    /// No longer counts a key that goes.
    pub fn remove(&mut self, key: &str) {
        let folder = folder(key);
        let Some(count) = self.0.get_mut(folder) else { return };
        *count = count.saturating_sub(1);
        if *count == 0 {
            self.0.remove(folder);
        }
    }

    /// How many keys begin with a prefix that ends with a slash, or is empty; none for prefixes that
    /// end within a name.
    pub fn below(&self, prefix: &str) -> Option<usize> {
        if !prefix.is_empty() && !prefix.ends_with('/') {
            return None;
        }
        let from = (Bound::Included(prefix), Bound::Unbounded);
        let within = self.0.range::<str, _>(from).take_while(|(it, _)| it.starts_with(prefix));
        Some(within.map(|(_, count)| count).sum())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn counts_are_those_of_a_walk(
            keys in prop::collection::btree_set("(/[ab]{1,2}){0,3}/?[ab]{0,1}", 0..40),
            gone in prop::collection::vec(any::<bool>(), 40),
            prefix in "(/[ab]{1,2}){0,2}/?",
        ) {
            let mut counts = Counts::default();
            let mut left = keys.clone();
            for (key, gone) in keys.iter().zip(gone) {
                counts.add(key);
                if gone {
                    counts.remove(key);
                    left.remove(key);
                }
            }
            let walked = left.iter().filter(|key| key.starts_with(&prefix)).count();
            let whole = prefix.is_empty() || prefix.ends_with('/');
            prop_assert_eq!(counts.below(&prefix), whole.then_some(walked));
        }
    }
}
