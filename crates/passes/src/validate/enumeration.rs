//! `enum`: a value is compared after conversion to the type of each listed value, as Go converts.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hasher};

use ordain_value::field::{BadValue, Kind};
use ordain_value::{Text, Value};

use super::place::Place;
use super::{Checks, Walk};

impl Walk<'_> {
    pub(super) fn check_enum(&mut self, checks: Option<&Checks>, value: &Value, place: &Place<'_>) {
        let Some(it) = checks.and_then(|it| it.enumeration.as_deref()) else {
            return;
        };
        if it.has(value) {
            return;
        }
        self.fail(place, |_| {
            (Kind::NotSupported, BadValue::Value(value.clone()), it.detail.clone())
        });
    }
}

/// Null matches nothing, not even a listed null.
#[inline]
pub(super) fn matches(value: &Value, listed: &Value) -> bool {
    match (value, listed) {
        (Value::Str(text), Value::Str(listed)) => text == listed,
        (Value::Null, _) | (_, Value::Null) => false,
        (Value::Int(int), Value::Float(float)) => (*int as f64) == *float,
        (Value::Float(float), Value::Int(int)) => *float as i64 == *int,
        (Value::Int(int), Value::Str(text)) => {
            text.as_str() == character(*int).encode_utf8(&mut [0; 4])
        }
        _ => value == listed,
    }
}

/// Go converts an integer to the text of that one character.
fn character(int: i64) -> char {
    u32::try_from(int).ok().and_then(char::from_u32).unwrap_or('\u{fffd}')
}

/// Listed values by what may match them, for lists that are long.
#[derive(Debug, Default)]
pub(super) struct Many {
    texts: HashSet<Text>,
    ints: HashSet<i64>,
    /// The bits of floats; both zeros are one.
    floats: HashSet<u64>,
    /// Everything else, by its digest.
    others: HashMap<u64, Vec<Value>>,
}

impl Many {
    pub(super) fn new(listed: &[Value]) -> Self {
        let mut many = Self::default();
        for value in listed {
            match value {
                Value::Str(text) => drop(many.texts.insert(text.clone())),
                Value::Int(int) => drop(many.ints.insert(*int)),
                Value::Float(float) => drop(many.floats.insert(bits(*float))),
                other => many.others.entry(digest(other)).or_default().push(other.clone()),
            }
        }
        many
    }

    /// As [`matches`] does with each of them.
    pub(super) fn has(&self, value: &Value) -> bool {
        match value {
            Value::Str(text) => self.texts.contains(text.as_str()),
            Value::Int(int) => {
                self.ints.contains(int)
                    || self.floats.contains(&bits(*int as f64))
                    || self.texts.contains(&*character(*int).encode_utf8(&mut [0; 4]))
            }
            Value::Float(float) => {
                self.floats.contains(&bits(*float)) || self.ints.contains(&(*float as i64))
            }
            _ => {
                let listed = self.others.get(&digest(value)).map_or(&[][..], Vec::as_slice);
                listed.iter().any(|listed| matches(value, listed))
            }
        }
    }
}

/// The same for all values that are equal.
fn digest(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Value::Null => hasher.write_u8(0),
            Value::Bool(it) => hasher.write_u8(1 + u8::from(*it)),
            Value::Int(it) => hasher.write_u64(bits(*it as f64)),
            Value::Float(it) => hasher.write_u64(bits(*it)),
            Value::Str(text) => hasher.write(text.as_bytes()),
            Value::List(list) => {
                hasher.write_usize(list.len());
                pending.extend(list.iter());
            }
            Value::Map(map) => {
                hasher.write_usize(map.len());
                for (key, value) in map.iter() {
                    hasher.write(key.as_bytes());
                    pending.push(value);
                }
            }
        }
    }
    hasher.finish()
}

fn bits(float: f64) -> u64 {
    if float == 0.0 { 0 } else { float.to_bits() }
}

#[cfg(test)]
mod tests {
    use ordain_value::value;

    use super::*;

    #[test]
    fn many_are_matched_as_one_by_one() {
        let all = [
            value!("a"),
            value!("b"),
            value!("a long text that is no short one"),
            value!(97),
            value!(-1),
            value!(7),
            value!(7.0),
            value!(2.5),
            value!(-0.0),
            value!(0),
            value!(true),
            value!([1]),
            value!({"a": 1}),
            value!({"a": [0.0, {}]}),
            value!({"a": [-0.0, {}]}),
            value!([]),
            value!({}),
            Value::Null,
        ];
        for listed in all.windows(3) {
            let many = Many::new(listed);
            for value in &all {
                let one_by_one = listed.iter().any(|it| matches(value, it));
                assert_eq!(many.has(value), one_by_one, "{value:?} in {listed:?}");
            }
        }
    }
}
