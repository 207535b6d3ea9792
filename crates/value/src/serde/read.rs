//! Typed structs from values.

use std::fmt;

use ::serde::de::value::BorrowedStrDeserializer;
use ::serde::de::{
    self, DeserializeSeed, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};
use ::serde::{Deserialize, Deserializer, forward_to_deserialize_any};

use super::{DEPTH_MAX, Error};
use crate::{Map, Text, Value};

/// Reads a value as a type.
///
/// # Errors
/// When the value does not have the shape of the type.
pub fn from_value<'de, T: Deserialize<'de>>(value: &'de Value) -> Result<T, Error> {
    T::deserialize(Reader { value, depth: 0 })
}

#[derive(Clone, Copy)]
struct Reader<'de> {
    value: &'de Value,
    depth: usize,
}

impl<'de> Reader<'de> {
    fn below(self, value: &'de Value) -> Self {
        Reader { value, depth: self.depth + 1 }
    }

    fn enter(self) -> Result<(), Error> {
        if self.depth > DEPTH_MAX { Err(Error::too_deep()) } else { Ok(()) }
    }
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.enter()?;
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(it) => visitor.visit_bool(*it),
            Value::Int(it) => visitor.visit_i64(*it),
            Value::Float(it) => visitor.visit_f64(*it),
            Value::Str(it) => visitor.visit_borrowed_str(it),
            Value::List(it) => visitor.visit_seq(Items { reader: self, rest: it.as_slice() }),
            Value::Map(it) => {
                visitor.visit_map(Entries { reader: self, rest: it.entries(), value: None })
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.enter()?;
        match self.value {
            Value::Str(it) => visitor.visit_enum(Variant { reader: self, name: it, data: None }),
            Value::Map(map) => match map.entries() {
                [(name, data)] => {
                    visitor.visit_enum(Variant { reader: self, name, data: Some(data) })
                }
                _ => Err(de::Error::custom("expected an object with one key")),
            },
            other => Err(de::Error::custom(format!(
                "invalid type: {}, expected a string or an object with one key",
                other.kind_name()
            ))),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

struct Items<'de> {
    reader: Reader<'de>,
    rest: &'de [Value],
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let Some((first, rest)) = self.rest.split_first() else { return Ok(None) };
        self.rest = rest;
        seed.deserialize(self.reader.below(first)).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct Entries<'de> {
    reader: Reader<'de>,
    rest: &'de [(Text, Value)],
    value: Option<&'de Value>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some(((key, value), rest)) = self.rest.split_first() else { return Ok(None) };
        (self.rest, self.value) = (rest, Some(value));
        seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        let value = self.value.take().ok_or_else(|| de::Error::custom("a value without a key"))?;
        seed.deserialize(self.reader.below(value))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct Variant<'de> {
    reader: Reader<'de>,
    name: &'de str,
    data: Option<&'de Value>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Error> {
        let name = seed.deserialize(IntoDeserializer::<Error>::into_deserializer(self.name))?;
        Ok((name, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        match self.data {
            None => Ok(()),
            Some(data) => Deserialize::deserialize(self.reader.below(data)),
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(self.reader.below(self.data.unwrap_or(&Value::Null)))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, Error> {
        self.reader.below(self.data.unwrap_or(&Value::Null)).deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.reader.below(self.data.unwrap_or(&Value::Null)).deserialize_any(visitor)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_bool<E: de::Error>(self, it: bool) -> Result<Value, E> {
        Ok(Value::Bool(it))
    }

    fn visit_i64<E: de::Error>(self, it: i64) -> Result<Value, E> {
        Ok(Value::Int(it))
    }

    fn visit_u64<E: de::Error>(self, it: u64) -> Result<Value, E> {
        i64::try_from(it).map(Value::Int).map_err(|_| E::custom("the number is above int64"))
    }

    fn visit_f64<E: de::Error>(self, it: f64) -> Result<Value, E> {
        Ok(Value::Float(it))
    }

    fn visit_str<E: de::Error>(self, it: &str) -> Result<Value, E> {
        Ok(Value::str(it))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Deserialize::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut out = Vec::new();
        while let Some(item) = items.next_element()? {
            out.push(item);
        }
        Ok(out.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut out = Vec::new();
        while let Some((key, value)) = entries.next_entry::<String, Value>()? {
            out.push((Text::from(key), value));
        }
        Ok(Value::Map(Map::from_entries(out)))
    }
}
