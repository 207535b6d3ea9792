//! Reading parts of a tree where what is absent reads as empty, as zero values do in Go.

use crate::{Map, Text, Value};

impl Value {
    /// A number of things; one that int64 cannot hold becomes its greatest.
    pub fn count<N: TryInto<i64>>(number: N) -> Self {
        Value::Int(number.try_into().unwrap_or(i64::MAX))
    }

    /// The text under `key`; empty if there is none.
    pub fn text(&self, key: &str) -> &str {
        self.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// The text that `keys` lead to; empty if there is none.
    pub fn text_at(&self, keys: &[&str]) -> &str {
        self.get_path(keys).and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether `true` stands under `key`.
    pub fn is_set(&self, key: &str) -> bool {
        self.get(key).and_then(Value::as_bool) == Some(true)
    }

    /// The items of the list under `key`; none if there is no list.
    pub fn items(&self, key: &str) -> &[Value] {
        self.get(key).and_then(Value::as_list).map(|it| it.as_slice()).unwrap_or_default()
    }

    /// The items of the list that `keys` lead to; none if there is no list.
    pub fn items_at(&self, keys: &[&str]) -> &[Value] {
        self.get_path(keys).and_then(Value::as_list).map(|it| it.as_slice()).unwrap_or_default()
    }

    /// The texts in the list under `key`; other items are passed over.
    pub fn texts(&self, key: &str) -> impl Iterator<Item = &str> {
        self.items(key).iter().filter_map(Value::as_str)
    }

    /// The entries of the map under `key`; none if there is no map.
    pub fn entries(&self, key: &str) -> impl Iterator<Item = (&Text, &Value)> {
        self.get(key).and_then(Value::as_map).into_iter().flat_map(Map::iter)
    }
}

/// What stands behind `"key"?:` in [`value!`](crate::value!): the entry is left out for what is
/// empty, as by Go's `omitempty`.
pub trait OmitEmpty {
    /// The value to write, if any.
    fn unless_empty(self) -> Option<Value>;
}

impl<T: Into<Value>> OmitEmpty for Option<T> {
    fn unless_empty(self) -> Option<Value> {
        self.map(Into::into)
    }
}

impl OmitEmpty for bool {
    fn unless_empty(self) -> Option<Value> {
        self.then_some(Value::Bool(true))
    }
}

macro_rules! omit_empty {
    ($($ty:ty)*) => {$(
        impl OmitEmpty for $ty {
            fn unless_empty(self) -> Option<Value> {
                (!self.is_empty()).then(|| self.into())
            }
        }
    )*};
}

omit_empty! { &str String &String Text &Text Vec<Value> Map }
