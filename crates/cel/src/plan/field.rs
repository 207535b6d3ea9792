//! Field names that remember where they were found.

use std::sync::atomic::{AtomicU32, Ordering};

use ordain_value::{Map as TreeMap, Value};

use crate::ast::Text;
use crate::value::Field;

/// A field's name. Inputs of one program mostly have one shape, so the place where the name was
/// found last is looked at first; a wrong guess only costs the search.
pub(crate) struct FieldKey {
    name: Text,
    entry: AtomicU32,
    declared: AtomicU32,
}

fn remember(guess: &AtomicU32, at: usize) {
    guess.store(u32::try_from(at).unwrap_or(0), Ordering::Relaxed);
}

impl FieldKey {
    pub(crate) fn new(name: Text) -> Self {
        Self { name, entry: AtomicU32::new(0), declared: AtomicU32::new(0) }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The value under the key that this name stands for.
    #[inline]
    pub(crate) fn entry<'m>(&self, map: &'m TreeMap, key: &str) -> Option<&'m Value> {
        let entries = map.entries();
        if let Some((known, value)) = entries.get(self.entry.load(Ordering::Relaxed) as usize)
            && known.as_str() == key
        {
            return Some(value);
        }
        let at = map.position(key).ok()?;
        remember(&self.entry, at);
        entries.get(at).map(|(_, value)| value)
    }

    /// The declaration of this name; the fields are sorted by name.
    #[inline]
    pub(crate) fn declared<'f>(&self, fields: &'f [Field]) -> Option<&'f Field> {
        if let Some(field) = fields.get(self.declared.load(Ordering::Relaxed) as usize)
            && field.name == self.name
        {
            return Some(field);
        }
        let at = fields.binary_search_by(|it| it.name.as_str().cmp(&self.name)).ok()?;
        remember(&self.declared, at);
        fields.get(at)
    }
}
