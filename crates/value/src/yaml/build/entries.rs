//! The entries of a mapping while it is read, and what `<<` merges into them.

use std::collections::HashSet;

use super::Stop;
use crate::{Map, Text, Value};

/// The entries of a mapping in document order. Beyond a few, keys are also kept where they are found fast.
#[derive(Default)]
pub(super) struct Entries {
    pub(super) list: Vec<(Text, Value)>,
    keys: HashSet<Text>,
}

/// Up to so many keys are compared one by one.
const KEYS_COMPARED_MAX: usize = 16;

impl Entries {
    /// True if the key was there.
    pub(super) fn push(&mut self, key: Text, value: Value) -> bool {
        let known = if self.list.len() < KEYS_COMPARED_MAX {
            self.list.iter().any(|(it, _)| *it == key)
        } else {
            if self.keys.is_empty() {
                self.keys.extend(self.list.iter().map(|(it, _)| it.clone()));
            }
            !self.keys.insert(key.clone())
        };
        self.list.push((key, value));
        known
    }
}

/// `<<`: a map, or a list of maps of which the earlier win.
pub(super) fn merge(entries: &mut Entries, value: &Value) -> Result<(), Stop> {
    let fail = || {
        Stop::Semantic("yaml: map merge requires map or sequence of maps as the value".into(), None)
    };
    let mut add = |map: &Map| {
        for (key, value) in map.entries() {
            entries.push(key.clone(), value.clone());
        }
    };
    match value {
        Value::Map(map) => add(map),
        Value::List(list) => {
            for item in list.iter().rev() {
                let Value::Map(map) = item else { return Err(fail()) };
                add(map);
            }
        }
        _ => return Err(fail()),
    }
    Ok(())
}
