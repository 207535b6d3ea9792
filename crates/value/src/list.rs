//! Shared lists.

use std::convert::Infallible;
use std::ops::Deref;
use std::sync::Arc;

use crate::Value;
use crate::map::drop_nested;

/// An ordered list, shared until written to.
#[derive(Clone, Default)]
pub struct List(Option<Arc<Items>>);

/// INVARIANT: never empty behind the `Arc`; the empty list has no allocation.
#[derive(Clone, Default)]
pub(crate) struct Items(pub(crate) Vec<Value>);

impl List {
    /// The empty list.
    pub const fn new() -> Self {
        List(None)
    }

    /// The items.
    #[inline]
    pub fn as_slice(&self) -> &[Value] {
        self.0.as_deref().map_or(&[], |it| it.0.as_slice())
    }

    /// The items for writing; copies the item vector first if it is shared.
    pub fn to_mut(&mut self) -> &mut Vec<Value> {
        &mut Arc::make_mut(self.0.get_or_insert_default()).0
    }

    /// The list with some of its items replaced, or `None` when all of them stay: nothing is copied
    /// then.
    #[inline]
    pub fn edited(&self, mut each: impl FnMut(usize, &Value) -> Option<Value>) -> Option<List> {
        let edited = self.try_edited(|at, item| Ok::<_, Infallible>(each(at, item)));
        edited.unwrap_or_else(|never| match never {})
    }

    /// Like [`List::edited`], until an edit fails.
    ///
    /// # Errors
    /// With the first failure.
    #[inline]
    pub fn try_edited<E>(
        &self,
        mut each: impl FnMut(usize, &Value) -> Result<Option<Value>, E>,
    ) -> Result<Option<List>, E> {
        let mut edited: Option<Vec<Value>> = None;
        for (at, item) in self.as_slice().iter().enumerate() {
            if let Some(item) = each(at, item)? {
                edited.get_or_insert_with(|| self.as_slice().to_vec())[at] = item;
            }
        }
        Ok(edited.map(List::from))
    }

    /// Appends an item.
    pub fn push(&mut self, value: Value) {
        self.to_mut().push(value);
    }

    /// True if both share their storage.
    pub fn ptr_eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }

    /// An address that is the same for shared storage, for memo tables; 0 for the empty list.
    pub fn address(&self) -> usize {
        self.0.as_ref().map_or(0, |it| Arc::as_ptr(it) as usize)
    }

    pub(crate) fn take_if_unshared(&mut self) -> Option<Items> {
        self.0.take().and_then(Arc::into_inner)
    }
}

impl Deref for List {
    type Target = [Value];

    #[inline]
    fn deref(&self) -> &[Value] {
        self.as_slice()
    }
}

impl From<Vec<Value>> for List {
    fn from(items: Vec<Value>) -> Self {
        if items.is_empty() { List(None) } else { List(Some(Arc::new(Items(items)))) }
    }
}

impl FromIterator<Value> for List {
    fn from_iter<I: IntoIterator<Item = Value>>(iter: I) -> Self {
        List::from(iter.into_iter().collect::<Vec<_>>())
    }
}

impl<'a> IntoIterator for &'a List {
    type Item = &'a Value;
    type IntoIter = std::slice::Iter<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.as_slice().iter()
    }
}

impl PartialEq for List {
    fn eq(&self, other: &Self) -> bool {
        Value::List(self.clone()) == Value::List(other.clone())
    }
}

impl std::fmt::Debug for List {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Value::List(self.clone()).fmt(f)
    }
}

impl Drop for Items {
    fn drop(&mut self) {
        drop_nested(&mut self.0, |it| it);
    }
}
