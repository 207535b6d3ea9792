//! Values from typed structs.

use ::serde::Serialize;
use ::serde::ser::{self, Serializer};

use super::{DEPTH_MAX, Error};
use crate::{Map, Text, Value};

/// Writes a typed struct as a value.
///
/// # Errors
/// When the type has no form as JSON: keys that are no text, integers above int64, floats that
/// are no numbers, too much nesting.
pub fn to_value<T: Serialize + ?Sized>(it: &T) -> Result<Value, Error> {
    it.serialize(Writer { depth: 0 })
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(it) => serializer.serialize_bool(*it),
            Value::Int(it) => serializer.serialize_i64(*it),
            Value::Float(it) => serializer.serialize_f64(*it),
            Value::Str(it) => serializer.serialize_str(it),
            Value::List(it) => serializer.collect_seq(it.iter()),
            Value::Map(it) => {
                serializer.collect_map(it.iter().map(|(key, item)| (key.as_str(), item)))
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Writer {
    depth: usize,
}

impl Writer {
    fn below(self) -> Result<Writer, Error> {
        if self.depth >= DEPTH_MAX {
            Err(Error::too_deep())
        } else {
            Ok(Writer { depth: self.depth + 1 })
        }
    }

    fn list(self, variant: Option<&'static str>) -> Result<ListWriter, Error> {
        Ok(ListWriter { writer: self.below()?, items: Vec::new(), variant })
    }

    fn map(self, variant: Option<&'static str>) -> Result<MapWriter, Error> {
        Ok(MapWriter { writer: self.below()?, entries: Vec::new(), key: None, variant })
    }
}

fn tagged(variant: Option<&'static str>, value: Value) -> Value {
    match variant {
        None => value,
        Some(name) => Value::Map(Map::from_entries(vec![(Text::new_static(name), value)])),
    }
}

fn float(it: f64) -> Result<Value, Error> {
    if it.is_finite() {
        Ok(Value::Float(it))
    } else {
        Err(ser::Error::custom("the number is not finite"))
    }
}

macro_rules! scalars {
    ($($name:ident($ty:ty) => |$it:ident| $value:expr;)*) => {$(
        fn $name(self, $it: $ty) -> Result<Value, Error> {
            $value
        }
    )*};
}

impl Serializer for Writer {
    type Ok = Value;
    type Error = Error;
    type SerializeSeq = ListWriter;
    type SerializeTuple = ListWriter;
    type SerializeTupleStruct = ListWriter;
    type SerializeTupleVariant = ListWriter;
    type SerializeMap = MapWriter;
    type SerializeStruct = MapWriter;
    type SerializeStructVariant = MapWriter;

    scalars! {
        serialize_bool(bool) => |it| Ok(Value::Bool(it));
        serialize_i8(i8) => |it| Ok(Value::Int(it.into()));
        serialize_i16(i16) => |it| Ok(Value::Int(it.into()));
        serialize_i32(i32) => |it| Ok(Value::Int(it.into()));
        serialize_i64(i64) => |it| Ok(Value::Int(it));
        serialize_u8(u8) => |it| Ok(Value::Int(it.into()));
        serialize_u16(u16) => |it| Ok(Value::Int(it.into()));
        serialize_u32(u32) => |it| Ok(Value::Int(it.into()));
        serialize_u64(u64) => |it| i64::try_from(it)
            .map(Value::Int)
            .map_err(|_| ser::Error::custom("the number is above int64"));
        serialize_f32(f32) => |it| float(it.into());
        serialize_f64(f64) => |it| float(it);
        serialize_char(char) => |it| Ok(Value::str(it.to_string()));
        serialize_str(&str) => |it| Ok(Value::str(it));
        serialize_bytes(&[u8]) => |it| Ok(it.iter().map(|byte| Value::Int((*byte).into())).collect());
        serialize_unit_struct(&'static str) => |_name| Ok(Value::Null);
    }

    fn serialize_none(self) -> Result<Value, Error> {
        Ok(Value::Null)
    }

    fn serialize_unit(self) -> Result<Value, Error> {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, it: &T) -> Result<Value, Error> {
        it.serialize(self)
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<Value, Error> {
        Ok(Value::str(Text::new_static(variant)))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        it: &T,
    ) -> Result<Value, Error> {
        it.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        it: &T,
    ) -> Result<Value, Error> {
        Ok(tagged(Some(variant), it.serialize(self.below()?)?))
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<ListWriter, Error> {
        self.list(None)
    }

    fn serialize_tuple(self, _len: usize) -> Result<ListWriter, Error> {
        self.list(None)
    }

    fn serialize_tuple_struct(self, _name: &'static str, _len: usize) -> Result<ListWriter, Error> {
        self.list(None)
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<ListWriter, Error> {
        self.list(Some(variant))
    }

    fn serialize_map(self, _len: Option<usize>) -> Result<MapWriter, Error> {
        self.map(None)
    }

    fn serialize_struct(self, _name: &'static str, _len: usize) -> Result<MapWriter, Error> {
        self.map(None)
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<MapWriter, Error> {
        self.map(Some(variant))
    }
}

struct ListWriter {
    writer: Writer,
    items: Vec<Value>,
    variant: Option<&'static str>,
}

impl ListWriter {
    fn item<T: Serialize + ?Sized>(&mut self, it: &T) -> Result<(), Error> {
        self.items.push(it.serialize(self.writer)?);
        Ok(())
    }

    fn finish(self) -> Value {
        tagged(self.variant, self.items.into())
    }
}

macro_rules! list_writers {
    ($($name:ident::$method:ident)*) => {$(
        impl ser::$name for ListWriter {
            type Ok = Value;
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, it: &T) -> Result<(), Error> {
                self.item(it)
            }

            fn end(self) -> Result<Value, Error> {
                Ok(self.finish())
            }
        }
    )*};
}

list_writers! {
    SerializeSeq::serialize_element
    SerializeTuple::serialize_element
    SerializeTupleStruct::serialize_field
    SerializeTupleVariant::serialize_field
}

struct MapWriter {
    writer: Writer,
    entries: Vec<(Text, Value)>,
    key: Option<Text>,
    variant: Option<&'static str>,
}

impl MapWriter {
    fn field<T: Serialize + ?Sized>(&mut self, key: &'static str, it: &T) -> Result<(), Error> {
        self.entries.push((Text::new_static(key), it.serialize(self.writer)?));
        Ok(())
    }

    fn finish(self) -> Value {
        tagged(self.variant, Value::Map(Map::from_entries(self.entries)))
    }
}

impl ser::SerializeMap for MapWriter {
    type Ok = Value;
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.key = match key.serialize(Writer { depth: 0 })? {
            Value::Str(text) => Some(text),
            Value::Int(number) => Some(number.to_string().into()),
            _ => return Err(ser::Error::custom("a key is no text")),
        };
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, it: &T) -> Result<(), Error> {
        let key = self
            .key
            .take()
            .ok_or_else(|| -> Error { ser::Error::custom("a value without a key") })?;
        self.entries.push((key, it.serialize(self.writer)?));
        Ok(())
    }

    fn end(self) -> Result<Value, Error> {
        Ok(self.finish())
    }
}

macro_rules! map_writers {
    ($($name:ident)*) => {$(
        impl ser::$name for MapWriter {
            type Ok = Value;
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                it: &T,
            ) -> Result<(), Error> {
                self.field(key, it)
            }

            fn end(self) -> Result<Value, Error> {
                Ok(self.finish())
            }
        }
    )*};
}

map_writers! { SerializeStruct SerializeStructVariant }
