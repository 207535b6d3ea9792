//! Maps: objects and maps of the input, literals and results.

use std::collections::HashMap;
use std::sync::Arc;

use ordain_value::{Map as TreeMap, Value};

use super::{Error, Result, Str, Val, View, ViewRef, compare};

/// A map or object.
#[derive(Clone)]
pub enum Map<'a> {
    /// A map or object of the input.
    View {
        /// The entries as decoded.
        map: &'a TreeMap,
        /// The declared type.
        ty: ViewRef<'a>,
    },
    /// A literal or a result.
    Owned(Arc<MapData<'a>>),
}

/// Entries in order of insertion.
#[derive(Clone, Default)]
pub struct MapData<'a> {
    entries: Vec<(Val<'a>, Val<'a>)>,
    /// Positions by key, once scanning would be slow.
    index: HashMap<Key, usize>,
    /// The type of a message literal.
    message: Option<Arc<str>>,
}

/// From here on entries are found by hash.
const INDEX_MIN: usize = 12;

#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Bool(bool),
    Int(i64),
    Uint(u64),
    Str(Box<str>),
}

fn key_of(value: &Val<'_>) -> Option<Key> {
    Some(match value {
        Val::Bool(it) => Key::Bool(*it),
        Val::Int(it) => Key::Int(*it),
        Val::Uint(it) => Key::Uint(*it),
        Val::Str(it) => Key::Str(it.as_str().into()),
        _ => return None,
    })
}

/// Equality of keys: of the same type and value.
fn same(a: &Val<'_>, b: &Val<'_>) -> bool {
    match (a, b) {
        (Val::Null, Val::Null) => true,
        (Val::Bool(a), Val::Bool(b)) => a == b,
        (Val::Int(a), Val::Int(b)) => a == b,
        (Val::Uint(a), Val::Uint(b)) => a == b,
        (Val::Double(a), Val::Double(b)) => a == b,
        (Val::Str(a), Val::Str(b)) | (Val::Type(a), Val::Type(b)) => a.as_str() == b.as_str(),
        (Val::Duration(a), Val::Duration(b)) => a == b,
        (Val::Timestamp(a), Val::Timestamp(b)) => a == b,
        _ => false,
    }
}

impl<'a> MapData<'a> {
    /// The fields of a message literal of an embedder's type.
    #[must_use]
    pub fn message(type_name: &str) -> Self {
        Self { message: Some(Arc::from(type_name)), ..Self::default() }
    }

    /// The type of a message literal.
    #[must_use]
    pub fn type_name(&self) -> Option<&str> {
        self.message.as_deref()
    }

    fn position(&self, key: &Val<'_>) -> Option<usize> {
        if self.entries.len() < INDEX_MIN {
            return self.entries.iter().position(|(it, _)| same(it, key));
        }
        match key_of(key) {
            Some(key) => self.index.get(&key).copied(),
            None => self.entries.iter().position(|(it, _)| same(it, key)),
        }
    }

    /// Sets an entry; an equal key keeps its place.
    pub fn insert(&mut self, key: Val<'a>, value: Val<'a>) {
        if let Some(at) = self.position(&key) {
            self.entries[at].1 = value;
            return;
        }
        self.entries.push((key, value));
        let len = self.entries.len();
        if len == INDEX_MIN {
            self.index = self
                .entries
                .iter()
                .enumerate()
                .filter_map(|(at, (key, _))| Some((key_of(key)?, at)))
                .collect();
        } else if len > INDEX_MIN
            && let Some(key) = key_of(&self.entries[len - 1].0)
        {
            self.index.insert(key, len - 1);
        }
    }

    /// Removes an entry.
    pub fn remove(&mut self, key: &Val<'a>) {
        let Some(at) = self.position(key) else { return };
        self.entries.remove(at);
        let entries = std::mem::take(&mut self.entries);
        self.index.clear();
        for (key, value) in entries {
            self.insert(key, value);
        }
    }

    /// The entries in order of insertion.
    #[must_use]
    pub fn entries(&self) -> &[(Val<'a>, Val<'a>)] {
        &self.entries
    }

    fn exact(&self, key: &Val<'_>) -> Option<&Val<'a>> {
        self.position(key).map(|at| &self.entries[at].1)
    }

    fn find(&self, key: &Val<'_>) -> Option<&Val<'a>> {
        if self.entries.is_empty() {
            return None;
        }
        if let Some(found) = self.exact(key) {
            return Some(found);
        }
        match key {
            Val::Double(number) => {
                compare::lossless_int(*number).and_then(|it| self.exact(&Val::Int(it))).or_else(
                    || compare::lossless_uint(*number).and_then(|it| self.exact(&Val::Uint(it))),
                )
            }
            Val::Int(number) => {
                u64::try_from(*number).ok().and_then(|it| self.exact(&Val::Uint(it)))
            }
            Val::Uint(number) => {
                i64::try_from(*number).ok().and_then(|it| self.exact(&Val::Int(it)))
            }
            _ => None,
        }
    }
}

impl<'a> Map<'a> {
    /// A map of the input without declared type.
    #[must_use]
    pub fn of(map: &'a TreeMap) -> Self {
        Self::View { map, ty: ViewRef::dynamic() }
    }

    /// The type of a message literal; none for maps.
    #[must_use]
    pub fn message_type(&self) -> Option<&str> {
        match self {
            Self::View { .. } => None,
            Self::Owned(data) => data.type_name(),
        }
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::View { map, .. } => map.len(),
            Self::Owned(data) => data.entries.len(),
        }
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn is_zero(&self) -> bool {
        matches!(self, Self::Owned(data) if data.entries.is_empty())
    }

    /// The value under a key.
    ///
    /// # Errors
    /// When the key is of a type the map cannot have, or the value does not fit its type.
    pub fn find(&self, key: &Val<'_>) -> Result<Option<Val<'a>>> {
        match self {
            Self::View { map, ty } => match key {
                Val::Str(name) => ty.find(map, name.as_str()),
                _ => Err(Error::no_such_overload()),
            },
            Self::Owned(data) => match key {
                // Upstream's table cannot take such a key, not even to look it up.
                Val::Bytes(_) if !data.entries().is_empty() => Err(Error::internal(
                    "internal error: runtime error: hash of unhashable type types.Bytes",
                )),
                _ => Ok(data.find(key).cloned()),
            },
        }
    }

    /// The value under a text key.
    ///
    /// # Errors
    /// When the value does not fit its type.
    #[inline]
    pub fn find_text(&self, name: &str) -> Result<Option<Val<'a>>> {
        match self {
            Self::View { map, ty } => ty.find(map, name),
            Self::Owned(data) => Ok(data.find(&Val::Str(Str::Ref(name))).cloned()),
        }
    }

    /// Whether there is something under a text key, as `has` asks.
    ///
    /// # Errors
    /// When the value does not fit its type.
    pub fn has_text(&self, name: &str) -> Result<bool> {
        match self {
            Self::View { map, ty } => ty.has(map, name),
            Self::Owned(_) => Ok(self.find_text(name)?.is_some()),
        }
    }

    /// The keys: of an object only the declared ones, as expressions name them.
    #[must_use]
    pub fn keys(&self) -> Vec<Val<'a>> {
        match self {
            Self::View { map, ty } => map
                .iter()
                .filter(|(key, _)| ty.property(key).is_some())
                .map(|(key, _)| Val::Str(Str::Ref(ty.name_of(key))))
                .collect(),
            Self::Owned(data) => data.entries.iter().map(|(key, _)| key.clone()).collect(),
        }
    }

    /// The map as one that can be written to.
    ///
    /// # Errors
    /// When a value does not fit its type.
    pub fn to_data(&self) -> Result<MapData<'a>> {
        match self {
            Self::Owned(data) => Ok((**data).clone()),
            Self::View { .. } => {
                let mut data = MapData::default();
                for key in self.keys() {
                    if let Some(value) = self.find(&key)? {
                        data.insert(key, value);
                    }
                }
                Ok(data)
            }
        }
    }

    /// Whether this object has fields that its type does not declare.
    pub(crate) fn undeclared(&self, key: &str) -> bool {
        match self {
            Self::View { ty, .. } => !matches!(ty.view(), View::Dyn) && ty.property(key).is_none(),
            Self::Owned(_) => false,
        }
    }

    pub(crate) fn raw(&self, key: &str) -> Option<&'a Value> {
        match self {
            Self::View { map, .. } => map.get(key),
            Self::Owned(_) => None,
        }
    }
}
