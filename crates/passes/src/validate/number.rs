//! `minimum`, `maximum`, `multipleOf`, and the range of integer and float formats.
//!
//! Integers are compared with bounds cut to int64 and floats with bounds as they are; a bound that the type
//! cannot hold is an error for every value, and is then compared as a float. All of it is upstream's.

use ordain_schema::{Type, Validation};
use ordain_value::Value;
use ordain_value::field::{BadValue, Kind};
use ordain_value::number::go_float;

use super::place::Place;
use super::type_::is_json_integer;
use super::{Checks, Walk, in_body};

#[derive(Debug)]
pub(crate) struct NumberChecks {
    range: Range,
    multiple_of: Option<Bound>,
    minimum: Option<Bound>,
    maximum: Option<Bound>,
}

#[derive(Debug)]
struct Bound {
    value: f64,
    /// The bound as integers are compared with it.
    int: i64,
    exclusive: bool,
    /// Whether the type can hold the bound.
    fits: bool,
}

/// The numbers that a type and its format can hold.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Range {
    Any,
    Int64 { named: bool },
    Int32,
    Float32,
}

impl Range {
    fn of(ty: Type, format: Option<&str>) -> Range {
        match (ty, format) {
            (Type::Integer, Some("int32")) => Range::Int32,
            (Type::Integer, format) => Range::Int64 { named: format == Some("int64") },
            (Type::Number, Some("float")) => Range::Float32,
            _ => Range::Any,
        }
    }

    fn holds_int(self, int: i64) -> bool {
        self != Range::Int32 || i32::try_from(int).is_ok()
    }

    fn holds_float(self, float: f64) -> bool {
        match self {
            Range::Any => true,
            Range::Int64 { .. } => {
                float.trunc() == float
                    && (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&float)
            }
            Range::Int32 => {
                float.trunc() == float && (-2_147_483_648.0..=2_147_483_647.0).contains(&float)
            }
            Range::Float32 => (float as f32).is_finite(),
        }
    }

    fn named(self) -> &'static str {
        match self {
            Range::Any | Range::Int64 { named: false } => "integer (default format)",
            Range::Int64 { named: true } => "integer with format int64",
            Range::Int32 => "integer with format int32",
            Range::Float32 => "number with format float",
        }
    }
}

impl NumberChecks {
    pub(super) fn compile(
        ty: Type,
        format: Option<&str>,
        it: &Validation,
    ) -> Option<Box<NumberChecks>> {
        let range = Range::of(ty, format);
        let bound = |value: Option<f64>, exclusive| {
            value.map(|value| Bound {
                value,
                int: go_int(value),
                exclusive,
                fits: range.holds_float(value),
            })
        };
        let checks = NumberChecks {
            range,
            multiple_of: bound(it.multiple_of, false),
            minimum: bound(it.minimum, it.exclusive_minimum),
            maximum: bound(it.maximum, it.exclusive_maximum),
        };
        let unbounded =
            checks.multiple_of.is_none() && checks.minimum.is_none() && checks.maximum.is_none();
        let plain = matches!(range, Range::Any | Range::Int64 { named: false });
        (!(unbounded && plain)).then(|| Box::new(checks))
    }
}

impl NumberChecks {
    /// The integers that pass, from and up to, when bounds alone decide.
    pub(super) fn sure_ints(&self) -> Option<(i64, i64)> {
        if self.multiple_of.is_some() {
            return None;
        }
        let (mut from, mut to) = match self.range {
            Range::Int32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
            _ => (i64::MIN, i64::MAX),
        };
        if let Some(it) = &self.minimum {
            let low = it.int.checked_add(i64::from(it.exclusive)).filter(|_| it.fits)?;
            from = from.max(low);
        }
        if let Some(it) = &self.maximum {
            let high = it.int.checked_sub(i64::from(it.exclusive)).filter(|_| it.fits)?;
            to = to.min(high);
        }
        Some((from, to))
    }
}

impl Walk<'_> {
    pub(super) fn check_number(
        &mut self,
        ty: Type,
        checks: Option<&Checks>,
        value: &Value,
        place: &Place<'_>,
    ) {
        let checks = checks.and_then(|it| it.number.as_deref());
        let range = checks.map_or_else(|| Range::of(ty, None), |it| it.range);
        let held = match value {
            Value::Int(int) => range.holds_int(*int),
            Value::Float(float) => range.holds_float(*float),
            _ => true,
        };
        if !held {
            self.out_of_range("Checked", range, place);
        }
        let Some(checks) = checks else {
            return;
        };
        if let Some(bound) = &checks.multiple_of {
            self.check_multiple(bound, range, value, place);
        }
        if let Some(bound) = &checks.minimum {
            self.check_bound(&MINIMUM, bound, range, value, place);
        }
        if let Some(bound) = &checks.maximum {
            self.check_bound(&MAXIMUM, bound, range, value, place);
        }
    }

    fn out_of_range(&mut self, what: &str, range: Range, place: &Place<'_>) {
        self.plain(|| {
            format!("{what} value must be of type {} in {}", range.named(), place.text())
        });
    }

    fn check_bound(
        &mut self,
        side: &Side,
        bound: &Bound,
        range: Range,
        value: &Value,
        place: &Place<'_>,
    ) {
        if !bound.fits {
            self.out_of_range(side.name, range, place);
        }
        match value {
            Value::Int(int) if bound.fits => {
                let limit = bound.int;
                if side.refuses(Some(int.cmp(&limit)), bound.exclusive) {
                    let words = side.words(bound.exclusive);
                    self.fail_limit(place, || Value::Int(*int).into(), words, limit);
                }
            }
            other => {
                let float = other.as_float().unwrap_or_default();
                if side.refuses(float.partial_cmp(&bound.value), bound.exclusive) {
                    self.fail(place, |name| {
                        let words = side.words(bound.exclusive);
                        let parts = [words[0], &*go_float(bound.value)];
                        (Kind::Invalid, Value::Float(float).into(), in_body(name, &parts))
                    });
                }
            }
        }
    }

    fn check_multiple(&mut self, bound: &Bound, range: Range, value: &Value, place: &Place<'_>) {
        if !bound.fits {
            self.out_of_range("MultipleOf", range, place);
        }
        let (multiple, factor, shown_value) = match value {
            Value::Int(int) if bound.fits => {
                let factor = bound.int;
                let multiple = (factor > 0).then(|| int % factor == 0);
                (multiple, Value::Int(factor), Value::Int(*int))
            }
            other => {
                let (float, factor) = (other.as_float().unwrap_or_default(), bound.value);
                let quotient = if factor < 1.0 { 1.0 / factor * float } else { float / factor };
                let multiple = (factor > 0.0).then(|| is_json_integer(quotient));
                (multiple, Value::Float(factor), Value::Float(float))
            }
        };
        let shown = match &factor {
            Value::Float(float) => go_float(*float),
            Value::Int(int) => int.to_string(),
            _ => String::new(),
        };
        match multiple {
            Some(true) => {}
            Some(false) => self.fail(place, |name| {
                let parts = ["should be a multiple of ", &*shown];
                (Kind::Invalid, shown_value.into(), in_body(name, &parts))
            }),
            None => self.fail(place, |name| {
                let detail =
                    format!("factor MultipleOf declared for {name} must be positive: {shown}");
                (Kind::Invalid, BadValue::Value(factor), detail)
            }),
        }
    }
}

/// One of the two bounds: its words, and what it refuses.
struct Side {
    name: &'static str,
    inclusive: &'static [&'static str; 2],
    exclusive: &'static [&'static str; 2],
    wrong: std::cmp::Ordering,
}

const MINIMUM: Side = Side {
    name: "Minimum boundary",
    inclusive: &["should be greater than or equal to ", ""],
    exclusive: &["should be greater than ", ""],
    wrong: std::cmp::Ordering::Less,
};

const MAXIMUM: Side = Side {
    name: "Maximum boundary",
    inclusive: &["should be less than or equal to ", ""],
    exclusive: &["should be less than ", ""],
    wrong: std::cmp::Ordering::Greater,
};

impl Side {
    fn words(&self, exclusive: bool) -> &'static [&'static str; 2] {
        if exclusive { self.exclusive } else { self.inclusive }
    }

    fn refuses(&self, order: Option<std::cmp::Ordering>, exclusive: bool) -> bool {
        order.is_some_and(|it| it == self.wrong || (exclusive && it.is_eq()))
    }
}

/// A float cut to int64 as amd64 does it: everything out of range is the smallest integer.
fn go_int(float: f64) -> i64 {
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&float) {
        float as i64
    } else {
        i64::MIN
    }
}
