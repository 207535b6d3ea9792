//! Shared maps, sorted by key as Go encodes them.

use std::cell::Cell;
use std::convert::Infallible;
use std::sync::Arc;

use crate::{Text, Value};

/// An object: entries sorted by key (byte order), shared until written to.
#[derive(Clone, Default)]
pub struct Map(Option<Arc<Entries>>);

/// INVARIANT: strictly ascending keys.
#[derive(Clone, Default)]
pub(crate) struct Entries(pub(crate) Vec<(Text, Value)>);

/// What becomes of an entry of a map.
#[derive(Debug)]
pub enum Edit {
    /// It stays as it is.
    Keep,
    /// It goes.
    Drop,
    /// It gets this value.
    Put(Value),
}

impl From<Option<Value>> for Edit {
    /// A new value, if there is one.
    fn from(value: Option<Value>) -> Self {
        value.map_or(Edit::Keep, Edit::Put)
    }
}

impl Map {
    /// The empty map.
    pub const fn new() -> Self {
        Map(None)
    }

    /// Builds a map from entries in any order; of equal keys the last wins.
    pub fn from_entries(mut entries: Vec<(Text, Value)>) -> Self {
        if !entries.is_sorted_by(|a, b| a.0 < b.0) {
            // A stable sort keeps document order among equal keys, so the last one is the winner.
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            let mut kept: Vec<(Text, Value)> = Vec::with_capacity(entries.len());
            for entry in entries {
                match kept.last_mut() {
                    Some(last) if last.0 == entry.0 => *last = entry,
                    _ => kept.push(entry),
                }
            }
            entries = kept;
        }
        if entries.is_empty() { Map(None) } else { Map(Some(Arc::new(Entries(entries)))) }
    }

    /// Builds a map from entries that are known to be in strictly ascending key order.
    pub fn from_sorted(entries: Vec<(Text, Value)>) -> Self {
        debug_assert!(entries.is_sorted_by(|a, b| a.0 < b.0), "entries are in key order");
        if entries.is_empty() { Map(None) } else { Map(Some(Arc::new(Entries(entries)))) }
    }

    /// The entries in key order.
    #[inline]
    pub fn entries(&self) -> &[(Text, Value)] {
        self.0.as_deref().map_or(&[], |it| it.0.as_slice())
    }

    /// The map with its entries edited, or `None` when all of them stay: nothing is copied then.
    #[inline]
    pub fn edited(&self, mut each: impl FnMut(&Text, &Value) -> Edit) -> Option<Map> {
        let edited = self.try_edited(|key, value| Ok::<Edit, Infallible>(each(key, value)));
        edited.unwrap_or_else(|never| match never {})
    }

    /// Like [`Map::edited`], until an edit fails.
    ///
    /// # Errors
    /// With the first failure.
    #[inline]
    pub fn try_edited<E>(
        &self,
        mut each: impl FnMut(&Text, &Value) -> Result<Edit, E>,
    ) -> Result<Option<Map>, E> {
        let entries = self.entries();
        let mut edited: Option<Vec<(Text, Value)>> = None;
        for (at, (key, value)) in entries.iter().enumerate() {
            match each(key, value)? {
                Edit::Keep => {
                    if let Some(edited) = &mut edited {
                        edited.push((key.clone(), value.clone()));
                    }
                }
                Edit::Drop => {
                    edited.get_or_insert_with(|| entries[..at].to_vec());
                }
                Edit::Put(value) => {
                    edited.get_or_insert_with(|| entries[..at].to_vec()).push((key.clone(), value));
                }
            }
        }
        Ok(edited.map(Map::from_sorted))
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries().len()
    }

    /// True without entries.
    pub fn is_empty(&self) -> bool {
        self.entries().is_empty()
    }

    /// Where `key` stands, or where it would be inserted.
    pub fn position(&self, key: &str) -> Result<usize, usize> {
        self.entries().binary_search_by(|(it, _)| it.as_str().cmp(key))
    }

    /// Where `key` stands.
    #[inline]
    pub fn find(&self, key: &str) -> Option<usize> {
        let entries = self.entries();
        // Small maps are the rule; a linear scan beats a binary search there. In line, the
        // comparison with a name that is known to the compiler is one of numbers.
        if entries.len() <= 8 {
            return entries.iter().position(|(it, _)| it.as_bytes() == key.as_bytes());
        }
        self.search(key)
    }

    fn search(&self, key: &str) -> Option<usize> {
        self.entries().binary_search_by(|(it, _)| it.as_str().cmp(key)).ok()
    }

    /// The value under `key`.
    #[inline]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.find(key).map(|at| &self.entries()[at].1)
    }

    /// True if `key` is there.
    pub fn contains_key(&self, key: &str) -> bool {
        self.find(key).is_some()
    }

    /// The value under `key` for writing; unshares the map only if the key is there.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        let at = self.find(key)?;
        Some(&mut self.entries_mut()[at].1)
    }

    /// Sets `key`; returns what stood there.
    pub fn insert(&mut self, key: impl Into<Text>, value: Value) -> Option<Value> {
        let key = key.into();
        match self.position(&key) {
            Ok(at) => Some(std::mem::replace(&mut self.entries_mut()[at].1, value)),
            Err(at) => {
                self.entries_mut().insert(at, (key, value));
                None
            }
        }
    }

    /// Removes `key`; leaves shared storage alone if it is not there.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let at = self.find(key)?;
        Some(self.entries_mut().remove(at).1)
    }

    /// The value under `key`, null inserted if it was missing.
    pub fn get_or_insert_null(&mut self, key: &str) -> &mut Value {
        let at = match self.position(key) {
            Ok(at) => at,
            Err(at) => {
                self.entries_mut().insert(at, (Text::new(key), Value::Null));
                at
            }
        };
        &mut self.entries_mut()[at].1
    }

    /// Sets and removes many keys at once, in one pass over both. Changes come in strictly ascending
    /// key order; a key without a value goes.
    pub fn change(&mut self, changes: Vec<(Text, Option<Value>)>) {
        debug_assert!(changes.is_sorted_by(|a, b| a.0 < b.0), "changes are in key order");
        // Values that take the place of others move nothing.
        let replaces = |it: &(Text, Option<Value>)| it.1.is_some() && self.contains_key(&it.0);
        if changes.len() <= 1 || changes.iter().all(replaces) {
            for (key, value) in changes {
                match value {
                    Some(value) => drop(self.insert(key, value)),
                    None => drop(self.remove(&key)),
                }
            }
            return;
        }
        let mut out = Vec::with_capacity(self.len() + changes.len());
        let mut changes = changes.into_iter().peekable();
        for (key, value) in self.entries() {
            while let Some((new, value)) = changes.next_if(|it| it.0 < *key) {
                out.extend(value.map(|value| (new, value)));
            }
            match changes.next_if(|it| it.0 == *key) {
                Some((key, value)) => out.extend(value.map(|value| (key, value))),
                None => out.push((key.clone(), value.clone())),
            }
        }
        out.extend(changes.filter_map(|(key, value)| Some((key, value?))));
        *self = Map::from_sorted(out);
    }

    /// Keeps the entries that `keep` wants; unshares the map only if one goes.
    pub fn retain(&mut self, mut keep: impl FnMut(&Text, &Value) -> bool) {
        let Some(first) = self.entries().iter().position(|(key, value)| !keep(key, value)) else {
            return;
        };
        let mut at = 0;
        self.entries_mut().retain(|(key, value)| {
            at += 1;
            match at - 1 {
                it if it < first => true,
                it if it == first => false,
                _ => keep(key, value),
            }
        });
    }

    /// Entries in key order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Text, &Value)> + DoubleEndedIterator {
        self.entries().iter().map(|(key, value)| (key, value))
    }

    /// Keys in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &Text> {
        self.entries().iter().map(|(key, _)| key)
    }

    /// Values in key order.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Value> {
        self.entries().iter().map(|(_, value)| value)
    }

    /// Entries with writable values; unshares the map.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (&Text, &mut Value)> {
        let entries: &mut [(Text, Value)] =
            if self.is_empty() { &mut [] } else { self.entries_mut() };
        entries.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// True if both share their storage.
    pub fn ptr_eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }

    /// An address that is the same for shared storage, for memo tables; 0 for the empty map.
    pub fn address(&self) -> usize {
        self.0.as_ref().map_or(0, |it| Arc::as_ptr(it) as usize)
    }

    fn entries_mut(&mut self) -> &mut Vec<(Text, Value)> {
        &mut Arc::make_mut(self.0.get_or_insert_default()).0
    }

    pub(crate) fn take_if_unshared(&mut self) -> Option<Entries> {
        self.0.take().and_then(Arc::into_inner)
    }
}

impl<K: Into<Text>> FromIterator<(K, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (K, Value)>>(iter: I) -> Self {
        Map::from_entries(iter.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }
}

impl<'a> IntoIterator for &'a Map {
    type Item = &'a (Text, Value);
    type IntoIter = std::slice::Iter<'a, (Text, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries().iter()
    }
}

impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        Value::Map(self.clone()) == Value::Map(other.clone())
    }
}

impl std::fmt::Debug for Map {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Value::Map(self.clone()).fmt(f)
    }
}

impl Drop for Entries {
    fn drop(&mut self) {
        drop_nested(&mut self.0, |it| &mut it.1);
    }
}

thread_local! {
    /// How many containers are being dropped inside one another on this thread.
    static DROPS_OPEN: Cell<usize> = const { Cell::new(0) };
}

/// Containers nested deeper than this are dropped from a heap list: recursion would overflow the
/// stack on documents that are nested to the limit, and a list for all would slow the usual ones.
const DROP_RECURSION_MAX: usize = 64;

/// Drops the children of a container: by recursion while shallow, iteratively from there on.
pub(crate) fn drop_nested<T>(children: &mut Vec<T>, value_of: impl Fn(&mut T) -> &mut Value) {
    DROPS_OPEN.with(|open| {
        let depth = open.get();
        if depth < DROP_RECURSION_MAX {
            open.set(depth + 1);
            children.clear();
            open.set(depth);
        } else {
            drop_flat(children.iter_mut().map(value_of));
        }
    });
}

/// Takes every container out of the subtree before it is dropped, so that no drop nests.
fn drop_flat<'a>(values: impl Iterator<Item = &'a mut Value>) {
    let mut pending: Vec<Value> = Vec::new();
    let take = |value: &mut Value, pending: &mut Vec<Value>| {
        if value.has_children() {
            pending.push(std::mem::take(value));
        }
    };
    values.for_each(|it| take(it, &mut pending));
    while let Some(mut value) = pending.pop() {
        match &mut value {
            Value::List(list) => {
                if let Some(mut items) = list.take_if_unshared() {
                    items.0.iter_mut().for_each(|it| take(it, &mut pending));
                }
            }
            Value::Map(map) => {
                if let Some(mut entries) = map.take_if_unshared() {
                    entries.0.iter_mut().for_each(|it| take(&mut it.1, &mut pending));
                }
            }
            _ => {}
        }
    }
}
