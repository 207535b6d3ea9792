//! Field names that remember where they were found.

use std::sync::atomic::{AtomicU32, Ordering};

use ordain_value::{Map as TreeMap, Value};

use crate::value::Field;
use crate::value::view::is_set;

/// A field's name. Inputs of one program mostly have one shape, so the place where the name was
/// found last is looked at first; a wrong guess only costs the search.
pub(crate) struct FieldKey {
    name: Box<str>,
    entry: AtomicU32,
    declared: AtomicU32,
}

/// Whether two texts are the same, without a call for the short ones that names mostly are.
#[inline]
pub(crate) fn same_text(a: &str, b: &str) -> bool {
    same_bytes(a.as_bytes(), b.as_bytes())
}

#[inline(always)]
pub(super) fn same_bytes(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    match a.len() {
        0 => true,
        len @ 1..=3 => a[0] == b[0] && a[len / 2] == b[len / 2] && a[len - 1] == b[len - 1],
        4..=7 => {
            a.first_chunk::<4>() == b.first_chunk::<4>()
                && a.last_chunk::<4>() == b.last_chunk::<4>()
        }
        8..=16 => {
            a.first_chunk::<8>() == b.first_chunk::<8>()
                && a.last_chunk::<8>() == b.last_chunk::<8>()
        }
        _ => a == b,
    }
}

fn remember(guess: &AtomicU32, at: usize) {
    guess.store(u32::try_from(at).unwrap_or(0), Ordering::Relaxed);
}

impl Clone for FieldKey {
    fn clone(&self) -> Self {
        Self::new(self.name.clone())
    }
}

impl FieldKey {
    pub(crate) fn new(name: impl Into<Box<str>>) -> Self {
        Self { name: name.into(), entry: AtomicU32::new(0), declared: AtomicU32::new(0) }
    }

    #[inline]
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The value under the key that this name stands for.
    #[inline(always)]
    pub(crate) fn entry<'m>(&self, map: &'m TreeMap, key: &str) -> Option<&'m Value> {
        let entries = map.entries();
        if let Some((known, value)) = entries.get(self.entry.load(Ordering::Relaxed) as usize)
            && same_text(known, key)
        {
            return Some(value);
        }
        self.search(map, key)
    }

    #[inline(never)]
    fn search<'m>(&self, map: &'m TreeMap, key: &str) -> Option<&'m Value> {
        let at = map.find(key)?;
        remember(&self.entry, at);
        map.entries().get(at).map(|(_, value)| value)
    }

    /// Whether a Go struct with these fields has this one set.
    #[inline]
    pub(crate) fn is_set(&self, map: &TreeMap, fields: &[Field]) -> bool {
        let Some(declared) = self.declared(fields) else { return false };
        self.entry(map, &declared.key).is_some_and(|it| is_set(it, declared.pointer))
    }

    /// The declaration of this name; the fields are sorted by name.
    #[inline]
    pub(crate) fn declared<'f>(&self, fields: &'f [Field]) -> Option<&'f Field> {
        if let Some(field) = fields.get(self.declared.load(Ordering::Relaxed) as usize)
            && same_text(&field.name, &self.name)
        {
            return Some(field);
        }
        let at = fields.binary_search_by(|it| it.name.as_str().cmp(&self.name)).ok()?;
        remember(&self.declared, at);
        fields.get(at)
    }
}
