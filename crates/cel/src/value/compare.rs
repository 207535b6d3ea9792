//! Order.

use std::cmp::Ordering;

use super::{Error, Result, Val};

/// A double as an `int`, if nothing is lost.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "checked")]
pub fn lossless_int(number: f64) -> Option<i64> {
    let whole = number as i64;
    (number.is_finite() && number < 9_223_372_036_854_775_808.0 && whole as f64 == number)
        .then_some(whole)
}

/// A double as a `uint`, if nothing is lost.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "checked"
)]
pub fn lossless_uint(number: f64) -> Option<u64> {
    let whole = number as u64;
    let fits = (0.0..18_446_744_073_709_551_616.0).contains(&number);
    (fits && whole as f64 == number).then_some(whole)
}

#[expect(clippy::cast_precision_loss, reason = "compared as upstream compares")]
fn double_int(a: f64, b: i64) -> Ordering {
    if a < -9_223_372_036_854_775_808.0 {
        Ordering::Less
    } else if a > 9_223_372_036_854_775_808.0 {
        Ordering::Greater
    } else {
        doubles(a, b as f64)
    }
}

#[expect(clippy::cast_precision_loss, reason = "compared as upstream compares")]
fn double_uint(a: f64, b: u64) -> Ordering {
    if a < 0.0 {
        Ordering::Less
    } else if a > 18_446_744_073_709_551_616.0 {
        Ordering::Greater
    } else {
        doubles(a, b as f64)
    }
}

fn doubles(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or(Ordering::Equal)
}

fn int_uint(a: i64, b: u64) -> Ordering {
    u64::try_from(a).map_or(Ordering::Less, |a| a.cmp(&b))
}

/// The order of two numbers; none if one is not a number.
#[must_use]
pub fn numbers(a: &Val<'_>, b: &Val<'_>) -> Option<Ordering> {
    let nan = |it: &Val<'_>| matches!(it, Val::Double(number) if number.is_nan());
    if nan(a) || nan(b) {
        return None;
    }
    Some(match (a, b) {
        (Val::Int(a), Val::Int(b)) => a.cmp(b),
        (Val::Int(a), Val::Uint(b)) => int_uint(*a, *b),
        (Val::Int(a), Val::Double(b)) => double_int(*b, *a).reverse(),
        (Val::Uint(a), Val::Int(b)) => int_uint(*b, *a).reverse(),
        (Val::Uint(a), Val::Uint(b)) => a.cmp(b),
        (Val::Uint(a), Val::Double(b)) => double_uint(*b, *a).reverse(),
        (Val::Double(a), Val::Int(b)) => double_int(*a, *b),
        (Val::Double(a), Val::Uint(b)) => double_uint(*a, *b),
        (Val::Double(a), Val::Double(b)) => doubles(*a, *b),
        _ => return None,
    })
}

/// Whether values of this kind have an order.
#[must_use]
pub fn is_ordered(value: &Val<'_>) -> bool {
    matches!(
        value,
        Val::Bool(_)
            | Val::Int(_)
            | Val::Uint(_)
            | Val::Double(_)
            | Val::Str(_)
            | Val::Bytes(_)
            | Val::Duration(_)
            | Val::Timestamp(_)
    )
}

/// The order of two values.
///
/// # Errors
/// When they have none.
pub fn order(a: &Val<'_>, b: &Val<'_>) -> Result<Ordering> {
    match (a, b) {
        (Val::Int(a), Val::Int(b)) => Ok(a.cmp(b)),
        (Val::Str(a), Val::Str(b)) => Ok(a.as_str().cmp(b.as_str())),
        (
            Val::Int(_) | Val::Uint(_) | Val::Double(_),
            Val::Int(_) | Val::Uint(_) | Val::Double(_),
        ) => numbers(a, b).ok_or_else(|| Error::new("NaN values cannot be ordered")),
        (Val::Bool(a), Val::Bool(b)) => Ok(a.cmp(b)),
        (Val::Bytes(a), Val::Bytes(b)) => Ok(a.as_slice().cmp(b.as_slice())),
        (Val::Duration(a), Val::Duration(b)) => Ok(a.cmp(b)),
        (Val::Timestamp(a), Val::Timestamp(b)) => Ok(a.instant().cmp(&b.instant())),
        // A double that is no number is reported before the other operand is looked at.
        (Val::Double(a), _) if a.is_nan() => Err(Error::new("NaN values cannot be ordered")),
        _ => Err(Error::no_such_overload()),
    }
}
