//! Lists: views of the input, literals and results, concatenations.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use ordain_value::{List as TreeList, Text, Value, json};

use super::{Error, ListKind, Map, Result, Val, ViewRef, equal};
use crate::meter::Meter;

/// A list.
#[derive(Clone)]
pub enum List<'a> {
    /// A list of the input.
    View {
        /// The items as decoded.
        list: &'a TreeList,
        /// The declared list type.
        ty: ViewRef<'a>,
    },
    /// A literal or a result.
    Owned(Arc<Vec<Val<'a>>>),
    /// What `+` made of a list of the input: it keeps the declared type.
    Typed(Arc<TypedList<'a>>),
    /// Two lists one after the other.
    Concat(Arc<Concat<'a>>),
}

/// A result of `+` on a list of the input.
pub struct TypedList<'a> {
    /// What the items hold natively.
    items: Vec<Val<'a>>,
    ty: ViewRef<'a>,
}

/// Two lists one after the other.
pub struct Concat<'a> {
    first: List<'a>,
    second: List<'a>,
    len: usize,
    depth: usize,
}

/// Chains of concatenations longer than this are copied flat.
const CONCAT_DEPTH_MAX: usize = 32;

impl TypedList<'_> {
    /// How many items there are.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }
}

/// What an item of a set is compared by.
#[derive(Clone, PartialEq, Eq, Hash)]
enum SetKey {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    /// The bits of a number, of which no two are the same number.
    Double(u64),
    Str(Text),
    Duration(i64),
    /// What cannot be told apart.
    Other,
}

/// None for what is not even equal to itself.
fn set_key(value: &Val<'_>) -> Option<SetKey> {
    Some(match value {
        Val::Null => SetKey::Null,
        Val::Bool(it) => SetKey::Bool(*it),
        Val::Int(it) => SetKey::Int(*it),
        Val::Uint(it) => SetKey::Uint(*it),
        Val::Double(it) if it.is_nan() => return None,
        // Adding zero makes one of both zeros.
        Val::Double(it) => SetKey::Double((it + 0.0).to_bits()),
        Val::Str(it) => SetKey::Str(it.as_str().into()),
        Val::Duration(it) => SetKey::Duration(*it),
        _ => SetKey::Other,
    })
}

/// What the input holds natively, the declared type aside.
fn native<'a>(value: &'a Value, ty: ViewRef<'a>) -> Val<'a> {
    match value {
        Value::List(list) => Val::List(List::View { list, ty }),
        Value::Map(map) => Val::Map(Map::View { map, ty }),
        _ => ViewRef::dynamic().read(value).unwrap_or(Val::Null),
    }
}

impl<'a> List<'a> {
    /// A list of the input without declared type.
    #[must_use]
    pub fn of(list: &'a TreeList) -> Self {
        Self::View { list, ty: ViewRef::dynamic() }
    }

    /// How many items there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::View { list, .. } => list.len(),
            Self::Owned(items) => items.len(),
            Self::Typed(typed) => typed.len(),
            Self::Concat(both) => both.len,
        }
    }

    /// Whether there is no item.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether this is the zero value: lists of the input never are.
    #[must_use]
    pub(crate) fn is_zero(&self) -> bool {
        matches!(self, Self::Owned(items) if items.is_empty())
    }

    /// The item at an index.
    ///
    /// # Errors
    /// When the item does not fit the declared type, or is out of bounds.
    pub fn get(&self, index: usize) -> Result<Val<'a>> {
        let missing = || Error::new(format!("index out of bounds: {index}"));
        match self {
            Self::View { list, ty } => {
                ty.items().0.read(list.as_slice().get(index).ok_or_else(missing)?)
            }
            Self::Owned(items) => items.get(index).cloned().ok_or_else(missing),
            Self::Typed(typed) => {
                typed.ty.items().0.read_native(typed.items.get(index).ok_or_else(missing)?)
            }
            Self::Concat(both) => match index.checked_sub(both.first.len()) {
                None => both.first.get(index),
                Some(rest) => both.second.get(rest),
            },
        }
    }

    /// The item at an index given as a value.
    ///
    /// # Errors
    /// When the index is no whole number or out of bounds, or the item does not fit its type.
    pub fn index(&self, index: &Val<'a>) -> Result<Option<Val<'a>>> {
        let at = index_of(index)?;
        let Some(at) = usize::try_from(at).ok().filter(|at| *at < self.len()) else {
            return Ok(None);
        };
        if !matches!(index, Val::Int(_)) && self.wants_int(at) {
            return Err(Error::new(format!("unsupported index: {}", super::show::plain(index))));
        }
        self.get(at).map(Some)
    }

    /// Lists of the input take no other number than `int` as an index.
    fn wants_int(&self, at: usize) -> bool {
        match self {
            Self::View { .. } | Self::Typed(_) => true,
            Self::Owned(_) => false,
            Self::Concat(both) => match at.checked_sub(both.first.len()) {
                None => both.first.wants_int(at),
                // The second list is asked with an int.
                Some(_) => false,
            },
        }
    }

    /// The items, each read when asked for.
    pub fn iter(&self) -> impl Iterator<Item = Result<Val<'a>>> + '_ {
        (0..self.len()).map(|index| self.get(index))
    }

    /// All items at once.
    ///
    /// # Errors
    /// When one does not fit the declared type.
    pub fn to_vec(&self) -> Result<Vec<Val<'a>>> {
        match self {
            Self::Owned(items) => Ok(items.to_vec()),
            _ => self.iter().collect(),
        }
    }

    fn typed(&self) -> Option<(ViewRef<'a>, Vec<Val<'a>>)> {
        match self {
            Self::View { list, ty } => {
                let items = ty.items().0;
                Some((*ty, list.iter().map(|value| native(value, items)).collect()))
            }
            Self::Typed(typed) => Some((typed.ty, typed.items.clone())),
            _ => None,
        }
    }

    /// What the items hold natively; literals in lists are not what they hold.
    fn natives(&self) -> Result<Vec<Val<'a>>> {
        self.iter().collect()
    }

    /// How many items `self + other` copies.
    pub(crate) fn copied(&self, other: &List<'a>) -> usize {
        let copies = match self {
            Self::View { .. } | Self::Typed(_) => true,
            Self::Owned(_) | Self::Concat(_) => {
                !self.is_empty() && !other.is_empty() && self.is_too_deep_with(other)
            }
        };
        if copies { self.len().saturating_add(other.len()) } else { 0 }
    }

    /// Whether a chain that goes on with another list would be too long.
    fn is_too_deep_with(&self, other: &List<'a>) -> bool {
        self.depth().max(other.depth()) >= CONCAT_DEPTH_MAX
    }

    /// `self + other`
    ///
    /// # Errors
    /// When an item does not fit its declared type.
    pub fn concat(&self, other: &List<'a>) -> Result<List<'a>> {
        if let Some((ty, mut items)) = self.typed() {
            match ty.items().1 {
                ListKind::Atomic => items.extend(other.natives()?),
                ListKind::Set => union(&mut items, other.natives()?),
                ListKind::Map(keys) => merge(&mut items, other.natives()?, keys),
            }
            return Ok(List::Typed(Arc::new(TypedList { items, ty })));
        }
        if self.is_empty() {
            return Ok(other.clone());
        }
        if other.is_empty() {
            return Ok(self.clone());
        }
        if self.is_too_deep_with(other) {
            let mut items = self.to_vec()?;
            items.extend(other.to_vec()?);
            return Ok(List::Owned(Arc::new(items)));
        }
        let depth = 1 + self.depth().max(other.depth());
        let len = self.len().saturating_add(other.len());
        let both = Concat { first: self.clone(), second: other.clone(), len, depth };
        Ok(List::Concat(Arc::new(both)))
    }

    fn depth(&self) -> usize {
        match self {
            Self::Concat(both) => both.depth,
            _ => 0,
        }
    }

    /// `value in self`; each item that is looked at is paid for.
    ///
    /// # Errors
    /// When items cannot be compared and none is equal, or when it takes more work than is left.
    pub fn contains(&self, value: &Val<'a>, meter: &Meter) -> Result<bool> {
        if let Self::Concat(both) = self {
            let first = both.first.contains(value, meter);
            if matches!(first, Ok(true)) {
                return first;
            }
            let second = both.second.contains(value, meter);
            return match (first, second) {
                (_, Ok(true)) => Ok(true),
                (Err(error), _) => Err(error),
                (_, second) => second,
            };
        }
        let typed = matches!(self, Self::View { .. } | Self::Typed(_));
        let mut failed = None;
        for item in self.iter() {
            meter.items(1)?;
            let outcome = match item {
                Ok(item) if typed => equal::method(&item, value, meter),
                Ok(item) => equal::method(value, &item, meter),
                Err(error) => Err(error),
            };
            match outcome {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(error) if error.is_cancelled() => return Err(error),
                Err(error) => failed = failed.or(typed.then_some(error)),
            }
        }
        failed.map_or(Ok(false), Err)
    }

    /// Equality that ignores order, if this list's type asks for it.
    pub(crate) fn equals_unordered(&self, other: &List<'a>, meter: &Meter) -> Option<Result<bool>> {
        let ty = match self {
            Self::View { ty, .. } => *ty,
            Self::Typed(typed) => typed.ty,
            _ => return None,
        };
        match ty.items().1 {
            ListKind::Atomic => None,
            ListKind::Set => Some(self.set_equals(other, meter)),
            ListKind::Map(keys) => Some(self.map_equals(other, keys, meter)),
        }
    }

    fn set_equals(&self, other: &List<'a>, meter: &Meter) -> Result<bool> {
        if self.len() != other.len() {
            return Ok(false);
        }
        let Some((_, own)) = self.typed() else { return Ok(false) };
        meter.made_items(own.len())?;
        let own: HashSet<Option<SetKey>> = own.iter().map(set_key).collect();
        for item in other.iter() {
            let Ok(item) = item else { return Ok(false) };
            let key = set_key(&item);
            if key.is_none() || !own.contains(&key) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn map_equals(&self, other: &List<'a>, keys: &[Text], meter: &Meter) -> Result<bool> {
        if self.len() != other.len() {
            return Ok(false);
        }
        let Some((ty, own)) = self.typed() else { return Ok(false) };
        meter.made_items(own.len())?;
        let by_key = ByKey::of(&own, keys);
        for item in other.iter() {
            let item = item?;
            // Of equal keys the last stands.
            let Some(found) = by_key.last(&item) else { return Ok(false) };
            let found = ty.items().0.read_native(&own[found])?;
            if !equal::method(&found, &item, meter)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Items of a list map by their keys.
struct ByKey<'v, 'a> {
    items: &'v [Val<'a>],
    keys: &'v [Text],
    /// Places by the hash of the keys there, in the order of the items.
    places: HashMap<u64, Vec<usize>>,
}

impl<'v, 'a> ByKey<'v, 'a> {
    fn of(items: &'v [Val<'a>], keys: &'v [Text]) -> Self {
        let mut places: HashMap<u64, Vec<usize>> = HashMap::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            if let Some(hash) = key_hash(item, keys) {
                places.entry(hash).or_default().push(at);
            }
        }
        Self { items, keys, places }
    }

    /// The last place of an item with the keys of this one.
    fn last(&self, item: &Val<'a>) -> Option<usize> {
        let places = self.places.get(&key_hash(item, self.keys)?)?;
        places.iter().rev().copied().find(|at| same_key(&self.items[*at], item, self.keys))
    }
}

/// A hash that items with the same keys share.
fn key_hash(item: &Val<'_>, keys: &[Text]) -> Option<u64> {
    let Val::Map(Map::View { map, .. }) = item else { return None };
    let mut hasher = DefaultHasher::new();
    for key in keys {
        match map.get(key).filter(|it| !it.is_null()) {
            Some(Value::Str(text)) => text.as_str().hash(&mut hasher),
            // Equal numbers are written alike.
            Some(other) => json::encode(other).hash(&mut hasher),
            None => 0_u8.hash(&mut hasher),
        }
    }
    Some(hasher.finish())
}

fn same_key(a: &Val<'_>, b: &Val<'_>, keys: &[Text]) -> bool {
    let (Val::Map(Map::View { map: a, .. }), Val::Map(Map::View { map: b, .. })) = (a, b) else {
        return false;
    };
    let many = keys.len() > 3;
    keys.iter().all(|key| {
        let (a, b) = (a.get(key), b.get(key));
        let null = |it: Option<&Value>| it.is_none_or(Value::is_null);
        match (a, b) {
            _ if null(a) && null(b) => true,
            // Many keys are compared by their printed form.
            (Some(a), Some(b)) if many => a == b || printed(a) == printed(b),
            _ => a == b,
        }
    })
}

fn printed(value: &Value) -> String {
    super::show::plain(&ViewRef::dynamic().read(value).unwrap_or(Val::Null))
}

fn union<'a>(items: &mut Vec<Val<'a>>, more: Vec<Val<'a>>) {
    let mut known: HashSet<Option<SetKey>> = items.iter().map(set_key).collect();
    for item in more {
        let key = set_key(&item);
        if key.is_none() || known.insert(key) {
            items.push(item);
        }
    }
}

fn merge<'a>(items: &mut Vec<Val<'a>>, more: Vec<Val<'a>>, keys: &[Text]) {
    let original = items.clone();
    let by_key = ByKey::of(&original, keys);
    for item in more {
        match by_key.last(&item) {
            Some(at) => items[at] = item,
            None => items.push(item),
        }
    }
}

/// A whole number as an index.
///
/// # Errors
/// When the value is none.
pub fn index_of(index: &Val<'_>) -> Result<i64> {
    let lossy =
        || Error::new(format!("unsupported index value {} in list", super::show::plain(index)));
    match index {
        Val::Int(at) => Ok(*at),
        Val::Uint(at) => i64::try_from(*at).map_err(|_| lossy()),
        Val::Double(at) => super::compare::lossless_int(*at).ok_or_else(lossy),
        _ => Err(Error::new(format!("unsupported index type '{}' in list", index.type_name()))),
    }
}
