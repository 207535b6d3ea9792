//! The value enum, its accessors and its equality.

use std::fmt;

use crate::{List, Map, Text};

/// One node of an object tree.
///
/// Integers and floats stay apart as Go decodes them: `1` is an `Int`, `1.0` and `1e3` are
/// `Float`s, and the two are never equal.
#[derive(Clone, Default)]
pub enum Value {
    /// JSON null.
    #[default]
    Null,
    /// A boolean.
    Bool(bool),
    /// A number without fraction or exponent that fits int64.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A string.
    Str(Text),
    /// An ordered list.
    List(List),
    /// An object, sorted by key.
    Map(Map),
}

impl Value {
    /// A string value.
    pub fn str(text: impl Into<Text>) -> Self {
        Value::Str(text.into())
    }

    /// True for null.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// The boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(it) => Some(*it),
            _ => None,
        }
    }

    /// The integer, if it is one (floats are not converted).
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(it) => Some(*it),
            _ => None,
        }
    }

    /// The number as a float, integers included.
    #[expect(clippy::cast_precision_loss, reason = "Go converts int64 to float64 the same way")]
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Value::Float(it) => Some(*it),
            Value::Int(it) => Some(*it as f64),
            _ => None,
        }
    }

    /// The string, if it is one.
    #[inline]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Str(it) => Some(it),
            _ => None,
        }
    }

    /// The string with its shared storage, if it is one.
    #[inline]
    pub fn as_text(&self) -> Option<&Text> {
        match self {
            Value::Str(it) => Some(it),
            _ => None,
        }
    }

    /// The list, if it is one.
    #[inline]
    pub fn as_list(&self) -> Option<&List> {
        match self {
            Value::List(it) => Some(it),
            _ => None,
        }
    }

    /// The map, if it is one.
    #[inline]
    pub fn as_map(&self) -> Option<&Map> {
        match self {
            Value::Map(it) => Some(it),
            _ => None,
        }
    }

    /// The list for writing, if it is one.
    pub fn as_list_mut(&mut self) -> Option<&mut List> {
        match self {
            Value::List(it) => Some(it),
            _ => None,
        }
    }

    /// The map for writing, if it is one.
    pub fn as_map_mut(&mut self) -> Option<&mut Map> {
        match self {
            Value::Map(it) => Some(it),
            _ => None,
        }
    }

    /// The child under `key`, if this is a map that has it.
    #[inline]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_map().and_then(|it| it.get(key))
    }

    /// The child under `key` for writing; unshares the map.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.as_map_mut().and_then(|it| it.get_mut(key))
    }

    /// The descendant reached by `keys`.
    pub fn get_path(&self, keys: &[&str]) -> Option<&Value> {
        keys.iter().try_fold(self, |it, key| it.get(key))
    }

    /// Sets the descendant reached by `keys`, making maps on the way where something else stands.
    pub fn set_path(&mut self, keys: &[&str], value: Value) {
        let mut at = self;
        for key in keys {
            if !matches!(at, Value::Map(_)) {
                *at = Value::Map(Map::new());
            }
            let Value::Map(map) = at else { return };
            at = map.get_or_insert_null(key);
        }
        *at = value;
    }

    /// Removes the descendant reached by `keys`; leaves shared parents alone if it is not there.
    pub fn remove_path(&mut self, keys: &[&str]) -> Option<Value> {
        let (last, parents) = keys.split_last()?;
        self.get_path(keys)?;
        let mut at = self;
        for key in parents {
            at = at.get_mut(key)?;
        }
        at.as_map_mut()?.remove(last)
    }

    /// The JSON name of the kind of value: `null`, `boolean`, `integer`, `number`, `string`,
    /// `array` or `object`.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Int(_) => "integer",
            Value::Float(_) => "number",
            Value::Str(_) => "string",
            Value::List(_) => "array",
            Value::Map(_) => "object",
        }
    }

    /// True if both are the same shared list or map, or equal scalars: cheap, may say no to equal
    /// containers.
    pub fn same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::List(a), Value::List(b)) => a.ptr_eq(b),
            (Value::Map(a), Value::Map(b)) => a.ptr_eq(b),
            _ => scalar_eq(self, other) == Some(true),
        }
    }

    /// True if this is a container that owns children.
    pub(crate) fn has_children(&self) -> bool {
        match self {
            Value::List(it) => !it.is_empty(),
            Value::Map(it) => !it.is_empty(),
            _ => false,
        }
    }
}

/// Some(verdict) when at least one side is a scalar, None when both are the same sort of container.
fn scalar_eq(a: &Value, b: &Value) -> Option<bool> {
    Some(match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::Str(a), Value::Str(b)) => a == b,
        (Value::List(_), Value::List(_)) | (Value::Map(_), Value::Map(_)) => return None,
        _ => false,
    })
}

/// Deep equality: shared subtrees are equal at once, and depth lives on the heap.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        if let Some(verdict) = scalar_eq(self, other) {
            return verdict;
        }
        let mut pending = vec![(self, other)];
        while let Some((a, b)) = pending.pop() {
            match (a, b) {
                (Value::List(a), Value::List(b)) => {
                    if a.ptr_eq(b) {
                        continue;
                    }
                    if a.len() != b.len() || !children_eq(a.iter().zip(b.iter()), &mut pending) {
                        return false;
                    }
                }
                (Value::Map(a), Value::Map(b)) => {
                    if a.ptr_eq(b) {
                        continue;
                    }
                    let keys_eq = || a.iter().zip(b.iter()).all(|((a, _), (b, _))| a == b);
                    let pairs = a.iter().map(|(_, it)| it).zip(b.iter().map(|(_, it)| it));
                    if a.len() != b.len() || !keys_eq() || !children_eq(pairs, &mut pending) {
                        return false;
                    }
                }
                _ => return false,
            }
        }
        true
    }
}

fn children_eq<'a>(
    pairs: impl Iterator<Item = (&'a Value, &'a Value)>,
    pending: &mut Vec<(&'a Value, &'a Value)>,
) -> bool {
    for (a, b) in pairs {
        match scalar_eq(a, b) {
            Some(true) => {}
            Some(false) => return false,
            None => pending.push((a, b)),
        }
    }
    true
}

/// Debug output is JSON: short in test failures and safe at any depth.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::json::encode_string(self))
    }
}

macro_rules! from {
    ($($from:ty => |$it:ident| $into:expr;)*) => {$(
        impl From<$from> for Value {
            fn from($it: $from) -> Self {
                $into
            }
        }
    )*};
}

from! {
    bool => |it| Value::Bool(it);
    i64 => |it| Value::Int(it);
    i32 => |it| Value::Int(i64::from(it));
    u32 => |it| Value::Int(i64::from(it));
    f64 => |it| Value::Float(it);
    &str => |it| Value::Str(Text::new(it));
    String => |it| Value::Str(Text::from(it));
    &String => |it| Value::Str(Text::new(it));
    Text => |it| Value::Str(it);
    &Text => |it| Value::Str(it.clone());
    Vec<Value> => |it| Value::List(List::from(it));
    List => |it| Value::List(it);
    Map => |it| Value::Map(it);
    &Value => |it| it.clone();
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(it: Option<T>) -> Self {
        it.map_or(Value::Null, Into::into)
    }
}

impl FromIterator<Value> for Value {
    fn from_iter<I: IntoIterator<Item = Value>>(iter: I) -> Self {
        Value::List(iter.into_iter().collect())
    }
}
