//! Go types that read and write their own JSON: times, quantities, raw JSON.
//!
//! Invariant: what [`Special::read`] gives back is what the type writes, so that reading it again
//! changes nothing.

use ordain_go::time as go_time;
use ordain_meta::quantity::Quantity;
use ordain_meta::time::Time;
use ordain_schema::Node;
use ordain_value::go_format::{cannot_unmarshal, json_type};
use ordain_value::{Value, json};

/// Why a special type does not read a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A JSON type that it does not take, and the Go type that it takes; Go adds the field.
    Type {
        /// The JSON type that is there.
        found: String,
        /// The Go type that is wanted.
        expected: &'static str,
    },
    /// In the words of the type, which name no field.
    Words(String),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Type { found, expected } => f.write_str(&cannot_unmarshal(found, expected)),
            Self::Words(words) => f.write_str(words),
        }
    }
}

fn words(error: impl std::fmt::Display) -> Refusal {
    Refusal::Words(error.to_string())
}

/// A type with a JSON form of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// A time with seconds.
    Time,
    /// A time with microseconds.
    MicroTime,
    /// A duration as Go writes it.
    Duration,
    /// A resource quantity.
    Quantity,
    /// A whole number or a text.
    IntOrString,
    /// JSON that is kept as it comes.
    Raw,
}

impl Special {
    /// The special type of a place, by the name of its Go type.
    pub fn of(node: &Node) -> Option<Self> {
        Some(match node.declared.as_ref()?.go_type.as_deref()? {
            "v1.Time" => Self::Time,
            "v1.MicroTime" => Self::MicroTime,
            "v1.Duration" => Self::Duration,
            "resource.Quantity" => Self::Quantity,
            "intstr.IntOrString" => Self::IntOrString,
            "runtime.RawExtension" | "v1.FieldsV1" | "v1.JSON" => Self::Raw,
            _ => return None,
        })
    }

    /// How the zero value is written.
    pub fn zero(self) -> Value {
        match self {
            Self::Time | Self::MicroTime | Self::Raw => Value::Null,
            Self::Duration => Value::str("0s"),
            Self::Quantity => Value::str("0"),
            Self::IntOrString => Value::Int(0),
        }
    }

    /// Reads a value other than null.
    ///
    /// # Errors
    /// When the type does not read it.
    pub fn read(self, value: &Value) -> Result<Value, Refusal> {
        match self {
            Self::Time => {
                let time = Time::decode(text(value)?).map_err(words)?;
                Ok(Value::from(time.encode()))
            }
            Self::MicroTime => {
                let time = Time::decode_micro(text(value)?).map_err(words)?;
                Ok(Value::from(time.encode_micro()))
            }
            Self::Duration => {
                let text = text(value)?;
                let quoted = || ordain_value::go_quote(text);
                let nanos = go_time::parse_duration(text)
                    .ok_or_else(|| words(format!("time: invalid duration {}", quoted())))?;
                Ok(Value::from(go_time::duration_text(nanos)))
            }
            Self::Quantity => quantity(value),
            Self::IntOrString => int_or_string(value),
            Self::Raw => Ok(value.clone()),
        }
    }
}

fn text(value: &Value) -> Result<&str, Refusal> {
    let found = || json_type(value).to_owned();
    value.as_str().ok_or_else(|| Refusal::Type { found: found(), expected: "string" })
}

/// A quantity may be written as a number; anything else is taken by its text, which never fits.
fn quantity(value: &Value) -> Result<Value, Refusal> {
    if value.as_str().is_some_and(Quantity::is_canonical) {
        return Ok(value.clone());
    }
    let parsed = match value {
        Value::Str(text) => Quantity::parse(text.trim()),
        other => Quantity::parse(&json::encode_string(other)),
    };
    parsed.map(|it| Value::from(it.to_string())).map_err(words)
}

fn int_or_string(value: &Value) -> Result<Value, Refusal> {
    let found = match value {
        Value::Str(_) => return Ok(value.clone()),
        Value::Int(number) if i32::try_from(*number).is_ok() => return Ok(value.clone()),
        Value::Int(_) | Value::Float(_) => format!("number {}", number_text(value)),
        other => json_type(other).to_owned(),
    };
    Err(Refusal::Type { found, expected: "int32" })
}

/// A number as it was most probably written: Go shows the letters of the text, of which a whole
/// float has lost its fraction here.
pub fn number_text(value: &Value) -> String {
    let text = json::encode_string(value);
    let whole = matches!(value, Value::Float(_))
        && text.bytes().all(|it| it.is_ascii_digit() || it == b'-');
    // Beyond 64 bits a float is what became of an integer.
    if whole && text.len() < 19 { format!("{text}.0") } else { text }
}
