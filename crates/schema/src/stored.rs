//! Values inside a stored schema: as JSON text, since compact formats cannot tell types apart.

use ordain_value::{Value, json};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

fn decode<E: serde::de::Error>(text: &str) -> Result<Value, E> {
    json::decode(text.as_bytes()).map_err(|error| E::custom(error.to_string()))
}

/// One value.
pub(crate) mod value {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(value: &Value, to: S) -> Result<S::Ok, S::Error> {
        json::encode_string(value).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Value, D::Error> {
        decode(&String::deserialize(from)?)
    }
}

/// A value that may be absent: the empty text.
pub(crate) mod option {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        value: &Option<Value>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_ref().map(json::encode_string).unwrap_or_default().serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Value>, D::Error> {
        let text = String::deserialize(from)?;
        if text.is_empty() { Ok(None) } else { decode(&text).map(Some) }
    }
}

/// Several values.
pub(crate) mod list {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(values: &[Value], to: S) -> Result<S::Ok, S::Error> {
        values.iter().map(json::encode_string).collect::<Vec<_>>().serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Value>, D::Error> {
        let texts = Vec::<String>::deserialize(from)?;
        texts.iter().map(|text| decode(text)).collect()
    }
}

/// Checks by value.
pub(crate) mod cases {
    use super::*;
    use crate::native::Check;

    type Cases = Vec<(Value, Vec<Check>)>;

    pub(crate) fn serialize<S: Serializer>(cases: &Cases, to: S) -> Result<S::Ok, S::Error> {
        let texts: Vec<_> =
            cases.iter().map(|(value, checks)| (json::encode_string(value), checks)).collect();
        texts.serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Cases, D::Error> {
        let texts = Vec::<(String, Vec<Check>)>::deserialize(from)?;
        let decoded = texts.into_iter().map(|(text, checks)| {
            let value = json::decode(text.as_bytes());
            value.map(|value| (value, checks)).map_err(|error| D::Error::custom(error.to_string()))
        });
        decoded.collect()
    }
}
