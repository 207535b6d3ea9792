//! A field that is a 32-bit integer or a text, such as a port or `25%`.

use std::fmt;

use ordain_value::{Text, Value};

/// An integer or a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IntOrString {
    /// A number.
    Int(i32),
    /// A text, such as a percentage or the name of a port.
    String(Text),
}

impl IntOrString {
    /// Reads an integer that fits 32 bits, or a string.
    pub fn decode(value: &Value) -> Option<Self> {
        match value {
            Value::Int(number) => i32::try_from(*number).ok().map(Self::Int),
            Value::Str(text) => Some(Self::String(text.clone())),
            _ => None,
        }
    }

    /// The value as JSON has it.
    pub fn encode(&self) -> Value {
        match self {
            Self::Int(number) => Value::Int(i64::from(*number)),
            Self::String(text) => Value::Str(text.clone()),
        }
    }

    /// The integer itself, or the share of `total` that a text such as `25%` names.
    pub fn scaled(&self, total: i32, round_up: bool) -> Option<i32> {
        match self {
            Self::Int(number) => Some(*number),
            Self::String(text) => {
                let percent: i64 = text.strip_suffix('%')?.parse().ok()?;
                let product = percent.checked_mul(i64::from(total))?;
                let scaled = if round_up {
                    product.checked_add(99)?.div_euclid(100)
                } else {
                    product.div_euclid(100)
                };
                i32::try_from(scaled).ok()
            }
        }
    }
}

impl fmt::Display for IntOrString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(number) => write!(f, "{number}"),
            Self::String(text) => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_scale() {
        let quarter = IntOrString::String("25%".into());
        assert_eq!(quarter.scaled(10, true), Some(3));
        assert_eq!(quarter.scaled(10, false), Some(2));
        assert_eq!(IntOrString::Int(7).scaled(10, false), Some(7));
        assert_eq!(IntOrString::String("x".into()).scaled(10, false), None);
    }

    #[test]
    fn integers_beyond_32_bits_are_refused() {
        assert_eq!(IntOrString::decode(&Value::Int(1 << 40)), None);
        assert_eq!(IntOrString::decode(&Value::Int(5)), Some(IntOrString::Int(5)));
    }
}
